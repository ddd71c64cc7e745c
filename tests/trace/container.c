#include "container.h"

#include "base/hash.h"
#include "trace/block.h"

static uint64_t put_block(struct trace_out *out, uint32_t kind, const struct trace_bytes *raw)
{
    return trace_out_block(out, kind, 0, TRACE_EFFORT_LITTLE, raw).at;
}

static uint64_t put_frames(struct trace_out *out, const struct container *c)
{
    struct trace_bytes raw = {0};
    struct trace_frame_entry entry = c->entry;
    struct trace_frames frames = {0};
    if (!trace_frames_add_dictionary(&frames, put_block(out, TRACE_BLOCK_DICTIONARY, &c->dictionary)))
        out->error = 1;
    entry.at = put_block(out, TRACE_BLOCK_FRAME, &c->frame);
    if (!trace_frames_add(&frames, &entry))
        out->error = 1;
    frames.kernel_at = put_block(out, TRACE_BLOCK_KERNEL, &c->launch);
    trace_frames_put(&frames, &raw);
    uint64_t at = put_block(out, TRACE_BLOCK_FRAMES, &raw);
    trace_frames_free(&frames);
    trace_bytes_free(&raw);
    return at;
}

static void put_tail(struct trace_out *out, uint64_t index_at)
{
    const uint8_t magic[8] = TRACE_TAIL_MAGIC;
    struct trace_bytes tail = {0};
    trace_put(&tail, magic, sizeof magic);
    trace_put_fixed(&tail, index_at, 8);
    trace_put_fixed(&tail, out->at + TRACE_TAIL_BYTES, 8);
    if (!tail.failed)
        trace_put_fixed(&tail, hash_bytes(HASH_SEED, tail.data, tail.size), 8);
    trace_out_write(out, tail.data, tail.size);
    trace_bytes_free(&tail);
}

bool container_write(int fd, const struct container *c)
{
    uint8_t head[TRACE_HEAD_BYTES] = TRACE_MAGIC;
    struct trace_out out;
    struct trace_bytes raw = {0};
    struct trace_command launch = {.kind = TRACE_LAUNCH};
    struct trace_kernel_entry kernel = c->kernel;
    if (!trace_out_open(&out, fd))
        return false;
    head[8] = TRACE_VERSION;
    trace_out_write(&out, head, sizeof head);
    for (unsigned i = 0; i < 3; i++)
        trace_put_text(&raw, NULL);
    uint64_t origin_at = put_block(&out, TRACE_BLOCK_ORIGIN, &raw);
    kernel.frames_at = put_frames(&out, c);
    const struct trace_index index = {
        .kernel = &kernel, .kernels = 1, .command = &launch, .commands = 1, .origin_at = origin_at};
    raw.size = 0;
    trace_index_put(&index, &raw);
    put_tail(&out, put_block(&out, TRACE_BLOCK_INDEX, &raw));
    bool ok = !out.error && !raw.failed;
    trace_bytes_free(&raw);
    trace_out_close(&out);
    return ok;
}
