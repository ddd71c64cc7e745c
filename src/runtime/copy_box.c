#include "driver/abi/api_memory.h"
#include "runtime/abi/api_copy.h"
#include "runtime/array.h"
#include "runtime/copy.h"
#include "runtime/runtime.h"

/* Extents are in elements of an array if one takes part, otherwise in bytes. So is the place in an array. */
static cudaError_t element_of(cudaArray_const_t array, size_t *element)
{
    CUDA_ARRAY3D_DESCRIPTOR shape;
    cudaError_t error = array_describe(array, &shape, element);
    return error == cudaSuccess && *element == 0 ? cudaErrorInvalidValue : error;
}

/* Each side is an array or memory, not both and not neither. */
static bool one_each(const struct cudaMemcpy3DParms *parms)
{
    return (parms->srcArray != NULL) != (parms->srcPtr.ptr != NULL) &&
           (parms->dstArray != NULL) != (parms->dstPtr.ptr != NULL);
}

cudaError_t copy_box_of(const struct cudaMemcpy3DParms *parms, CUDA_MEMCPY3D *box)
{
    CUmemorytype from, to;
    size_t from_element = 1, to_element = 1;
    if (parms == NULL || !one_each(parms))
        return cudaErrorInvalidValue;
    if (!copy_types(parms->kind, &from, &to))
        return cudaErrorInvalidMemcpyDirection;
    if ((parms->srcArray != NULL && from == CU_MEMORYTYPE_HOST) ||
        (parms->dstArray != NULL && to == CU_MEMORYTYPE_HOST))
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = cudaSuccess;
    if (parms->srcArray != NULL)
        error = element_of(parms->srcArray, &from_element);
    if (error == cudaSuccess && parms->dstArray != NULL)
        error = element_of(parms->dstArray, &to_element);
    if (error != cudaSuccess)
        return error;
    if (parms->srcArray != NULL && parms->dstArray != NULL && from_element != to_element)
        return cudaErrorInvalidValue;
    *box = (CUDA_MEMCPY3D){
        .srcXInBytes = parms->srcPos.x * from_element,
        .srcY = parms->srcPos.y,
        .srcZ = parms->srcPos.z,
        .srcMemoryType = parms->srcArray != NULL ? CU_MEMORYTYPE_ARRAY : from,
        .srcHost = parms->srcPtr.ptr,
        .srcDevice = runtime_pointer(parms->srcPtr.ptr),
        .srcArray = array_handle(parms->srcArray),
        .srcPitch = parms->srcPtr.pitch,
        .srcHeight = parms->srcPtr.ysize,
        .dstXInBytes = parms->dstPos.x * to_element,
        .dstY = parms->dstPos.y,
        .dstZ = parms->dstPos.z,
        .dstMemoryType = parms->dstArray != NULL ? CU_MEMORYTYPE_ARRAY : to,
        .dstHost = parms->dstPtr.ptr,
        .dstDevice = runtime_pointer(parms->dstPtr.ptr),
        .dstArray = array_handle(parms->dstArray),
        .dstPitch = parms->dstPtr.pitch,
        .dstHeight = parms->dstPtr.ysize,
        .WidthInBytes = parms->extent.width * (parms->srcArray != NULL ? from_element : to_element),
        .Height = parms->extent.height,
        .Depth = parms->extent.depth,
    };
    return cudaSuccess;
}

