#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct status *status, const char *path, const char *what)
{
    return status_fail(status, STATUS_IO, "%s: %s", path, what);
}

/* Reads until the end of the file or until `out` is full. */
static bool read_all(int fd, struct file_bytes *out, size_t room)
{
    while (out->size < room) {
        ssize_t n = read(fd, out->data + out->size, room - out->size);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            out->size += (size_t)n;
    }
    return true;
}

static bool read_open(int fd, const char *path, size_t limit, struct file_bytes *out, struct status *status)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fail(status, path, strerror(errno));
    if ((uintmax_t)info.st_size > limit)
        return status_fail(status, STATUS_IO, "%s: %jd bytes, more than the %zu that are read", path,
                           (intmax_t)info.st_size, limit);
    size_t size = (size_t)info.st_size;
    out->data = malloc(size + 1);
    if (!out->data)
        return status_fail(status, STATUS_MEMORY, "%s: no memory for %zu bytes", path, size);
    if (!read_all(fd, out, size))
        return fail(status, path, strerror(errno));
    out->data[out->size] = 0;
    return true;
}

int file_open(const char *path, bool stream, struct status *status)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        fail(status, path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &info) != 0)
        fail(status, path, strerror(errno));
    else if (S_ISDIR(info.st_mode) || (!stream && !S_ISREG(info.st_mode)))
        fail(status, path,
             S_ISFIFO(info.st_mode) ? "it is a pipe, not a regular file; write its contents to a file first"
                                    : "not a regular file");
    else if (fcntl(fd, F_SETFL, 0) != 0)
        fail(status, path, strerror(errno));
    else
        return fd;
    close(fd);
    return -1;
}

bool file_read(const char *path, size_t limit, struct file_bytes *out, struct status *status)
{
    *out = (struct file_bytes){0};
    int fd = file_open(path, false, status);
    if (fd < 0)
        return false;
    bool ok = read_open(fd, path, limit, out, status);
    close(fd);
    if (!ok)
        file_free(out);
    return ok;
}

void file_free(struct file_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct file_bytes){0};
}

bool file_input_check(const char *path, struct status *status)
{
    return strcmp(path, "-") == 0 || access(path, R_OK) == 0 || fail(status, path, strerror(errno));
}

/* Follows a symbolic link, so that the file it names is replaced and not the link. Devices and pipes cannot be
 * replaced: `plain` tells. */
static bool resolve(struct file_output *f, const char *path, bool *plain)
{
    struct stat info;
    *plain = true;
    if (stat(path, &info) == 0) {
        *plain = S_ISREG(info.st_mode);
        char *real = realpath(path, NULL);
        if (!real)
            return false;
        int n = snprintf(f->path, sizeof f->path, "%s", real);
        free(real);
        return n >= 0 && (size_t)n < sizeof f->path;
    }
    int n = snprintf(f->path, sizeof f->path, "%s", path);
    return n >= 0 && (size_t)n < sizeof f->path;
}

