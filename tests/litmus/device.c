#include "device.h"

#include "base/file.h"
#include "tests/unit.h"

const char *const placement_name[PLACEMENTS] = {"warp", "cta", "sm", "pairs", "apart"};

void device_begin(struct device *d, const char *gpu, unsigned sm, const char *kernels, struct variant v)
{
    struct status status = {0};
    struct config config;
    const struct gpu_options options = {.threads = v.threads, .functional = v.functional};
    char path[4096], cubin[100];
    *d = (struct device){.file = calloc(1, sizeof *d->file)};
    assert_non_null(d->file);
    if (!config_load(&config, gpu, &status) ||
        !config_set(&config, v.skip ? "run.skip_idle=true" : "run.skip_idle=false", &status))
        fail_msg("%s", status.text);
    if (v.bare) { /* the cycles that a fence must wait for, and not the least time that it takes; messages that pass
                   * each other */
        config.lsu.fence_cta = config.lsu.fence_gpu = config.lsu.fence_sys = 1;
        config.noc.spread = 256;
        config.tlb.l2_miss_latency = 700;
    }
    d->sms = config.gpu.sms;
    d->gpu = gpu_create(&config, &options, &status);
    if (!d->gpu)
        fail_msg("%s", status.text);
    snprintf(cubin, sizeof cubin, "tests/litmus/cubin/%s.sm_%u.cubin", kernels, sm);
    if (!file_read(unit_path(path, cubin), 1 << 24, d->file, &status))
        fail_msg("%s", status.text);
    d->module = gpu_load(d->gpu, (struct cubin_bytes){d->file->data, d->file->size}, cubin, &status);
    if (!d->module)
        fail_msg("%s", status.text);
}

void device_end(struct device *d)
{
    gpu_destroy(d->gpu);
    file_free(d->file);
    free(d->file);
}

uint64_t device_alloc(struct device *d, uint64_t bytes)
{
    uint64_t at = memory_alloc(gpu_memory(d->gpu), bytes);
    assert_int_not_equal(at, 0);
    return at;
}

uint64_t device_launch(struct device *d, const char *kernel, uint32_t ctas, uint32_t threads, const void *parameters,
                       size_t bytes)
{
    struct status status = {0};
    struct kernel_result result;
    const struct gpu_launch launch = {.module = d->module,
                                      .kernel = kernel,
                                      .grid = {ctas, 1, 1},
                                      .block = {threads, 1, 1},
                                      .parameters = parameters,
                                      .parameter_bytes = bytes};
    if (!gpu_launch(d->gpu, &launch, &result, &status))
        fail_msg("%s on %s: %s", kernel, gpu_config(d->gpu)->gpu.name, status.text);
    assert_int_equal(result.ctas_done, ctas);
    return result.cycles;
}

void placement_ctas(enum placement p, uint32_t sms, unsigned cta[LITMUS_THREADS])
{
    const unsigned far[LITMUS_THREADS] = {0, sms / 2, 1, sms - 1};
    for (unsigned i = 0; i < LITMUS_THREADS; i++) {
        switch (p) {
        case ON_AN_SM: cta[i] = i % 2 * sms; break; /* CTAs are dealt to the SMs in turn */
        case IN_PAIRS: cta[i] = i / 2 * (sms / 2); break;
        case APART: cta[i] = far[i]; break;
        default: cta[i] = 0; break;
        }
    }
}

uint64_t litmus_run(struct device *d, const struct litmus_test *test, const struct litmus_run *run,
                    uint32_t outcome[LITMUS_ITERATIONS])
{
    enum { THREADS = 256, NOISY = 192 };
    struct memory *memory = gpu_memory(d->gpu);
    uint64_t place = (uint64_t)run->stride * LITMUS_LOCATIONS * run->iterations;
    uint64_t words = run->iterations * LITMUS_THREADS * LITMUS_READS;
    struct litmus_args args = {.stride = run->stride,
                               .iterations = run->iterations,
                               .delay = run->delay,
                               .seed = run->seed,
                               .noise = run->noise ? NOISY : 0};
    assert_in_range(run->iterations, 1, LITMUS_ITERATIONS);
    args.locations = device_alloc(d, place);
    args.sync = device_alloc(d, 128 + 4 * run->iterations);
    args.out = device_alloc(d, 4 * words);
    placement_ctas(run->placement, d->sms, args.cta);
    for (unsigned i = 0; i < LITMUS_THREADS; i++)
        args.thread[i] = run->placement == IN_A_WARP ? 5 * i : 32 * i;
    uint32_t ctas = run->placement == ON_AN_SM ? d->sms + 1 : d->sms;
    if (run->placement == IN_A_WARP || run->placement == IN_A_CTA)
        ctas = 1;
    uint64_t cycles = device_launch(d, test->name, ctas, run->noise ? THREADS : 128, &args, sizeof args);
    for (unsigned k = 0; k < run->iterations; k++) {
        outcome[k] = 0;
        for (unsigned l = 0; l < LITMUS_LOCATIONS; l++) {
            uint32_t value;
            assert_true(
                memory_read(memory, &value, args.locations + (k * LITMUS_LOCATIONS + l) * (uint64_t)run->stride, 4));
            outcome[k] |= outcome_final(l, value);
        }
        for (unsigned i = 0; i < LITMUS_THREADS * LITMUS_READS; i++) {
            uint32_t value;
            assert_true(memory_read(memory, &value, args.out + 4 * (k * LITMUS_THREADS * LITMUS_READS + i), 4));
            outcome[k] |= outcome_read(i / LITMUS_READS, i % LITMUS_READS, value);
        }
    }
    memory_free(memory, args.locations);
    memory_free(memory, args.sync);
    memory_free(memory, args.out);
    return cycles;
}
