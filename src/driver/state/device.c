#include "driver/state/device.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "cubin/kernel_name.h"
#include "driver/state/say.h"
#include "driver/state/settings.h"

enum { MOST_BY_DEFAULT = 16 };

static unsigned default_threads(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > MOST_BY_DEFAULT ? MOST_BY_DEFAULT : (unsigned)count;
}

static bool apply(struct config *config, const char *assignments, struct status *status)
{
    while (*assignments) {
        size_t length = strcspn(assignments, "\n");
        char line[1024];
        if (length >= sizeof line)
            return status_fail(status, STATUS_USAGE, "SUBCORE_SET: a line has more than %zu bytes", sizeof line - 1);
        memcpy(line, assignments, length);
        line[length] = '\0';
        if (length > 0 && !config_set(config, line, status))
            return false;
        assignments += length + (assignments[length] == '\n');
    }
    return true;
}

/* The same for the same GPU in each run; version 4 and variant 1 as RFC 9562 wants them. */
static CUuuid make_uuid(const char *name)
{
    CUuuid uuid;
    uint64_t half[2] = {hash_mix(hash_bytes(HASH_SEED, name, strlen(name)))};
    half[1] = hash_mix(half[0]);
    memcpy(uuid.bytes, half, sizeof uuid.bytes);
    uuid.bytes[6] = (char)((uuid.bytes[6] & 0x0f) | 0x40);
    uuid.bytes[8] = (char)((uuid.bytes[8] & 0x3f) | 0x80);
    return uuid;
}

bool device_open(struct device *device, const struct settings *settings, struct status *status)
{
    if (!config_load(&device->config, settings->gpu, status) || !apply(&device->config, settings->set, status) ||
        !config_check(&device->config, status))
        return false;
    device->uuid = make_uuid(device->config.gpu.name);
    return true;
}

static void say_spins(void *self, const char *kernel, const char *words)
{
    struct progress *progress = self;
    char name[RESULT_NAME];
    kernel_name(kernel, name, sizeof name);
    if (progress->live)
        progress->live->spins = true;
    progress_hide(progress);
    say("kernel %s %s", name, words);
}

static void say_outside(void *self, const char *kernel, const char *words)
{
    char name[RESULT_NAME];
    kernel_name(kernel, name, sizeof name);
    progress_hide(self);
    say("kernel %s %s", name, words);
}

bool device_start(struct device *device, struct settings *settings, struct status *status)
{
    enum { FIRST_PERIOD = 64, SAMPLES = 256 }; /* cycles, which double as a launch goes on */
    if (device->gpu)
        return true;
    struct gpu_options options = {
        .threads = settings->threads ? settings->threads : default_threads(),
        .functional = settings->functional,
        .visible_memory = true,
        .plan = &settings->plan,
        .stop = &device->stop,
        .progress = progress_show,
        .progress_context = &device->progress,
        .spins = {.self = &device->progress, .tell = say_spins},
        .outside = {.self = &device->progress, .tell = say_outside},
    };
    check_init(&device->check, settings->checks);
    device->checker = (int)getpid();
    device->samples = (struct sample_series){.first_period = FIRST_PERIOD, .most = SAMPLES};
    options.lines = settings->sources ? &device->lines : NULL;
    options.samples = settings->sources ? &device->samples : NULL;
    options.check = settings->checks ? &device->check : NULL;
    options.pass_outside = settings->pass_outside;
    if (!process_schedule_begin(&device->schedule, settings, &options, status))
        return false;
    progress_init(&device->progress, settings->quiet);
    device->progress.live = live_join(settings->record);
    device->gpu = gpu_create(&device->config, &options, status);
    return device->gpu != NULL;
}

size_t device_memory_bytes(const struct device *device)
{
    return (size_t)(device->config.gpu.memory * 1024 * 1024 * 1024);
}