static enum cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to)
{
    bool from_host = from == CU_MEMORYTYPE_HOST, to_host = to == CU_MEMORYTYPE_HOST;
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (from_host)
        return to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static struct cudaPitchedPtr memory_of(CUmemorytype type, const void *host, CUdeviceptr device, size_t pitch,
                                       size_t height)
{
    if (type == CU_MEMORYTYPE_ARRAY)
        return (struct cudaPitchedPtr){.ptr = NULL};
    void *pointer = type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : (void *)(uintptr_t)device;
    return (struct cudaPitchedPtr){.ptr = pointer, .pitch = pitch, .xsize = pitch, .ysize = height};
}

cudaError_t copy_parms_of(const CUDA_MEMCPY3D *box, struct cudaMemcpy3DParms *parms)
{
    bool from_array = box->srcMemoryType == CU_MEMORYTYPE_ARRAY, to_array = box->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    cudaArray_t from = from_array ? (cudaArray_t)(void *)box->srcArray : NULL;
    cudaArray_t to = to_array ? (cudaArray_t)(void *)box->dstArray : NULL;
    size_t from_element = 1, to_element = 1;
    cudaError_t error = from_array ? element_of(from, &from_element) : cudaSuccess;
    if (error == cudaSuccess && to_array)
        error = element_of(to, &to_element);
    if (error != cudaSuccess)
        return error;
    size_t element = from_array ? from_element : to_element;
    *parms = (struct cudaMemcpy3DParms){
        .srcArray = from,
        .srcPos = {.x = box->srcXInBytes / from_element, .y = box->srcY, .z = box->srcZ},
        .srcPtr = memory_of(box->srcMemoryType, box->srcHost, box->srcDevice, box->srcPitch, box->srcHeight),
        .dstArray = to,
        .dstPos = {.x = box->dstXInBytes / to_element, .y = box->dstY, .z = box->dstZ},
        .dstPtr = memory_of(box->dstMemoryType, box->dstHost, box->dstDevice, box->dstPitch, box->dstHeight),
        .extent = {.width = box->WidthInBytes / element, .height = box->Height, .depth = box->Depth},
        .kind = kind_of(box->srcMemoryType, box->dstMemoryType),
    };
    return cudaSuccess;
}

cudaError_t copy_box(const CUDA_MEMCPY3D *box, struct copy_order order)
{
    if (box->WidthInBytes == 0 || box->Height == 0 || box->Depth == 0)
        return cudaSuccess;
    return (cudaError_t)(order.wait ? cuMemcpy3D_v2(box) : cuMemcpy3DAsync_v2(box, order.stream));
}

static cudaError_t enter_and_copy(const struct cudaMemcpy3DParms *parms, struct copy_order order)
{
    CUDA_MEMCPY3D box;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = copy_box_of(parms, &box);
    return runtime_done(error == cudaSuccess ? copy_box(&box, order) : error);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    RUNTIME_CALL;
    return enter_and_copy(p, (struct copy_order){.wait = true});
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    RUNTIME_CALL;
    return enter_and_copy(p, (struct copy_order){.stream = stream});
}

static cudaError_t copy_peer(const struct cudaMemcpy3DPeerParms *p, struct copy_order order)
{
    if (p == NULL)
        return runtime_done(cudaErrorInvalidValue);
    struct cudaMemcpy3DParms parms = {.srcArray = p->srcArray,
                                      .srcPos = p->srcPos,
                                      .srcPtr = p->srcPtr,
                                      .dstArray = p->dstArray,
                                      .dstPos = p->dstPos,
                                      .dstPtr = p->dstPtr,
                                      .extent = p->extent,
                                      .kind = cudaMemcpyDeviceToDevice};
    cudaError_t error = runtime_check_device(p->srcDevice);
    if (error == cudaSuccess)
        error = runtime_check_device(p->dstDevice);
    return error == cudaSuccess ? enter_and_copy(&parms, order) : runtime_done(error);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    RUNTIME_CALL;
    return copy_peer(p, (struct copy_order){.wait = true});
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    RUNTIME_CALL;
    return copy_peer(p, (struct copy_order){.stream = stream});
}

/* Rows and layers without a stated length are as long as the copy. */
static bool operand(const struct cudaMemcpy3DOperand *operand, const struct cudaExtent *extent, cudaArray_t *array,
                    struct cudaPos *place, struct cudaPitchedPtr *memory)
{
    if (operand->type == cudaMemcpyOperandTypeArray) {
        *array = operand->op.array.array;
        *place = (struct cudaPos){operand->op.array.offset.x, operand->op.array.offset.y, operand->op.array.offset.z};
        return true;
    }
    size_t row = operand->op.ptr.rowLength, layer = operand->op.ptr.layerHeight;
    *memory = (struct cudaPitchedPtr){.ptr = operand->op.ptr.ptr,
                                      .pitch = row != 0 ? row : extent->width,
                                      .ysize = layer != 0 ? layer : extent->height};
    memory->xsize = memory->pitch;
    return operand->type == cudaMemcpyOperandTypePointer;
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags,
                                   cudaStream_t stream)
{
    RUNTIME_CALL;
    bool good = numOps > 0 && opList != NULL && flags == 0 && stream != NULL;
    cudaError_t error = good ? cudaSuccess : runtime_done(cudaErrorInvalidValue);
    for (size_t i = 0; error == cudaSuccess && i < numOps; i++) {
        const struct cudaMemcpy3DBatchOp *op = &opList[i];
        struct cudaMemcpy3DParms parms = {.extent = op->extent, .kind = cudaMemcpyDefault};
        good = operand(&op->src, &op->extent, &parms.srcArray, &parms.srcPos, &parms.srcPtr) &&
               operand(&op->dst, &op->extent, &parms.dstArray, &parms.dstPos, &parms.dstPtr);
        error =
            good ? enter_and_copy(&parms, (struct copy_order){.stream = stream}) : runtime_done(cudaErrorInvalidValue);
    }
    return error;
}
