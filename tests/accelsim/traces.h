/* Small traces as text, and their translation. */
#ifndef SUBCORE_TESTS_ACCELSIM_TRACES_H
#define SUBCORE_TESTS_ACCELSIM_TRACES_H

#include "tests/temporary.h"

#include <unistd.h>

#include "accelsim/accelsim.h"

#define GRID(grid, block) "-grid dim = (" grid ")\n-block dim = (" block ")\n"
#define HEAD(version, binary, dimensions)                                                                              \
    "-kernel name = k\n-kernel id = 1\n" dimensions "-shmem = 64\n-nregs = 20\n-binary version = " binary              \
    "\n-cuda stream id = 7\n-shmem base_addr = 0x00007f0000000000\n"                                                   \
    "-local mem base_addr = 0x00007f0001000000\n-nvbit version = 1.7\n-accelsim tracer version = " version "\n"
#define BODY "-enable lineinfo = 0\n\n#traces format = some\n\n"
/* Version 5, sm_80, one block of one warp. */
#define FIVE HEAD("5", "80", GRID("1,1,1", "32,1,1")) BODY
#define BLOCK(x, warps) "#BEGIN_TB\n\nthread block = " x ",0,0\n\n" warps "\n#END_TB\n\n"
#define WARP(number, count, lines) "warp = " number "\ninsts = " count "\n" lines "\n"
#define ONE_WARP(count, lines) BLOCK("0", WARP("0", count, lines))

#define EXIT "0000 ffffffff 0 EXIT 0 0 0"

/* A folder with a list of one kernel. */
struct folder {
    char path[TEMPORARY_PATH];
    char list[TEMPORARY_PATH + 32], kernel[TEMPORARY_PATH + 32], other[TEMPORARY_PATH + 32];
    char native[TEMPORARY_PATH + 32];
};

static inline void put_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static inline void put_text(const char *path, const char *text) { put_file(path, text, strlen(text)); }

static inline void make_folder(struct folder *f, const char *kernel)
{
    temporary_folder(f->path);
    snprintf(f->list, sizeof f->list, "%s/kernelslist.g", f->path);
    snprintf(f->kernel, sizeof f->kernel, "%s/kernel-1.traceg", f->path);
    snprintf(f->other, sizeof f->other, "%s/kernel-1.sass", f->path);
    snprintf(f->native, sizeof f->native, "%s/native", f->path);
    put_text(f->list, "kernel-1.traceg\n");
    if (kernel)
        put_text(f->kernel, kernel);
}

static inline void remove_folder(const struct folder *f)
{
    char path[TEMPORARY_PATH + 32];
    const char *names[] = {
        "kernel-1.traceg", "kernel-2.traceg", "kernel-1.traceg.xz", "kernel-1.traceg.gz", "kernelslist.g",
        "kernel-1.sass",   "native",          "kernel-1.tracez"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", f->path, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(f->path), 0);
}

static inline struct trace_file *open_folder(const struct folder *f, const struct accelsim_options *options,
                                             struct accelsim_report *report)
{
    struct status status = {0};
    struct accelsim_report ignored;
    struct trace_file *file =
        accelsim_open(f->list, options ? options : &ACCELSIM_DEFAULTS, report ? report : &ignored, &status);
    if (!file)
        print_message("# %s\n", status.text);
    assert_non_null(file);
    return file;
}

/* A kernel that is open, with one warp's stream. */
struct stream {
    struct trace_kernel *kernel;
    const struct trace_launch *launch;
    uint32_t count;
    struct issued issued[64];
};

static inline void read_stream(struct stream *s, struct trace_file *file, uint32_t kernel, uint64_t cta, uint32_t warp)
{
    struct status status = {0};
    s->kernel = trace_kernel_open(file, kernel, &status);
    assert_non_null(s->kernel);
    s->launch = trace_kernel_launch(s->kernel);
    struct trace_cursor *c = trace_cursor_create(s->kernel);
    assert_non_null(c);
    assert_true(trace_cursor_seek(c, cta, warp, &status));
    s->count = 0;
    while (s->count < 64 && trace_cursor_next(c, &s->issued[s->count], &status))
        s->count++;
    assert_int_equal(status.code, STATUS_OK);
    trace_cursor_destroy(c);
}

/* For a one-warp trace that needs nothing else: *file is to be closed after it. */
static inline struct trace_file *stream_of(struct stream *s, const char *kernel)
{
    struct folder f;
    make_folder(&f, kernel);
    struct trace_file *file = open_folder(&f, NULL, NULL);
    remove_folder(&f);
    read_stream(s, file, 0, 0, 0);
    return file;
}

static inline void end_stream(struct stream *s, struct trace_file *file)
{
    trace_kernel_close(s->kernel);
    trace_close(file);
}

/* Returns the instruction at a pc, as the disassembler prints it, until the next call. */
static inline const char *text_at(const struct stream *s, uint32_t pc)
{
    static _Thread_local char text[ISA_TEXT];
    isa_print(&s->launch->code[pc / 16].isa, text);
    return text;
}

/* The message of a trace that cannot be read; "" when it can. */
static inline const char *message_of(const char *kernel, struct status *status)
{
    struct folder f;
    struct accelsim_report report;
    make_folder(&f, kernel);
    *status = (struct status){0};
    struct trace_file *file = accelsim_open(f.list, &ACCELSIM_DEFAULTS, &report, status);
    if (file)
        trace_close(file);
    remove_folder(&f);
    return status->text;
}

#endif
