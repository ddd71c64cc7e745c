#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "cli/demo.h"
#include "cli/example_map.h"
#include "exec/memory/undefined.h"

static uint64_t device_alloc(void *self, size_t bytes)
{
    struct demo_run *run = self;
    struct memory *memory = gpu_memory(run->session->gpu);
    uint64_t address = memory_alloc(memory, bytes);
    if (address)
        memory_undefine(memory, address, bytes);
    return address;
}

static bool device_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    struct demo_run *run = self;
    return memory_write(gpu_memory(run->session->gpu), to, from, bytes) &&
           gpu_trace_copy(run->session->gpu, to, bytes, 0, &run->status);
}

static bool device_read(void *self, void *to, uint64_t from, size_t bytes)
{
    struct demo_run *run = self;
    return session_read(run->session, to, from, bytes);
}

static struct kernel_result *new_result(struct demo_run *run)
{
    if (run->count == run->room) {
        size_t room = run->room ? 2 * run->room : 8;
        struct kernel_result *results = realloc(run->results, room * sizeof *results);
        if (!results)
            return NULL;
        run->results = results;
        run->room = room;
    }
    run->results[run->count] = (struct kernel_result){0};
    return &run->results[run->count];
}

static void count_launch(struct demo_run *run)
{
    const struct kernel_result *last = &run->results[run->count], *longest = &run->results[run->longest];
    bool longer = last->detailed == longest->detailed
                      ? last->cycles > longest->cycles ||
                            (!last->detailed && last->warp_instructions > longest->warp_instructions)
                      : last->detailed;
    if (run->count == 0 || longer) {
        run->longest = run->count;
        line_profile_free(&run->lines);
        run->lines = run->session->lines;
        run->session->lines = (struct line_profile){0};
        sample_series_free(&run->samples);
        run->samples = run->session->samples;
        run->session->samples.sample = NULL;
    }
    run->count++;
}

static bool device_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                          uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    struct demo_run *run = self;
    struct kernel_result *result = new_result(run);
    if (!result)
        return status_fail(&run->status, STATUS_MEMORY, "no memory for the results of %zu launches", run->count);
    struct gpu_launch launch = {
        .module = run->module,
        .kernel = kernel,
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .parameters = params,
        .parameter_bytes = param_bytes,
    };
    bool ok = session_launch(run->session, &launch, result, &run->status);
    if (ok || session_ran(result))
        count_launch(run);
    run->ended = ok && result_is_cut(result);
    return ok && !run->ended;
}

/* Architecture of an embedded cubin "module.sm_86" when it is of this module; 0 when it is not. */
static unsigned architecture_of(const char *name, const char *module)
{
    size_t length = strlen(module);
    if (strncmp(name, module, length) != 0 || strncmp(name + length, ".sm_", 4) != 0)
        return 0;
    return (unsigned)strtoul(name + length + 4, NULL, 10);
}

static bool find_cubin(const struct embedded *cubins, size_t count, const char *module, unsigned sm,
                       struct cubin_bytes *out, struct status *status)
{
    unsigned best = 0;
    char has[128] = "";
    for (size_t i = 0; i < count; i++) {
        unsigned architecture = architecture_of(cubins[i].name, module);
        if (architecture == 0)
            continue;
        size_t used = strlen(has);
        snprintf(has + used, sizeof has - used, "%ssm_%u", used ? ", " : "", architecture);
        if (architecture / 10 == sm / 10 && architecture <= sm && architecture > best) {
            best = architecture;
            *out = (struct cubin_bytes){cubins[i].data, cubins[i].size};
        }
    }
    if (best == 0)
        return status_fail(status, STATUS_UNSUPPORTED, "%s has no code for sm_%u, only for %s", module, sm,
                           has[0] ? has : "no architecture");
    return true;
}

bool demo_cubin(const char *module, unsigned sm, struct cubin_bytes *out, struct status *status)
{
    size_t count;
    const struct embedded *cubins = embedded_cubins(&count);
    return find_cubin(cubins, count, module, sm, out, status);
}

/* The same for the workloads of `validate`. */
static bool workload_cubin(const char *module, unsigned sm, struct cubin_bytes *out, struct status *status)
{
    size_t count;
    const struct embedded *cubins = embedded_workloads(&count);
    return find_cubin(cubins, count, module, sm, out, status);
}

static struct example_device device_of(struct demo_run *run)
{
    return (struct example_device){
        .self = run,
        .alloc = device_alloc,
        .write = device_write,
        .read = device_read,
        .launch = device_launch,
        .tensor_map = example_map,
    };
}

/* The host program has come to its end, or gave up. */
static bool finish(struct demo_run *run, const char *name, struct status *status)
{
    struct session *session = run->session;
    run->memory_digest = memory_digest(gpu_memory(session->gpu));
    if (run->status.code != STATUS_OK)
        return status_fail(status, run->status.code, "%s: %s", name, run->status.text);
    if (!session_complete(session, status))
        return false;
    if (!run->ended && !run->check.ok)
        return status_fail(status, STATUS_CHECK, "%s: %s", name, run->check.text);
    return true;
}

bool demo_run(struct demo_run *run, const struct example *example, struct session *session, struct status *status)
{
    *run = (struct demo_run){.example = example, .session = session};
    struct cubin_bytes image;
    if (!demo_cubin(example->module, session->config.gpu.architecture, &image, status))
        return false;
    run->module = gpu_load(session->gpu, image, example->module, status);
    if (!run->module)
        return false;
    struct example_device device = device_of(run);
    run->check = example->run(&device);
    return finish(run, example->name, status);
}

bool demo_run_workload(struct demo_run *run, const struct workload *workload, const struct workload_scale *scale,
                       struct session *session, struct status *status)
{
    *run = (struct demo_run){.session = session};
    struct cubin_bytes image;
    if (!workload_cubin(workload->module, session->config.gpu.architecture, &image, status))
        return false;
    run->module = gpu_load(session->gpu, image, workload->module, status);
    if (!run->module)
        return false;
    struct example_device device = device_of(run);
    run->check = workload->run(&device, scale);
    return finish(run, workload->name, status);
}

void demo_run_free(struct demo_run *run)
{
    free(run->results);
    line_profile_free(&run->lines);
    sample_series_free(&run->samples);
    run->results = NULL;
    run->count = run->room = 0;
}
