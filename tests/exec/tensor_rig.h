/* Runs the kernels of tensors.cu: a copy by the engine, its result in shared memory, and a plain model of both. */
#ifndef SUBCORE_TESTS_EXEC_TENSOR_RIG_H
#define SUBCORE_TESTS_EXEC_TENSOR_RIG_H

#include "exec/engine/tensor_map.h"
#include "exec/module.h"
#include "exec/run.h"
#include "tests/unit.h"

enum { TENSOR_BYTES = 1 << 20, TILE_BYTES = 65536, TENSOR_SHARED = TILE_BYTES + 2048, UNTOUCHED = 0xcc };

/* As struct task of tensors.cu. */
struct tensor_task {
    uint64_t out, in, global;
    int32_t at[TENSOR_RANK];
    uint16_t offset[TENSOR_SPATIAL], mask;
    uint32_t bytes, room, shared;
};

struct tensor_rig {
    struct memory *memory;
    struct exec_module *module;
    struct exec_module own; /* of a rig without a GPU */
    /* Runs a kernel with 64 threads and these parameters (NULL: executes it on immediate cores). */
    bool (*run)(struct tensor_rig *r, const char *kernel, const void *parameters, size_t bytes);
    void *runner;
    struct tensor_map map;
    bool gathers; /* the four rows task.at[1..4] of a tensor with rank 2 */
    struct tensor_task task;
    uint64_t tensor; /* device address of TENSOR_BYTES, with as many around it */
    uint8_t *host;   /* the same here */
    uint8_t *before; /* [TENSOR_BYTES], the same before the kernel */
    uint8_t *in;     /* [TILE_BYTES], shared memory before a store */
    uint8_t *out;    /* [TILE_BYTES + 8], shared memory after a load, and the barrier object behind task.room */
    uint8_t tile[TILE_BYTES]; /* the model of shared memory */
    uint64_t random;
    struct status status;
    struct exec_totals totals;
};

/* Makes memory and loads the kernels: those of tensors.cu, or of a file in tests/exec/cubin. */
void tensor_rig_begin(struct tensor_rig *r, uint64_t seed);
void tensor_rig_load(struct tensor_rig *r, uint64_t seed, const char *cubin);
void tensor_rig_end(struct tensor_rig *r);
/* The same in memory that is there, with the kernels loaded. */
void tensor_rig_enter(struct tensor_rig *r, uint64_t seed, struct memory *memory, struct exec_module *module);
uint32_t tensor_draw(struct tensor_rig *r, uint32_t limit);

/* Fills the tensor's memory with random bytes, and keeps them in `before`. */
void tensor_fill(struct tensor_rig *r);
/* Launches a kernel; with the map in front of the task or without. Returns false on a fault. */
bool tensor_launch(struct tensor_rig *r, const char *kernel, bool with_map);

/* Where a byte of the linear layout lies under a swizzle, by the tables of the PTX ISA. */
uint32_t tensor_swizzled(enum swizzle mode, uint32_t address);

/* The plain model of a box or a column: calls `each` for all of its elements in shared memory, in any order, with the
 * device address, 0 for one outside of the tensor, and the linear offset in shared memory. Elements of 4 and 6 bits
 * come by units. Returns the bytes that are counted. */
uint32_t tensor_model(const struct tensor_rig *r, void (*each)(void *self, uint64_t address, uint32_t offset),
                      void *self);
/* Random maps that the rules allow and whose tensor lies in the rig's memory. */
void tensor_random_tile(struct tensor_rig *r, unsigned rank, unsigned type_limit);
void tensor_random_column(struct tensor_rig *r, unsigned rank);
void tensor_random_wide(struct tensor_rig *r, unsigned rank, unsigned wide);
void tensor_random_gather(struct tensor_rig *r, unsigned type_limit);

/* Bytes of an element or unit. */
unsigned tensor_global_bytes(const struct tensor_rig *r);
unsigned tensor_shared_bytes(const struct tensor_rig *r);

#endif
