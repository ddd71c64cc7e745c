#include "sm/execute/dispatch.h"

/* A place in the result queue is reserved at issue: with more results ahead than it has places the next instruction
 * waits until there is one. */
static void reserve_result(const struct dispatch *d, const struct code *code, uint64_t arrival, uint64_t now)
{
    uint64_t ahead = code->flags & CODE_UNIFORM_RESULT
                         ? result_queue_put(d->uniform_results, NULL, code, arrival)
                         : result_queue_put(d->results, &d->registers->write, code, arrival);
    uint32_t places = d->core->result_queue;
    if (ahead >= places) /* the next could issue at now + 1, and waits for each result that has no place */
        units_block(d->units, now + 1 + (ahead + 1 - places));
}

/* An instruction that waits in ALLOCATE for read ports holds CONTROL, and CONTROL holds issue. It comes to its unit
 * later, and the unit's latch is taken for as much longer (A100: a clock read behind IADD3 sees its wait, experiment
 * reuse-a100). The second FP32 group is left out: behind FFMA, which takes it there, a clock read sees nothing of
 * its wait (listing 1 without its last NOP). An instruction with a queue leaves CONTROL for it. */
static inline __attribute__((always_inline)) uint64_t allocate(const struct dispatch *d, uint8_t slot,
                                                               const struct code *code, bool counted, uint64_t now)
{
    uint64_t left_control;
    unsigned unit = units_choose(d->units, d->choice, code->class, now);
    uint64_t allocated = register_file_allocate(d->registers, d->core, code, slot, now, &left_control, d->n);
    uint64_t undelayed = allocated - ISSUE_TO_ALLOCATE; /* issue in this cycle would not have had to wait */
    units_hold_choice(d->units, d->choice, code->class, unit,
                      (unit == UNIT_FP32_SECOND ? now : undelayed) + code->interval);
    if (code->result_parts) /* after the read window and execution */
        reserve_result(d, code, allocated + code->result_latency + d->core->read_window, now);
    /* A counter is up before it goes down. */
    if (counted)
        retire_sources_read(d->retire, slot, code, allocated + code->window + 1);
    if (counted || (retire_observed(d->retire) && !(code->flags & CODE_ASYNC_GROUP)))
        retire_result_written(d->retire, slot, code,
                              undelayed +
                                  (code->latency > ISA_COUNTER_VISIBLE ? code->latency : ISA_COUNTER_VISIBLE + 1u));
    return left_control;
}

static void count(const struct dispatch *d, const struct code *code)
{
    d->n->pipe_inst[code->pipe]++;
    d->n->pipe_cycles[code->pipe] += code->pipe_cycles;
}

void dispatch(const struct dispatch *d, uint8_t slot, const struct code *code, uint64_t now)
{
    uint64_t left_control = now + ISSUE_TO_ALLOCATE;
    bool counted = (code->write_sb != ISA_NO_SB || code->read_sb != ISA_NO_SB) && !(code->flags & CODE_ASYNC_GROUP);
    count(d, code);
    if (code->flags & CODE_FIXED)
        left_control = allocate(d, slot, code, counted, now);
    else if (code->flags & CODE_QUEUED)
        queued_units_push(d->queues, code, slot, now);
    /* The configuration published with the paper: one cycle. */
    uint64_t bubble = code->flags & CODE_WIDE_IMAD ? d->core->wide_imad_bubble : 0;
    gate_hold_control(d->gate, left_control - 1, bubble);
}

void dispatch_plain(const struct dispatch *d, uint8_t slot, const struct code *code, uint64_t now)
{
    count(d, code);
    gate_hold_control(d->gate, allocate(d, slot, code, false, now) - 1, 0);
}
