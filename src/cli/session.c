#include "cli/session.h"

#include <sched.h>
#include <stdlib.h>

#include "cli/document.h"
#include "cli/fidelity.h"
#include "cli/interrupt.h"
#include "cubin/kernel_name.h"

enum { MOST_THREADS = 256, MOST_BY_DEFAULT = 16 };

static unsigned default_threads(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > MOST_BY_DEFAULT ? MOST_BY_DEFAULT : (unsigned)count;
}

bool session_threads(const struct cli_options *options, unsigned *threads, struct status *status)
{
    *threads = options->threads ? options->threads : default_threads();
    if (*threads > MOST_THREADS)
        return status_fail(status, STATUS_USAGE, "--threads %u: at most %d", *threads, MOST_THREADS);
    return true;
}

bool session_config(struct config *config, const char *gpu, const struct cli_list *set, struct status *status)
{
    if (!config_load(config, gpu ? gpu : "rtx-a6000", status))
        return false;
    for (size_t i = 0; i < set->count; i++)
        if (!config_set(config, set->items[i], status))
            return false;
    return config_check(config, status);
}

bool session_architecture(uint32_t *architecture, const struct cli_options *options, struct status *status)
{
    struct config config;
    *architecture = 0;
    if (!options->gpu)
        return true;
    bool good = session_config(&config, options->gpu, &options->set, status);
    *architecture = good ? config.gpu.architecture : 0;
    return good;
}

static bool add(struct plan *plan, const char *policy, const char *option, const char *text, struct status *status)
{
    return !text || !*text || plan_add(plan, policy, option, text, status);
}

static bool check_functional(const struct cli_options *o, struct status *status)
{
    bool until = o->until_cycles || o->until_insts || o->until_stable_ipc, choice = o->kernels || o->fast_forward;
    return !o->functional || (!until && !o->ctas && !choice) ||
           status_fail(status, STATUS_USAGE, "--functional times nothing: it does not go with %s",
                       until     ? "--until-..."
                       : o->ctas ? "--ctas"
                                 : "a choice of launches");
}

bool session_plan(struct plan *plan, const struct cli_options *o, struct status *status)
{
    *plan = (struct plan){0};
    if (plan_add_number(plan, "until-insts", "--until-insts", o->until_insts, status) &&
        plan_add_number(plan, "until-cycles", "--until-cycles", o->until_cycles, status) &&
        plan_add_number(plan, "first-ctas", "--ctas", o->ctas, status) &&
        add(plan, "sample-launches", "--error", fidelity_sample(o), status) &&
        add(plan, "sample-ctas", "--error", fidelity_sample(o), status) &&
        add(plan, "hybrid", "--fidelity", fidelity_is_hybrid(o) ? "hybrid" : NULL, status) &&
        add(plan, "until-stable-ipc", "--until-stable-ipc", o->until_stable_ipc, status) &&
        check_functional(o, status) && add(plan, "kernels", "--kernels", o->kernels, status) &&
        add(plan, "fast-forward", "--fast-forward", o->fast_forward, status))
        return true;
    plan_free(plan);
    return false;
}

bool session_selection(struct selection *selection, const struct cli_list *list, struct status *status)
{
    char *lines = cli_list_lines(list);
    bool ok = lines ? selection_parse(selection, lines, status)
                    : status_fail(status, STATUS_MEMORY, "no memory for the command line");
    free(lines);
    return ok;
}

/* For warps that spin, and accesses outside of allocations. */
static void say_of_kernel(void *self, const char *kernel, const char *words)
{
    char name[RESULT_NAME];
    kernel_name(kernel, name, sizeof name);
    progress_hide(self);
    fprintf(stderr, "subcore: kernel %s %s\n", name, words);
}

/* A page shows the source and samples of one run. Several demos are too much for it. */
static bool looks_close(const struct cli_options *options)
{
    return options->html && !options->all && !options->functional;
}

static struct sample_series *samples_of(struct session *session, const struct cli_options *options)
{
    enum { FIRST_PERIOD = 64, FIRST_OF_A_TIMELINE = 256, MOST = 256, MOST_ASKED_FOR = 4096 };
    bool asked = options->sample > 0;
    if (options->functional || (!asked && !looks_close(options) && !timelines_log(&session->timelines)))
        return NULL;
    session->samples.first_period = asked ? options->sample : options->html ? FIRST_PERIOD : FIRST_OF_A_TIMELINE;
    session->samples.most = asked ? MOST_ASKED_FOR : MOST;
    return &session->samples;
}

bool session_checks(uint32_t *checks, const struct cli_options *o, struct status *status)
{
    bool until = o->until_cycles || o->until_insts || o->until_stable_ipc || o->ctas || o->kernels || o->fast_forward;
    *checks = o->check ? check_parse(o->check) : 0;
    if (!o->check && o->error_exitcode)
        return status_fail(status, STATUS_USAGE, "--error-exitcode is for --check");
    if (!o->check)
        return true;
    if (!*checks)
        return status_fail(status, STATUS_USAGE,
                           "--check %.60s: memory, race, init, sync and leak are expected, with commas, or all",
                           o->check);
    if (o->pass_outside && !(*checks & CHECK_SET(MEMORY)))
        return status_fail(status, STATUS_USAGE, "--pass-outside goes with --check memory, or without --check");
    if (o->error_exitcode > 255)
        return status_fail(status, STATUS_USAGE, "--error-exitcode %u: at most 255", o->error_exitcode);
    if (until || o->strict_hazards || o->source || o->save || o->resume)
        return status_fail(status, STATUS_USAGE, "--check executes without time: it does not go with %s",
                           o->source           ? "--source"
                           : o->strict_hazards ? "--strict-hazards"
                           : until             ? "a choice of timed launches"
                                               : "a saved run");
    return true;
}

