/* Copies of all forms against a plain model. */
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { ROOM = 1 << 16, GUARD = 0xa5 };

struct rng {
    uint64_t state;
};

static uint64_t next(struct rng *r)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return r->state >> 33;
}

static size_t below(struct rng *r, size_t n) { return (size_t)(next(r) % n); }

static void fill(struct rng *r, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)next(r);
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr p = 0;
    SUCCEEDS(cuMemAlloc_v2(&p, bytes));
    return p;
}

static uint64_t number(const void *p) { return (uintptr_t)p; }

/* Compares all of device memory with its plain copy. */
static void expect(CUdeviceptr device, const uint8_t *want, size_t bytes)
{
    uint8_t *have = malloc(bytes);
    assert_non_null(have);
    memset(have, GUARD, bytes);
    SUCCEEDS(cuMemcpyDtoH_v2(have, device, bytes));
    assert_memory_equal(have, want, bytes);
    free(have);
}

static void bytes_go_to_the_device_and_back(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct rng r = {1};
    static uint8_t host[ROOM], model[ROOM];
    CUdeviceptr a = allocate(ROOM), b = allocate(ROOM);
    memset(model, 0, ROOM);
    for (int i = 0; i < 200; i++) {
        size_t to = below(&r, ROOM), from = below(&r, ROOM), most = ROOM - (to > from ? to : from);
        size_t bytes = below(&r, most + 1);
        fill(&r, host, ROOM);
        switch (below(&r, 6)) {
        case 0: SUCCEEDS(cuMemcpyHtoD_v2(a + to, host + from, bytes)); break;
        case 1: SUCCEEDS(cuMemcpyHtoDAsync_v2(a + to, host + from, bytes, NULL)); break;
        case 2: SUCCEEDS(cuMemcpyHtoD_v2_ptds(a + to, host + from, bytes)); break;
        case 3: SUCCEEDS(cuMemcpy(a + to, number(host + from), bytes)); break;
        case 4: SUCCEEDS(cuMemcpyAsync(a + to, number(host + from), bytes, NULL)); break;
        default:
            SUCCEEDS(cuMemcpyHtoD_v2(b + from, host + from, bytes));
            SUCCEEDS(cuMemcpyDtoDAsync_v2(a + to, b + from, bytes, NULL));
            break;
        }
        memcpy(model + to, host + from, bytes);
        memset(host, GUARD, ROOM); /* asynchronous copies have taken the bytes that they need */
        if (i % 10 == 0)
            expect(a, model, ROOM);
    }
    expect(a, model, ROOM);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void bytes_around_what_is_copied_to_the_host_stay(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct rng r = {2};
    static uint8_t host[ROOM], model[ROOM];
    CUdeviceptr a = allocate(ROOM);
    fill(&r, model, ROOM);
    SUCCEEDS(cuMemcpyHtoD_v2(a, model, ROOM));
    for (int i = 0; i < 100; i++) {
        size_t to = below(&r, ROOM), from = below(&r, ROOM), most = ROOM - (to > from ? to : from);
        size_t bytes = below(&r, most + 1);
        memset(host, GUARD, ROOM);
        switch (i % 5) {
        case 0: SUCCEEDS(cuMemcpyDtoH_v2(host + to, a + from, bytes)); break;
        case 1: SUCCEEDS(cuMemcpyDtoHAsync_v2(host + to, a + from, bytes, NULL)); break; /* pageable: it waits */
        case 2: SUCCEEDS(cuMemcpyDtoHAsync_v2_ptsz(host + to, a + from, bytes, NULL)); break;
        case 3: SUCCEEDS(cuMemcpy_ptds(number(host + to), a + from, bytes)); break;
        default: SUCCEEDS(cuMemcpyAsync_ptsz(number(host + to), a + from, bytes, NULL)); break;
        }
        for (size_t k = 0; k < ROOM; k++)
            if (host[k] != (k >= to && k < to + bytes ? model[from + k - to] : GUARD))
                fail_msg("round %d, byte %zu", i, k);
    }
    SUCCEEDS(cuCtxDestroy_v2(context));
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* A place that boxes are copied between, with a plain copy of its contents. */
struct side {
    CUmemorytype type;
    uint8_t *model; /* ROOM bytes; of arrays, rows packed */
    uint8_t *host;
    CUdeviceptr device;
    CUarray array;
    size_t row, height, depth; /* arrays: extents in bytes, rows, slices */
    size_t element;
};

/* A box in it. */
struct part {
    size_t x, y, z, pitch, height;
};

static struct part choose(struct rng *r, const struct side *s, size_t width, size_t height, size_t depth)
{
    struct part p;
    if (s->type == CU_MEMORYTYPE_ARRAY) {
        p = (struct part){below(r, (s->row - width) / s->element + 1) * s->element, below(r, s->height - height + 1),
                          below(r, s->depth - depth + 1), s->row, s->height};
        return p;
    }
    p = (struct part){below(r, 9), below(r, 3), below(r, 3), 0, 0};
    p.pitch = p.x + width + below(r, 20);
    p.height = p.y + height + below(r, 3);
    return p;
}

static size_t at(const struct part *p, size_t x, size_t y, size_t z)
{
    return ((p->z + z) * p->height + p->y + y) * p->pitch + p->x + x;
}

static void describe(const struct side *s, const struct part *p, bool source, CUDA_MEMCPY3D *box)
{
    bool array = s->type == CU_MEMORYTYPE_ARRAY;
    if (source) {
        box->srcMemoryType = s->type;
        box->srcHost = s->type == CU_MEMORYTYPE_HOST ? s->host : NULL;
        box->srcDevice = s->type == CU_MEMORYTYPE_UNIFIED && s->host ? number(s->host) : s->device;
        box->srcArray = s->array;
        box->srcXInBytes = p->x, box->srcY = p->y, box->srcZ = p->z;
        box->srcPitch = array ? 0 : p->pitch, box->srcHeight = array ? 0 : p->height;
    } else {
        box->dstMemoryType = s->type;
        box->dstHost = s->type == CU_MEMORYTYPE_HOST ? s->host : NULL;
        box->dstDevice = s->type == CU_MEMORYTYPE_UNIFIED && s->host ? number(s->host) : s->device;
        box->dstArray = s->array;
        box->dstXInBytes = p->x, box->dstY = p->y, box->dstZ = p->z;
        box->dstPitch = array ? 0 : p->pitch, box->dstHeight = array ? 0 : p->height;
    }
}

/* All bytes of a side, as they are. */
static void read_side(const struct side *s, uint8_t *bytes)
{
    if (s->host) {
        memcpy(bytes, s->host, ROOM);
    } else if (s->device) {
        SUCCEEDS(cuMemcpyDtoH_v2(bytes, s->device, ROOM));
    } else {
        CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                             .srcArray = s->array,
                             .dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = bytes,
                             .dstPitch = s->row,
                             .dstHeight = s->height,
                             .WidthInBytes = s->row,
                             .Height = s->height,
                             .Depth = s->depth};
        SUCCEEDS(cuMemcpy3D_v2(&box));
    }
}

static size_t side_bytes(const struct side *s) { return s->array ? s->row * s->height * s->depth : ROOM; }

static void write_side(struct rng *r, struct side *s)
{
    fill(r, s->model, side_bytes(s));
    if (s->host) {
        memcpy(s->host, s->model, ROOM);
    } else if (s->device) {
        SUCCEEDS(cuMemcpyHtoD_v2(s->device, s->model, ROOM));
    } else {
        CUDA_MEMCPY3D box = {.dstMemoryType = CU_MEMORYTYPE_ARRAY,
                             .dstArray = s->array,
                             .srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = s->model,
                             .srcPitch = s->row,
                             .srcHeight = s->height,
                             .WidthInBytes = s->row,
                             .Height = s->height,
                             .Depth = s->depth};
        SUCCEEDS(cuMemcpy3D_v2(&box));
    }
}

enum { SIDES = 8 };

static void make_sides(struct side sides[SIDES])
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {13, 11, 5, CU_AD_FORMAT_UNSIGNED_INT16, 2, 0};
    void *pinned = NULL;
    CUdeviceptr managed = 0;
    CUarray array = NULL;
    memset(sides, 0, SIDES * sizeof *sides);
    for (int i = 0; i < SIDES; i++) {
        sides[i].model = malloc(ROOM);
        sides[i].element = 1;
        assert_non_null(sides[i].model);
    }
    SUCCEEDS(cuMemHostAlloc(&pinned, ROOM, 0));
    SUCCEEDS(cuMemAllocManaged(&managed, ROOM, 1));
    sides[0].type = CU_MEMORYTYPE_HOST, sides[0].host = malloc(ROOM);
    sides[1].type = CU_MEMORYTYPE_UNIFIED, sides[1].host = malloc(ROOM);
    sides[2].type = CU_MEMORYTYPE_HOST, sides[2].host = pinned;
    sides[3].type = CU_MEMORYTYPE_DEVICE, sides[3].device = allocate(ROOM);
    sides[4].type = CU_MEMORYTYPE_UNIFIED, sides[4].device = allocate(ROOM);
    sides[5].type = CU_MEMORYTYPE_DEVICE, sides[5].device = managed;
    for (int i = 6; i < 8; i++) {
        SUCCEEDS(cuArray3DCreate_v2(&array, &descriptor));
        sides[i] = (struct side){CU_MEMORYTYPE_ARRAY, sides[i].model, NULL, 0, array, 13 * 4, 11, 5, 4};
    }
}

