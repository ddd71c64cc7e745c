/* Paths of a warp: how threads part, wait for each other, and meet again, and which path executes.
 *
 * A path runs until it ends, waits, gives way (YIELD) or has jumped backwards often. Then the path with the lowest
 * pc goes on, or the next in turn. Threads that wait at a convergence barrier are let go when nothing else could
 * move them: the rest of the warp waits too, or goes round in a loop whose registers do not change (a thread that
 * has taken a lock may wait there for threads that want the lock). */
#ifndef SUBCORE_EXEC_WARP_H
#define SUBCORE_EXEC_WARP_H

#include "exec/core.h"
#include "exec/inst.h"
#include "exec/warp_state.h"

enum warp_choice {
    WARP_STAY, /* the current path continues if it can */
    WARP_LOWEST,
    WARP_NEXT /* another one, if there is one that can go on */
};

/* All threads of `launched` at pc 0 with registers, predicates and barriers cleared. */
void warp_start(struct exec_warp *warp, uint32_t launched);

static inline struct exec_path *warp_current(struct exec_warp *warp) { return &warp->path[warp->current]; }

/* Makes `lanes` of the current path (not 0) their own path. The current path itself when they are all of it. */
struct exec_path *warp_part(struct exec_warp *warp, uint32_t lanes);

/* The lanes of the current path (not 0) are no more. */
void warp_exit(struct exec_warp *warp, uint32_t lanes);

/* The lanes leave convergence barrier `number`: no lane waits for them there. */
void warp_leave_barrier(struct exec_warp *warp, unsigned number, uint32_t lanes);

/* Releases lanes that have waited long enough, picks the path that executes next and says in `out` where the warp
 * goes on. Called after everything that changes paths. */
void warp_schedule(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                   enum warp_choice choice, struct issued *out);

/* Picks the path that executes next after paths have become ready again. */
void warp_resume(struct exec_warp *warp);

/* A jump backwards of the current path: counts it, and tells whether another path should have its turn. */
enum warp_choice warp_backward(struct exec_warp *warp, uint32_t pc, enum warp_choice choice);

/* Returns a digest of its registers and predicates. */
uint64_t warp_registers(const struct exec_warp *warp);

/* The warp continues at the current path. */
static inline void warp_continue(const struct exec_warp *warp, struct issued *out)
{
    out->next_pc = warp->path[warp->current].pc;
    out->flow = out->next_pc == out->pc + 16 ? ISSUED_NEXT : ISSUED_JUMP;
}

#endif
