/* Operands of texture and surface instructions: the handle, and the words of a lane in their order. */
#ifndef SUBCORE_EXEC_TEXTURE_OPERANDS_H
#define SUBCORE_EXEC_TEXTURE_OPERANDS_H

#include "exec/executors.h"
#include "exec/memory/textures.h"

/* The register rows of an instruction. A row that it does not have is NULL. */
struct texture_operands {
    unsigned coordinates;      /* without the layer */
    const uint32_t *at[3];     /* coordinates */
    const uint32_t *layer;     /* of an array */
    const uint32_t *level;     /* .LL, or the bias of .LB */
    const uint32_t *offset;    /* .AOFFI */
    unsigned offset_shift;     /* its first bit in the word, */
    unsigned offset_bits;      /* the bits of each dimension, */
    unsigned offset_step;      /* and from one dimension to the next */
    const uint32_t *handle;    /* .B (NULL: the same for the warp, in `common`) */
    const uint32_t *change[6]; /* of TXD: of each coordinate along x, then along y */
    uint32_t common;
    bool biased; /* level is a bias */
};

/* Finds the operands. Refuses forms that are not simulated, and returns false. */
bool texture_operands_find(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                           struct texture_operands *out);

/* Returns the texel offset of a lane in a dimension. */
int32_t texture_operands_offset(const struct texture_operands *o, unsigned lane, unsigned dimension);

/* Returns the handle of a lane in a surface instruction in *row, or the same for all in *common. */
bool surface_operands_handle(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             const uint32_t **row, uint32_t *common);

/* Returns the object of a handle. Reports a fault and returns NULL if there is none, or one of the other kind. */
const struct texture *texture_operands_object(struct exec_core *core, struct exec_warp *warp,
                                              const struct exec_inst *inst, unsigned lane, uint32_t handle,
                                              bool surface);

#endif
