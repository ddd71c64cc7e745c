/* Addresses of memory operands, and the checks that every access passes before it touches anything. */
#ifndef SUBCORE_EXEC_ACCESS_H
#define SUBCORE_EXEC_ACCESS_H

#include "exec/core.h"
#include "exec/fault_report.h"
#include "exec/inst.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

/* Bytes a lane accesses, of the SIZE modifier. */
static inline unsigned access_bytes(const struct isa_inst *isa)
{
    static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[isa->mod[ISA_MOD_SIZE] & 7];
}

static inline bool access_signed(const struct isa_inst *isa)
{
    return isa->mod[ISA_MOD_SIZE] == ISA_SIZE_S8 || isa->mod[ISA_MOD_SIZE] == ISA_SIZE_S16;
}

/* Global addresses of all 32 lanes. */
void access_global_addresses(const struct exec_warp *warp, const struct isa_inst *isa, struct issued *out);
/* 32-bit addresses in shared or local memory: register times stride, uniform register, offset. */
void access_window_addresses(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t address[EXEC_LANES]);

/* Offsets in the CTA's own shared memory. An address of another CTA in the cluster becomes one beyond it. */
void access_shared_addresses(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t address[EXEC_LANES]);

/* `what` is "global load" and the like. False with a fault when one of the lanes may not access its address. An address
 * in a window of host memory (exec/memory/window.h) becomes the one in device memory. */
bool access_check_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         unsigned bytes, const char *what, uint64_t address[EXEC_LANES]);
/* The same for `size` bytes of shared or local memory. `below` is the name of an address below 0. */
bool access_check_window(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         unsigned bytes, const char *what, const uint32_t address[EXEC_LANES], uint32_t size,
                         enum exec_fault_kind below);

/* Addresses in shared memory, noted in `out` and checked. */
bool access_begin_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         unsigned bytes, const char *what, struct issued *out);

/* Reads global memory as a weak load of this core sees it, into data[lane]. */
void access_read_global(const struct exec_core *core, uint32_t lanes, unsigned bytes,
                        const uint64_t address[EXEC_LANES], uint64_t data[EXEC_LANES][EXEC_DATA]);

/* Copies `bytes` a lane between registers and memory, at base + (address[lane] - origin). */
void access_load_rows(struct exec_warp *warp, const struct isa_inst *isa, uint32_t lanes, unsigned bytes,
                      const uint8_t *base, uint64_t origin, const uint64_t address[EXEC_LANES]);
void access_store_rows(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t lanes, unsigned bytes,
                       uint8_t *base, uint64_t origin, const uint64_t address[EXEC_LANES]);

/* Parts of an access that other instructions have too. They check, note in `out` the facts that the timing needs, and
 * do it. */
void access_load_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                        struct issued *out);
void access_store_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         struct issued *out);
void access_atomic_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          struct issued *out);
/* Offsets in shared memory. */
void access_load_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                        const uint32_t offset[EXEC_LANES]);
void access_store_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         const uint32_t offset[EXEC_LANES]);
void access_atomic_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          const uint32_t offset[EXEC_LANES]);
/* Offsets in local memory. `out->address` of the lanes becomes the place in device memory. */
void access_load_local(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                       const uint32_t offset[EXEC_LANES], struct issued *out);
void access_store_local(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                        const uint32_t offset[EXEC_LANES], struct issued *out);

#endif
