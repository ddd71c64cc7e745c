/* Texture and surface references: those of the program's host code are bound through the driver's. The attributes in
 * host memory count when a reference is bound, as the CUDA C++ Programming Guide of CUDA 11 says. */
#include "runtime/references.h"

#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "runtime/array.h"
#include "runtime/images.h"
#include "runtime/runtime.h"

/* CU_TRSF_... and CU_TRSA_OVERRIDE_FORMAT */
enum { INTEGERS = 0x01, NORMALIZED = 0x02, SRGB = 0x10, TRILINEAR = 0x20, OVERRIDE = 0x01 };

void __cudaRegisterTexture(void **image, const struct textureReference *host, const void **device, const char *name,
                           int dimensions, int fractions, int external)
{
    (void)device, (void)dimensions, (void)external;
    image_add_reference((struct image *)image, host, name, IMAGE_TEXTURE, fractions != 0);
}

void __cudaRegisterSurface(void **image, const struct surfaceReference *host, const void **device, const char *name,
                           int dimensions, int external)
{
    (void)device, (void)dimensions, (void)external;
    image_add_reference((struct image *)image, host, name, IMAGE_SURFACE, false);
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static CUresult set_sampler(CUtexref reference, const struct textureReference *t, bool fractions)
{
    unsigned flags = (fractions ? 0 : INTEGERS) | (t->normalized ? NORMALIZED : 0) | (t->sRGB ? SRGB : 0) |
                     (t->disableTrilinearOptimization ? TRILINEAR : 0);
    CUresult result = cuTexRefSetFlags(reference, flags);
    for (int i = 0; i < 3 && result == CUDA_SUCCESS; i++)
        result = cuTexRefSetAddressMode(reference, i, (CUaddress_mode)t->addressMode[i]);
    if (result == CUDA_SUCCESS)
        result = cuTexRefSetFilterMode(reference, (CUfilter_mode)t->filterMode);
    if (result == CUDA_SUCCESS)
        result = cuTexRefSetMipmapFilterMode(reference, (CUfilter_mode)t->mipmapFilterMode);
    if (result == CUDA_SUCCESS)
        result = cuTexRefSetMipmapLevelBias(reference, t->mipmapLevelBias);
    if (result == CUDA_SUCCESS)
        result = cuTexRefSetMipmapLevelClamp(reference, t->minMipmapLevelClamp, t->maxMipmapLevelClamp);
    if (result == CUDA_SUCCESS)
        result = cuTexRefSetMaxAnisotropy(reference, t->maxAnisotropy);
    return result;
}

static cudaError_t find(const struct textureReference *texref, CUtexref *reference, struct image_reference *found)
{
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = images_reference(texref, IMAGE_TEXTURE, found);
    return error == cudaSuccess ? (cudaError_t)cuModuleGetTexRef(reference, found->module, found->name) : error;
}

static cudaError_t unbind(CUtexref reference) { return (cudaError_t)cuTexRefSetAddress_v2(NULL, reference, 0, 0); }

/* Finds the driver's reference, empties it, and gives it the attributes of the program's. */
static cudaError_t begin(const struct textureReference *texref, CUtexref *reference)
{
    struct image_reference found;
    cudaError_t error = find(texref, reference, &found);
    if (error == cudaSuccess)
        error = unbind(*reference);
    return error == cudaSuccess ? (cudaError_t)set_sampler(*reference, texref, found.fractions) : error;
}

/* Returns the bytes of `size` that are in the allocation: programs that name no size mean all of it. */
static size_t bytes_behind(CUdeviceptr address, size_t size)
{
    CUdeviceptr base = 0;
    size_t all = 0;
    if (cuMemGetAddressRange_v2(&base, &all, address) != CUDA_SUCCESS)
        return size;
    size_t rest = all - (size_t)(address - base);
    return size < rest ? size : rest;
}

static cudaError_t format_of(const struct textureReference *texref, const struct cudaChannelFormatDesc *desc,
                             CUarray_format *format, unsigned *channels)
{
    return array_format(desc != NULL ? desc : &texref->channelDesc, format, channels);
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref, const void *devPtr,
                            const struct cudaChannelFormatDesc *desc, size_t size)
{
    RUNTIME_CALL;
    CUtexref reference = NULL;
    CUarray_format format;
    unsigned channels;
    size_t behind = 0;
    CUdeviceptr address = runtime_pointer(devPtr);
    cudaError_t error = begin(texref, &reference);
    if (error == cudaSuccess)
        error = format_of(texref, desc, &format, &channels);
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexRefSetFormat(reference, format, (int)channels);
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexRefSetAddress_v2(offset != NULL ? &behind : NULL, reference, address,
                                                   bytes_behind(address, size));
    if (error == cudaSuccess && offset != NULL)
        *offset = behind;
    if (error == cudaSuccess)
        images_note_offset(texref, behind);
    return runtime_done(error);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texref, const void *devPtr,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
    RUNTIME_CALL;
    CUtexref reference = NULL;
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = width, .Height = height};
    cudaError_t error = begin(texref, &reference);
    if (error == cudaSuccess)
        error = format_of(texref, desc, &shape.Format, &shape.NumChannels);
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexRefSetAddress2D_v3(reference, &shape, runtime_pointer(devPtr), pitch);
    if (error == cudaSuccess && offset != NULL)
        *offset = 0;
    if (error == cudaSuccess)
        images_note_offset(texref, 0);
    return runtime_done(error);
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    RUNTIME_CALL;
    CUtexref reference = NULL;
    (void)desc; /* the array's counts */
    cudaError_t error = begin(texref, &reference);
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexRefSetArray(reference, array_handle(array), OVERRIDE);
    return runtime_done(error);
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                            cudaMipmappedArray_const_t mipmappedArray,
                                            const struct cudaChannelFormatDesc *desc)
{
    RUNTIME_CALL;
    CUtexref reference = NULL;
    CUmipmappedArray array = (CUmipmappedArray)(uintptr_t)mipmappedArray;
    (void)desc;
    cudaError_t error = begin(texref, &reference);
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexRefSetMipmappedArray(reference, array, OVERRIDE);
    return runtime_done(error);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texref)
{
    RUNTIME_CALL;
    CUtexref reference = NULL;
    struct image_reference found;
    cudaError_t error = find(texref, &reference, &found);
    return runtime_done(error == cudaSuccess ? unbind(reference) : error);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref)
{
    RUNTIME_CALL;
    struct image_reference found;
    cudaError_t error = offset == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = images_reference(texref, IMAGE_TEXTURE, &found);
    if (error == cudaSuccess)
        *offset = found.offset;
    return runtime_done(error);
}

/* The symbol is the reference. */
cudaError_t cudaGetTextureReference(const struct textureReference **texref, const void *symbol)
{
    RUNTIME_CALL;
    struct image_reference found;
    cudaError_t error = texref == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = images_reference(symbol, IMAGE_TEXTURE, &found);
    if (error == cudaSuccess)
        *texref = symbol;
    return runtime_done(error);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surfref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
    RUNTIME_CALL;
    CUsurfref reference = NULL;
    struct image_reference found;
    (void)desc;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = images_reference(surfref, IMAGE_SURFACE, &found);
    if (error == cudaSuccess)
        error = (cudaError_t)cuModuleGetSurfRef(&reference, found.module, found.name);
    if (error == cudaSuccess)
        error = (cudaError_t)cuSurfRefSetArray(reference, array_handle(array), 0);
    return runtime_done(error);
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref, const void *symbol)
{
    RUNTIME_CALL;
    struct image_reference found;
    cudaError_t error = surfref == NULL ? cudaErrorInvalidValue : runtime_enter();
    if (error == cudaSuccess)
        error = images_reference(symbol, IMAGE_SURFACE, &found);
    if (error == cudaSuccess)
        *surfref = symbol;
    return runtime_done(error);
}
