#include "cli/trace/replay.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/fidelity.h"
#include "report/format.h"
#include "report/progress.h"

uint64_t replay_number(const struct replay *r, uint32_t index)
{
    uint64_t number = index;
    for (size_t i = 0; i < r->missing_count && r->missing[i] <= number; i++)
        number++;
    return number;
}

/* False: nothing is damaged. */
static bool say_damage(struct replay *r, const char *kernel, uint64_t number, const struct launch_outcome *outcome)
{
    uint64_t warps = outcome->damaged;
    if (warps == 0)
        return false;
    r->damaged++;
    fprintf(stderr, "subcore: kernel %ju, %.100s: %s warp%s ended early; %s\n", (uintmax_t)number, kernel,
            format_count(warps).text, warps == 1 ? "" : "s", outcome->damage.text);
    return true;
}

static const char *error_words(const struct status *status)
{
    switch (status->code) {
    case STATUS_INTERRUPTED: return "interrupted";
    case STATUS_FORMAT:
    case STATUS_IO: return "damaged";
    case STATUS_DEADLOCK: return "deadlock";
    default: return "not replayed";
    }
}

double replay_seconds(const struct kernel_result *result)
{
    return result->clock_mhz > 0 ? (double)result_cycles(result) / (1e6 * result->clock_mhz) : 0;
}

void replay_tell(struct replay *r, uint32_t index, const struct trace_kernel *kernel, struct launch_outcome *outcome,
                 double begin, double end)
{
    const struct trace_launch *launch = trace_kernel_launch(kernel);
    struct kernel_result *result = &outcome->result;
    const struct status *failed = &outcome->failed;
    bool ok = failed->code == STATUS_OK;
    struct launch_info info = {.kernel = launch->name,
                               .stream = launch->stream,
                               .begin = begin,
                               .end = end,
                               .error = (int)failed->code,
                               .error_name = ok ? NULL : error_words(failed)};
    uint64_t number = replay_number(r, index);
    struct trace_summary summary;
    trace_kernel_summary(kernel, &summary);
    r->session.progress.work_done += summary.instructions;
    snprintf(result->module, sizeof result->module, "%s", r->run.trace);
    bool damaged = ok && say_damage(r, launch->name, number, outcome);
    bool ran = result->thread_instructions > 0 || (ok && !damaged);
    r->replayed += ok && ran;
    r->recorder.launches = number;
    if (ran)
        record_launch(&r->recorder, &info, result);
    if (ok && !summary.complete && !r->recorder.quiet)
        fprintf(stderr, "subcore: kernel %ju, %.100s: the trace has %s of its %s CTAs\n", (uintmax_t)number,
                launch->name, format_count(result->ctas).text, format_count(trace_launch_ctas(launch)).text);
}

/* --source: adds the launch's cycles. A trace has code, but no lines of the program. */
static void add_source(struct replay *r, const struct trace_launch *launch, uint64_t number, uint64_t cycles)
{
    source_sum_samples(&r->sources, &(struct source_launch){(int32_t)getpid(), number, cycles}, &r->session.samples);
    const struct line_profile *profile = &r->session.lines;
    struct source_kernel *k = source_sum_add(&r->sources, launch->name, profile);
    for (uint32_t i = 0; k && k->launches == 1 && i < profile->count && i < launch->code_count; i++)
        k->row[i].inst = launch->code[i].isa;
}

void replay_copy(struct replay *r, const struct trace_copy *copy)
{
    r->copies++;
    r->bytes += copy->bytes;
}

/* A trace has no parameters. Launches of a kernel are alike that have as many CTAs and warps, and about as many
 * instructions, which the line through a group's cycles (probe/fit.h) takes in. */
static uint64_t likeness(const struct trace_summary *summary)
{
    const double steps = 8; /* a doubling */
    uint64_t size = (uint64_t)(steps * log2((double)summary->instructions + 1));
    uint64_t hash = hash_bytes(HASH_SEED, summary->name, strlen(summary->name));
    hash = hash_mix(hash ^ hash_mix(summary->ctas ^ hash_mix(summary->warps ^ hash_mix(size))));
    return hash ? hash : 1;
}

bool replay_open(struct replay *r, uint32_t index, struct trace_kernel **kernel, struct status *status)
{
    struct trace_summary summary;
    *kernel = NULL;
    trace_summary(r->file, index, &summary);
    r->session.plan.launches = replay_number(r, index);
    struct plan_launch launch = {.kernel = summary.name};
    r->repeats = false;
    r->trace = 0;
    if (plan_compares(&r->session.plan)) {
        launch.likeness = likeness(&summary);
        *kernel = trace_kernel_open(r->file, index, status);
        if (!*kernel)
            return false;
        r->repeats = gpu_repeats(r->session.gpu, *kernel, &r->trace);
    }
    bool timed = r->repeats || plan_launch(&r->session.plan, &launch) == PLAN_TIME;
    r->expected = !timed && launch.likeness;
    r->likeness = launch.likeness;
    if (!timed && !r->expected) {
        r->left_out++;
        return true;
    }
    if (!*kernel)
        *kernel = trace_kernel_open(r->file, index, status);
    return *kernel != NULL;
}

/* ---- one after the other ----------------------------------------------------------------------------------------- */

/* Counters that are not asked for are left out. */
static void say_serial(struct replay *r, const struct cli_options *options, uint64_t stream)
{
    if (!r->stream)
        r->stream = stream;
    if (!stream || stream == r->stream || r->said_serial || options->serial_streams)
        return;
    r->said_serial = true;
    fputs("subcore: kernels of different streams follow each other: --fidelity sampled, --check-hazards, --source, "
          "--until-stable-ipc, --save and --resume look at one kernel at a time\n",
          stderr);
}

