// Pitched memory, copies of two and three dimensions, arrays as places of copies, and sets.
// functional:
#include "ladder.cuh"

__global__ void fill(char *base, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height)
        ((int *)(base + y * pitch))[x] = y * 1000 + x;
}

static void pitched(int width, int height)
{
    int *device;
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&device, &pitch, width * sizeof(int), height));
    EXPECT(pitch >= width * sizeof(int) && pitch % 256 == 0);
    CHECK(cudaMemset2D(device, pitch, 0xab, width * sizeof(int), height));
    std::vector<int> host(width * height, -1);
    CHECK(cudaMemcpy2D(host.data(), width * sizeof(int), device, pitch, width * sizeof(int), height,
                       cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        EXPECT_EQUAL(host[i], (int)0xabababab, i);
    fill<<<dim3((width + 31) / 32, height), 32>>>((char *)device, pitch, width, height);
    // A window of the middle, into the middle of the host's rows.
    std::vector<int> window(20 * 10, -1);
    CHECK(cudaMemcpy2D(window.data() + 2 * 20 + 3, 20 * sizeof(int), (char *)device + 4 * pitch + 5 * sizeof(int),
                       pitch, 12 * sizeof(int), 6, cudaMemcpyDefault));
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 20; x++) {
            bool in = y >= 2 && y < 8 && x >= 3 && x < 15;
            EXPECT_EQUAL(window[y * 20 + x], in ? (y - 2 + 4) * 1000 + x - 3 + 5 : -1, y * 20 + x);
        }
    EXPECT_ERROR(cudaMemcpy2D(host.data(), 4, device, pitch, 8, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    (void)cudaGetLastError();
    CHECK(cudaFree(device));
}

static void three_dimensions()
{
    cudaExtent extent = make_cudaExtent(10 * sizeof(int), 6, 5);
    cudaPitchedPtr device;
    CHECK(cudaMalloc3D(&device, extent));
    EXPECT(device.pitch >= extent.width && device.xsize == extent.width && device.ysize == extent.height);
    CHECK(cudaMemset3D(device, 0, extent));
    int box[3][4][5];
    for (int i = 0; i < 60; i++)
        (&box[0][0][0])[i] = 500 + i;
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(box, 5 * sizeof(int), 5, 4);
    in.dstPtr = device;
    in.dstPos = make_cudaPos(2 * sizeof(int), 1, 2);
    in.extent = make_cudaExtent(5 * sizeof(int), 4, 3);
    in.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&in));
    std::vector<int> all(10 * 6 * 5, -1);
    cudaMemcpy3DParms out = {};
    out.srcPtr = device;
    out.dstPtr = make_cudaPitchedPtr(all.data(), 10 * sizeof(int), 10, 6);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&out, 0));
    CHECK(cudaStreamSynchronize(0));
    for (int z = 0; z < 5; z++)
        for (int y = 0; y < 6; y++)
            for (int x = 0; x < 10; x++) {
                bool inside = z >= 2 && y >= 1 && y < 5 && x >= 2 && x < 7;
                EXPECT_EQUAL(all[(z * 6 + y) * 10 + x], inside ? box[z - 2][y - 1][x - 2] : 0, (z * 6 + y) * 10 + x);
            }
    CHECK(cudaFree(device.ptr));
}

static void arrays()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array, volume;
    CHECK(cudaMallocArray(&array, &format, 24, 8));
    float in[8][24], out[8][24] = {};
    for (int i = 0; i < 8 * 24; i++)
        (&in[0][0])[i] = i * 0.5f;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], 8, cudaMemcpyHostToDevice));
    float *linear;
    CHECK(cudaMalloc(&linear, sizeof out));
    CHECK(cudaMemcpy2DFromArray(linear, sizeof in[0], array, 0, 0, sizeof in[0], 8, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(out, linear, sizeof out, cudaMemcpyDeviceToHost));
    EXPECT(std::memcmp(in, out, sizeof in) == 0);
    CHECK(cudaMemcpy2DFromArray(out, sizeof out[0], array, 4 * sizeof(float), 2, 8 * sizeof(float), 3,
                                cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(out[1][3], in[3][7], 0);
    cudaChannelFormatDesc told;
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&told, &extent, &flags, array));
    EXPECT(told.x == 32 && told.y == 0 && told.f == cudaChannelFormatKindFloat);
    EXPECT(extent.width == 24 && extent.height == 8 && extent.depth == 0);
    CHECK(cudaFreeArray(array));

    CHECK(cudaMalloc3DArray(&volume, &format, make_cudaExtent(6, 5, 4)));
    float cube[4][5][6], back[4][5][6] = {};
    for (int i = 0; i < 120; i++)
        (&cube[0][0][0])[i] = (float)(i * i);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(cube, 6 * sizeof(float), 6, 5);
    copy.dstArray = volume;
    copy.extent = make_cudaExtent(6, 5, 4);   // in elements, as an array takes part
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms reverse = {};
    reverse.srcArray = volume;
    reverse.dstPtr = make_cudaPitchedPtr(back, 6 * sizeof(float), 6, 5);
    reverse.extent = make_cudaExtent(6, 5, 4);
    reverse.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&reverse));
    EXPECT(std::memcmp(cube, back, sizeof cube) == 0);
    CHECK(cudaFreeArray(volume));
}

static void linear()
{
    unsigned char *a, *b, host[1000];
    CHECK(cudaMalloc(&a, 1000));
    CHECK(cudaMalloc(&b, 1000));
    CHECK(cudaMemset(a, 1, 1000));
    CHECK(cudaMemset(a + 3, 2, 501));
    CHECK(cudaMemsetAsync(a + 100, 3, 1, 0));
    CHECK(cudaMemcpy(b, a, 1000, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyPeer(a, 0, b, 0, 1000));
    CHECK(cudaMemcpy(host, a, 1000, cudaMemcpyDefault));
    for (int i = 0; i < 1000; i++)
        EXPECT_EQUAL(host[i], i == 100 ? 3 : i >= 3 && i < 504 ? 2 : 1, i);
    unsigned char other[1000] = {};
    CHECK(cudaMemcpy(other, host, 1000, cudaMemcpyHostToHost));
    EXPECT(std::memcmp(host, other, 1000) == 0);
    CHECK(cudaMemcpy(nullptr, a, 0, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

int main()
{
    linear();
    pitched(37, 19);
    pitched(128, 12);
    three_dimensions();
    arrays();
    return ladder_result("copies");
}
