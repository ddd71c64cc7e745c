/* The part that one SM's warps share: the way to device memory, accesses in flight, the first fault. */
#ifndef SUBCORE_EXEC_CORE_H
#define SUBCORE_EXEC_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/status.h"
#include "exec/fault_report.h"
#include "exec/memory.h"

struct exec_commit;
struct exec_launch;
struct exec_pair_operation;
struct exec_remote;
struct exec_warp;

/* Text of printf, each piece with the time at which it was printed. */
struct exec_output {
    struct exec_text {
        uint64_t clock;
        char *text; /* owned */
    } * piece;
    uint32_t count, written, room;
};

/* A thread calls malloc or free. */
struct exec_request {
    struct exec_warp *warp;
    uint64_t generation; /* of the warp's storage */
    uint64_t value;      /* bytes, or the address to free */
    uint8_t lane;
    bool frees;
};

/* Takes the next cluster of the grid that has not begun, which will not begin then and counts as done: returns false if
 * there is none left, else the number of its first CTA in the order in which they begin. */
typedef bool exec_take_function(void *context, uint64_t *order);

struct exec_core {
    struct memory *memory;
    bool immediate;
    unsigned sm_id;
    uint64_t clock;                  /* the clock that CS2R and S2R read. The timed run sets it each issue */
    uint64_t clock_hz;               /* for the global timer */
    uint64_t start_ns;               /* the global timer at clock 0 */
    uint32_t timer_width;            /* clock counts of this core in a cycle of the global timer (0: 1) */
    struct status fault;             /* first fault; a core with a fault executes no more */
    struct exec_fault_report report; /* the same for programs */
    struct exec_output output;       /* text that the program has printed and no caller has written yet */
    struct exec_request *request;    /* driver functions that wait for exec_serve, deferred cores only */
    uint32_t request_count, request_room;
    struct exec_pair_operation *pair; /* exec/tensor/tensor_pair.h, deferred cores only */
    uint32_t pair_count, pair_room;
    uint32_t tensor_units;        /* of tensor memory that CTAs have, a bit each; deferred cores only */
    struct exec_pending *pending; /* [EXEC_TOKENS], deferred cores only */
    struct exec_store_log *log;   /* deferred cores only */
    struct exec_command *command; /* [EXEC_COMMANDS], deferred cores only */
    struct exec_commit *commit;   /* [EXEC_COMMITS], deferred cores only */
    struct exec_remote **remote;  /* accesses to other CTAs in flight, by token; deferred cores only, NULL: none yet */
    struct exec_work {
        exec_take_function *take; /* NULL: there is nothing left */
        void *context;
    } work;                       /* of an immediate core: where clusters that have not begun come from */
    bool asks_for_work;           /* since the last exec_serve_work; deferred cores */
    uint32_t token;               /* of the instruction that executes */
    uint64_t thread_instructions; /* lanes executed, for rates */
};

/* `accesses` is where a deferred core keeps its accesses in flight (NULL: an immediate core). */
bool exec_core_init(struct exec_core *core, struct memory *memory, struct arena *accesses, unsigned sm_id,
                    struct status *status);
void exec_core_free(struct exec_core *core);

/* Answers the requests of a deferred core for device heap memory, and lets its operations on the tensor memory of CTA
 * pairs take effect. Called for one core after the other, in an order that does not depend on threads, while none of
 * them executes. */
void exec_serve(struct exec_core *core);
/* Answers the requests that CTAs of the launch on a deferred core have asked of the CTA scheduler. Called as exec_serve
 * is. */
void exec_serve_work(struct exec_core *core, const struct exec_launch *launch, exec_take_function *take, void *context);
/* Writes the text that the cores have printed, in the order of time and then by core, and forgets it. */
void exec_write_output(struct exec_core *const *cores, uint32_t count, FILE *to);

#endif
