/* Commands of the engines that move data behind a warp's back: copies of tensors and bytes between device memory and
 * shared memory.
 *
 * The instruction resolves its operands and makes a command. An immediate core runs it at once. A deferred core
 * keeps it under the token of the instruction. A load takes effect as a whole when its last data have come, and so
 * does a copy between places in shared memory. A store or reduction takes effect row by row at the L2 slices, and
 * its data are read from shared memory then. The program may observe as much of this as the asynchronous proxy allows:
 * an operation happens between its issue and its completion. */
#ifndef SUBCORE_EXEC_COMMAND_H
#define SUBCORE_EXEC_COMMAND_H

#include <stdatomic.h>

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/engine/box.h"
#include "exec/inst.h"
#include "exec/warp_state.h"

struct exec_command {
    struct box box;
    struct exec_cta *cta;       /* whose warp has issued it */
    uint32_t pc, warp;          /* of its instruction, and its warp in the CTA */
    uint32_t seen;              /* number of the bytes that it reads or writes in the own CTA's memory
                                 * (exec/memory/proxy.h) */
    uint32_t source;            /* TRANSFER_SHARED: byte offset of the source in the CTA's own shared memory */
    bool used;                  /* in flight */
    _Atomic uint16_t served;    /* ranks whose CTA has its data: the command is kept for the others; */
    _Atomic uint16_t signalled; /* that have counted the bytes of their pair's other CTA */
    /* Reductions: which lines of which rows have taken effect, a bit each; kept from command to command. */
    _Atomic uint64_t *applied;
    uint32_t work[4];       /* TRANSFER_WORK: the answer of the CTA scheduler, */
    bool asks;              /* which has not come */
    uint16_t kept;          /* stores: bytes of each 16 in device memory that are left as they are, a bit each */
    bool reduces;           /* combines with the old value */
    uint8_t element;        /* reductions: bytes of an element */
    uint8_t function, type; /* enum atomic_function, enum atomic_type */
};

/* Bits of struct exec_command.applied: rows of shared memory are 16 bytes at least, and touch a line more than they
 * have. */
enum { COMMAND_LINES = 32768 };

bool command_init(struct exec_core *core, struct arena *arena, struct status *status);

void command_free(struct exec_core *core);
/* Makes room for struct exec_command.applied. Returns false if out of memory. */
bool command_applied(struct exec_command *command);

/* All commands that the core has in flight take effect now, as far as they have not, and end. Nothing else runs. */
void command_settle(struct exec_core *core);

/* Checks the bytes that the command will touch in device and in shared memory. Returns false with a fault. `what` is
 * "copy of a tensor" and the like. Shared memory has to be aligned to `grain`. */
bool command_check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                   const struct exec_command *command, uint32_t grain, const char *what);

/* Begins a command that is checked, and describes it in out->transfer. */
void command_begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                   const struct exec_command *command, struct issued *out);

#endif
