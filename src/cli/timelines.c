#include "cli/timelines.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "exec/code/kernel.h"
#include "gpu/logging.h"
#include "report/kanata.h"
#include "report/perfetto.h"

/* "SM[:FROM-TO]" */
static bool parse_warps(struct run_log *log, const char *text, struct status *status)
{
    char part[64];
    uint64_t sm, from = 0, to = UINT64_MAX;
    snprintf(part, sizeof part, "%s", text);
    char *window = strchr(part, ':'), *dash = window ? strchr(window, '-') : NULL;
    if (window)
        *window = '\0';
    if (dash)
        *dash = '\0';
    bool ok =
        strlen(text) < sizeof part && cli_number(part, RUN_LOG_NO_SM - 1, &sm) && (!window || dash) &&
        (!window || (cli_number(window + 1, INT64_MAX, &from) && cli_number(dash + 1, INT64_MAX, &to) && from < to));
    if (!ok)
        return status_fail(status, STATUS_USAGE, "--warps: '%.100s' is not SM or SM:FROM-TO, cycles", text);
    log->sm = (uint16_t)sm;
    log->from = from;
    log->to = to;
    return true;
}

bool timelines_begin(struct timelines *t, const struct cli_options *options, struct status *status)
{
    *t = (struct timelines){.perfetto = options->perfetto, .kanata = options->kanata};
    run_log_init(&t->log);
    t->observer = logging_observer(&t->log);
    if (!t->perfetto && !t->kanata)
        return true;
    if (options->save || options->resume)
        return status_fail(status, STATUS_USAGE,
                           "timelines are of whole runs: they do not go with --save and --resume");
    if (t->kanata && options->functional)
        return status_fail(status, STATUS_USAGE, "--kanata shows cycles: it does not go with --functional");
    const char *warps = options->warps ? options->warps : t->kanata ? "0" : NULL;
    return !warps || parse_warps(&t->log, warps, status);
}

void timelines_end(struct timelines *t) { run_log_free(&t->log); }

struct run_log *timelines_log(struct timelines *t) { return t->perfetto || t->kanata ? &t->log : NULL; }
const struct sm_observer *timelines_observer(const struct timelines *t) { return t->kanata ? &t->observer : NULL; }
bool timelines_want_lines(const struct timelines *t) { return t->log.sm != RUN_LOG_NO_SM; }

/* ---- instructions ---------------------------------------------------------------------------------------------- */

/* Timed launches by their number in the log. */
struct code_of_run {
    const struct timelines_run *run;
    const struct kernel_result **timed;
    size_t count;
};

static enum isa_pipe print(const struct code_of_run *code, uint32_t launch, uint32_t pc, char text[static ISA_TEXT])
{
    struct status status = {0};
    const struct exec_kernel *kernel =
        launch < code->count ? exec_module_kernel(code->run->module, code->timed[launch]->kernel, &status) : NULL;
    text[0] = '\0';
    if (!kernel || pc / 16 >= kernel->count || pc - kernel->services < 16 * kernel->service_count)
        return ISA_PIPE_FE;
    const struct isa_inst *inst = &kernel->code[pc / 16].isa;
    isa_print(inst, text);
    return isa_op_info((enum isa_op)inst->op)->pipe;
}

static void perfetto_text(void *self, uint32_t launch, uint32_t pc, char text[static ISA_TEXT])
{
    print(self, launch, pc, text);
}

struct code_of_launch {
    const struct code_of_run *code;
    uint32_t launch;
};

static enum isa_pipe kanata_text(void *self, uint32_t pc, char text[static ISA_TEXT])
{
    const struct code_of_launch *of = self;
    return print(of->code, of->launch, pc, text);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static bool write_perfetto(const struct timelines *t, const struct timelines_run *run, struct code_of_run *code,
                           struct status *status)
{
    struct file_output file;
    struct perfetto p;
    uint64_t *base = calloc(run->count + 1, sizeof *base), now = 0, longest = 0;
    size_t timed = 0;
    if (!base || !file_output_open(&file, t->perfetto, status)) {
        free(base);
        return status_fail(status, STATUS_MEMORY, "no memory for a timeline");
    }
    perfetto_begin(&p, file.stream, run->results[0].gpu, true);
    for (size_t i = 0; i < run->count; i++) {
        const struct kernel_result *r = &run->results[i];
        longest = i == run->longest ? now : longest;
        perfetto_launch(&p, &(struct perfetto_launch){0, 0, i, r->kernel, r, now, now + r->cycles});
        if (r->detailed)
            base[timed++] = now;
        now += r->cycles;
    }
    perfetto_log(&p, &t->log, base, timed, &(struct perfetto_code){code, perfetto_text});
    if (run->samples && run->samples->sample)
        perfetto_samples(&p, run->samples, longest);
    free(base);
    if (perfetto_end(&p))
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return status_fail(status, STATUS_MEMORY, "no memory for a timeline");
}

static bool write_kanata(const struct timelines *t, const struct timelines_run *run, const struct code_of_run *code,
                         struct status *status)
{
    struct file_output file;
    uint32_t launch = 0;
    while (launch < code->count && code->timed[launch] != &run->results[run->longest])
        launch++;
    struct code_of_launch of = {code, launch};
    if (!file_output_open(&file, t->kanata, status))
        return false;
    if (kanata_write(&t->log, launch, &(struct kanata_code){&of, kanata_text}, file.stream, status))
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return false;
}

bool timelines_write(const struct timelines *t, const struct timelines_run *run, struct status *status)
{
    struct code_of_run code = {run, calloc(run->count + 1, sizeof(const struct kernel_result *)), 0};
    if (!code.timed)
        return status_fail(status, STATUS_MEMORY, "no memory for a timeline");
    for (size_t i = 0; i < run->count; i++)
        if (run->results[i].detailed)
            code.timed[code.count++] = &run->results[i];
    bool ok =
        (!t->perfetto || write_perfetto(t, run, &code, status)) && (!t->kanata || write_kanata(t, run, &code, status));
    free(code.timed);
    if (ok && t->log.cut)
        fprintf(stderr, "subcore: the timeline has no room for all that happened: give --warps fewer cycles\n");
    return ok;
}
