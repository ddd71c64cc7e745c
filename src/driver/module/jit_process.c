/* ptxas as a child process. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "driver/module/jit.h"
#include "driver/module/ptx.h"

extern char **environ;

enum { PATH = 4096, ARGUMENTS = 12, LOG_LIMIT = 1 << 20 };
#define CUBIN_LIMIT ((size_t)1 << 31)

/* ---- where it is ------------------------------------------------------------------------------------------------- */

static char *runnable(const char *folder, size_t length, const char *rest)
{
    char path[PATH];
    int n = snprintf(path, sizeof path, "%.*s%s", (int)length, folder, rest);
    return length > 0 && n > 0 && n < PATH && access(path, X_OK) == 0 ? strdup(path) : NULL;
}

char *ptxas_find(void)
{
    const char *path = getenv("PATH");
    char *found = NULL;
    while (path && *path && !found) {
        size_t length = strcspn(path, ":");
        found = runnable(path, length, "/ptxas");
        path += length + (path[length] == ':');
    }
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"};
    for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; i++)
        if (folders[i])
            found = runnable(folders[i], strlen(folders[i]), "/bin/ptxas");
    return found;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

struct files {
    char folder[PATH];
    char ptx[PATH + 16], cubin[PATH + 16], log[PATH + 16];
};

static bool make_files(struct files *f, const struct jit_input *in, struct status *status)
{
    struct file_output file;
    if (!file_temporary_make(f->folder, "ptx", status))
        return false;
    snprintf(f->ptx, sizeof f->ptx, "%s/in.ptx", f->folder);
    snprintf(f->cubin, sizeof f->cubin, "%s/out.cubin", f->folder);
    snprintf(f->log, sizeof f->log, "%s/log", f->folder);
    if (!file_output_open(&file, f->ptx, status))
        return false;
    fwrite(in->data, 1, in->size, file.stream);
    return file_output_commit(&file, status);
}

static void add(char **argv, size_t *count, const char *text)
{
    argv[*count] = strdup(text);
    *count += argv[*count] != NULL;
}

static void make_arguments(char **argv, const char *path, const struct jit_request *request, const struct files *f)
{
    const struct jit_options *o = &request->options;
    char architecture[16], text[64];
    size_t count = 0;
    ptx_architecture(request, architecture);
    add(argv, &count, path);
    snprintf(text, sizeof text, "-arch=%s", architecture);
    add(argv, &count, text);
    if (o->registers > 0) {
        snprintf(text, sizeof text, "-maxrregcount=%d", o->registers);
        add(argv, &count, text);
    }
    if (o->level >= 0) {
        snprintf(text, sizeof text, "-O%d", o->level < 3 ? o->level : 3);
        add(argv, &count, text);
    }
    if (o->debug)
        add(argv, &count, "-g");
    if (o->lines)
        add(argv, &count, "-lineinfo");
    if (o->verbose)
        add(argv, &count, "-v");
    add(argv, &count, "-o");
    add(argv, &count, f->cubin);
    add(argv, &count, f->ptx);
    argv[count] = NULL;
}

/* Runs it, output into the log; false when it does not start or reports a failure. */
static bool spawn(char **argv, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    bool started = posix_spawn(&child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static char *read_log(const char *path)
{
    struct file_bytes bytes;
    struct status status = {0};
    if (!file_read(path, LOG_LIMIT, &bytes, &status))
        return NULL;
    char *text = bytes.size > 0 ? strndup((const char *)bytes.data, bytes.size) : NULL;
    file_free(&bytes);
    return text;
}

static CUresult take(const struct files *f, struct jit_answer *answer)
{
    struct file_bytes bytes;
    struct status status = {0};
    answer->notes = read_log(f->log);
    if (!file_read(f->cubin, CUBIN_LIMIT, &bytes, &status)) {
        answer->errors = strdup(status.text);
        return CUDA_ERROR_INVALID_PTX;
    }
    answer->cubin = malloc(bytes.size ? bytes.size : 1);
    answer->size = bytes.size;
    if (answer->cubin)
        memcpy(answer->cubin, bytes.data, bytes.size);
    file_free(&bytes);
    return answer->cubin ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult ptxas_run(const char *path, const struct jit_request *request, struct jit_answer *answer)
{
    struct files files = {.folder = ""};
    char *argv[ARGUMENTS] = {0};
    struct status status = {0};
    CUresult result = CUDA_ERROR_OPERATING_SYSTEM;
    if (make_files(&files, &request->inputs[0], &status)) {
        make_arguments(argv, path, request, &files);
        bool ok = argv[0] && spawn(argv, files.log);
        result = ok ? take(&files, answer) : CUDA_ERROR_INVALID_PTX;
        if (!ok)
            answer->errors = read_log(files.log);
        if (!ok && answer->errors)
            result = ptx_blame(answer->errors);
    } else {
        answer->errors = strdup(status.text);
    }
    for (size_t i = 0; i < ARGUMENTS; i++)
        free(argv[i]);
    file_temporary_remove(files.folder);
    return result;
}
