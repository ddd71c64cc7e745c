#include <stdlib.h>

#include "cli/command.h"
#include "cli/page_file.h"
#include "report/page.h"

static const char text[] =
    "RUN is a JSON document that run, demo, replay or exec has written (--json). The page shows all runs, and\n"
    "compares them with the baseline, if there is one: --baseline names its document.\n"
    "\n"
    "Example\n"
    "  subcore demo sgemm-naive --json naive.json --source --sample 256\n"
    "  subcore demo sgemm-register --json register.json --source --sample 256\n"
    "  subcore report register.json --baseline naive.json -o sgemm.html\n";

static bool write_page(const struct page_run *runs, size_t count, int baseline, const char *path, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    if (page_write(runs, count, baseline, file.stream, status))
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return false;
}

static bool run(const struct cli_options *options, struct status *status)
{
    size_t count = options->operands.count, read = 0, all = count + (options->baseline ? 1 : 0);
    if (!options->output)
        return status_fail(status, STATUS_USAGE, "report needs -o FILE, the page to write");
    struct page_file *files = calloc(all, sizeof *files);
    struct page_run *runs = calloc(all, sizeof *runs);
    bool ok = (files && runs) || status_fail(status, STATUS_MEMORY, "no memory for %zu runs", all);
    for (size_t i = 0; ok && i < all; i++) {
        files[i].path = i < count ? options->operands.items[i] : options->baseline;
        ok = page_file_read(&files[i], status);
        read += ok;
        runs[i] = (struct page_run){files[i].path, files[i].tree.root};
    }
    if (ok)
        ok = write_page(runs, all, options->baseline ? (int)count : PAGE_NO_BASELINE, options->output, status);
    for (size_t i = 0; i < read; i++)
        page_file_free(&files[i]);
    free(files);
    free(runs);
    return ok;
}

const struct command command_report = {
    .name = "report",
    .operands = "RUN...",
    .summary = "make an HTML page from the results of runs",
    .text = text,
    .options = CLI_BIT(OUTPUT) | CLI_BIT(BASELINE) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .run = run,
};
