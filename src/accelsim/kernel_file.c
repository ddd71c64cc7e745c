#include "accelsim/kernel_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "accelsim/container_write.h"
#include "accelsim/sink.h"

struct kernel_file {
    struct sink *sink;
    struct container_writer *container; /* NULL: text */
};

const char *kernel_file_ending(enum accelsim_packing packing)
{
    static const char *const endings[] = {[ACCELSIM_PLAIN] = ".traceg",
                                          [ACCELSIM_XZ] = ".traceg.xz",
                                          [ACCELSIM_GZ] = ".traceg.gz",
                                          [ACCELSIM_TRACEZ] = ".tracez"};
    return endings[packing];
}

struct kernel_file *kernel_file_open(const char *path, enum accelsim_packing packing, struct status *status)
{
    bool contains = packing == ACCELSIM_TRACEZ;
    struct status ignored = {0};
    struct kernel_file *f = calloc(1, sizeof *f);
    if (f)
        f->sink = sink_open(path, contains ? ACCELSIM_PLAIN : packing, status);
    if (f && f->sink && contains)
        f->container = container_writer_create(f->sink);
    if (f && f->sink && (f->container || !contains))
        return f;
    if (!f || f->sink)
        status_fail(status, STATUS_MEMORY, "%.400s: no memory to write it", path);
    kernel_file_close(f, &ignored);
    return NULL;
}

void kernel_file_print(struct kernel_file *f, const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    sink_put(f->sink, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

void kernel_file_body(struct kernel_file *f, const char *format_of_lines)
{
    sink_print(f->sink, "\n#traces format = %s\n\n", format_of_lines);
    if (f->container)
        container_writer_body(f->container);
}

void kernel_file_begin_block(struct kernel_file *f, const struct kernel_file_block *b, bool clusters)
{
    if (f->container) {
        container_writer_block(f->container, b);
        return;
    }
    sink_print(f->sink, "#BEGIN_TB\n\nthread block = %u,%u,%u\n", b->block[0], b->block[1], b->block[2]);
    if (clusters)
        sink_print(f->sink, "cluster id = %u,%u,%u\ncluster cta = %u,%u,%u\ncluster rank = %u\n", b->cluster[0],
                   b->cluster[1], b->cluster[2], b->within[0], b->within[1], b->within[2], b->rank);
    sink_print(f->sink, "\n");
}

void kernel_file_begin_warp(struct kernel_file *f, uint32_t warp, uint64_t lines)
{
    if (f->container)
        container_writer_warp(f->container, lines);
    else
        sink_print(f->sink, "warp = %u\ninsts = %" PRIu64 "\n", warp, lines);
}

void kernel_file_line(struct kernel_file *f, const char *line, size_t length)
{
    if (f->container)
        container_writer_line(f->container, line, length);
    else
        sink_put(f->sink, line, length);
}

void kernel_file_end_warp(struct kernel_file *f)
{
    if (f->container)
        container_writer_end_warp(f->container);
    else
        sink_print(f->sink, "\n");
}

void kernel_file_end_block(struct kernel_file *f)
{
    if (!f->container)
        sink_print(f->sink, "#END_TB\n\n");
}

bool kernel_file_close(struct kernel_file *f, struct status *status)
{
    if (!f)
        return true;
    bool whole = !f->container || container_writer_end(f->container);
    bool ok = sink_close(f->sink, status);
    if (ok && !whole)
        ok = status_fail(status, STATUS_MEMORY, "no memory for a container of trace version 6");
    container_writer_destroy(f->container);
    free(f);
    return ok;
}