/* The launch takes as long as those like it have taken. */
static void expect(struct replay *r, const struct trace_kernel *kernel, struct launch_outcome *outcome)
{
    *outcome = (struct launch_outcome){0};
    gpu_replay_facts(r->session.gpu, kernel, &outcome->result);
}

/* Tells the progress of a sampled run the interval of the launches so far. */
static void tell_interval(struct replay *r, const struct kernel_result *result)
{
    struct progress *progress = &r->session.progress;
    const struct sample_launch launch = {.kernel = hash_bytes(HASH_SEED, result->kernel, strlen(result->kernel)),
                                         .likeness = result->likeness,
                                         .timed = !r->expected,
                                         .repeats = result->repeats,
                                         .trace = result->trace,
                                         .cycles = (double)result_cycles(result),
                                         .half_width = result->stop == STOP_SAMPLED ? result->estimate.error : 0,
                                         .instructions =
                                             (double)(result->warp_instructions + result->rest_instructions)};
    if (!progress->on || !result->likeness || !sample_sum_add(&r->so_far, &launch))
        return;
    double now = progress_clock();
    if (now < r->summed + progress->every || !sample_sum_end(&r->so_far))
        return;
    const struct sample_total *total = &r->so_far.total;
    progress->half_width = isfinite(total->half_width) && total->cycles > 0 ? total->half_width / total->cycles : 0;
    r->summed = now;
}

static bool replay_kernel(struct replay *r, const struct cli_options *options, uint32_t index, struct status *status)
{
    struct trace_kernel *kernel;
    struct launch_outcome outcome;
    if (!replay_open(r, index, &kernel, status))
        return false;
    if (!kernel)
        return true;
    say_serial(r, options, trace_kernel_launch(kernel)->stream);
    if (r->expected)
        expect(r, kernel, &outcome);
    bool ok = r->expected || session_replay(&r->session, kernel, &outcome, status);
    outcome.result.likeness = r->likeness;
    outcome.result.trace = r->trace;
    if (ok) {
        plan_ended(&r->session.plan, &outcome.result);
        tell_interval(r, &outcome.result);
    }
    double begin = r->now;
    r->ended = outcome.result.stop == STOP_CYCLES || outcome.result.stop == STOP_INSTRUCTIONS;
    r->now += replay_seconds(&outcome.result);
    outcome.failed = *status;
    if (options->source)
        add_source(r, trace_kernel_launch(kernel), replay_number(r, index), outcome.result.cycles);
    replay_tell(r, index, kernel, &outcome, begin, r->now);
    trace_kernel_close(kernel);
    return ok && exec_report_failed(r->recorder.error, status);
}

/* Damage that not even a part of a kernel survives. */
bool replay_passes(struct replay *r, const struct cli_options *options, struct status *status)
{
    if (!options->keep_going || session_refused(&r->session) || r->recorder.error ||
        (status->code != STATUS_FORMAT && status->code != STATUS_IO))
        return false;
    fprintf(stderr, "subcore: %s; the kernel is left out\n", status->text);
    *status = (struct status){0};
    r->damaged++;
    return true;
}

/* Damaged parts of the trace for Accel-Sim end early, or are missing, in the converted trace. */
uint64_t replay_damaged(const struct replay *r)
{
    return r->damaged > r->conversion.damaged_kernels ? r->damaged : r->conversion.damaged_kernels;
}

static bool none_chosen(const struct replay *r, struct status *status)
{
    enum { NAMED = 8, COLUMNS = 32 };
    uint32_t kernels = trace_kernels(r->file);
    char names[NAMED * (COLUMNS + 16)] = "";
    size_t used = 0;
    for (uint32_t k = 0; k < kernels && k < NAMED; k++) {
        struct trace_summary summary;
        trace_summary(r->file, k, &summary);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%ju %.*s", k ? ", " : "",
                                 (uintmax_t)replay_number(r, k), COLUMNS, summary.name);
    }
    return status_fail(status, STATUS_USAGE, "--kernels, --fast-forward: none of the launches is timed; there are %s%s",
                       names, kernels > NAMED ? ", ..." : "");
}

static bool replay_serial(struct replay *r, const struct cli_options *options, uint64_t *launches,
                          struct status *status)
{
    for (uint32_t i = 0; i < trace_commands(r->file) && !r->ended; i++) {
        const struct trace_command *command = trace_command(r->file, i);
        if (command->kind == TRACE_COPY) {
            replay_copy(r, &command->copy);
            continue;
        }
        ++*launches;
        if (!replay_kernel(r, options, command->kernel, status) && !replay_passes(r, options, status))
            return false;
    }
    return session_complete(&r->session, status);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

bool replay_launches(struct replay *r, const struct cli_options *options, struct status *status)
{
    uint64_t launches = 0;
    bool serial = options->serial_streams || options->check_hazards || options->source || options->until_stable_ipc ||
                  options->save || options->resume || fidelity_sample(options) || fidelity_is_hybrid(options);
    r->session.progress.work += trace_totals(r->file).instructions;
    if (!(serial ? replay_serial : replay_streams)(r, options, &launches, status))
        return false;
    if (launches > 0 && launches == r->left_out)
        return none_chosen(r, status);
    return r->replayed > 0 || replay_damaged(r) + (r->lost.code != STATUS_OK) == 0 ||
           status_fail(status, STATUS_FORMAT, "%.300s: nothing of it could be replayed", r->run.trace);
}
