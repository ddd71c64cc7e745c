#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "experiment/experiment.h"
#include "experiment/template.h"
#include "experiment/timeline.h"
#include "experiment/verdict.h"
#include "isa/describe.h"

enum { MOST_WARPS = 32, LANES = 32, DATA_BYTES = 1 << 20 };

struct runner {
    struct experiment_run *run;
    const struct experiment *e;
    const struct config *config;
    const char *name; /* of the GPU */
    struct gpu *gpu;
    struct timeline timeline;
    struct exec_module *module;
    uint64_t out, data; /* device addresses */
    struct status *status;
};

/* What the warps of a row stored. */
struct stored {
    const struct experiment *e;
    const struct timeline *timeline;
    const struct sm_counters *counters;
    unsigned warps;
    uint32_t word[MOST_WARPS * EXPERIMENT_STORES];
};

static bool find_counter(const struct sm_counters *counters, const char *name, size_t length, struct value *out)
{
    static const struct {
        const char *name;
        size_t at;
    } known[] = {
#define X(counter, kind, unit, text) {#counter, offsetof(struct sm_counters, counter)},
        SM_COUNTERS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0) {
            uint64_t count;
            memcpy(&count, (const char *)counters + known[i].at, sizeof count);
            value_set(out, (double)count);
            return true;
        }
    }
    return false;
}

static bool find_stored(const void *self, const char *name, size_t length, struct value *out)
{
    const struct stored *s = self;
    static const char issues[] = "issues";
    if (length == strlen(issues) && strncmp(name, issues, length) == 0) {
        timeline_issues(s->timeline, out);
        return out->count > 0;
    }
    for (unsigned i = 0; i < s->e->stores; i++) {
        if (strlen(s->e->store[i]) == length && strncmp(s->e->store[i], name, length) == 0) {
            out->count = s->warps;
            for (unsigned w = 0; w < s->warps; w++)
                out->item[w] = s->word[w * s->e->stores + i];
            return true;
        }
    }
    return find_counter(s->counters, name, length, out);
}

/* ---- one row ----------------------------------------------------------------------------------------------------- */

static bool launch(struct runner *r, unsigned row, struct stored *stored, struct kernel_result *result)
{
    char kernel[EXPERIMENT_TEXT];
    uint64_t parameters[2] = {r->out, r->data};
    struct gpu_launch launch = {
        .module = r->module,
        .kernel = kernel,
        .grid = {1, 1, 1},
        .block = {stored->warps * LANES, 1, 1},
        .parameters = parameters,
        .parameter_bytes = sizeof parameters,
    };
    experiment_kernel(kernel, row);
    timeline_clear(&r->timeline);
    return gpu_launch(r->gpu, &launch, result, r->status) &&
           (memory_read(gpu_memory(r->gpu), stored->word, r->out, sizeof stored->word) ||
            status_fail(r->status, STATUS_MEMORY, "the results of experiment %s cannot be read", r->e->name));
}

/* The cell of the row that says what this measure should give on this GPU; NULL: none does. */
static const char *expectation(const struct runner *r, unsigned row, unsigned measure)
{
    for (unsigned c = 0; c < r->e->columns; c++) {
        const struct experiment_column *column = &r->e->column[c];
        const char *cell = experiment_cell(r->e, row, c);
        if (column->kind == COLUMN_EXPECTED && column->measure == measure && cell[0] && strcmp(cell, "-") != 0 &&
            experiment_lists(column->gpus, r->name))
            return cell;
    }
    return NULL;
}

/* Whether the row does not take this measure: a cell "-" for any GPU. */
static bool is_left_out(const struct experiment *e, unsigned row, unsigned measure)
{
    for (unsigned c = 0; c < e->columns; c++)
        if (e->column[c].kind == COLUMN_EXPECTED && e->column[c].measure == measure &&
            strcmp(experiment_cell(e, row, c), "-") == 0)
            return true;
    return false;
}

static const char *open_reason(const struct runner *r, unsigned row)
{
    for (unsigned c = 0; c < r->e->columns; c++)
        if (r->e->column[c].kind == COLUMN_OPEN && experiment_lists(r->e->column[c].gpus, r->name))
            return experiment_cell(r->e, row, c);
    return "";
}

static bool judge(struct runner *r, unsigned row, const struct stored *stored, struct experiment_row *out)
{
    out->open = open_reason(r, row);
    for (unsigned m = 0; m < r->e->measures; m++) {
        struct experiment_outcome *o = &out->outcome[m];
        const char *expression = r->e->measure[m].expression, *expected = expectation(r, row, m);
        struct names names = {find_stored, stored};
        struct value value;
        if (is_left_out(r->e, row, m))
            snprintf(o->simulated, sizeof o->simulated, "-");
        else if (strcmp(expression, "timeline") == 0)
            timeline_text(&r->timeline, stored->warps, o->simulated, sizeof o->simulated);
        else if (expression_evaluate(expression, strlen(expression), &names, &value, r->status))
            verdict_print(&value, o->simulated);
        else
            return false;
        if (!expected)
            continue;
        snprintf(o->expected, sizeof o->expected, "%s", expected);
        bool agrees = verdict_agrees(expected, o->simulated, r->e->tolerance);
        o->verdict = agrees ? VERDICT_OK : out->open[0] ? VERDICT_OPEN : VERDICT_MISS;
        if (out->verdict == VERDICT_NONE || o->verdict == VERDICT_MISS ||
            (o->verdict == VERDICT_OPEN && out->verdict == VERDICT_OK))
            out->verdict = o->verdict;
    }
    return true;
}

