#include "host.h"
#include "workloads.h"

struct field {
    const float *value;
    size_t width, height, depth;
};

static double at(const struct field *f, size_t x, size_t y, size_t z, ptrdiff_t dx, ptrdiff_t dy, ptrdiff_t dz)
{
    size_t to_x = host_clamp((ptrdiff_t)x + dx, f->width), to_y = host_clamp((ptrdiff_t)y + dy, f->height);
    size_t to_z = host_clamp((ptrdiff_t)z + dz, f->depth);
    return (double)f->value[(to_z * f->height + to_y) * f->width + to_x];
}

/* A point and the mean of its neighbours, with weights that add up to one. */
static void step(const struct field *f, double own, double other, double *want)
{
    for (size_t z = 0; z < f->depth; z++)
        for (size_t y = 0; y < f->height; y++)
            for (size_t x = 0; x < f->width; x++) {
                double around = at(f, x, y, z, -1, 0, 0) + at(f, x, y, z, 1, 0, 0) + at(f, x, y, z, 0, -1, 0) +
                                at(f, x, y, z, 0, 1, 0);
                if (f->depth > 1)
                    around += at(f, x, y, z, 0, 0, -1) + at(f, x, y, z, 0, 0, 1);
                *want++ = own * at(f, x, y, z, 0, 0, 0) + other * around;
            }
}

static struct example_result stencil2(const struct example_device *device, const struct workload_scale *scale)
{
    const struct example_dim tiles = host_plane(scale, 8);
    const uint32_t width = 32 * tiles.x, height = 16 * tiles.y;
    const size_t points = (size_t)width * height;
    struct run run = run_start(device);
    uint32_t seed = 21;
    const struct field field = {host_units(&run, &seed, points), width, height, 1};
    double *want = run_memory(&run, points, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    step(&field, 0.5, 0.125, want);
    struct {
        uint64_t in, out;
        int32_t width, height;
    } params = {.width = (int32_t)width, .height = (int32_t)height};
    params.in = run_upload(&run, field.value, points * sizeof(float));
    params.out = run_output(&run, points);
    run_launch(&run, "stencil5_tiled", tiles, (struct example_dim){32, 8, 1}, &params, sizeof params);
    host_check_near(&run, "tiled", run_download(&run, params.out, points), want, points, 1e-6);
    params.out = run_output(&run, points);
    run_launch(&run, "stencil5_columns", (struct example_dim){width / 16, height / 16, 1},
               (struct example_dim){16, 16, 1}, &params, sizeof params);
    host_check_near(&run, "columns", run_download(&run, params.out, points), want, points, 1e-6);
    return run_finish(&run, "all %zu points are right", points);
}

static struct example_result stencil3(const struct example_device *device, const struct workload_scale *scale)
{
    enum { DEPTH = 3 };
    const struct example_dim tiles = host_plane(scale, 8);
    const uint32_t width = 32 * tiles.x, height = 8 * tiles.y;
    const size_t points = (size_t)width * height * DEPTH;
    struct run run = run_start(device);
    uint32_t seed = 22;
    const struct field field = {host_units(&run, &seed, points), width, height, DEPTH};
    double *want = run_memory(&run, points, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    step(&field, 0.25, 0.125, want);
    struct {
        uint64_t in, out;
        int32_t width, height, depth;
    } params = {.width = (int32_t)width, .height = (int32_t)height, .depth = DEPTH};
    params.in = run_upload(&run, field.value, points * sizeof(float));
    params.out = run_output(&run, points);
    run_launch(&run, "stencil7", tiles, (struct example_dim){32, 8, 1}, &params, sizeof params);
    host_check_near(&run, "out", run_download(&run, params.out, points), want, points, 1e-6);
    return run_finish(&run, "all %zu points are right", points);
}

static void wave_step(const struct field *f, const float *before, double speed, double *want)
{
    for (size_t y = 0; y < f->height; y++)
        for (size_t x = 0; x < f->width; x++) {
            double here = at(f, x, y, 0, 0, 0, 0), near = 0, far = 0;
            for (ptrdiff_t side = -1; side <= 1; side += 2) {
                near += at(f, x, y, 0, side, 0, 0) + at(f, x, y, 0, 0, side, 0);
                far += at(f, x, y, 0, 2 * side, 0, 0) + at(f, x, y, 0, 0, 2 * side, 0);
            }
            *want++ = 2 * here - (double)*before++ + speed * (16 * near - far - 60 * here) / 12;
        }
}

static struct example_result wave(const struct example_device *device, const struct workload_scale *scale)
{
    const struct example_dim grid = host_plane(scale, 12);
    const uint32_t width = 128 * grid.x, height = 4 * grid.y;
    const size_t points = (size_t)width * height;
    struct run run = run_start(device);
    uint32_t seed = 23;
    struct field now = {host_units(&run, &seed, points), width, height, 1};
    float *before = host_units(&run, &seed, points);
    double *want = run_memory(&run, points, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    struct {
        uint64_t now, next;
        int32_t width, height;
        float speed;
    } params = {.width = (int32_t)width, .height = (int32_t)height, .speed = 0.25f};
    params.now = run_upload(&run, now.value, points * sizeof(float));
    params.next = run_upload(&run, before, points * sizeof(float));
    for (int i = 0; i < 2 && !run.failed; i++) {
        wave_step(&now, before, 0.25, want);
        run_launch(&run, "wave9", grid, (struct example_dim){128, 1, 1}, &params, sizeof params);
        const float *got = host_read(&run, params.next, points * sizeof *got);
        /* Terms of up to 124 / 12 * 0.25 after the first step's values of up to 8, some ten roundings. */
        host_check_near(&run, "next", got, want, points, 2e-5);
        before = (float *)now.value;
        now.value = got;
        uint64_t next = params.now;
        params.now = params.next;
        params.next = next;
    }
    return run_finish(&run, "two steps of %zu points are right", points);
}

const struct workload workload_stencil_2d = {
    .name = "stencil-2d",
    .module = "stencils",
    .class = "stencil",
    .summary = "five points: tiles in shared memory, and threads along columns (16 sectors an access)",
    .arch = 60,
    .run = stencil2,
};

const struct workload workload_stencil_3d = {
    .name = "stencil-3d",
    .module = "stencils",
    .class = "stencil",
    .summary = "seven points, a column of them in registers",
    .arch = 60,
    .run = stencil3,
};

const struct workload workload_wave = {
    .name = "wave",
    .module = "stencils",
    .class = "stencil",
    .summary = "two steps of the wave equation, nine points, five rows in registers",
    .arch = 60,
    .run = wave,
};
