#include "cli/sweep/sweep_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/sweep/sweep_result.h"

enum { MODE_FOLDER = 0777, MODE_FILE = 0666, NAP_NS = 100000000, NOT_STARTED = 127, INTERRUPTED = 130 };

/* ---- files ------------------------------------------------------------------------------------------------------- */

void sweep_point_path(char path[static PATH_MAX], const char *folder, const struct sweep_point *point,
                      const char *suffix)
{
    snprintf(path, PATH_MAX, "%s/points/%016" PRIx64 ".%s", folder, point->digest, suffix);
}

void sweep_host_path(char path[static PATH_MAX], const char *folder, const struct sweep_point *point,
                     const char *suffix)
{
    snprintf(path, PATH_MAX, "%s/.host/%016" PRIx64 ".%s", folder, point->digest, suffix);
}

static bool make_folder(const char *path, struct status *status)
{
    struct stat found;
    if (mkdir(path, MODE_FOLDER) == 0 || (errno == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode)))
        return true;
    return status_fail(status, STATUS_IO, "%s: %s", path, errno == EEXIST ? "no folder" : strerror(errno));
}

bool sweep_folder(const char *folder, struct status *status)
{
    char points[PATH_MAX], host[PATH_MAX];
    int n = snprintf(points, sizeof points, "%s/points", folder);
    enum { NAME = 32 };
    if (n < 0 || (size_t)n > sizeof points - NAME)
        return status_fail(status, STATUS_USAGE, "%.100s...: the path is too long", folder);
    snprintf(host, sizeof host, "%s/.host", folder);
    return make_folder(folder, status) && make_folder(points, status) && make_folder(host, status);
}

bool sweep_point_done(const char *folder, const struct sweep_point *point)
{
    char path[PATH_MAX];
    sweep_point_path(path, folder, point, "json");
    return access(path, F_OK) == 0;
}

/* ---- a worker ---------------------------------------------------------------------------------------------------- */

struct worker {
    const struct sweep_points *points;
    const char *folder;
    const volatile bool *stop;
    bool *done;      /* of each point: its results are there */
    double *seconds; /* host seconds of the points that are done; below 0: not known */
    struct status status;
};

