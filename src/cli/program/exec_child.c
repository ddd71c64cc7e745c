#include "cli/program/exec_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* Signals that are meant for the program. */
static void passed_on(sigset_t *set)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaddset(set, numbers[i]);
}

/* The kernel kills this process when its parent dies. The parent may have died before that was asked for. */
static void end_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(CHILD_SIGNAL + SIGKILL);
}

static void become(const struct child *child, pid_t parent, const sigset_t *mask, const struct sigaction *on_child,
                   int report)
{
    bool ok = true;
    end_with(parent);
    for (const struct child_variable *v = child->variables; v->name; v++)
        ok = (v->value ? setenv(v->name, v->value, 1) : unsetenv(v->name)) == 0 && ok;
    sigaction(SIGCHLD, on_child, NULL);
    sigaction(SIGPIPE, child->on_pipe, NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (child->output_to_error)
        ok = dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && ok;
    if (ok)
        execvp(child->path, child->argv);
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof reason);
    _exit(written < 0 ? CHILD_NOT_FOUND : CHILD_NOT_RUNNABLE); /* no caller sees it */
}

/* Why the child could not be executed (0: it could). */
static int read_reason(int from)
{
    int reason = 0;
    ssize_t n;
    do
        n = read(from, &reason, sizeof reason);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof reason ? reason : 0;
}

static int status_of(int ended) { return WIFSIGNALED(ended) ? CHILD_SIGNAL + WTERMSIG(ended) : WEXITSTATUS(ended); }

/* The terminal sends its signals to the child as well as to us. Only signals from a process are passed on. */
static int wait_for(pid_t child, const sigset_t *signals)
{
    for (;;) {
        siginfo_t info;
        int ended, number = sigwaitinfo(signals, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(child, number);
        if (number == SIGCHLD && waitpid(child, &ended, WNOHANG) == child)
            return status_of(ended);
    }
}

static bool started(pid_t id, const struct child *child, int reason, int *exit_status, struct status *status)
{
    if (id > 0 && reason == 0)
        return true;
    if (id > 0)
        waitpid(id, NULL, 0);
    *exit_status = reason == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_RUNNABLE;
    return status_fail(status, STATUS_IO, "%.300s: it cannot be started: %s", child->path,
                       strerror(reason ? reason : errno));
}

bool child_run(const struct child *child, int *exit_status, struct status *status)
{
    sigset_t signals, mask;
    struct sigaction usual = {.sa_handler = SIG_DFL}, on_child;
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return started(-1, child, errno, exit_status, status);
    passed_on(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaction(SIGCHLD, &usual, &on_child);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    pid_t own = getpid(), id = fork();
    if (id == 0)
        become(child, own, &mask, &on_child, pipe_ends[1]);
    int reason = id < 0 ? errno : 0;
    interrupt_catch(); /* of signals after the child's end: the report is not lost to timeout's second signal */
    close(pipe_ends[1]);
    if (id > 0)
        reason = read_reason(pipe_ends[0]);
    close(pipe_ends[0]);
    bool ok = started(id, child, reason, exit_status, status);
    if (ok)
        *exit_status = wait_for(id, &signals);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGCHLD, &on_child, NULL);
    return ok;
}
