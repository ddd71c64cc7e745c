/* Arbitrary bytes are read as a trace. Bytes that begin like a trace are read as a whole file, after its checksums were
 * made right. Other bytes are five parts with their lengths: a dictionary and a frame that uses it, a launch, a
 * kernel's index, and a file's. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "trace/block.h"
#include "trace/decode.h"
#include "trace/frame.h"
#include "trace/index.h"
#include "trace/metadata.h"
#include "trace/verify.h"

enum { CODE = 64, INSTRUCTIONS = 3000, STREAMS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static struct trace_view part(struct trace_view *v)
{
    size_t size = (size_t)trace_take_fixed(v, 2), left = trace_left(v);
    size = size < left ? size : left;
    return trace_view_of(trace_take(v, size), size);
}

static void decode_pieces(const struct trace_dictionary *dictionary, const struct trace_frame *frame)
{
    struct trace_decoder decoder;
    struct issued is;
    if (!trace_decoder_init(&decoder, dictionary, CODE))
        return;
    for (uint32_t i = 0; i < frame->pieces; i++) {
        const struct trace_piece *p = &frame->piece[i];
        uint64_t left = p->instructions < INSTRUCTIONS ? p->instructions : INSTRUCTIONS;
        assert(trace_frame_find(frame, p->cta, p->warp, p->part));
        trace_decoder_start(&decoder, p->pc, p->path);
        trace_decoder_feed(&decoder, frame->data.data + p->at, p->bytes);
        while (left && !trace_decoder_next(&decoder, &is, NULL)) {
            assert(is.pc < CODE * 16 && is.space <= ISA_SPACE_CLUSTER && is.flow <= ISSUED_AT_BARRIER);
            left--;
        }
    }
    trace_decoder_free(&decoder);
}

static void read_parts(struct trace_view v)
{
    struct trace_view dictionary_part = part(&v), frame_part = part(&v), launch_part = part(&v);
    struct trace_view frames_part = part(&v), index_part = part(&v);
    struct trace_dictionary dictionary;
    struct trace_frame frame;
    struct trace_bytes raw = {0};
    struct trace_launch launch;
    struct trace_frames frames = {0};
    struct trace_index index = {0};
    if (!trace_dictionary_init(&dictionary))
        return;
    trace_dictionary_take(&dictionary, &dictionary_part);
    trace_put(&raw, frame_part.at, trace_left(&frame_part));
    if (trace_frame_take(&frame, &raw)) {
        decode_pieces(&dictionary, &frame);
        trace_frame_free(&frame);
    }
    trace_bytes_free(&raw);
    trace_dictionary_free(&dictionary);
    if (trace_metadata_take(&launch, &launch_part)) {
        bool code = trace_metadata_take_code(&launch.code, &launch.code_count, &launch_part);
        const char *wrong = trace_launch_wrong(&launch, true);
        assert(!wrong || wrong[0]);
        assert(!code || launch.code);
        trace_launch_free(&launch);
    }
    for (unsigned counted = 0; counted < 2; counted++) {
        struct trace_view again = frames_part;
        trace_frames_take(&frames, &again, counted);
        trace_frames_free(&frames);
    }
    trace_index_take(&index, &index_part);
    trace_index_free(&index);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void put(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* Places and checksums of blocks, and the tail. */
static void repair(uint8_t *data, size_t size)
{
    size_t at = TRACE_HEAD_BYTES;
    while (at + TRACE_BLOCK_BYTES + TRACE_TAIL_BYTES <= size) {
        struct trace_view v = trace_view_of(data + at + 8, 4);
        size_t stored = (size_t)trace_take_fixed(&v, 4), room = size - at - TRACE_BLOCK_BYTES;
        if (stored > room)
            break;
        put(data + at + 16, at);
        put(data + at + 24, trace_block_checksum(data + at, data + at + TRACE_BLOCK_BYTES, stored));
        at += TRACE_BLOCK_BYTES + stored;
    }
    if (size < TRACE_HEAD_BYTES + TRACE_TAIL_BYTES)
        return;
    uint8_t *tail = data + size - TRACE_TAIL_BYTES;
    put(tail + 16, size);
    put(tail + 24, hash_bytes(HASH_SEED, tail, 24));
}

static void read_streams(struct trace_kernel *kernel)
{
    const struct trace_launch *launch = trace_kernel_launch(kernel);
    struct trace_cursor *cursor = trace_cursor_create(kernel);
    uint64_t ctas = trace_launch_ctas(launch), warps = trace_launch_warps(launch);
    for (uint64_t i = 0; cursor && i < ctas * warps && i < STREAMS; i++) {
        struct status status = {0};
        struct issued is;
        unsigned left = INSTRUCTIONS;
        bool more = trace_cursor_seek(cursor, i / warps, (uint32_t)(i % warps), &status);
        while (more && left-- && trace_cursor_next(cursor, &is, &status))
            assert(is.pc / 16 < launch->code_count);
        assert(more || status.text[0]);
    }
    trace_cursor_destroy(cursor);
}

static void read_file(const char *path, struct trace_file *(*open)(const char *, struct status *))
{
    struct status status = {0};
    struct trace_file *file = open(path, &status);
    assert(file ? status.code == STATUS_OK : status.text[0] != '\0');
    for (uint32_t i = 0; file && i < trace_kernels(file) && i < 8; i++) {
        struct status why = {0};
        struct trace_kernel *kernel = trace_kernel_open(file, i, &why);
        assert(kernel || why.text[0]);
        if (kernel)
            read_streams(kernel);
        trace_kernel_close(kernel);
    }
    for (uint32_t i = 0; file && i < trace_commands(file); i++)
        assert(trace_command(file, i)->kind == TRACE_COPY || trace_command(file, i)->kernel < trace_kernels(file));
    trace_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8 || memcmp(data, TRACE_MAGIC, 8) != 0) {
        read_parts(trace_view_of(data, size));
        return 0;
    }
    char path[64];
    uint8_t *copy = malloc(size);
    int fd = memfd_create("trace", MFD_CLOEXEC);
    if (copy && fd >= 0) {
        memcpy(copy, data, size);
        repair(copy, size);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (write(fd, copy, size) == (ssize_t)size) {
            read_file(path, trace_open);
            read_file(path, trace_open_rest);
        }
    }
    if (fd >= 0)
        close(fd);
    free(copy);
    return 0;
}