static bool run_row(struct runner *r, unsigned row)
{
    struct experiment_row *out = &r->run->row[row];
    struct kernel_result result;
    struct stored stored = {.e = r->e, .timeline = &r->timeline, .counters = &result.sm};
    double warps;
    if (!template_number(r->e, row, r->config->gpu.architecture, r->e->warps, &warps, r->status))
        return false;
    if (!(warps >= 1 && warps <= MOST_WARPS))
        return status_fail(r->status, STATUS_FORMAT, "experiment %s: %g warps", r->e->name, warps);
    stored.warps = (unsigned)warps;
    if (!launch(r, row, &stored, &result) || !judge(r, row, &stored, out))
        return false;
    r->run->ok += out->verdict == VERDICT_OK;
    r->run->missed += out->verdict == VERDICT_MISS;
    r->run->open += out->verdict == VERDICT_OPEN;
    r->run->unjudged += out->verdict == VERDICT_NONE;
    return true;
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

void experiment_kernel(char name[EXPERIMENT_TEXT], unsigned row) { snprintf(name, EXPERIMENT_TEXT, "row_%u", row + 1); }

static bool write_code(struct runner *r, FILE *out)
{
    unsigned arch = r->config->gpu.architecture;
    fprintf(out, ".arch sm_%u\n", arch);
    for (unsigned row = r->run->from; row < r->run->to; row++)
        if (!template_expand(r->e, row, arch, out, r->status))
            return false;
    return true;
}

/* The first mistake, with the line it is in. */
static bool fail_assembly(const struct runner *r, const struct diagnostics *errors, const char *text)
{
    if (errors->count == 0)
        return false;
    for (unsigned i = 1; i < errors->items[0].line && strchr(text, '\n'); i++)
        text = strchr(text, '\n') + 1;
    text += strspn(text, " ");
    return status_fail(r->status, STATUS_FORMAT, "experiment %s for sm_%u: %.160s: %.*s", r->e->name,
                       r->config->gpu.architecture, errors->items[0].message, (int)strcspn(text, "\n"), text);
}

static bool assemble(struct runner *r)
{
    char *text = NULL;
    size_t size;
    struct asm_output output = {0};
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return status_fail(r->status, STATUS_MEMORY, "no memory for the code of experiment %s", r->e->name);
    bool ok = write_code(r, stream);
    ok = fclose(stream) == 0 && ok;
    struct asm_input input = {.text = text, .size = size};
    ok = ok && (asm_assemble(&input, &output, r->status) || fail_assembly(r, &output.errors, text));
    free(text);
    r->run->cubin = output.cubin;
    r->run->cubin_bytes = output.size;
    return ok;
}

/* The architectures that the experiment is written for, as "sm_80 sm_86". */
static void list_architectures(const struct experiment *e, char *text, size_t size)
{
    size_t used = 0;
    unsigned arch;
    text[0] = '\0';
    for (unsigned i = 0; (arch = isa_architecture(i)) != 0; i++) {
        struct status status = {0};
        double wanted = 0;
        if (template_number(e, 0, arch, e->sm, &wanted, &status) && wanted != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%ssm_%u", used ? " " : "", arch);
    }
}

static bool has_instructions(const struct runner *r)
{
    double wanted = 1;
    char known[EXPERIMENT_TEXT];
    unsigned arch = r->config->gpu.architecture;
    if (r->e->sm && !template_number(r->e, 0, arch, r->e->sm, &wanted, r->status))
        return false;
    if (wanted != 0)
        return true;
    list_architectures(r->e, known, sizeof known);
    return status_fail(r->status, STATUS_UNSUPPORTED, "experiment %s has no code for sm_%u, only for %s", r->e->name,
                       arch, known);
}

static bool prepare(struct runner *r, const struct gpu_options *options, const struct sm_observer *observer)
{
    struct gpu_options own = *options;
    own.observer = observer;
    own.functional = false;
    own.strict_hazards = r->e->hazards && strcmp(r->e->hazards, "strict") == 0;
    r->gpu = gpu_create(r->config, &own, r->status);
    if (!r->gpu)
        return false;
    struct memory *memory = gpu_memory(r->gpu);
    r->out = memory_alloc(memory, MOST_WARPS * EXPERIMENT_STORES * sizeof(uint32_t));
    r->data = memory_alloc(memory, DATA_BYTES);
    if (!r->out || !r->data)
        return status_fail(r->status, STATUS_MEMORY, "no device memory for an experiment");
    r->module = gpu_load(r->gpu, (struct cubin_bytes){r->run->cubin, r->run->cubin_bytes}, r->e->name, r->status);
    return r->module != NULL;
}

bool experiment_run(struct experiment_run *run, const struct experiment *e, unsigned from, unsigned to,
                    const struct config *config, const char *gpu, const struct gpu_options *options,
                    struct status *status)
{
    *run = (struct experiment_run){.experiment = e, .from = from, .to = to};
    struct runner r = {.run = run, .e = e, .config = config, .name = gpu, .status = status};
    run->row = calloc(e->rows, sizeof *run->row);
    if (!run->row)
        return status_fail(status, STATUS_MEMORY, "no memory for the rows of an experiment");
    if (!has_instructions(&r) || !assemble(&r) || !timeline_init(&r.timeline, status))
        return false;
    struct sm_observer observer = timeline_observer(&r.timeline);
    bool ok = prepare(&r, options, &observer);
    for (unsigned row = from; ok && row < to; row++)
        ok = run_row(&r, row);
    if (r.gpu)
        gpu_destroy(r.gpu);
    timeline_free(&r.timeline);
    return ok;
}

void experiment_run_free(struct experiment_run *run)
{
    free(run->cubin);
    free(run->row);
    run->cubin = NULL;
    run->row = NULL;
}
