#include "cubin/cubin.h"

/* Read off code that ptxas 13.0 wrote: each offset is the one from which code for that architecture loads the value. On
 * sm_100 and later some are relative to a record that SR_CgaSize selects. These are record 0. */
/* Read off code that NVRTC 12.9 wrote. The windows have an upper word each, at 0x100 and 0x104. */
static const struct cubin_abi abi_60 = {.block_dim = 0x8,
                                        .grid_dim = 0x14,
                                        .shared_window = 0x0,
                                        .local_window = 0x4,
                                        .shared_window_upper = 0x100,
                                        .local_window_upper = 0x104,
                                        .stack_top = 0x20,
                                        .constants = 0xd0,
                                        .dynamic_shared = 0xfc,
                                        .grid_id = 0x28,
                                        .grid_workspace = CUBIN_NO_SLOT,
                                        .sm_count = CUBIN_NO_SLOT, /* part of SR_VIRTCFG */
                                        .reserved_shared = CUBIN_NO_SLOT,
                                        .total_shared = CUBIN_NO_SLOT,
                                        .parameter_window = CUBIN_NO_SLOT,
                                        .bank_window = CUBIN_NO_SLOT,
                                        .descriptor = CUBIN_NO_SLOT,
                                        .cluster_explicit = CUBIN_NO_SLOT,
                                        .cluster_shape = CUBIN_NO_SLOT,
                                        .cluster_inverse = CUBIN_NO_SLOT,
                                        .cluster_grid = CUBIN_NO_SLOT,
                                        .cluster_ctas = CUBIN_NO_SLOT,
                                        .textures = 0xb0,
                                        .surfaces = 0xc0,
                                        .parameters = 0x140};

static const struct cubin_abi abi_75 = {.block_dim = 0x0,
                                        .grid_dim = 0xc,
                                        .shared_window = 0x18,
                                        .local_window = 0x20,
                                        .stack_top = 0x28,
                                        .constants = 0x50,
                                        .dynamic_shared = 0x2c,
                                        .grid_id = 0x30,
                                        .grid_workspace = 0x8c,
                                        .sm_count = 0x10c,
                                        .reserved_shared = 0x114,
                                        .total_shared = CUBIN_NO_SLOT,
                                        .parameter_window = CUBIN_NO_SLOT,
                                        .bank_window = 0x40,
                                        .descriptor = CUBIN_NO_SLOT,
                                        .cluster_explicit = CUBIN_NO_SLOT,
                                        .cluster_shape = CUBIN_NO_SLOT,
                                        .cluster_inverse = CUBIN_NO_SLOT,
                                        .cluster_grid = CUBIN_NO_SLOT,
                                        .cluster_ctas = CUBIN_NO_SLOT,
                                        .textures = 0x70,
                                        .surfaces = 0x80,
                                        .parameters = 0x160};

static const struct cubin_abi abi_80 = {.block_dim = 0x0,
                                        .grid_dim = 0xc,
                                        .shared_window = 0x18,
                                        .local_window = 0x20,
                                        .stack_top = 0x28,
                                        .constants = 0x50,
                                        .dynamic_shared = 0x2c,
                                        .grid_id = 0x30,
                                        .grid_workspace = 0x8c,
                                        .sm_count = 0x10c,
                                        .reserved_shared = 0x114,
                                        .total_shared = CUBIN_NO_SLOT,
                                        .parameter_window = CUBIN_NO_SLOT,
                                        .bank_window = 0x40,
                                        .descriptor = 0x118,
                                        .cluster_explicit = CUBIN_NO_SLOT,
                                        .cluster_shape = CUBIN_NO_SLOT,
                                        .cluster_inverse = CUBIN_NO_SLOT,
                                        .cluster_grid = CUBIN_NO_SLOT,
                                        .cluster_ctas = CUBIN_NO_SLOT,
                                        .textures = 0x70,
                                        .surfaces = 0x80,
                                        .parameters = 0x160};

static const struct cubin_abi abi_90 = {.block_dim = 0x0,
                                        .grid_dim = 0xc,
                                        .shared_window = CUBIN_NO_SLOT,
                                        .local_window = 0x20,
                                        .stack_top = 0x28,
                                        .constants = 0xd0,
                                        .dynamic_shared = 0x2c,
                                        .grid_id = 0x30,
                                        .grid_workspace = 0x44,
                                        .sm_count = 0x10c,
                                        .reserved_shared = 0x114,
                                        .total_shared = 0x13c,
                                        .parameter_window = 0x198,
                                        .bank_window = CUBIN_NO_SLOT,
                                        .descriptor = 0x208,
                                        .cluster_explicit = 0x140,
                                        .cluster_shape = 0x144,
                                        .cluster_inverse = 0x150,
                                        .cluster_grid = 0x15c,
                                        .cluster_ctas = 0x188,
                                        .textures = 0xf0,
                                        .surfaces = 0x100,
                                        .parameters = 0x210};

static const struct cubin_abi abi_100 = {.block_dim = 0x360,
                                         .grid_dim = 0x370,
                                         .shared_window = CUBIN_NO_SLOT,
                                         .local_window = 0x2f8,
                                         .stack_top = 0x37c,
                                         .constants = 0x120,
                                         .dynamic_shared = 0x2ac,
                                         .grid_id = 0x140,
                                         .grid_workspace = 0x254,
                                         .sm_count = 0x2d0,
                                         .reserved_shared = 0x16c,
                                         .total_shared = 0x2bc,
                                         .parameter_window = 0x348,
                                         .bank_window = CUBIN_NO_SLOT,
                                         .descriptor = 0x358,
                                         .cluster_explicit = 0x36c,
                                         .cluster_shape = 0x2a0,
                                         .cluster_inverse = 0x2b0,
                                         .cluster_grid = 0x2c0,
                                         .cluster_ctas = 0x2cc,
                                         .textures = 0x150,
                                         .surfaces = 0x160,
                                         .parameters = 0x380};

const struct cubin_abi *cubin_abi(unsigned sm)
{
    switch (sm) {
    case 60:
    case 61:
    case 62: return &abi_60;
    case 70:
    case 72:
    case 75: return &abi_75;
    case 80:
    case 86:
    case 87:
    case 89: return &abi_80;
    case 90: return &abi_90;
    case 100:
    case 101:
    case 103:
    case 110:
    case 120:
    case 121: return &abi_100;
    default: return NULL;
    }
}
