#include "trace/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "trace/kernel.h"

enum { TEXT_MOST = 1 << 20 };

static bool damaged(const struct trace_file *f, const char *where, const char *what, struct status *status)
{
    return status_fail(status, STATUS_FORMAT, "%s: %s: %s", f->path, where, what);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool open_file(struct trace_file *f, struct status *status)
{
    struct stat info;
    int fd = file_open(f->path, false, status);
    if (fd < 0)
        return false;
    if (fstat(fd, &info) != 0) {
        close(fd);
        return status_fail(status, STATUS_IO, "%s: %s", f->path, strerror(errno));
    }
    if (trace_in_open(&f->in, fd, (uint64_t)info.st_size))
        return true;
    close(fd);
    return status_fail(status, STATUS_MEMORY, "%s: no memory to read a trace", f->path);
}

static bool check_head(struct trace_file *f, struct status *status)
{
    uint8_t head[TRACE_HEAD_BYTES];
    if (f->in.size < sizeof head || !trace_in_read(&f->in, 0, head, sizeof head) ||
        memcmp(head, TRACE_MAGIC, sizeof TRACE_MAGIC - 1) != 0)
        return status_fail(status, STATUS_FORMAT, "%s: not a trace of subcore", f->path);
    struct trace_view v = trace_view_of(head + 8, 8);
    uint64_t version = trace_take_fixed(&v, 4), zero = trace_take_fixed(&v, 4);
    f->version = (uint32_t)version;
    if (version >= TRACE_VERSION_OLDEST && version <= TRACE_VERSION && !zero)
        return true;
    if (zero)
        return damaged(f, "the head of the file", "bytes that should be 0 are not", status);
    return status_fail(status, STATUS_FORMAT,
                       "%s: a trace of version %" PRIu64 "; this program reads versions %d to %d", f->path, version,
                       TRACE_VERSION_OLDEST, TRACE_VERSION);
}

/* The place of the index, from the tail. */
static bool find_index(struct trace_file *f, uint64_t *at, struct status *status)
{
    uint8_t tail[TRACE_TAIL_BYTES];
    if (f->in.size < TRACE_HEAD_BYTES + TRACE_TAIL_BYTES ||
        !trace_in_read(&f->in, f->in.size - sizeof tail, tail, sizeof tail) ||
        memcmp(tail, TRACE_TAIL_MAGIC, sizeof TRACE_TAIL_MAGIC - 1) != 0)
        return damaged(f, "no index at its end", "it was cut short, or its writing was interrupted", status);
    struct trace_view v = trace_view_of(tail + 8, sizeof tail - 8);
    *at = trace_take_fixed(&v, 8);
    uint64_t size = trace_take_fixed(&v, 8);
    if (trace_take_fixed(&v, 8) != hash_bytes(HASH_SEED, tail, sizeof tail - 8))
        return damaged(f, "the end of the file", "its checksum is wrong", status);
    if (size != f->in.size)
        return damaged(f, "the end of the file", "the file has another size than it had when it was written", status);
    return true;
}

bool trace_file_index(struct trace_file *f, struct status *status)
{
    uint64_t at = 0;
    if (!find_index(f, &at, status))
        return false;
    struct trace_bytes raw = {0};
    const char *wrong = trace_in_block(&f->in, at, TRACE_BLOCK_INDEX, 0, &raw);
    struct trace_view v = trace_view_of(raw.data, raw.size);
    if (!wrong && !trace_index_take(&f->index, &v))
        wrong = "it is damaged";
    trace_bytes_free(&raw);
    return !wrong || damaged(f, "the index", wrong, status);
}

bool trace_file_origin(struct trace_file *f, struct status *status)
{
    struct trace_bytes raw = {0};
    const char *wrong = trace_in_block(&f->in, f->index.origin_at, TRACE_BLOCK_ORIGIN, 0, &raw);
    if (!wrong) {
        struct trace_view v = trace_view_of(raw.data, raw.size);
        f->program = trace_take_text(&v, TEXT_MOST);
        f->gpu = trace_take_text(&v, TEXT_MOST);
        f->source = trace_take_text(&v, TEXT_MOST);
        wrong = v.failed ? "it is damaged" : NULL;
    }
    trace_bytes_free(&raw);
    return !wrong || damaged(f, "its origin", wrong, status);
}

struct trace_file *trace_file_open(const char *path, struct status *status)
{
    struct trace_file *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        status_fail(status, STATUS_MEMORY, "%s: no memory to read a trace", path);
        return NULL;
    }
    f->in.fd = -1;
    pthread_mutex_init(&f->lock, NULL);
    if (open_file(f, status) && check_head(f, status))
        return f;
    trace_close(f);
    return NULL;
}

struct trace_file *trace_open(const char *path, struct status *status)
{
    struct trace_file *f = trace_file_open(path, status);
    if (f && trace_file_index(f, status) && trace_file_origin(f, status))
        return f;
    trace_close(f);
    return NULL;
}

void trace_close(struct trace_file *f)
{
    if (!f)
        return;
    if (f->in.fd >= 0)
        close(f->in.fd);
    trace_in_close(&f->in);
    trace_in_close(&f->spare);
    trace_codes_free(&f->codes);
    trace_index_free(&f->index);
    pthread_mutex_destroy(&f->lock);
    free(f->program);
    free(f->gpu);
    free(f->source);
    free(f->path);
    free(f);
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

const char *trace_path(const struct trace_file *f) { return f->path; }
const char *trace_origin_program(const struct trace_file *f) { return f->program; }
const char *trace_origin_gpu(const struct trace_file *f) { return f->gpu; }
const char *trace_origin_source(const struct trace_file *f) { return f->source; }
uint32_t trace_commands(const struct trace_file *f) { return f->index.commands; }
const struct trace_command *trace_command(const struct trace_file *f, uint32_t index)
{
    return &f->index.command[index];
}
uint32_t trace_kernels(const struct trace_file *f) { return f->index.kernels; }

void trace_summary(const struct trace_file *f, uint32_t kernel, struct trace_summary *out)
{
    const struct trace_kernel_entry *k = &f->index.kernel[kernel];
    *out = (struct trace_summary){k->name, k->ctas, k->warps, k->instructions, k->bytes, k->complete};
}

struct trace_totals trace_totals(const struct trace_file *f)
{
    struct trace_totals t = {.kernels = f->index.kernels, .bytes = f->in.size};
    for (uint32_t i = 0; i < f->index.commands; i++) {
        const struct trace_command *c = &f->index.command[i];
        t.copies += c->kind == TRACE_COPY;
        t.copied += c->kind == TRACE_COPY ? c->copy.bytes : 0;
    }
    for (uint32_t i = 0; i < f->index.kernels; i++) {
        t.instructions += f->index.kernel[i].instructions;
        t.incomplete += !f->index.kernel[i].complete;
    }
    return t;
}
