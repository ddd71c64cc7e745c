#include "tests/runtime/rig.h"

static void copies_of_every_kind_move_the_same_bytes(void **state)
{
    (void)state;
    char from[300], to[300];
    void *one, *other;
    rig_program();
    for (int i = 0; i < 300; i++)
        from[i] = (char)(i * 7);
    SUCCEEDS(cudaMalloc(&one, sizeof from));
    SUCCEEDS(cudaMalloc(&other, sizeof from));
    for (int variant = 0; variant < 4; variant++) {
        bool any = variant & 1, later = variant & 2;
        enum cudaMemcpyKind in = any ? cudaMemcpyDefault : cudaMemcpyHostToDevice;
        enum cudaMemcpyKind across = any ? cudaMemcpyDefault : cudaMemcpyDeviceToDevice;
        enum cudaMemcpyKind out = any ? cudaMemcpyDefault : cudaMemcpyDeviceToHost;
        memset(to, 0, sizeof to);
        SUCCEEDS(cudaMemset(one, 0, sizeof from));
        SUCCEEDS(cudaMemset(other, 0, sizeof from));
        if (later) {
            SUCCEEDS(cudaMemcpyAsync(one, from, sizeof from, in, NULL));
            SUCCEEDS(cudaMemcpyAsync(other, one, sizeof from, across, NULL));
            SUCCEEDS(cudaMemcpyAsync(to, other, sizeof from, out, NULL));
            SUCCEEDS(cudaStreamSynchronize(NULL));
        } else {
            SUCCEEDS(cudaMemcpy(one, from, sizeof from, in));
            SUCCEEDS(cudaMemcpy(other, one, sizeof from, across));
            SUCCEEDS(cudaMemcpy(to, other, sizeof from, out));
        }
        assert_memory_equal(from, to, sizeof from);
    }
    memset(to, 0, sizeof to);
    SUCCEEDS(cudaMemcpy(to, from, sizeof from, cudaMemcpyHostToHost));
    assert_memory_equal(from, to, sizeof from);
    SUCCEEDS(cudaMemcpyPeer(one, 0, other, 0, 300));
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(one, 0, other, 1, 300));
    SUCCEEDS(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaFree(one));
    SUCCEEDS(cudaFree(other));
}

static void a_pitched_copy_leaves_the_gaps_alone(void **state)
{
    (void)state;
    enum { WIDTH = 13, HEIGHT = 5, PITCH = 20 };
    unsigned char from[HEIGHT][PITCH], to[HEIGHT][PITCH];
    void *device;
    size_t pitch;
    rig_program();
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < PITCH; x++)
            from[y][x] = (unsigned char)(16 * y + x);
    SUCCEEDS(cudaMallocPitch(&device, &pitch, WIDTH, HEIGHT));
    assert_true(pitch >= WIDTH && pitch % 32 == 0);
    SUCCEEDS(cudaMemset2D(device, pitch, 0x55, WIDTH, HEIGHT));
    SUCCEEDS(cudaMemcpy2D(to, PITCH, device, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            assert_int_equal(to[y][x], 0x55);
    memset(to, 0xee, sizeof to);
    SUCCEEDS(cudaMemcpy2D(device, pitch, from, PITCH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaMemcpy2DAsync(to, PITCH, device, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost, NULL));
    SUCCEEDS(cudaDeviceSynchronize());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < PITCH; x++)
            assert_int_equal(to[y][x], x < WIDTH ? from[y][x] : 0xee);
    SUCCEEDS(cudaMallocPitch(&(void *){NULL}, &pitch, 0, 4));
    SUCCEEDS(cudaFree(device));
}

static void a_box_is_copied_and_set_by_layers(void **state)
{
    (void)state;
    enum { X = 6, Y = 4, Z = 3 };
    unsigned char host[Z][Y][X], back[Z][Y][X];
    struct cudaPitchedPtr box;
    struct cudaExtent extent = {X, Y, Z};
    rig_program();
    for (int i = 0; i < X * Y * Z; i++)
        (&host[0][0][0])[i] = (unsigned char)i;
    SUCCEEDS(cudaMalloc3D(&box, extent));
    struct cudaMemcpy3DParms parms = {
        .srcPtr = {host, X, X, Y}, .dstPtr = box, .extent = extent, .kind = cudaMemcpyHostToDevice};
    SUCCEEDS(cudaMemcpy3D(&parms));
    /* The inner part of the upper two layers. */
    struct cudaPitchedPtr inner = box;
    inner.ptr = (char *)box.ptr + box.pitch * Y + box.pitch + 1;
    SUCCEEDS(cudaMemset3D(inner, 0xaa, (struct cudaExtent){2, 2, 2}));
    parms = (struct cudaMemcpy3DParms){
        .srcPtr = box, .dstPtr = {back, X, X, Y}, .extent = extent, .kind = cudaMemcpyDeviceToHost};
    SUCCEEDS(cudaMemcpy3DAsync(&parms, NULL));
    SUCCEEDS(cudaDeviceSynchronize());
    for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++) {
                bool set = z >= 1 && y >= 1 && y <= 2 && x >= 1 && x <= 2;
                assert_int_equal(back[z][y][x], set ? 0xaa : host[z][y][x]);
            }
    parms.kind = (enum cudaMemcpyKind)6;
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy3D(&parms));
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
    parms.srcPtr.ptr = NULL;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&parms));
    SUCCEEDS(cudaFree(box.ptr));
}