static void free_sides(struct side sides[SIDES])
{
    for (int i = 0; i < SIDES; i++)
        free(sides[i].model);
    free(sides[0].host);
    free(sides[1].host);
}

static void boxes_of_any_shape_are_copied_as_a_plain_loop_would(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct rng r = {3};
    struct side sides[SIDES];
    static uint8_t have[ROOM];
    make_sides(sides);
    for (int round = 0; round < 400; round++) {
        struct side *from = &sides[below(&r, SIDES)], *to = &sides[below(&r, SIDES)];
        if (from == to)
            continue;
        write_side(&r, from);
        write_side(&r, to);
        size_t unit = from->element > to->element ? from->element : to->element;
        size_t width = (1 + below(&r, 52 / unit)) * unit, height = 1 + below(&r, 11), depth = 1 + below(&r, 5);
        struct part source = choose(&r, from, width, height, depth), target = choose(&r, to, width, height, depth);
        CUDA_MEMCPY3D box = {.WidthInBytes = width, .Height = height, .Depth = depth};
        describe(from, &source, true, &box);
        describe(to, &target, false, &box);
        if (below(&r, 2))
            SUCCEEDS(cuMemcpy3D_v2(&box));
        else
            SUCCEEDS(cuMemcpy3DAsync_v2(&box, NULL));
        SUCCEEDS(cuStreamSynchronize(NULL));
        for (size_t z = 0; z < depth; z++)
            for (size_t y = 0; y < height; y++)
                memcpy(to->model + at(&target, 0, y, z), from->model + at(&source, 0, y, z), width);
        read_side(to, have);
        assert_memory_equal(have, to->model, side_bytes(to));
        read_side(from, have);
        assert_memory_equal(have, from->model, side_bytes(from));
    }
    free_sides(sides);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void rows_are_copied_by_all_functions_of_two_dimensions(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUresult (*const synchronous[])(const CUDA_MEMCPY2D *) = {cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, cuMemcpy2DUnaligned_v2,
                                                              cuMemcpy2DUnaligned_v2_ptds};
    CUresult (*const later[])(const CUDA_MEMCPY2D *, CUstream) = {cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz};
    struct rng r = {4};
    static uint8_t host[4096], model[4096], back[4096];
    CUdeviceptr device = allocate(4096);
    memset(model, 0, sizeof model);
    for (int i = 0; i < 60; i++) {
        fill(&r, host, sizeof host);
        CUDA_MEMCPY2D rows = {.srcXInBytes = below(&r, 8),
                              .srcY = below(&r, 4),
                              .srcMemoryType = CU_MEMORYTYPE_HOST,
                              .srcHost = host,
                              .srcPitch = 48 + below(&r, 16),
                              .dstXInBytes = below(&r, 8),
                              .dstY = below(&r, 4),
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstDevice = device,
                              .dstPitch = 48 + below(&r, 16),
                              .WidthInBytes = 1 + below(&r, 40),
                              .Height = 1 + below(&r, 40)};
        SUCCEEDS(i % 6 < 4 ? synchronous[i % 6](&rows) : later[i % 6 - 4](&rows, NULL));
        for (size_t y = 0; y < rows.Height; y++)
            memcpy(model + (rows.dstY + y) * rows.dstPitch + rows.dstXInBytes,
                   host + (rows.srcY + y) * rows.srcPitch + rows.srcXInBytes, rows.WidthInBytes);
        SUCCEEDS(cuCtxSynchronize());
        SUCCEEDS(cuMemcpyDtoH_v2(back, device, sizeof back));
        assert_memory_equal(back, model, sizeof back);
    }
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void rows_of_arrays_are_copied_by_offset(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUDA_ARRAY_DESCRIPTOR descriptor = {16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    CUarray a = NULL, b = NULL;
    uint8_t in[64], out[64];
    CUdeviceptr device = allocate(64);
    for (unsigned i = 0; i < 64; i++)
        in[i] = (uint8_t)(i + 1);
    SUCCEEDS(cuArrayCreate_v2(&a, &descriptor));
    SUCCEEDS(cuArrayCreate_v2(&b, &descriptor));
    SUCCEEDS(cuMemcpyHtoA_v2(a, 0, in, 64));
    SUCCEEDS(cuMemcpyAtoA_v2(b, 8, a, 4, 32));
    memset(out, GUARD, 64);
    SUCCEEDS(cuMemcpyAtoH_v2(out, b, 0, 64));
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(out[i], i >= 8 && i < 40 ? i - 4 + 1 : 0);
    SUCCEEDS(cuMemcpyAtoD_v2(device + 4, a, 60, 4));
    SUCCEEDS(cuMemcpyDtoA_v2(b, 0, device + 4, 4));
    SUCCEEDS(cuMemcpyAtoHAsync_v2(out, b, 0, 4, NULL));
    assert_memory_equal(out, in + 60, 4);
    SUCCEEDS(cuMemcpyHtoAAsync_v2(b, 4, in, 4, NULL));
    SUCCEEDS(cuMemcpyAtoH_v2_ptds(out, b, 4, 4));
    assert_memory_equal(out, in, 4);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA_v2(a, 0, in, 68));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA_v2(a, 64, in, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA_v2(a, 2, in, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA_v2(a, 0, in, 3));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoA_v2(NULL, 0, in, 4));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAtoH_v2(out, (CUarray)(void *)in, 0, 4));
    SUCCEEDS(cuArrayDestroy(b));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAtoA_v2(a, 0, b, 0, 4));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(bytes_go_to_the_device_and_back), UNIT(bytes_around_what_is_copied_to_the_host_stay),
           UNIT(boxes_of_any_shape_are_copied_as_a_plain_loop_would),
           UNIT(rows_are_copied_by_all_functions_of_two_dimensions), UNIT(rows_of_arrays_are_copied_by_offset))
