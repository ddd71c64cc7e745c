#include "cli/compare/many_gpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/compare/compare.h"
#include "cli/page_file.h"

enum { MOST = 32, NAME = 256, PATH = FILE_FOLDER + 32 };

struct gpu_run {
    char gpu[NAME], path[PATH];
    struct page_file file;
};

/* run, demo, replay, exec. The others that take a GPU and write no file of one kind are run in turn. */
static bool is_compared(const struct command *command)
{
    return (command->options & (CLI_BIT(JSON) | CLI_BIT(HTML))) == (CLI_BIT(JSON) | CLI_BIT(HTML));
}

bool many_gpus_wanted(const struct command *command, const struct cli_options *options)
{
    const cli_set needed = CLI_BIT(GPU) | CLI_BIT(JSON);
    bool writes = !is_compared(command) && (command->options & CLI_BIT(OUTPUT));
    return (command->options & needed) == needed && !writes && options->gpu && strchr(options->gpu, ',');
}

/* Returns how many there are; 0 with status. */
static size_t split(const char *names, const char *folder, struct gpu_run runs[static MOST], struct status *status)
{
    size_t count = 0;
    for (const char *at = names; at;) {
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= NAME || count == MOST) {
            status_fail(status, STATUS_USAGE, "--gpu %.200s: expected up to %d names with commas between them", names,
                        MOST);
            return 0;
        }
        snprintf(runs[count].gpu, NAME, "%.*s", (int)length, at);
        snprintf(runs[count].path, PATH, "%s/%zu.json", folder, count);
        count++;
        at = at[length] ? at + length + 1 : NULL;
    }
    return count;
}

/* Each run would write the same file. */
static bool check(const struct command *command, const struct cli_options *o, struct status *status)
{
    bool compared = is_compared(command);
    const char *option = o->csv                 ? "csv"
                         : o->record            ? "record"
                         : o->report            ? "report"
                         : o->save              ? "save"
                         : o->resume            ? "resume"
                         : o->perfetto          ? "perfetto"
                         : o->kanata            ? "kanata"
                         : o->schedule          ? "schedule"
                         : o->schedule_out      ? "schedule-out"
                         : o->baseline          ? "baseline"
                         : o->out.count > 0     ? "out"
                         : o->plot              ? "plot"
                         : o->write             ? "write"
                         : o->words             ? "words"
                         : o->beside            ? "beside"
                         : o->json && !compared ? "json"
                         : o->functional        ? "functional"
                                                : NULL;
    return !option ||
           status_fail(status, STATUS_USAGE, "--%s is of one GPU: it does not go with --gpu %.200s", option, o->gpu);
}

static bool run_one(const struct command *command, const struct cli_options *options, struct gpu_run *run,
                    int *exit_status, struct status *status)
{
    struct cli_options own = *options;
    own.gpu = run->gpu;
    own.json = run->path;
    own.html = NULL;
    own.quiet = true;
    bool ok = command->run_other ? command->run_other(&own, exit_status, status) : command->run(&own, status);
    run->file.path = run->path;
    return ok && *exit_status == 0 && page_file_read(&run->file, status);
}

static bool write_page(const struct page_run *runs, size_t count, const char *path, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    if (page_write(runs, count, 0, file.stream, status))
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return false;
}

static bool compare_runs(const struct command *command, const struct cli_options *options, int *exit_status,
                         struct status *status)
{
    char folder[FILE_FOLDER] = "";
    struct gpu_run *runs = calloc(MOST, sizeof *runs);
    struct page_run shown[MOST];
    bool ok = (runs || status_fail(status, STATUS_MEMORY, "no memory for %d runs", MOST)) &&
              check(command, options, status) && file_temporary_make(folder, "gpus", status);
    size_t count = ok ? split(options->gpu, folder, runs, status) : 0, read = 0;
    for (ok = count > 0; ok && read < count; read += ok) {
        ok = run_one(command, options, &runs[read], exit_status, status);
        shown[read] = (struct page_run){runs[read].gpu, runs[read].file.tree.root};
    }
    ok = ok && (!options->html || write_page(shown, count, options->html, status)) &&
         compare_all(shown, count, options, status);
    for (size_t i = 0; i < read; i++)
        page_file_free(&runs[i].file);
    file_temporary_remove(folder);
    free(runs);
    return ok;
}

/* A result that is not within its tolerance does not keep the other GPUs from their turn. */
static bool run_in_turn(const struct command *command, const struct cli_options *options, const char *gpu,
                        struct status *status)
{
    struct cli_options own = *options;
    struct status one = {0};
    own.gpu = gpu;
    if (!options->quiet)
        printf("---- %s ----\n\n", gpu);
    bool ok = command->run(&own, &one);
    if (!options->quiet)
        putchar('\n');
    if (ok)
        return true;
    char before[sizeof status->text];
    snprintf(before, sizeof before, "%s", status->text);
    *status = (struct status){0};
    return status_fail(status, one.code, "%.400s%s%.100s: %.400s", before, before[0] ? "; " : "", gpu, one.text);
}

static bool run_all_in_turn(const struct command *command, const struct cli_options *options, struct status *status)
{
    struct gpu_run *runs = calloc(MOST, sizeof *runs);
    if (!runs)
        return status_fail(status, STATUS_MEMORY, "no memory for %d runs", MOST);
    size_t count = check(command, options, status) ? split(options->gpu, "", runs, status) : 0;
    for (size_t i = 0; i < count && (status->code == STATUS_OK || status->code == STATUS_CHECK); i++)
        run_in_turn(command, options, runs[i].gpu, status);
    free(runs);
    return count > 0 && status->code == STATUS_OK;
}

bool many_gpus_run(const struct command *command, const struct cli_options *options, int *exit_status,
                   struct status *status)
{
    return is_compared(command) ? compare_runs(command, options, exit_status, status)
                                : run_all_in_turn(command, options, status);
}
