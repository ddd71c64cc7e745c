#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/compare/published_json.h"
#include "cli/compare/published_run.h"
#include "cli/compare/validation.h"
#include "cli/document.h"
#include "cli/fidelity.h"
#include "report/progress.h"

enum { MOST_FILE = 256 << 20 };

struct run {
    const struct cli_options *options;
    struct published table;
    published_counter counter[PUBLISHED_COLUMNS];
    const struct published_row **chosen; /* owned */
    size_t chosen_count, done;
    struct published_results results;
    struct progress progress;
    FILE *out; /* NULL: no text */
    struct status *status;
};

/* ---- the command line -------------------------------------------------------------------------------------------- */

static bool check(const struct cli_options *o, struct status *status)
{
    bool projects = fidelity_is_hybrid(o) || fidelity_sample(o);
    const char *wrong = o->gpu                              ? "--gpu: the table names the GPU of each row"
                        : projects && o->waves              ? "--waves and --fidelity, which both choose the timed part"
                        : projects && o->part               ? "--part and --fidelity: the whole GPU is asked for"
                        : o->functional                     ? "--functional: cycles are compared"
                        : o->check_hazards                  ? "--check-hazards"
                        : o->strict_hazards                 ? "--strict-hazards"
                        : o->size.count || o->against.count ? "--size and --against"
                        : o->quick || o->strict             ? "--quick and --strict"
                                                            : NULL;
    if (o->operands.count != 2)
        return status_fail(status, STATUS_USAGE, "'validate published' needs one table: validate published TABLE");
    if (!file_input_check(o->operands.items[1], status))
        return false;
    if (wrong)
        return status_fail(status, STATUS_USAGE, "'validate published' does not go with %s", wrong);
    if (!o->cubins)
        return status_fail(status, STATUS_USAGE,
                           "'validate published' needs --cubins DIR, where the cubins of the "
                           "table lie");
    return !o->plot || file_output_check(o->plot, status);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static bool read_table(struct run *run)
{
    const char *path = run->options->operands.items[1];
    struct file_bytes bytes;
    char error[256];
    if (!file_read(path, MOST_FILE, &bytes, run->status))
        return false;
    char *text = malloc(bytes.size + 1);
    bool ok = text || status_fail(run->status, STATUS_MEMORY, "%s: no memory for the table", path);
    if (ok) {
        memcpy(text, bytes.data, bytes.size);
        text[bytes.size] = '\0';
        text_make_printable(text, "\n\r");
        ok = published_read(&run->table, text, strlen(text), error, sizeof error) ||
             status_fail(run->status, STATUS_FORMAT, "%s: %s", path, error);
    }
    free(text);
    file_free(&bytes);
    return ok;
}

static void find_counters(struct run *run)
{
    run->results.table = &run->table;
    run->results.part = run->options->part;
    run->results.waves = run->options->waves ? run->options->waves : PUBLISHED_WAVES;
    for (unsigned i = 0; i < run->table.counters; i++) {
        run->counter[i] = published_counter_find(run->table.counter[i]);
        run->results.unit[i] = run->counter[i] < 0 ? NULL : published_counter_unit(run->counter[i]);
    }
}

static bool is_wanted(const struct cli_options *options, const struct published_row *row)
{
    for (size_t i = 0; i < options->only.count; i++) {
        const char *text = options->only.items[i];
        if (strstr(row->set, text) || strstr(row->gpu, text) || strstr(row->kernel, text))
            return true;
    }
    return options->only.count == 0;
}

static bool same_group(const struct published_row *a, const struct published_row *b)
{
    return strcmp(a->set, b->set) == 0 && strcmp(a->gpu, b->gpu) == 0;
}

/* Whether a row that is number `place` of `count` in its group is among the `most` that --rows leaves. */
static bool is_spread(size_t place, size_t count, size_t most)
{
    if (most == 0 || count <= most)
        return true;
    size_t next = (place * most + count - 1) / count; /* the first choice at this place or behind it */
    return next < most && next * count / most == place;
}

static bool is_chosen(const struct run *run, size_t index)
{
    const struct published_row *row = &run->table.row[index];
    size_t place = 0, count = 0;
    for (size_t i = 0; i < run->table.count; i++)
        if (same_group(&run->table.row[i], row)) {
            count++;
            place += i < index;
        }
    return is_wanted(run->options, row) && is_spread(place, count, run->options->rows);
}

/* A GPU that is misspelt must not end a long run. */
static bool check_gpu(struct run *run, const struct published_row *row)
{
    struct config config;
    struct status own = {0};
    return published_gpu(&config, row, run->options, &own) ||
           status_fail(run->status, own.code, "%s: line %u, column 'gpu': %s", run->options->operands.items[1],
                       row->line, own.text);
}

static bool choose(struct run *run)
{
    const struct published *table = &run->table;
    run->chosen = malloc((table->count + 1) * sizeof(const struct published_row *));
    if (!run->chosen)
        return status_fail(run->status, STATUS_MEMORY, "no memory for %zu rows", table->count);
    for (size_t i = 0; i < table->count; i++) {
        const struct published_row *row = &table->row[i];
        if (!is_chosen(run, i))
            continue;
        bool seen = run->chosen_count && strcmp(run->chosen[run->chosen_count - 1]->gpu, row->gpu) == 0;
        if (!seen && !check_gpu(run, row))
            return false;
        run->chosen[run->chosen_count++] = row;
    }
    return run->chosen_count > 0 ||
           status_fail(run->status, STATUS_USAGE, "%s has no row%s", run->options->operands.items[1],
                       run->options->only.count ? " that --only asks for" : "");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void show(void *self, uint64_t ctas_done, uint64_t ctas, uint64_t cycle, uint64_t instructions)
{
    struct run *run = self;
    (void)ctas_done, (void)ctas, (void)cycle, (void)instructions;
    progress_show(&run->progress, run->done, run->chosen_count, 0, 0);
}

static bool run_rows(struct run *run)
{
    const struct published_site site = {run->options, &run->table, run->counter, show, run};
    bool ok = true;
    progress_init(&run->progress, run->options->quiet);
    run->progress.unit = "rows";
    progress_start(&run->progress, "published kernels");
    for (; ok && run->done < run->chosen_count; run->done++) {
        struct published_result result;
        show(run, 0, 0, 0, 0);
        ok = published_run(&result, run->chosen[run->done], &site, run->status);
        if (ok && !published_results_add(&run->results, &result)) {
            free(result.counter);
            ok = status_fail(run->status, STATUS_MEMORY, "no memory for %zu results", run->done);
        } else if (!ok) {
            free(result.counter);
            break;
        }
    }
    progress_end(&run->progress);
    return ok;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static bool no_memory(struct run *run)
{
    return status_fail(run->status, STATUS_MEMORY, "out of memory for %zu results", run->results.count);
}

static bool write_csv(struct run *run)
{
    struct file_output file;
    if (!run->options->csv)
        return true;
    if (!file_output_open(&file, run->options->csv, run->status))
        return false;
    published_csv(&run->results, file.stream);
    return file_output_commit(&file, run->status);
}

static bool write_plot(struct run *run)
{
    struct file_output file;
    if (!run->options->plot)
        return true;
    if (!file_output_open(&file, run->options->plot, run->status))
        return false;
    if (published_svg(&run->results, file.stream))
        return file_output_commit(&file, run->status);
    file_output_abandon(&file);
    return no_memory(run);
}

static bool write_json(struct run *run)
{
    struct document document;
    if (!document_begin(&document, run->options->json, run->status))
        return false;
    if (!document.wanted)
        return true;
    if (published_json(&run->results, &document.json))
        return document_commit(&document, run->status);
    document_abandon(&document);
    return no_memory(run);
}

static bool report(struct run *run)
{
    published_results_sort(&run->results);
    if (run->out && !published_text(&run->results, run->out))
        return no_memory(run);
    return write_csv(run) && write_plot(run) && write_json(run);
}

/* Writes the rows so far when the user stops it. The answer remains that it was stopped. */
static void report_begun(struct run *run)
{
    struct status own = {0}, *asked = run->status;
    run->status = &own;
    if (run->results.count)
        report(run);
    run->status = asked;
}

static bool conclude(const struct run *run)
{
    size_t failed = 0;
    for (size_t i = 0; i < run->results.count; i++)
        failed += run->results.row[i]->state == PUBLISHED_FAILED;
    return failed == 0 || status_fail(run->status, STATUS_CHECK, "%zu of %zu rows failed", failed, run->results.count);
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

bool validate_published(const struct cli_options *options, struct status *status)
{
    struct run run = {.options = options, .status = status};
    bool text_elsewhere = options->csv && strcmp(options->csv, "-") == 0;
    run.out = document_text_stream(text_elsewhere ? options->csv : options->json, options->quiet);
    bool ok = check(options, status) && read_table(&run);
    if (ok)
        find_counters(&run);
    if (ok && choose(&run) && run_rows(&run) && report(&run))
        conclude(&run);
    else if (status->code == STATUS_INTERRUPTED)
        report_begun(&run);
    published_results_free(&run.results);
    published_free(&run.table);
    free(run.chosen);
    return status->code == STATUS_OK;
}
