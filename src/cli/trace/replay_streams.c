/* Replays launches of several streams at the same time. They end in another order than that of the list, in which they
 * are told. */
#include <stdlib.h>

#include "cli/trace/replay.h"

/* A launch that has not been told. */
struct flight {
    struct trace_kernel *kernel;
    uint32_t index;
    bool ended;
    struct launch_outcome outcome;
    double begin, end; /* simulated seconds */
    struct flight *next;
};

struct streams {
    struct replay *replay;
    const struct cli_options *options;
    struct flight *first; /* in the order of the list */
    uint32_t position;    /* in the list */
    uint64_t launches;
    struct exec_overlap overlap; /* of the launches in flight */
};

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static void show(struct streams *s)
{
    if (s->first)
        progress_start(&s->replay->session.progress, trace_kernel_launch(s->first->kernel)->name);
}

static void hide(struct streams *s) { progress_end(&s->replay->session.progress); }

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static bool add(struct streams *s, struct trace_kernel *kernel, uint32_t index, struct status *status)
{
    struct flight *f = calloc(1, sizeof *f);
    if (!f) {
        trace_kernel_close(kernel);
        return status_fail(status, STATUS_MEMORY, "out of memory for a launch");
    }
    *f = (struct flight){.kernel = kernel, .index = index};
    struct flight **last = &s->first;
    while (*last)
        last = &(*last)->next;
    *last = f;
    if (f == s->first)
        show(s);
    return true;
}

static void forget(struct streams *s, struct flight *f)
{
    struct flight **link = &s->first;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    trace_kernel_close(f->kernel);
    free(f);
}

static struct flight *find(const struct streams *s, const struct trace_kernel *kernel)
{
    struct flight *f = s->first;
    while (f->kernel != kernel)
        f = f->next;
    return f;
}

/* Those before which all have ended. */
static void tell(struct streams *s)
{
    while (s->first && s->first->ended) {
        struct flight *f = s->first;
        replay_tell(s->replay, f->index, f->kernel, &f->outcome, f->begin, f->end);
        forget(s, f);
    }
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static bool launch(struct streams *s, uint32_t index, struct gpu_command *out, struct status *status)
{
    struct trace_kernel *kernel;
    s->launches++;
    if (!replay_open(s->replay, index, &kernel, status)) {
        if (!replay_passes(s->replay, s->options, status))
            return false;
        return true;
    }
    if (!kernel)
        return true;
    *out = (struct gpu_command){.kind = GPU_COMMAND_KERNEL, .kernel = kernel};
    return add(s, kernel, index, status);
}

static bool next(void *self, struct gpu_command *out, struct status *status)
{
    struct streams *s = self;
    const struct trace_file *file = s->replay->file;
    while (out->kind == GPU_COMMAND_NONE && s->position < trace_commands(file)) {
        const struct trace_command *command = trace_command(file, s->position++);
        if (command->kind == TRACE_LAUNCH) {
            if (!launch(s, command->kernel, out, status))
                return false;
            continue;
        }
        replay_copy(s->replay, &command->copy);
        *out = (struct gpu_command){.kind = GPU_COMMAND_COPY, .stream = command->copy.stream};
    }
    return true;
}

static void add_overlap(struct exec_overlap *o, uint64_t number, const struct kernel_result *result)
{
    if (o->launches++ == 0 || number < o->first)
        o->first = number;
    o->cycles_apart += result->cycles;
}

static bool ended(void *self, const struct trace_kernel *kernel, const struct kernel_result *result,
                  struct status *status)
{
    struct streams *s = self;
    struct flight *f = find(s, kernel);
    hide(s);
    if (result) {
        double begin = 1e-6 * (double)result->begin_cycle / (result->clock_mhz > 0 ? result->clock_mhz : 1);
        f->outcome = (struct launch_outcome){.result = *result, .failed = *status};
        f->outcome.damaged = gpu_replay_damage(s->replay->session.gpu, &f->outcome.damage);
        f->begin = s->replay->now + begin;
        f->end = f->begin + replay_seconds(result);
        f->ended = true;
        add_overlap(&s->overlap, replay_number(s->replay, f->index), result);
        s->replay->ended |= result->stop == STOP_CYCLES || result->stop == STOP_INSTRUCTIONS;
    } else {
        forget(s, f);
    }
    bool goes_on = status->code == STATUS_OK || replay_passes(s->replay, s->options, status);
    tell(s);
    show(s);
    return goes_on && exec_report_failed(s->replay->recorder.error, status);
}

static bool idle(void *self, uint64_t cycles, struct status *status)
{
    struct streams *s = self;
    struct exec_overlap o = s->overlap;
    s->overlap = (struct exec_overlap){0};
    s->replay->now += (double)cycles / (1e6 * s->replay->session.config.gpu.clock);
    o.cycles = cycles;
    return o.launches < 2 || exec_report_overlap(&s->replay->run, &o, status);
}

bool replay_streams(struct replay *r, const struct cli_options *options, uint64_t *launches, struct status *status)
{
    struct streams s = {.replay = r, .options = options};
    bool ok = gpu_replay_all(r->session.gpu, &(struct gpu_sequence){&s, next, ended, idle}, status);
    hide(&s);
    *launches = s.launches;
    return ok;
}
