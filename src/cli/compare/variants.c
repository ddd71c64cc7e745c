#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/compare/variants.h"
#include "cli/interrupt.h"
#include "cli/page_file.h"
#include "cli/point_progress.h"
#include "cli/session.h"
#include "report/compare.h"

enum { PATH = FILE_FOLDER + 32, MODE_FILE = 0666 };

struct crew {
    struct variants *variants;
    const struct command *command;
    const struct cli_options *options;
    pid_t *child; /* of each process the one that runs (0: none) */
    size_t *point;
    unsigned most, running;
};

static void path_of(char path[static PATH], const char *folder, const char *name, size_t point)
{
    snprintf(path, PATH, "%s/%s%zu", folder, name, point);
}

/* ---- a process --------------------------------------------------------------------------------------------------- */

static bool redirect(const char *log)
{
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE_FILE),
        in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return out >= 0 && in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
           dup2(out, STDERR_FILENO) >= 0;
}

/* Runs the command with the variant's assignments. All that it says goes to a file. */
static _Noreturn void become(const struct crew *crew, size_t number)
{
    const struct variant *variant = &crew->variants->item[number];
    struct cli_options own = *crew->options;
    struct status status = {0};
    char json[PATH], log[PATH];
    int exit_status = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    path_of(json, crew->variants->folder, "json", number);
    path_of(log, crew->variants->folder, "log", number);
    own.set = (struct cli_list){variant->set, variant->sets};
    own.json = json;
    own.quiet = true;
    own.range = own.bound = false;
    own.threads = 1;
    bool ok = redirect(log);
    ok = ok && (crew->command->run_other ? crew->command->run_other(&own, &exit_status, &status)
                                         : crew->command->run(&own, &status));
    if (status.text[0])
        fprintf(stderr, "%s\n", status.text);
    fflush(NULL);
    _exit(ok && exit_status == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* The last line that its process wrote. */
static bool tell_failure(const struct crew *crew, size_t number, struct status *status)
{
    enum { MOST = 1 << 24 };
    struct file_bytes log = {0};
    struct status unread = {0};
    char path[PATH];
    path_of(path, crew->variants->folder, "log", number);
    const char *line = "it ended early and said nothing";
    if (file_read(path, MOST, &log, &unread) && log.size > 0) {
        char *text = (char *)log.data;
        while (log.size > 0 && text[log.size - 1] == '\n')
            text[--log.size] = '\0';
        const char *last = strrchr(text, '\n');
        line = last ? last + 1 : text;
    }
    status_fail(status, STATUS_CHECK, "the run %s failed: %.250s", crew->variants->item[number].name, line);
    file_free(&log);
    return false;
}

/* Compares a document with that of the run as it is. */
static bool read_one(const struct crew *crew, size_t number, struct status *status)
{
    char paths[2][PATH];
    struct page_file files[2] = {{.path = paths[0]}, {.path = paths[1]}};
    path_of(paths[0], crew->variants->folder, "json", 0);
    path_of(paths[1], crew->variants->folder, "json", number);
    struct compare compare;
    if (!page_file_read(&files[0], status))
        return false;
    bool ok = page_file_read(&files[1], status);
    if (ok) {
        const struct page_run before = {"the run as it is", files[0].tree.root};
        const struct page_run after = {crew->variants->item[number].name, files[1].tree.root};
        ok = compare_runs(&compare, &before, &after, status);
        page_file_free(&files[1]);
    }
    page_file_free(&files[0]);
    if (number > 0)
        unlink(paths[1]);
    if (!ok)
        return false;
    crew->variants->item[number].cycles = compare.all_after.cycles;
    if (number == 0 && compare.count == 1)
        snprintf(crew->variants->kernel, RESULT_NAME, "%s", compare.kernel[0].name);
    compare_free(&compare);
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool start(struct crew *crew, size_t number, struct status *status)
{
    unsigned slot = 0;
    while (crew->child[slot] > 0)
        slot++;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become(crew, number);
    if (child < 0)
        return status_fail(status, STATUS_IO, "no process for a run: %s", strerror(errno));
    crew->child[slot] = child;
    crew->point[slot] = number;
    crew->running++;
    return true;
}

/* Waits for one of the processes, and reads its results. */
static bool finish_one(struct crew *crew, struct status *status)
{
    enum { NAP_US = 2000 };
    for (;;) {
        for (unsigned i = 0; i < crew->most; i++) {
            int ended;
            if (crew->child[i] <= 0 || waitpid(crew->child[i], &ended, WNOHANG) <= 0)
                continue;
            crew->child[i] = 0;
            crew->running--;
            return WIFEXITED(ended) && WEXITSTATUS(ended) == EXIT_SUCCESS ? read_one(crew, crew->point[i], status)
                                                                          : tell_failure(crew, crew->point[i], status);
        }
        usleep(NAP_US);
    }
}

static bool run_crew(struct crew *crew, size_t from, size_t count, struct status *status)
{
    const volatile bool *stop = interrupt_catch();
    struct point_progress progress;
    size_t started = 0, done = 0;
    bool ok = true;
    point_progress_begin(&progress, crew->options->quiet);
    while (crew->running > 0 || (ok && !*stop && started < count)) {
        while (ok && !*stop && crew->running < crew->most && started < count) {
            ok = start(crew, from + started, status);
            started += ok;
        }
        if (crew->running > 0) {
            ok = finish_one(crew, status) && ok;
            point_progress_show(&progress, ++done, count);
        }
    }
    point_progress_end(&progress);
    return *stop ? status_fail(status, STATUS_INTERRUPTED, "interrupted") : ok;
}

bool variants_run(struct variants *variants, size_t from, size_t count, const struct command *command,
                  const struct cli_options *options, struct status *status)
{
    struct crew crew = {.variants = variants, .command = command, .options = options};
    if (!session_threads(options, &crew.most, status))
        return false;
    crew.child = calloc(crew.most, sizeof *crew.child);
    crew.point = calloc(crew.most, sizeof *crew.point);
    bool ok = ((crew.child && crew.point) || status_fail(status, STATUS_MEMORY, "no memory for processes"));
    ok = ok && run_crew(&crew, from, count, status);
    free(crew.child);
    free(crew.point);
    return ok;
}

bool variants_begin(struct variants *variants, size_t room, struct status *status)
{
    *variants = (struct variants){.item = calloc(room, sizeof *variants->item)};
    return (variants->item || status_fail(status, STATUS_MEMORY, "no memory for %zu runs", room)) &&
           file_temporary_make(variants->folder, "variants", status);
}

void variants_end(struct variants *variants)
{
    for (size_t i = 0; i < variants->count; i++)
        free(variants->item[i].set);
    free(variants->item);
    file_temporary_remove(variants->folder);
    *variants = (struct variants){0};
}

struct variant *variants_add(struct variants *variants, const char *name, const struct cli_list *set, size_t more,
                             struct status *status)
{
    struct variant *v = &variants->item[variants->count];
    *v = (struct variant){.sets = set->count, .set = calloc(set->count + more + 1, sizeof *v->set)};
    if (!v->set) {
        status_fail(status, STATUS_MEMORY, "no memory for a run");
        return NULL;
    }
    for (size_t i = 0; i < set->count; i++)
        v->set[i] = set->items[i];
    snprintf(v->name, sizeof v->name, "%s", name);
    variants->count++;
    return v;
}

bool variants_check(const struct cli_options *o, const char *what, struct status *status)
{
    const char *option = o->gpu && strchr(o->gpu, ',') ? "gpu A,B"
                         : o->functional               ? "functional"
                         : o->check                    ? "check"
                         : o->fidelity                 ? "fidelity"
                         : o->csv                      ? "csv"
                         : o->source                   ? "source"
                         : o->html                     ? "html"
                         : o->baseline                 ? "baseline"
                         : o->sample                   ? "sample"
                         : o->record                   ? "record"
                         : o->report                   ? "report"
                         : o->save                     ? "save"
                         : o->resume                   ? "resume"
                         : o->perfetto                 ? "perfetto"
                         : o->kanata                   ? "kanata"
                         : o->schedule                 ? "schedule"
                         : o->schedule_out             ? "schedule-out"
                         : o->check_hazards            ? "check-hazards"
                         : o->list                     ? "list"
                         : o->out.count > 0            ? "out"
                                                       : NULL;
    return !option || status_fail(status, STATUS_USAGE, "--%s runs the command many times: it does not go with --%s",
                                  what, option);
}

const char *variants_gpu(const struct command *command, const struct cli_options *options)
{
    const char *preset = command->options & CLI_OPTIONS_FIRST ? getenv("SUBCORE_GPU") : NULL;
    return options->gpu ? options->gpu : preset && *preset ? preset : "rtx-a6000";
}
