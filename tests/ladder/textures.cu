// Textures and surfaces by the runtime: arrays of two and three dimensions, layers, levels, linear memory.
// functional:
// detailed:
#include "ladder.cuh"

static const int width = 32, height = 16, depth = 4;

template <class T>
static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureFilterMode filter,
                                      cudaTextureReadMode read, bool normalized, T change)
{
    cudaTextureDesc desc = {};
    cudaTextureObject_t texture = 0;
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = cudaAddressModeClamp;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.normalizedCoords = normalized;
    change(desc);
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

static void as_it_is(cudaTextureDesc &) {}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

__global__ void sample(cudaTextureObject_t t, float *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * blockDim.x + x] = tex2D<float>(t, x + 1.0f, y + 1.0f);
}

__global__ void layers(cudaTextureObject_t t, float *out)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * gridDim.x + y) * blockDim.x + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, z);
}

__global__ void volume(cudaTextureObject_t t, float *out)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * gridDim.x + y) * blockDim.x + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void level(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.01f, 0.01f, threadIdx.x);
}

__global__ void fractions(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex1Dfetch<float4>(t, (int)threadIdx.x - 1);
}

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    float v = surf2Dread<float>(from, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(v * 2, to, (blockDim.x - 1 - threadIdx.x) * 4, gridDim.x - 1 - blockIdx.x);
}

static void planes(float *device, std::vector<float> &got)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    std::vector<float> texels(width * height);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = (float)(i * i % 97);
    cudaArray_t array, other;
    CHECK(cudaMallocArray(&array, &desc, width, height, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&other, &desc, width, height, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    cudaTextureObject_t t =
        texture_of(resource_of(array), cudaFilterModeLinear, cudaReadModeElementType, false, as_it_is);
    sample<<<height - 1, width - 1>>>(t, device);
    CHECK(cudaMemcpy(got.data(), device, 4 * texels.size(), cudaMemcpyDeviceToHost));
    for (int y = 0; y + 1 < height; y++)
        for (int x = 0; x + 1 < width; x++) {
            const float *p = &texels[y * width + x];
            EXPECT_EQUAL(got[y * (width - 1) + x], (p[0] + p[1] + p[width] + p[width + 1]) / 4, y * width + x);
        }
    cudaSurfaceObject_t from, to;
    cudaResourceDesc a = resource_of(array), b = resource_of(other);
    CHECK(cudaCreateSurfaceObject(&from, &a));
    CHECK(cudaCreateSurfaceObject(&to, &b));
    turn<<<height, width>>>(from, to);
    CHECK(cudaMemcpy2DFromArray(got.data(), width * 4, other, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        EXPECT_EQUAL(got[i], 2 * texels[width * height - 1 - i], i);
    CHECK(cudaDestroySurfaceObject(from));
    CHECK(cudaDestroySurfaceObject(to));
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(other));
}

static void volumes(float *device, std::vector<float> &got)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    std::vector<float> texels(width * height * depth);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = (float)i;
    for (unsigned flags : {0u, (unsigned)cudaArrayLayered}) {
        cudaArray_t array;
        cudaExtent extent = make_cudaExtent(width, height, depth);
        CHECK(cudaMalloc3DArray(&array, &desc, extent, flags));
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(texels.data(), width * 4, width, height);
        copy.dstArray = array;
        copy.extent = extent;
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
        cudaTextureObject_t t =
            texture_of(resource_of(array), cudaFilterModePoint, cudaReadModeElementType, false, as_it_is);
        if (flags)
            layers<<<dim3(height, depth), width>>>(t, device);
        else
            volume<<<dim3(height, depth), width>>>(t, device);
        CHECK(cudaMemcpy(got.data(), device, 4 * texels.size(), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < texels.size(); i++)
            EXPECT_EQUAL(got[i], texels[i], (long)i);
        CHECK(cudaDestroyTextureObject(t));
        CHECK(cudaFreeArray(array));
    }
}

static void levels(float *device, std::vector<float> &got)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    CHECK(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(8, 8, 0), 4, 0));
    for (unsigned l = 0; l < 4; l++) {
        cudaArray_t array;
        int n = 8 >> l;
        std::vector<float> texels(n * n, 10.0f * (l + 1));
        CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, l));
        CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), n * 4, n * 4, n, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = mipmap;
    cudaTextureObject_t t = texture_of(r, cudaFilterModePoint, cudaReadModeElementType, true,
                                       [](cudaTextureDesc &d) { d.maxMipmapLevelClamp = 2; });
    level<<<1, 4>>>(t, device);
    CHECK(cudaMemcpy(got.data(), device, 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        EXPECT_EQUAL(got[i], 10 * ((i < 2 ? i : 2) + 1), i);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeMipmappedArray(mipmap));
}

static void linear(float *device, std::vector<float> &got)
{
    std::vector<uchar4> texels(30);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = make_uchar4(i, 2 * i, 255 - i, 255);
    uchar4 *memory;
    CHECK(cudaMalloc(&memory, 4 * texels.size()));
    CHECK(cudaMemcpy(memory, texels.data(), 4 * texels.size(), cudaMemcpyHostToDevice));
    cudaResourceDesc r = {}, told = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    r.res.linear.sizeInBytes = 4 * texels.size();
    cudaTextureObject_t t = texture_of(r, cudaFilterModePoint, cudaReadModeNormalizedFloat, false, as_it_is);
    fractions<<<1, 32>>>(t, (float4 *)device);
    CHECK(cudaMemcpy(got.data(), device, 32 * 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        bool inside = i >= 1 && i <= 30;
        EXPECT_EQUAL(got[4 * i], inside ? (i - 1) / 255.0f : 0, i);
        EXPECT_EQUAL(got[4 * i + 2], inside ? (256 - i) / 255.0f : 0, i);
    }
    CHECK(cudaGetTextureObjectResourceDesc(&told, t));
    EXPECT(told.resType == cudaResourceTypeLinear && told.res.linear.devPtr == memory && told.res.linear.desc.x == 8);
    cudaTextureDesc wrong = {};
    cudaTextureObject_t none;
    wrong.filterMode = cudaFilterModeLinear;   // of integers
    EXPECT_ERROR(cudaCreateTextureObject(&none, &r, &wrong, nullptr), cudaErrorInvalidFilterSetting);
    r.res.linear.devPtr = (char *)memory + 4;
    wrong.filterMode = cudaFilterModePoint;
    EXPECT_ERROR(cudaCreateTextureObject(&none, &r, &wrong, nullptr), cudaErrorInvalidValue);   // not aligned
    cudaGetLastError();
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFree(memory));
}

int main()
{
    float *device;
    std::vector<float> got(width * height * depth);
    CHECK(cudaMalloc(&device, got.size() * 4));
    planes(device, got);
    volumes(device, got);
    levels(device, got);
    linear(device, got);
    CHECK(cudaFree(device));
    return ladder_result("textures");
}