/* Takes the lock of a point. Returns the descriptor that holds it (-1: another process has it, or it cannot be had). */
static int claim(struct worker *w, const struct sweep_point *point)
{
    char path[PATH_MAX];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    sweep_host_path(path, w->folder, point, "lock");
    int held = open(path, O_RDWR | O_CREAT | O_CLOEXEC, MODE_FILE);
    if (held < 0) {
        status_fail(&w->status, STATUS_IO, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (fcntl(held, F_SETLK, &lock) == 0)
        return held;
    close(held);
    return -1;
}

/* A process that opened the file before it went finds the results when it gets the lock. */
static void release(const struct worker *w, const struct sweep_point *point, int held)
{
    char path[PATH_MAX];
    sweep_host_path(path, w->folder, point, "lock");
    if (sweep_point_done(w->folder, point))
        unlink(path);
    close(held);
}

/* The child's words: those of the point, with the file for its results before the operands. */
static char **child_words(const struct sweep_point *point, char *results)
{
    static const char name[] = "subcore", option[] = "--json";
    char **words = calloc(point->words.count + 4, sizeof *words);
    size_t n = 0;
    if (!words)
        return NULL;
    words[n++] = (char *)(uintptr_t)name; /* execv changes none of them */
    for (size_t i = 0; i < point->words.count; i++) {
        if (i == point->operands) {
            words[n++] = (char *)(uintptr_t)option;
            words[n++] = results;
        }
        words[n++] = point->words.items[i];
    }
    if (point->operands == point->words.count) {
        words[n++] = (char *)(uintptr_t)option;
        words[n++] = results;
    }
    return words;
}

static void become(char **words, const char *log)
{
    sigset_t none;
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE_FILE);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (out >= 0 && in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(out, STDERR_FILENO) >= 0)
        execv("/proc/self/exe", words);
    _exit(NOT_STARTED);
}

static void nap(void)
{
    const struct timespec time = {.tv_nsec = NAP_NS};
    nanosleep(&time, NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Waits for the child, and ends it when the sweep is to stop. Returns its exit status, 128 + n after signal n. */
static int wait_for(struct worker *w, pid_t child)
{
    enum { BY_SIGNAL = 128 };
    int ended = 0;
    bool told = false;
    while (waitpid(child, &ended, told ? 0 : WNOHANG) == 0) {
        if (*w->stop) {
            kill(child, SIGTERM);
            told = true;
        }
        const struct timespec time = {.tv_nsec = NAP_NS / 20};
        nanosleep(&time, NULL);
    }
    return WIFSIGNALED(ended) ? BY_SIGNAL + WTERMSIG(ended) : WEXITSTATUS(ended);
}

/* Runs one point whose lock is held, and writes its results. */
static bool run_point(struct worker *w, const struct sweep_point *point)
{
    char raw[PATH_MAX], log[PATH_MAX];
    sweep_host_path(raw, w->folder, point, "raw");
    sweep_point_path(log, w->folder, point, "log");
    char **words = child_words(point, raw);
    if (!words)
        return status_fail(&w->status, STATUS_MEMORY, "no memory for the words of a point");
    unlink(raw);
    double begin = now();
    pid_t child = fork();
    if (child == 0)
        become(words, log);
    free(words);
    if (child < 0)
        return status_fail(&w->status, STATUS_IO, "no process for a point: %s", strerror(errno));
    int exit_status = wait_for(w, child);
    if (*w->stop || exit_status == INTERRUPTED) /* a terminal may tell the child first */
        return status_fail(&w->status, STATUS_INTERRUPTED, "interrupted");
    const struct sweep_outcome outcome = {.exit_status = exit_status, .seconds = now() - begin};
    return sweep_result_write(w->folder, point, &outcome, &w->status);
}

/* Host seconds that a point will take by the times of similar points: the longest of the same program; not known:
 * more than any. */
static double expected(const struct worker *w, size_t point)
{
    double longest = -1;
    for (size_t i = 0; i < w->points->count; i++)
        if (w->points->items[i].program == w->points->items[point].program && w->seconds[i] > longest)
            longest = w->seconds[i];
    return longest < 0 ? 1e30 : longest;
}

static void look(struct worker *w)
{
    for (size_t i = 0; i < w->points->count; i++)
        if (!w->done[i] && sweep_point_done(w->folder, &w->points->items[i])) {
            w->done[i] = true;
            w->seconds[i] = sweep_result_seconds(w->folder, &w->points->items[i]);
        }
}

/* Takes the longest point that no process has; false when there is none. */
static bool take_one(struct worker *w, bool *all_done)
{
    size_t count = w->points->count;
    bool *tried = calloc(count, sizeof *tried);
    if (!tried)
        return status_fail(&w->status, STATUS_MEMORY, "no memory for a sweep");
    int held = -1;
    size_t best;
    look(w);
    do {
        double most = -1;
        best = count;
        *all_done = true;
        for (size_t i = 0; i < count; i++) {
            *all_done &= w->done[i];
            double seconds = w->done[i] || tried[i] ? -1 : expected(w, i);
            if (seconds > most) {
                most = seconds;
                best = i;
            }
        }
        if (best < count) {
            tried[best] = true;
            held = claim(w, &w->points->items[best]);
        }
    } while (best < count && held < 0 && w->status.code == STATUS_OK);
    free(tried);
    if (held < 0)
        return false;
    const struct sweep_point *point = &w->points->items[best];
    bool ok = sweep_point_done(w->folder, point) || run_point(w, point);
    release(w, point, held);
    return ok;
}

static int work(const struct sweep_points *points, const char *folder, const volatile bool *stop)
{
    struct worker w = {.points = points, .folder = folder, .stop = stop};
    bool all_done = false;
    w.done = calloc(points->count, sizeof *w.done);
    w.seconds = malloc(points->count * sizeof *w.seconds);
    if (!w.done || !w.seconds)
        status_fail(&w.status, STATUS_MEMORY, "no memory for a sweep");
    for (size_t i = 0; w.seconds && i < points->count; i++)
        w.seconds[i] = -1;
    while (w.status.code == STATUS_OK && !all_done && !*stop)
        if (!take_one(&w, &all_done))
            break; /* other processes run the rest */
    free(w.done);
    free(w.seconds);
    if (w.status.code != STATUS_OK && w.status.code != STATUS_INTERRUPTED)
        fprintf(stderr, "subcore: %s\n", w.status.text);
    return w.status.code == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static size_t count_done(const struct sweep_points *points, const char *folder)
{
    size_t done = 0;
    for (size_t i = 0; i < points->count; i++)
        done += sweep_point_done(folder, &points->items[i]);
    return done;
}

struct crew {
    const struct sweep_points *points;
    const char *folder;
    const volatile bool *stop;
    pid_t *worker; /* 0: has ended */
    unsigned most, running;
    bool failed, told;
};

/* Starts workers until there are as many as wanted, or no process is to be had. */
static void start(struct crew *c)
{
    pid_t parent = getpid();
    for (unsigned i = 0; i < c->most; i++) {
        if (c->worker[i] > 0)
            continue;
        pid_t child = fork();
        if (child == 0) {
            if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
                _exit(EXIT_FAILURE);
            _exit(work(c->points, c->folder, c->stop));
        }
        if (child < 0)
            return;
        c->worker[i] = child;
        c->running++;
    }
}

/* Sees which workers have ended, and tells them all when the sweep is to stop. */
static void watch(struct crew *c)
{
    for (unsigned i = 0; i < c->most; i++) {
        int ended;
        if (c->worker[i] > 0 && *c->stop && !c->told)
            kill(c->worker[i], SIGTERM);
        if (c->worker[i] > 0 && waitpid(c->worker[i], &ended, WNOHANG) > 0) {
            c->worker[i] = 0;
            c->running--;
            c->failed |= !WIFEXITED(ended) || WEXITSTATUS(ended) != EXIT_SUCCESS;
        }
    }
    c->told |= *c->stop;
}

static bool run_crew(struct crew *c, const struct sweep_teller *tell, struct status *status)
{
    for (;;) {
        watch(c);
        size_t done = count_done(c->points, c->folder);
        if (tell)
            tell->tell(tell->self, done, c->points->count);
        if (c->running > 0) {
            nap();
            continue;
        }
        if (done == c->points->count)
            return true;
        if (*c->stop)
            return status_fail(status, STATUS_INTERRUPTED, "interrupted; the same command goes on");
        if (c->failed)
            return status_fail(status, STATUS_IO, "%s: a process of the sweep ended early; the same command goes on",
                               c->folder);
        nap();
        start(c); /* a process elsewhere may have died with its points */
        if (c->running == 0)
            return status_fail(status, STATUS_IO, "no process for the points of a sweep: %s", strerror(errno));
    }
}

bool sweep_run(const struct sweep_points *points, const char *folder, unsigned workers, const volatile bool *stop,
               const struct sweep_teller *tell, struct status *status)
{
    struct crew crew = {.points = points, .folder = folder, .stop = stop, .most = workers};
    crew.worker = calloc(workers, sizeof *crew.worker);
    if (!crew.worker)
        return status_fail(status, STATUS_MEMORY, "no memory for a sweep");
    fflush(NULL);
    start(&crew);
    bool ok = run_crew(&crew, tell, status);
    free(crew.worker);
    return ok;
}
