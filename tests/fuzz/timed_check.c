#include "timed_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "tests/trace/container.h"
#include "trace/metadata.h"

enum { CYCLES = 3000 };

/* As assert, in every build. */
static void hold(bool condition)
{
    if (!condition)
        abort();
}

struct timed_parts timed_split(const uint8_t *data, size_t size)
{
    struct timed_parts parts = {{0}, {0}};
    size_t at = 1;
    for (unsigned i = 0; i < TIMED_PARTS; i++) {
        size_t room = at + 2 <= size ? size - at - 2 : 0;
        size_t wanted = at + 2 <= size ? data[at] + 256u * data[at + 1] : 0;
        parts.at[i] = at + 2 <= size ? at + 2 : size;
        parts.size[i] = wanted < room ? wanted : room;
        at = parts.at[i] + parts.size[i];
    }
    return parts;
}

static struct trace_bytes part(const uint8_t *data, const struct timed_parts *parts, unsigned i)
{
    struct trace_bytes bytes = {0};
    trace_put(&bytes, data + parts->at[i], parts->size[i]);
    return bytes;
}

/* The contents of the indexes that the kernel needs to be opened. False: it cannot be. */
static bool describe(struct container *c, bool complete)
{
    struct trace_view v = trace_view_of(c->launch.data, c->launch.size);
    struct trace_bytes raw = {0};
    struct trace_frame frame;
    struct trace_launch launch;
    trace_put(&raw, c->frame.data, c->frame.size);
    bool ok = trace_frame_take(&frame, &raw);
    trace_bytes_free(&raw);
    if (!ok)
        return false;
    c->entry = frame.pieces ? trace_frame_ranges(&frame) : (struct trace_frame_entry){0};
    for (uint32_t i = 0; i < frame.pieces; i++)
        c->kernel.warps += frame.piece[i].last;
    trace_frame_free(&frame);
    if (!trace_metadata_take(&launch, &v))
        return false;
    if (!trace_metadata_take_code(&launch.code, &launch.code_count, &v)) {
        trace_launch_free(&launch);
        return false;
    }
    uint64_t ctas = trace_launch_ctas(&launch), warps = trace_launch_wrong(&launch, true) ? 0 : ctas;
    warps *= warps ? trace_launch_warps(&launch) : 0;
    c->kernel.complete = complete && c->kernel.warps == warps;
    c->kernel.ctas = c->kernel.warps < ctas ? c->kernel.warps : ctas;
    trace_launch_free(&launch);
    return true;
}

static void replay(struct trace_kernel *kernel, unsigned options)
{
    struct status status = {0};
    struct config config;
    struct kernel_result result;
    struct hazards hazards;
    struct plan plan = {0};
    hold(plan_add_number(&plan, "until-cycles", "limit", CYCLES, &status));
    const struct gpu_options o = {.threads = 1,
                                  .passes_damage = options & TIMED_PASSES_DAMAGE,
                                  .hazards = options & TIMED_HAZARDS ? &hazards : NULL,
                                  .plan = &plan};
    const char *const dependence =
        options & TIMED_SCOREBOARD ? "core.dependence=scoreboard" : "core.dependence=automatic";
    const char *const name = options & TIMED_H200 ? "h200" : options & TIMED_A100 ? "a100" : "rtx-a6000";
    const char *const gpcs = options & TIMED_H200 ? "gpu.gpcs=2 2" : "gpu.gpcs=2"; /* a cluster is in one */
    const char *const sms = options & TIMED_H200 ? "gpu.sms=4" : "gpu.sms=2";
    hold(config_load(&config, name, &status) && config_set(&config, gpcs, &status) &&
         config_set(&config, sms, &status) && config_set(&config, "gpu.memory=0.05", &status) &&
         config_set(&config, "launch.latency=50", &status) && config_set(&config, dependence, &status));
    hazards_init(&hazards);
    struct gpu *gpu = gpu_create(&config, &o, &status);
    hold(gpu);
    bool ok = gpu_replay(gpu, kernel, &result, &status);
    hold(ok ? result.cycles <= CYCLES : status.text[0]);
    gpu_destroy(gpu);
    plan_free(&plan);
    hazards_free(&hazards);
}

static void read_file(const char *path, unsigned options)
{
    struct status status = {0};
    struct trace_file *file = trace_open(path, &status);
    hold(file);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &status);
    hold(kernel || status.text[0]);
    if (kernel)
        replay(kernel, options);
    trace_kernel_close(kernel);
    trace_close(file);
}

void timed_check(const uint8_t *data, size_t size)
{
    struct timed_parts parts = timed_split(data, size);
    char path[64], name[] = "fuzzed";
    if (!size)
        return;
    struct container c = {.dictionary = part(data, &parts, 0),
                          .frame = part(data, &parts, 1),
                          .launch = part(data, &parts, 2),
                          .kernel = {.name = name}};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    hold(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (describe(&c, data[0] & TIMED_COMPLETE)) {
        hold(container_write(fd, &c));
        read_file(path, data[0]);
    }
    close(fd);
    trace_bytes_free(&c.dictionary);
    trace_bytes_free(&c.frame);
    trace_bytes_free(&c.launch);
}
