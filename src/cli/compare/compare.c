#include "cli/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/document.h"
#include "cli/page_file.h"
#include "report/compare.h"

static const char text[] =
    "The others are compared with A. Each is a JSON document that run, demo, replay or exec has written\n"
    "(--json), of another program, GPU or setting. Launches of a kernel are summed up. Kernels of the same\n"
    "name are compared; if each run has one kernel only, the names do not matter.\n"
    "\n"
    "Example\n"
    "  subcore demo sgemm-tiled --json a.json\n"
    "  subcore demo sgemm-tiled --set core.rfc=false --json b.json\n"
    "  subcore compare a.json b.json --threshold 2\n";

/* Percent; negative without --threshold. */
static bool parse_threshold(const char *words, double *threshold, struct status *status)
{
    char *end;
    *threshold = -1;
    if (!words)
        return true;
    errno = 0;
    *threshold = strtod(words, &end);
    return (*end == '\0' && end != words && errno == 0 && isfinite(*threshold) && *threshold >= 0) ||
           status_fail(status, STATUS_USAGE, "--threshold: '%.100s' is no number of percent", words);
}

static void judge(const struct compare *c, double threshold, struct status *status)
{
    double grown = compare_percent(&c->all_before, &c->all_after);
    if (threshold < 0)
        return;
    if (grown > threshold)
        status_fail(status, STATUS_CHECK, "%.200s: %.2f %% more cycles, above the %g %% of --threshold", c->after,
                    grown, threshold);
    if (c->missing)
        status_fail(status, STATUS_CHECK, "%.200s: %ju kernels are in one of the runs only", c->after,
                    (uintmax_t)c->missing);
}

bool compare_all(const struct page_run *runs, size_t count, const struct cli_options *options, struct status *status)
{
    struct document document;
    struct status found = {0};
    double threshold;
    if (!parse_threshold(options->threshold, &threshold, status) || !document_begin(&document, options->json, status))
        return false;
    FILE *out = document_text_stream(options->json, options->quiet);
    if (document.wanted)
        json_array(&document.json, "comparisons");
    bool ok = true;
    for (size_t i = 1; ok && i < count; i++) {
        struct compare compare;
        ok = compare_runs(&compare, &runs[0], &runs[i], status);
        if (!ok)
            break;
        if (out && i > 1)
            fputc('\n', out);
        if (out)
            compare_text(&compare, out);
        if (document.wanted)
            compare_json(&compare, &document.json, NULL);
        judge(&compare, threshold, &found);
        compare_free(&compare);
    }
    if (!ok) {
        document_abandon(&document);
        return false;
    }
    if (document.wanted)
        json_end(&document.json);
    ok = document_commit(&document, status);
    return (found.code == STATUS_OK || status_fail(status, found.code, "%s", found.text)) && ok;
}

static bool run(const struct cli_options *options, struct status *status)
{
    size_t count = options->operands.count, read = 0;
    struct page_file *files = calloc(count, sizeof *files);
    struct page_run *runs = calloc(count, sizeof *runs);
    bool ok = (files && runs) || status_fail(status, STATUS_MEMORY, "no memory for %zu runs", count);
    for (size_t i = 0; ok && i < count; i++) {
        files[i].path = options->operands.items[i];
        ok = page_file_read(&files[i], status);
        read += ok;
        runs[i] = (struct page_run){files[i].path, files[i].tree.root};
    }
    ok = ok && compare_all(runs, count, options, status);
    for (size_t i = 0; i < read; i++)
        page_file_free(&files[i]);
    free(files);
    free(runs);
    return ok;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "A B...",
    .summary = "compare the results of runs: the changes, and their causes",
    .text = text,
    .options = CLI_BIT(THRESHOLD) | CLI_BIT(JSON) | CLI_BIT(QUIET) | CLI_BIT(HELP),
    .operands_min = 2,
    .operands_max = SIZE_MAX,
    .run = run,
};
