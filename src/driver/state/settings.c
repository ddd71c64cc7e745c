#include "driver/state/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/found.h"

static const char *text(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);
    return value && *value ? value : otherwise;
}

/* The program may change its environment later. */
static bool keep(const char **field, const char *value, struct status *status)
{
    *field = value ? strdup(value) : NULL;
    return !value || *field || status_fail(status, STATUS_MEMORY, "out of memory");
}

static bool read_mode(struct settings *settings, struct status *status)
{
    const char *mode = text("SUBCORE_MODE", "detailed");
    settings->functional = strcmp(mode, "functional") == 0;
    return settings->functional || strcmp(mode, "detailed") == 0 ||
           status_fail(status, STATUS_USAGE, "SUBCORE_MODE=%s: \"functional\" or \"detailed\" is expected", mode);
}

static bool read_streams(struct settings *settings, struct status *status)
{
    const char *streams = text("SUBCORE_STREAMS", "overlap");
    settings->serial_streams = strcmp(streams, "serial") == 0;
    return settings->serial_streams || strcmp(streams, "overlap") == 0 ||
           status_fail(status, STATUS_USAGE, "SUBCORE_STREAMS=%s: \"overlap\" or \"serial\" is expected", streams);
}

static bool read_threads(struct settings *settings, struct status *status)
{
    const char *value = text("SUBCORE_THREADS", "0");
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    settings->threads = (unsigned)number;
    return (*end == '\0' && number <= 256 && value[0] >= '0' && value[0] <= '9') ||
           status_fail(status, STATUS_USAGE, "SUBCORE_THREADS=%s: a number from 1 to 256 is expected", value);
}

static bool read_limit(struct plan *plan, const char *policy, const char *variable, struct status *status)
{
    const char *value = text(variable, "0");
    char *end;
    errno = 0;
    uint64_t limit = strtoull(value, &end, 10);
    if (*end != '\0' || value[0] < '0' || value[0] > '9' || errno != 0)
        return status_fail(status, STATUS_USAGE, "%s=%s: a number is expected", variable, value);
    return plan_add_number(plan, policy, variable, limit, status);
}

/* A program goes on with the memory of its kernels, unless it is to end at the limit. */
static bool read_policies(struct plan *plan, struct status *status)
{
    const char *stable = text("SUBCORE_UNTIL_STABLE_IPC", NULL), *sample = text("SUBCORE_SAMPLE", NULL);
    *plan = (struct plan){.finish = strcmp(text("SUBCORE_END", "0"), "1") != 0};
    return read_limit(plan, "until-insts", "SUBCORE_UNTIL_INSTS", status) &&
           read_limit(plan, "until-cycles", "SUBCORE_UNTIL_CYCLES", status) &&
           read_limit(plan, "first-ctas", "SUBCORE_CTAS", status) &&
           (!sample || plan_add(plan, "sample-launches", "SUBCORE_SAMPLE", sample, status)) &&
           (!sample || plan_add(plan, "sample-ctas", "SUBCORE_SAMPLE", sample, status)) &&
           (strcmp(text("SUBCORE_HYBRID", "0"), "1") != 0 || plan_add(plan, "hybrid", "SUBCORE_HYBRID", "1", status)) &&
           (!stable || plan_add(plan, "until-stable-ipc", "SUBCORE_UNTIL_STABLE_IPC", stable, status));
}

static bool read_plan(struct settings *settings, struct status *status)
{
    bool ok = read_policies(&settings->plan, status);
    settings->partial = settings->plan.count > 0;
    return ok;
}

static bool open_log(struct settings *settings, struct status *status)
{
    const char *path = text("SUBCORE_API_LOG", NULL);
    if (!path)
        return true;
    settings->api_log = strcmp(path, "-") == 0 ? stderr : fopen(path, "ae");
    return settings->api_log || status_fail(status, STATUS_IO, "SUBCORE_API_LOG=%s: %s", path, strerror(errno));
}

static bool read_checks(struct settings *settings, struct status *status)
{
    const char *list = text("SUBCORE_CHECK", NULL);
    settings->checks = list ? check_parse(list) : 0;
    settings->pass_outside = strcmp(text("SUBCORE_PASS_OUTSIDE", "0"), "1") == 0;
    return !list || settings->checks ||
           status_fail(status, STATUS_USAGE,
                       "SUBCORE_CHECK=%.60s: memory, race, init, sync and leak are expected, with commas, or all",
                       list);
}

bool settings_read(struct settings *settings, struct status *status)
{
    settings->blocking = strcmp(text("CUDA_LAUNCH_BLOCKING", "0"), "0") != 0;
    settings->quiet = strcmp(text("SUBCORE_QUIET", "0"), "1") == 0;
    return keep(&settings->gpu, text("SUBCORE_GPU", "rtx-a6000"), status) &&
           keep(&settings->set, text("SUBCORE_SET", ""), status) &&
           keep(&settings->detailed, text("SUBCORE_DETAILED", ""), status) &&
           keep(&settings->kernels, text("SUBCORE_KERNELS", ""), status) &&
           keep(&settings->fast_forward, text("SUBCORE_FAST_FORWARD", ""), status) && read_plan(settings, status) &&
           keep(&settings->record, text("SUBCORE_RECORD", NULL), status) &&
           keep(&settings->trace, text("SUBCORE_TRACE", NULL), status) &&
           keep(&settings->trace_only, text("SUBCORE_TRACE_ONLY", ""), status) && read_mode(settings, status) &&
           read_streams(settings, status) && read_checks(settings, status) &&
           keep(&settings->schedule, text("SUBCORE_SCHEDULE", NULL), status) &&
           keep(&settings->schedule_out, text("SUBCORE_SCHEDULE_OUT", NULL), status) &&
           keep(&settings->findings, text("SUBCORE_FINDINGS", NULL), status) &&
           keep(&settings->activities, text("SUBCORE_ACTIVITIES", NULL), status) &&
           keep(&settings->nvtx, text("SUBCORE_NVTX", ""), status) &&
           keep(&settings->sources, text("SUBCORE_SOURCES", NULL), status) && read_threads(settings, status) &&
           open_log(settings, status);
}