static void an_array_is_filled_by_rows_and_across_them(void **state)
{
    (void)state;
    enum { WIDTH = 8, HEIGHT = 4 };
    float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    struct cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat), found;
    struct cudaExtent extent;
    unsigned flags = 9;
    cudaArray_t array;
    rig_program();
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        (&host[0][0])[i] = (float)i;
    SUCCEEDS(cudaMallocArray(&array, &desc, WIDTH, HEIGHT, 0));
    SUCCEEDS(cudaArrayGetInfo(&found, &extent, &flags, array));
    assert_int_equal(found.x, 32);
    assert_int_equal(found.y + found.z + found.w, 0);
    assert_int_equal(found.f, cudaChannelFormatKindFloat);
    assert_int_equal(extent.width, WIDTH);
    assert_int_equal(extent.height, HEIGHT);
    assert_int_equal(extent.depth, 0);
    assert_int_equal(flags, 0);
    SUCCEEDS(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    memset(back, 0, sizeof back);
    SUCCEEDS(cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], HEIGHT, cudaMemcpyDeviceToHost));
    assert_memory_equal(host, back, sizeof host);
    /* 20 floats from the sixth of row 0 on: they reach into row 3. */
    float run[20], run_back[20];
    for (int i = 0; i < 20; i++)
        run[i] = (float)(1000 + i);
    SUCCEEDS(cudaMemcpyToArray(array, 6 * sizeof(float), 0, run, sizeof run, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaMemcpyFromArray(run_back, array, 6 * sizeof(float), 0, sizeof run, cudaMemcpyDeviceToHost));
    assert_memory_equal(run, run_back, sizeof run);
    SUCCEEDS(cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], HEIGHT, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_true((&back[0][0])[i] == (i < 6 || i >= 26 ? (float)i : (float)(1000 + i - 6)));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, HEIGHT, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidResourceHandle, cudaMemcpy2DToArray(NULL, 0, 0, host, 32, 32, 1, cudaMemcpyHostToDevice));
    desc.y = 16;
    FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &desc, WIDTH, HEIGHT, 0));
    SUCCEEDS(cudaFreeArray(array));
    SUCCEEDS(cudaFreeArray(NULL));
}

static void pointers_say_what_they_point_to(void **state)
{
    (void)state;
    struct cudaPointerAttributes found;
    void *device, *pinned, *managed, *seen;
    int local = 0;
    rig_program();
    SUCCEEDS(cudaMalloc(&device, 64));
    SUCCEEDS(cudaMallocHost(&pinned, 64));
    SUCCEEDS(cudaMallocManaged(&managed, 64, 1));
    SUCCEEDS(cudaPointerGetAttributes(&found, (char *)device + 8));
    assert_int_equal(found.type, cudaMemoryTypeDevice);
    assert_int_equal(found.device, 0);
    assert_ptr_equal(found.devicePointer, (char *)device + 8);
    assert_null(found.hostPointer);
    SUCCEEDS(cudaPointerGetAttributes(&found, pinned));
    assert_int_equal(found.type, cudaMemoryTypeHost);
    assert_ptr_equal(found.hostPointer, pinned);
    SUCCEEDS(cudaHostGetDevicePointer(&seen, pinned, 0));
    assert_ptr_equal(found.devicePointer, seen);
    SUCCEEDS(cudaPointerGetAttributes(&found, managed));
    assert_int_equal(found.type, cudaMemoryTypeManaged);
    assert_ptr_equal(found.hostPointer, managed);
    assert_ptr_equal(found.devicePointer, managed);
    SUCCEEDS(cudaPointerGetAttributes(&found, &local));
    assert_int_equal(found.type, cudaMemoryTypeUnregistered);
    assert_int_equal(found.device, -2);
    assert_null(found.devicePointer);
    SUCCEEDS(cudaFree(device));
    SUCCEEDS(cudaFreeHost(pinned));
    SUCCEEDS(cudaFree(managed));
}

static void batches_copy_each_part(void **state)
{
    (void)state;
    enum { PARTS = 3 };
    int from[PARTS] = {11, 22, 33}, to[PARTS] = {0};
    void *device, *in[PARTS], *out[PARTS];
    const void *sources[PARTS], *devices[PARTS];
    size_t sizes[PARTS], start = 0;
    struct cudaMemcpyAttributes attributes = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    cudaStream_t stream;
    rig_program();
    SUCCEEDS(cudaStreamCreate(&stream));
    SUCCEEDS(cudaMalloc(&device, sizeof from));
    for (int i = 0; i < PARTS; i++) {
        in[i] = (int *)device + (PARTS - 1 - i);
        devices[i] = (int *)device + i;
        sources[i] = &from[i];
        out[i] = &to[i];
        sizes[i] = sizeof(int);
    }
    SUCCEEDS(cudaMemcpyBatchAsync(in, sources, sizes, PARTS, &attributes, &start, 1, stream));
    SUCCEEDS(cudaMemcpyBatchAsync(out, devices, sizes, PARTS, &attributes, &start, 1, stream));
    SUCCEEDS(cudaStreamSynchronize(stream));
    for (int i = 0; i < PARTS; i++)
        assert_int_equal(to[i], from[PARTS - 1 - i]);
    FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(out, devices, sizes, PARTS, &attributes, &start, 1, NULL));
    FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(out, devices, sizes, 0, &attributes, &start, 1, stream));
    SUCCEEDS(cudaFree(device));
    SUCCEEDS(cudaStreamDestroy(stream));
}

UNIT_TESTS(UNIT(copies_of_every_kind_move_the_same_bytes), UNIT(a_pitched_copy_leaves_the_gaps_alone),
           UNIT(a_box_is_copied_and_set_by_layers), UNIT(an_array_is_filled_by_rows_and_across_them),
           UNIT(pointers_say_what_they_point_to), UNIT(batches_copy_each_part))