bool session_begin(struct session *session, const struct cli_options *options, struct status *status)
{
    *session = (struct session){0};
    unsigned threads;
    uint32_t checks;
    if (!session_checks(&checks, options, status))
        return false;
    if (options->functional && options->strict_hazards)
        return status_fail(status, STATUS_USAGE, "--strict-hazards needs time: it does not go with --functional");
    if (!session_threads(options, &threads, status) || !timelines_begin(&session->timelines, options, status) ||
        !schedules_begin(&session->schedules, options, status) || !session_plan(&session->plan, options, status) ||
        !checkpoint_begin(&session->checkpoint, options, &session->gpu, status) ||
        !session_config(&session->config, options->gpu, &options->set, status)) {
        session_end(session);
        return false;
    }
    progress_init(&session->progress, options->quiet);
    session->options = (struct gpu_options){
        .threads = threads,
        .functional = options->functional || options->check,
        .pass_outside = options->pass_outside,
        .outside = {.self = &session->progress, .tell = say_of_kernel},
        .strict_hazards = options->strict_hazards,
        .stop = interrupt_catch(),
        .progress = progress_show,
        .progress_context = &session->progress,
        .spins = {.self = &session->progress, .tell = say_of_kernel},
        .lines = options->source || looks_close(options) || timelines_want_lines(&session->timelines) ? &session->lines
                                                                                                      : NULL,
        .samples = samples_of(session, options),
        .log = timelines_log(&session->timelines),
        .observer = timelines_observer(&session->timelines),
        .plan = &session->plan,
        .pause = checkpoint_pause(&session->checkpoint),
        .output = document_text_stream(options->json, false),
        .passes_damage = options->keep_going,
        .trace_timed = options->timed,
        .serial_streams = options->serial_streams,
        .every_launch = options->every_launch,
        .schedule = schedules_followed(&session->schedules),
        .places = schedules_places(&session->schedules),
    };
    if (options->check_hazards)
        session->options.hazards = &session->hazards;
    check_init(&session->check, checks);
    session->options.check = options->check ? &session->check : NULL;
    bool ok = recording_begin(&session->recording, options, &session->config, status);
    session->options.trace = session->recording.writer;
    session->gpu = ok ? gpu_create(&session->config, &session->options, status) : NULL;
    if (!session->gpu)
        session_end(session);
    return session->gpu != NULL;
}

static void empty(struct session *session)
{
    if (session->gpu)
        gpu_destroy(session->gpu);
    session->gpu = NULL;
    line_profile_free(&session->lines);
    sample_series_free(&session->samples);
    hazards_free(&session->hazards);
    uint32_t checks = session->check.checks;
    check_free(&session->check);
    check_init(&session->check, checks);
}

bool session_renew(struct session *session, struct status *status)
{
    empty(session);
    plan_restart(&session->plan);
    session->gpu = gpu_create(&session->config, &session->options, status);
    return session->gpu != NULL;
}

bool session_finish(struct session *session, FILE *out, struct status *status)
{
    return schedules_write(&session->schedules, status) && recording_finish(&session->recording, out, status);
}

void session_end(struct session *session)
{
    empty(session);
    plan_free(&session->plan);
    recording_free(&session->recording);
    checkpoint_end(&session->checkpoint);
    timelines_end(&session->timelines);
    schedules_end(&session->schedules);
}

bool session_launch(struct session *session, const struct gpu_launch *launch, struct kernel_result *result,
                    struct status *status)
{
    struct gpu_launch chosen = *launch;
    if (!checkpoint_no_trace(&session->checkpoint, status))
        return false;
    if (!gpu_plan_launch(session->gpu, &chosen, 0, status))
        return false;
    bool wanted = recording_wants(&session->recording, launch->kernel);
    chosen.unrecorded = !wanted;
    progress_start(&session->progress, launch->kernel);
    struct launch_outcome outcome = {0};
    bool ended = checkpoint_launch(&session->checkpoint, &outcome);
    bool ok = ended || gpu_launch(session->gpu, &chosen, &outcome.result, status);
    *result = outcome.result;
    progress_end(&session->progress);
    recording_launched(&session->recording, launch->kernel, wanted && (ok || session_ran(result)), result);
    checkpoint_say(&session->checkpoint, status);
    return ok && (ended || checkpoint_launched(&session->checkpoint, &outcome, status));
}

bool session_replay(struct session *session, const struct trace_kernel *kernel, struct launch_outcome *outcome,
                    struct status *status)
{
    *outcome = (struct launch_outcome){0};
    progress_start(&session->progress, trace_kernel_launch(kernel)->name);
    if (!checkpoint_launch(&session->checkpoint, outcome)) {
        gpu_replay(session->gpu, kernel, &outcome->result, &outcome->failed);
        outcome->damaged = gpu_replay_damage(session->gpu, &outcome->damage);
        checkpoint_say(&session->checkpoint, &outcome->failed);
        checkpoint_launched(&session->checkpoint, outcome, status);
    }
    progress_end(&session->progress);
    status_fail(status, outcome->failed.code, "%s", outcome->failed.text);
    return status->code == STATUS_OK;
}

bool session_read(struct session *session, void *to, uint64_t from, uint64_t bytes)
{
    return checkpoint_read(&session->checkpoint, to, from, bytes);
}

bool session_complete(struct session *session, struct status *status)
{
    return checkpoint_reached(&session->checkpoint, status);
}
