#include "cli/compare/measure_device.h"

#include <stdio.h>
#include <string.h>

#include "cli/demo.h"

static uint64_t device_alloc(void *self, uint64_t bytes)
{
    struct measure_sim *sim = self;
    return memory_alloc(gpu_memory(sim->session->gpu), bytes);
}

static void device_release(void *self, uint64_t address)
{
    struct measure_sim *sim = self;
    memory_free(gpu_memory(sim->session->gpu), address);
}

static bool device_write(void *self, uint64_t to, const void *from, uint64_t bytes)
{
    struct measure_sim *sim = self;
    return memory_write(gpu_memory(sim->session->gpu), to, from, bytes);
}

static bool device_read(void *self, void *to, uint64_t from, uint64_t bytes)
{
    struct measure_sim *sim = self;
    return memory_read(gpu_memory(sim->session->gpu), to, from, bytes);
}

static bool device_launch(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                          const void *parameters, size_t parameter_bytes)
{
    struct measure_sim *sim = self;
    const struct gpu_launch launch = {
        .module = sim->module,
        .kernel = kernel,
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .dynamic_shared_bytes = shared_bytes,
        .parameters = parameters,
        .parameter_bytes = parameter_bytes,
    };
    struct kernel_result result;
    bool ok = session_launch(sim->session, &launch, &result, &sim->status);
    sim->launches++;
    sim->cycles += result.cycles;
    sim->sm_cycles += result.sm.cycles_active;
    sim->instructions += result.warp_instructions;
    sim->seconds += result.host_seconds;
    return ok;
}

static bool device_repeat(void *self, const char *kernel, unsigned ctas, unsigned threads, unsigned launches,
                          double *ns)
{
    struct measure_sim *sim = self;
    uint64_t before = sim->cycles;
    for (unsigned i = 0; i < launches; i++)
        if (!device_launch(self, kernel, ctas, threads, 0, NULL, 0))
            return false;
    *ns = (double)(sim->cycles - before) * 1e3 / sim->device.gpu.clock;
    return true;
}

void measure_gpu_name(const char *gpu, char name[MEASURE_NAME])
{
    static const char suffix[] = ".toml", usual[] = "rtx-a6000";
    const char *slash = gpu ? strrchr(gpu, '/') : NULL;
    const char *base = slash ? slash + 1 : gpu ? gpu : usual;
    size_t length = strlen(base), end = sizeof suffix - 1;
    if (length > end && strcmp(base + length - end, suffix) == 0)
        length -= end;
    snprintf(name, MEASURE_NAME, "%.*s", (int)length, base);
}

bool measure_sim_begin(struct measure_sim *sim, struct session *session, const char *name, struct status *status)
{
    *sim = (struct measure_sim){.session = session};
    const struct config *c = &session->config;
    struct cubin_bytes image;
    if (!demo_cubin("measure", c->gpu.architecture, &image, status))
        return false;
    sim->module = gpu_load(session->gpu, image, "measure", status);
    sim->device = (struct measure_device){
        .self = sim,
        .gpu = {.architecture = c->gpu.architecture,
                .sms = c->gpu.sms,
                .clock = c->gpu.clock,
                .dram = c->dram.bandwidth,
                .memory = (uint64_t)(c->gpu.memory * 1024 * 1024 * 1024),
                .l2 = c->l2.size,
                .l1 = c->sm.unified,
                .warps = c->sm.warps,
                .cold = true},
        .alloc = device_alloc,
        .release = device_release,
        .write = device_write,
        .read = device_read,
        .launch = device_launch,
        .repeat = device_repeat,
    };
    topology_init(&sim->topology, c, 1);
    sim->device.gpu.gpc = sim->topology.gpc;
    measure_gpu_name(name, sim->device.gpu.name);
    return sim->module != NULL;
}
