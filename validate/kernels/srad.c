#include "host.h"
#include "workloads.h"

struct image {
    double *pixel, *coefficient;
    size_t width, height;
};

static void neighbours(const struct image *m, const double *of, size_t x, size_t y, double *to)
{
    size_t north = y > 0 ? y - 1 : 0, south = y + 1 < m->height ? y + 1 : y;
    size_t west = x > 0 ? x - 1 : 0, east = x + 1 < m->width ? x + 1 : x;
    to[0] = of[north * m->width + x];
    to[1] = of[south * m->width + x];
    to[2] = of[y * m->width + west];
    to[3] = of[y * m->width + east];
}

static void coefficients(const struct image *m, double noise)
{
    for (size_t y = 0; y < m->height; y++)
        for (size_t x = 0; x < m->width; x++) {
            double own = m->pixel[y * m->width + x], near[4], gradient = 0, laplace = 0;
            neighbours(m, m->pixel, x, y, near);
            for (int i = 0; i < 4; i++) {
                gradient += (near[i] - own) * (near[i] - own) / (own * own);
                laplace += (near[i] - own) / own;
            }
            double below = 1 + 0.25 * laplace;
            double speckle = (0.5 * gradient - 0.0625 * laplace * laplace) / (below * below);
            double c = 1 / (1 + (speckle - noise) / (noise * (1 + noise)));
            m->coefficient[y * m->width + x] = c < 0 ? 0 : c > 1 ? 1 : c;
        }
}

static void update(const struct image *m, double lambda, double *to)
{
    for (size_t y = 0; y < m->height; y++)
        for (size_t x = 0; x < m->width; x++) {
            double near[4], c[4], own = m->pixel[y * m->width + x];
            neighbours(m, m->pixel, x, y, near);
            neighbours(m, m->coefficient, x, y, c);
            c[0] = c[2] = m->coefficient[y * m->width + x];
            double change = 0;
            for (int i = 0; i < 4; i++)
                change += c[i] * (near[i] - own);
            *to++ = own + 0.25 * lambda * change;
        }
}

static struct example_result srad(const struct example_device *device, const struct workload_scale *scale)
{
    const struct example_dim grid = host_plane(scale, 8);
    struct image m = {.width = 16 * grid.x, .height = 16 * grid.y};
    const size_t pixels = m.width * m.height;
    struct run run = run_start(device);
    uint32_t seed = 25;
    float *image = host_units(&run, &seed, pixels);
    double *want = run_memory(&run, pixels, sizeof *want);
    m.pixel = run_memory(&run, pixels, sizeof *m.pixel);
    m.coefficient = run_memory(&run, pixels, sizeof *m.coefficient);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < pixels; i++) {
        image[i] = image[i] * 0.25f + 1.5f;
        m.pixel[i] = (double)image[i];
    }
    const double noise = 0.0625, lambda = 0.5;
    coefficients(&m, noise);
    update(&m, lambda, want);
    struct {
        uint64_t image, north, south, west, east, coefficient;
        int32_t width, height;
        float number;
    } params = {.width = (int32_t)m.width, .height = (int32_t)m.height, .number = (float)noise};
    params.image = run_upload(&run, image, pixels * sizeof *image);
    params.north = run_output(&run, pixels);
    params.south = run_output(&run, pixels);
    params.west = run_output(&run, pixels);
    params.east = run_output(&run, pixels);
    params.coefficient = run_output(&run, pixels);
    const struct example_dim block = {16, 16, 1};
    run_launch(&run, "srad_coefficients", grid, block, &params, sizeof params);
    /* Divisions of terms about one, by noise: some 2^-20. */
    host_check_near(&run, "coefficient", run_download(&run, params.coefficient, pixels), m.coefficient, pixels, 2e-5);
    params.number = (float)lambda;
    run_launch(&run, "srad_update", grid, block, &params, sizeof params);
    host_check_near(&run, "image", host_read(&run, params.image, pixels * sizeof(float)), want, pixels, 1e-5);
    return run_finish(&run, "all %zu pixels are right", pixels);
}

const struct workload workload_srad = {
    .name = "srad",
    .module = "srad",
    .class = "stencil",
    .summary = "anisotropic diffusion in two kernels, with divisions; planes in global memory",
    .arch = 60,
    .run = srad,
};
