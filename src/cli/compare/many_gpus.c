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

bool many_gpus_wanted(const struct command *command, const struct cli_options *options)
{
    const cli_set needed = CLI_BIT(GPU) | CLI_BIT(JSON) | CLI_BIT(HTML);
    return (command->options & needed) == needed && options->gpu && strchr(options->gpu, ',');
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
static bool check(const struct cli_options *o, struct status *status)
{
    const char *option = o->csv             ? "csv"
                         : o->record        ? "record"
                         : o->report        ? "report"
                         : o->save          ? "save"
                         : o->resume        ? "resume"
                         : o->perfetto      ? "perfetto"
                         : o->kanata        ? "kanata"
                         : o->schedule      ? "schedule"
                         : o->schedule_out  ? "schedule-out"
                         : o->baseline      ? "baseline"
                         : o->out.count > 0 ? "out"
                         : o->functional    ? "functional"
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

bool many_gpus_run(const struct command *command, const struct cli_options *options, int *exit_status,
                   struct status *status)
{
    char folder[FILE_FOLDER] = "";
    struct gpu_run *runs = calloc(MOST, sizeof *runs);
    struct page_run shown[MOST];
    bool ok = (runs || status_fail(status, STATUS_MEMORY, "no memory for %d runs", MOST)) && check(options, status) &&
              file_temporary_make(folder, "gpus", status);
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
