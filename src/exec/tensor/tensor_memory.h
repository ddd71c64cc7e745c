/* Tensor memory of sm_100 (PTX ISA, "Tensor Memory"): 128 lanes of 512 columns, each cell a word of 32 bits. An address
 * has the lane in bits 31:16 and the column in bits 15:0.
 *
 * The columns belong to an SM, which hands them out in units of 32 (exec/tensor/tensor_alloc.c). A CTA has storage for
 * all of them, in which only those count that it has allocated: nothing of another CTA can be seen, and every access to
 * other columns is a fault. The storage is part of the CTA's (cta->tensor) where the kernel has an instruction that
 * allocates, and NULL otherwise. All functions that check take NULL for a CTA without columns. */
#ifndef SUBCORE_EXEC_TENSOR_TENSOR_MEMORY_H
#define SUBCORE_EXEC_TENSOR_TENSOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/warp_state.h"

enum {
    TENSOR_LANES = 128,
    TENSOR_COLUMNS = 512,
    TENSOR_UNIT = 32, /* columns that are allocated together */
    TENSOR_UNITS = TENSOR_COLUMNS / TENSOR_UNIT,
    TENSOR_ALL_UNITS = (1 << TENSOR_UNITS) - 1,
    TENSOR_TEXT = 240 /* bytes of text that describe an access */
};

/* Columns that a warp has stored to and not waited for, for the checker (exec/tensor/tensor_watch.h). */
struct tensor_stores {
    uint64_t columns[TENSOR_COLUMNS / 64];
    uint32_t pc; /* of the last store */
};

enum { TENSOR_WARPS = 32 /* of a CTA, at most */ };

struct tensor_memory {
    uint32_t cell[TENSOR_COLUMNS][TENSOR_LANES]; /* the lanes of a column lie side by side */
    uint32_t units;                              /* that the CTA has allocated, a bit each */
    uint32_t allocated_at;                       /* pc of its last allocation */
    struct tensor_stores stores[TENSOR_WARPS];
};

/* A rectangle of cells. */
struct tensor_area {
    uint32_t lane, lanes, column, columns;
};

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static inline uint32_t tensor_lane(uint32_t address) { return address >> 16; }
static inline uint32_t tensor_column(uint32_t address) { return address & 0xffff; }

static inline struct tensor_area tensor_area_at(uint32_t address, uint32_t lanes, uint32_t columns)
{
    return (struct tensor_area){tensor_lane(address), lanes, tensor_column(address), columns};
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Returns a cell. Its area has been checked. */
static inline uint32_t *tensor_memory_word(struct tensor_memory *memory, uint32_t lane, uint32_t column)
{
    return &memory->cell[column][lane];
}

/* Returns the 128 cells of a column, lane by lane. Its area has been checked. */
static inline uint32_t *tensor_memory_lanes(struct tensor_memory *memory, uint32_t column)
{
    return memory->cell[column];
}

/* ---- allocation -------------------------------------------------------------------------------------------------- */

/* Begins a CTA: it has no columns. NULL: nothing to do. */
void tensor_memory_begin(struct tensor_memory *memory);
/* Returns `count` units that are free in `taken`, a bit each: the lowest ones that begin at a multiple of `count`,
 * which is a power of two from 1 to TENSOR_UNITS. 0: there are none. */
uint32_t tensor_memory_find(uint32_t taken, uint32_t count);
/* Gives units to the CTA, which has none of them. All their cells become `fill`. */
void tensor_memory_allocate(struct tensor_memory *memory, uint32_t units, uint32_t fill);
/* Takes units from the CTA. Those that it does not have are left alone. */
void tensor_memory_release(struct tensor_memory *memory, uint32_t units);

/* ---- columns of a CTA ------------------------------------------------------------------------------------------- */

/* Returns the units that the CTA, or another one of its SM, has. */
uint32_t tensor_memory_taken(const struct exec_cta *cta);
/* Give units to the CTA in the map of its SM, too, and take them back. */
void tensor_memory_give(struct exec_cta *cta, uint32_t units, uint32_t fill);
void tensor_memory_take(struct exec_cta *cta, uint32_t units);
/* Ends a CTA: the columns that it still has go back to the SM. */
void tensor_memory_leave(struct exec_cta *cta);
/* Begins a CTA whose shared memory is zeros: writes the words that compiled code of allocations reads there. */
void tensor_memory_reserve(struct exec_cta *cta);

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Returns whether the CTA has allocated all columns of the area, and all its lanes exist. An empty area is held. */
bool tensor_memory_holds(const struct tensor_memory *memory, struct tensor_area area);
/* Writes "lanes 0-31, columns 32-63 of tensor memory: the CTA has allocated columns 0-31, 128-255". */
void tensor_memory_describe(const struct tensor_memory *memory, struct tensor_area area, char text[static TENSOR_TEXT]);
/* Returns whether the area may be accessed in the tensor memory of `cta`, which is the warp's own or that of its
 * pair. Otherwise the instruction faults with the address, the area and the allocated columns. `what` is the subject
 * of the sentence: "D". */
bool tensor_memory_check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                         const struct exec_cta *cta, struct tensor_area area, const char *what);

#endif
