#include <math.h>
#include <string.h>

#include "host.h"
#include "workloads.h"

enum { CELL = 32, THREADS = 256 };

static void feel(const float *own, const float *cell, double *force)
{
    for (size_t i = 0; i < CELL; i++) {
        double d[3], square = 0;
        for (size_t axis = 0; axis < 3; axis++) {
            d[axis] = (double)own[axis] - (double)cell[4 * i + axis];
            square += d[axis] * d[axis];
        }
        const double strength = (double)cell[4 * i + 3] * exp(-2 * square);
        for (size_t axis = 0; axis < 3; axis++)
            force[axis] += strength * d[axis];
        force[3] += strength;
    }
}

static void check_forces(struct run *run, const float *particle, size_t width, size_t height, const float *got)
{
    for (size_t i = 0; i < width * height * CELL && !run->failed; i++) {
        const size_t x = i / CELL % width, y = i / CELL / width;
        const size_t cells[5] = {y * width + x, y * width + (x + 1) % width, y * width + (x + width - 1) % width,
                                 (y + 1) % height * width + x, (y + height - 1) % height * width + x};
        double want[4] = {0};
        for (size_t n = 0; n < 5; n++)
            feel(particle + 4 * i, particle + cells[n] * CELL * 4, want);
        /* 160 terms below one, and the error of MUFU.EX2 for its argument. */
        host_check_near(run, "force", got + 4 * i, want, 4, 1e-4);
    }
}

static struct example_result cells(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const struct example_dim grid = host_plane(scale, 4);
    const size_t particles = (size_t)grid.x * grid.y * CELL;
    uint32_t seed = 71;
    const float *particle = host_units(&run, &seed, 4 * particles);
    struct {
        uint64_t particle, force;
    } params;
    params.particle = run_upload(&run, particle, 4 * particles * sizeof *particle);
    params.force = run_output(&run, 4 * particles);
    run_launch(&run, "cell_forces", grid, (struct example_dim){CELL, 1, 1}, &params, sizeof params);
    const float *got = run_download(&run, params.force, 4 * particles);
    check_forces(&run, particle, grid.x, grid.y, got);
    return run_finish(&run, "the forces on %zu particles are right", particles);
}

struct particle {
    float place[3], speed[3], mass;
    uint32_t bounces;
};

static void move(struct particle *p, float time, float gravity)
{
    p->speed[2] -= gravity * time;
    for (int axis = 0; axis < 3; axis++) {
        float at = fmaf(p->speed[axis], time, p->place[axis]);
        if (at < 0 || at > 1) {
            at = at < 0 ? -at : 2 - at;
            p->speed[axis] = -p->speed[axis];
            p->bounces++;
        }
        p->place[axis] = at;
    }
}

static struct example_result motion(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t count = (size_t)ctas * THREADS, words = sizeof(struct particle) / sizeof(uint32_t);
    struct particle *p = run_memory(&run, count, sizeof *p);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 72;
    for (size_t i = 0; i < count; i++) {
        p[i].mass = 1;
        for (size_t axis = 0; axis < 3; axis++) {
            p[i].place[axis] = 0.5f + 0.5f * random_unit(&seed);
            p[i].speed[axis] = random_unit(&seed);
        }
    }
    struct {
        uint64_t particles;
        float time, gravity;
    } params = {.time = 0.25f, .gravity = 0.1f};
    params.particles = run_upload(&run, p, count * sizeof *p);
    host_launch(&run, "move_particles", ctas, THREADS, &params, sizeof params);
    for (size_t i = 0; i < count; i++)
        move(p + i, params.time, params.gravity);
    const void *got = host_read(&run, params.particles, count * sizeof *p);
    run_check_ints(&run, "word", got, (int32_t *)p, count * words);
    return run_finish(&run, "all %zu particles are right", count);
}

const struct workload workload_cell_forces = {
    .name = "cell-forces",
    .module = "particles",
    .class = "particles",
    .summary = "forces of five cells of 32 particles, CTAs of one warp (MUFU.EX2)",
    .arch = 60,
    .run = cells,
};

const struct workload workload_move_particles = {
    .name = "move-particles",
    .module = "particles",
    .class = "particles",
    .summary = "a step of particles of 32 bytes each: uncoalesced accesses",
    .arch = 60,
    .run = motion,
};
