/* The instructions of a kernel's streams. No stream is decoded for them. */
#include "trace/kernel.h"

uint64_t trace_kernel_instructions(const struct trace_kernel *kernel, uint64_t cta, uint32_t warp)
{
    struct trace_piece piece = {0};
    struct status ignored = {0};
    uint64_t sum = 0;
    uint32_t frame = 0;
    for (uint32_t part = 0; !piece.last; part++) {
        if (!trace_kernel_piece(trace_kernel_of(kernel), cta, warp, part, &frame, &piece, NULL, &ignored))
            return 0;
        sum += piece.instructions;
    }
    return sum;
}

static bool is_cached(const struct trace_kernel *k, uint32_t number)
{
    bool found = false;
    for (unsigned i = 0; i < TRACE_CACHED; i++)
        found = found || k->cached[i].frame == number + 1;
    return found;
}

/* Returns the warp instructions of a frame whose pieces all count; 0 if it is damaged. Of an index that has none. */
static uint64_t instructions_of_all(struct trace_kernel *k, uint32_t number)
{
    const struct trace_frame_entry *e = &k->frames.frame[number];
    struct trace_bytes raw = {0};
    uint64_t sum = 0;
    bool good = !trace_in_block(&k->in, e->at, TRACE_BLOCK_FRAME, k->number, &raw) && trace_frame_count(&raw, e, &sum);
    trace_bytes_free(&raw);
    return good ? sum : 0;
}

/* The same of the pieces for these CTAs. */
static uint64_t instructions_of_frame(struct trace_kernel *k, uint32_t number, uint64_t first, uint64_t last)
{
    const struct trace_frame_entry *e = &k->frames.frame[number];
    const struct trace_frame *frame;
    uint64_t sum = 0;
    bool all = e->first_cta >= first && e->last_cta <= last;
    if (all && k->frames.counted)
        return e->instructions;
    if (all && !is_cached(k, number))
        return instructions_of_all(k, number);
    if (e->last_cta < first || trace_kernel_frame(k, number, &frame))
        return 0;
    for (uint32_t i = trace_frame_lower(frame, first); i < frame->pieces && frame->piece[i].cta <= last; i++)
        sum += frame->piece[i].instructions;
    return sum;
}

uint64_t trace_kernel_instructions_of(const struct trace_kernel *kernel, uint64_t first, uint64_t last)
{
    struct trace_kernel *k = trace_kernel_of(kernel);
    uint64_t sum = 0;
    pthread_mutex_lock(&k->lock);
    for (uint32_t i = trace_kernel_frames_until(k, last); i > 0 && k->last_cta[i - 1] >= first; i--)
        sum += instructions_of_frame(k, k->order[i - 1], first, last);
    pthread_mutex_unlock(&k->lock);
    return sum;
}
