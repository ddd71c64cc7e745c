/* Reads a file without its index: block after block. */
#include <inttypes.h>
#include <stdlib.h>

#include "trace/kernel.h"
#include "trace/metadata.h"

struct scan {
    struct trace_file *file;
    uint64_t kernel_begins, ctas, warps, instructions; /* of the kernel whose frames come */
};

static void count_frame(struct scan *s, const struct trace_block *block)
{
    struct trace_bytes raw = {0};
    struct trace_frame frame;
    if (!trace_in_block(&s->file->in, block->at, TRACE_BLOCK_FRAME, block->kernel, &raw) &&
        trace_frame_take(&frame, &raw)) {
        for (uint32_t i = 0; i < frame.pieces; i++) {
            s->ctas += frame.piece[i].last && frame.piece[i].warp == 0;
            s->warps += frame.piece[i].last;
            s->instructions += frame.piece[i].instructions;
        }
        trace_frame_free(&frame);
    }
    trace_bytes_free(&raw);
}

/* The kernel's own index stands behind all that belongs to it. */
static bool add_kernel(struct scan *s, const struct trace_block *block)
{
    struct trace_kernel_entry *k = trace_index_add_kernel(&s->file->index);
    struct trace_command *command = trace_index_add_command(&s->file->index);
    if (!k || !command || !(k->name = strdup("?")))
        return false;
    command->kernel = s->file->index.kernels - 1;
    k->frames_at = block->at;
    k->ctas = s->ctas;
    k->warps = s->warps;
    k->instructions = s->instructions;
    k->bytes = block->at + TRACE_BLOCK_BYTES + block->stored - s->kernel_begins;
    return true;
}

/* Name, and whether the grid is complete, from the launch. */
static void describe_kernels(struct trace_file *f)
{
    for (uint32_t i = 0; i < f->index.kernels; i++) {
        struct status ignored = {0};
        struct trace_kernel_entry *entry = &f->index.kernel[i];
        struct trace_kernel *kernel = trace_kernel_open(f, i, &ignored);
        char *name = kernel ? strdup(kernel->launch.name) : NULL;
        if (name) {
            free(entry->name);
            entry->name = name;
        }
        entry->complete = kernel && entry->warps == trace_launch_ctas(&kernel->launch) * kernel->warps;
        trace_kernel_close(kernel);
    }
}

/* False: no memory. */
static bool scan_blocks(struct trace_file *f)
{
    struct scan s = {.file = f, .kernel_begins = TRACE_HEAD_BYTES};
    struct trace_block block;
    for (uint64_t at = TRACE_HEAD_BYTES; !trace_in_head(&f->in, at, &block); at += TRACE_BLOCK_BYTES + block.stored) {
        if (block.kind == TRACE_BLOCK_ORIGIN)
            f->index.origin_at = at;
        else if (block.kind == TRACE_BLOCK_FRAME)
            count_frame(&s, &block);
        else if (block.kind == TRACE_BLOCK_FRAMES && block.kernel == f->index.kernels && !add_kernel(&s, &block))
            return false;
        if (block.kind == TRACE_BLOCK_FRAMES || block.kind == TRACE_BLOCK_ORIGIN)
            s = (struct scan){.file = f, .kernel_begins = at + TRACE_BLOCK_BYTES + block.stored};
    }
    return true;
}

/* Reads the index if it is whole, else the blocks. False: no memory. */
static bool find_kernels(struct trace_file *f)
{
    struct status ignored = {0};
    if (trace_file_index(f, &ignored))
        return true;
    trace_index_free(&f->index);
    if (!scan_blocks(f))
        return false;
    describe_kernels(f);
    return true;
}

/* A damaged origin says nothing. False: no memory. */
static bool find_origin(struct trace_file *f)
{
    struct status ignored = {0};
    if (trace_file_origin(f, &ignored))
        return true;
    char **const texts[] = {&f->program, &f->gpu, &f->source};
    for (unsigned i = 0; i < 3; i++) {
        free(*texts[i]);
        if (!(*texts[i] = strdup("")))
            return false;
    }
    return true;
}

struct trace_file *trace_open_rest(const char *path, struct status *status)
{
    struct trace_file *f = trace_file_open(path, status);
    if (f && find_kernels(f) && find_origin(f))
        return f;
    if (f)
        status_fail(status, STATUS_MEMORY, "%s: no memory to read a trace", path);
    trace_close(f);
    return NULL;
}