/* Opens a new file beside the target. The number only keeps off names that are taken. */
static int open_temporary(struct file_output *f)
{
    for (unsigned number = 0; number < 1000; number++) {
        int n = snprintf(f->temporary, sizeof f->temporary, "%s.%ld.%u.tmp", f->path, (long)getpid(), number);
        if (n < 0 || (size_t)n >= sizeof f->temporary) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* ---- the stream of an output ------------------------------------------------------------------------------------- */

struct file_sink {
    int fd;
    int error; /* errno of the first write that failed (0: none has) */
};

/* After a failure nothing more is written: the file is abandoned. */
static ssize_t sink_write(void *cookie, const char *bytes, size_t size)
{
    struct file_sink *sink = cookie;
    size_t done = 0;
    while (sink->error == 0 && done < size) {
        ssize_t n = write(sink->fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR)
            sink->error = errno;
        done += n > 0 ? (size_t)n : 0;
    }
    errno = sink->error;
    return sink->error ? 0 : (ssize_t)size;
}

/* Takes the descriptor, also when it fails. */
static bool sink_open(struct file_output *f, int fd)
{
    f->sink = malloc(sizeof *f->sink);
    if (f->sink) {
        *f->sink = (struct file_sink){.fd = fd};
        f->stream = fopencookie(f->sink, "w", (cookie_io_functions_t){.write = sink_write});
    }
    if (f->stream)
        return true;
    if (fd != STDOUT_FILENO)
        close(fd);
    free(f->sink);
    f->sink = NULL;
    return false;
}

/* Returns the errno of the first failure since the output was opened (0: everything written has reached the file). */
static int sink_close(struct file_output *f)
{
    bool flushed = fclose(f->stream) == 0;
    int error = f->sink->error ? f->sink->error : flushed ? 0 : errno;
    if (f->sink->fd != STDOUT_FILENO && close(f->sink->fd) != 0 && error == 0)
        error = errno;
    free(f->sink);
    f->stream = NULL;
    f->sink = NULL;
    return error;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

bool file_output_open(struct file_output *f, const char *path, struct status *status)
{
    *f = (struct file_output){0};
    bool plain = false;
    int fd = STDOUT_FILENO;
    if (strcmp(path, "-") == 0) {
        strcpy(f->path, "standard output");
        fflush(stdout); /* earlier output stays in front */
    } else if (!resolve(f, path, &plain)) {
        return fail(status, path, "not a usable path");
    } else {
        fd = plain ? open_temporary(f) : open(f->path, O_WRONLY | O_CLOEXEC);
    }
    if (fd < 0) {
        f->temporary[0] = '\0';
        return fail(status, path, strerror(errno));
    }
    if (sink_open(f, fd))
        return true;
    file_output_abandon(f);
    return status_fail(status, STATUS_MEMORY, "%s: no memory to write it", path);
}

/* Does not open the file: to open a pipe waits for its reader. */
static bool may_write_special(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return access(path, W_OK) == 0;
}

bool file_output_check(const char *path, struct status *status)
{
    struct file_output f = {0};
    bool plain;
    if (strcmp(path, "-") == 0)
        return true;
    if (!resolve(&f, path, &plain))
        return fail(status, path, "not a usable path");
    if (!plain)
        return may_write_special(f.path) || fail(status, path, strerror(errno));
    int fd = open_temporary(&f);
    if (fd < 0)
        return fail(status, path, strerror(errno));
    close(fd);
    unlink(f.temporary);
    return true;
}

int file_output_descriptor(const struct file_output *f) { return f->sink->fd; }

bool file_output_commit(struct file_output *f, struct status *status)
{
    int error = sink_close(f);
    if (error == 0 && f->temporary[0] != '\0' && rename(f->temporary, f->path) != 0)
        error = errno;
    if (error != 0) {
        fail(status, f->path, strerror(error));
        file_output_abandon(f);
        return false;
    }
    *f = (struct file_output){0};
    return true;
}

void file_output_abandon(struct file_output *f)
{
    if (f->stream)
        sink_close(f);
    if (f->temporary[0] != '\0')
        unlink(f->temporary);
    *f = (struct file_output){0};
}

/* ---- temporary files --------------------------------------------------------------------------------------------- */

const char *file_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

bool file_temporary_make(char folder[static FILE_FOLDER], const char *purpose, struct status *status)
{
    int n = snprintf(folder, FILE_FOLDER, "%s/subcore-%s-XXXXXX", file_temporary_folder(), purpose);
    bool fits = n >= 0 && n < FILE_FOLDER;
    if (fits && mkdtemp(folder))
        return true;
    status_fail(status, STATUS_IO, "%.300s: no temporary folder can be made there: %s; TMPDIR names another place",
                file_temporary_folder(), strerror(fits ? errno : ENAMETOOLONG));
    folder[0] = '\0';
    return false;
}

void file_temporary_remove(const char *folder)
{
    DIR *entries = folder[0] ? opendir(folder) : NULL;
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        unlinkat(dirfd(entries), entry->d_name, 0); /* fails for "." and ".." */
    closedir(entries);
    rmdir(folder);
}
