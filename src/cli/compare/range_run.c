#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/compare/range.h"
#include "cli/interrupt.h"
#include "cli/page_file.h"
#include "cli/point_progress.h"
#include "cli/session.h"
#include "report/compare.h"

enum { PATH = FILE_FOLDER + 32, MODE_FILE = 0666, MESSAGE = 200 };

struct crew {
    struct range *range;
    const struct command *command;
    const struct cli_options *options;
    const char *folder;
    pid_t *child; /* of each process the one that runs; 0: none */
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

/* Runs the command with the point's assignments. All that it says goes to a file. */
static _Noreturn void become(const struct crew *crew, size_t number)
{
    const struct range_point *point = &crew->range->points[number];
    struct cli_options own = *crew->options;
    struct status status = {0};
    char json[PATH], log[PATH];
    int exit_status = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    path_of(json, crew->folder, "json", number);
    path_of(log, crew->folder, "log", number);
    own.set = (struct cli_list){point->set, point->sets};
    own.json = json;
    own.quiet = true;
    own.range = false;
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

static void describe(const struct range *range, const struct range_point *point, char out[static MESSAGE])
{
    static const char *const names[] = {[RANGE_BASE] = "the run with the values as they are",
                                        [RANGE_LEAST] = "the run with all values at their fast ends",
                                        [RANGE_MOST] = "the run with all values at their slow ends"};
    if (point->kind == RANGE_END)
        snprintf(out, MESSAGE, "the run with %s", range->keys[point->key].range.end[point->end].set[0]);
    else
        snprintf(out, MESSAGE, "%s", names[point->kind]);
}

/* The last line that the point's process wrote. */
static bool tell_failure(const struct crew *crew, size_t number, struct status *status)
{
    enum { MOST = 1 << 24 };
    struct file_bytes log = {0};
    struct status unread = {0};
    char path[PATH], what[MESSAGE];
    path_of(path, crew->folder, "log", number);
    describe(crew->range, &crew->range->points[number], what);
    const char *line = "it ended early and said nothing";
    if (file_read(path, MOST, &log, &unread) && log.size > 0) {
        char *text = (char *)log.data;
        while (log.size > 0 && text[log.size - 1] == '\n')
            text[--log.size] = '\0';
        const char *last = strrchr(text, '\n');
        line = last ? last + 1 : text;
    }
    status_fail(status, STATUS_CHECK, "%s failed: %.250s", what, line);
    file_free(&log);
    return false;
}

/* Compares a point's document with that of the run as it is. */
static bool read_point(const struct crew *crew, size_t number, struct status *status)
{
    char paths[2][PATH];
    struct page_file files[2] = {{.path = paths[0]}, {.path = paths[1]}};
    path_of(paths[0], crew->folder, "json", 0);
    path_of(paths[1], crew->folder, "json", number);
    struct compare compare;
    if (!page_file_read(&files[0], status))
        return false;
    bool ok = page_file_read(&files[1], status);
    if (ok) {
        const struct page_run before = {"the run as it is", files[0].tree.root};
        const struct page_run after = {"the run with a value at its end", files[1].tree.root};
        ok = compare_runs(&compare, &before, &after, status);
        page_file_free(&files[1]);
    }
    page_file_free(&files[0]);
    if (number > 0)
        unlink(paths[1]);
    if (!ok)
        return false;
    crew->range->points[number].cycles = compare.all_after.cycles;
    if (number == 0 && compare.count == 1)
        snprintf(crew->range->kernel, sizeof crew->range->kernel, "%s", compare.kernel[0].name);
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
        return status_fail(status, STATUS_IO, "no process for a run of --range: %s", strerror(errno));
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
            return WIFEXITED(ended) && WEXITSTATUS(ended) == EXIT_SUCCESS ? read_point(crew, crew->point[i], status)
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

bool range_run_points(struct range *range, size_t from, size_t count, const struct command *command,
                      const struct cli_options *options, struct status *status)
{
    struct crew crew = {.range = range, .command = command, .options = options, .folder = range->folder};
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
