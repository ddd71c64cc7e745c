/* Where the barrier objects of an instruction's lanes are. */
#ifndef SUBCORE_EXEC_SYNCS_PLACE_H
#define SUBCORE_EXEC_SYNCS_PLACE_H

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

struct syncs_places {
    uint32_t address[EXEC_LANES];     /* rank and offset */
    struct exec_cta *cta[EXEC_LANES]; /* NULL: on another SM of a timed run */
    uint32_t remote;                  /* lanes whose object is another CTA's */
};

/* Resolves the addresses; puts the offsets into out->address. Returns false, with a fault, if a lane has no object. */
bool syncs_find(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                struct issued *out, struct syncs_places *at);
/* The same for instructions that know objects of their own CTA only: compiled code has no others. */
bool syncs_find_own(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                    struct issued *out, struct syncs_places *at);

#endif
