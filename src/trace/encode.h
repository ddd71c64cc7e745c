/* Codes the stream of one warp. */
#ifndef SUBCORE_TRACE_ENCODE_H
#define SUBCORE_TRACE_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/pattern.h"
#include "trace/predict.h"

struct trace_encoder {
    struct trace_coder *coder;
    struct trace_predictor state;
    struct trace_bytes out;
    uint64_t run;          /* instructions since the last one that came otherwise */
    uint64_t instructions; /* in `out` */
    /* The instruction whose successor is not known yet. */
    bool pending, otherwise; /* otherwise: its flags are at `flags`, in out */
    size_t flags;
    struct trace_outcome outcome; /* but next and path */
};

bool trace_encoder_init(struct trace_encoder *e, struct trace_coder *coder);
void trace_encoder_free(struct trace_encoder *e);
/* `out` becomes empty, the warp begins at this pc / 16 with these lanes. */
void trace_encoder_start(struct trace_encoder *e, uint32_t pc, uint32_t path);
/* Ends the pending instruction: the warp continues at this pc / 16. Then `out` may be cut here. */
void trace_encoder_settle(struct trace_encoder *e, uint32_t next, uint32_t path);
/* The fields of an instruction beside its addresses. */
enum trace_extra {
    TRACE_EXTRA_NONE,
    TRACE_EXTRA_SHARED,  /* addresses in shared memory */
    TRACE_EXTRA_OPERAND, /* operands for barrier objects */
    TRACE_EXTRA_TRANSFER
};
/* Ends the pending instruction and takes the one behind it, at this pc / 16 with these lanes. The caller knows that
 * both are plain (trace/predict.h). Returns false, and does nothing, if the predictor expects another outcome. */
static inline bool trace_encoder_go_on(struct trace_encoder *e, uint32_t pc, uint32_t path)
{
    const struct trace_dictionary *d = &e->coder->dictionary;
    bool expected = e->pending && !e->otherwise && pc == e->state.pc + 1 && path == e->state.path;
    if (!expected || trace_place(&d->flow, pc - 1) || trace_place(&d->flow, pc) || trace_place(&d->access, pc * 2))
        return false;
    e->run++;
    e->instructions++;
    e->state.pc = pc;
    return true;
}
/* The same of `count` instructions at consecutive pcs, all of them plain. */
static inline bool trace_encoder_go_far(struct trace_encoder *e, uint32_t pc, uint32_t count, uint32_t path)
{
    const struct trace_dictionary *d = &e->coder->dictionary;
    bool expected = e->pending && !e->otherwise && pc == e->state.pc + 1 && path == e->state.path;
    for (uint32_t i = 0; expected && i < count; i++)
        expected = !trace_place(&d->flow, pc + i - 1) && !trace_place(&d->access, (pc + i) * 2);
    if (!expected || trace_place(&d->flow, pc + count - 1))
        return false;
    e->run += count;
    e->instructions += count;
    e->state.pc = pc + count - 1;
    return true;
}
/* Returns whether the instruction accesses nothing, with all its lanes, and has no state of which it could be the first
 * to differ. */
static inline bool trace_encoder_is_plain(const struct trace_encoder *e, const struct issued *is)
{
    const struct trace_dictionary *d = &e->coder->dictionary;
    uint32_t pc = e->state.pc;
    return is->space == ISA_SPACE_NONE && is->active == is->path && !is->sleep && !is->values &&
           !trace_place(&d->flow, pc) && !trace_place(&d->access, pc * 2);
}
/* The next instruction, after settle. */
void trace_encoder_add(struct trace_encoder *e, const struct issued *issued, enum trace_extra extra);
/* The pending instruction is the stream's last one. */
void trace_encoder_end(struct trace_encoder *e);
void trace_encoder_cut(struct trace_encoder *e); /* after `out` was taken away */

#endif
