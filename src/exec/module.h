/* The code of a cubin: decoded once, relocated, with its globals in device memory. */
#ifndef SUBCORE_EXEC_MODULE_H
#define SUBCORE_EXEC_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cubin/cubin.h"
#include "exec/inst.h"
#include "exec/memory.h"

struct isa_decoder;

/* Code of one section, at its place behind the kernel's own code. */
struct exec_part {
    uint32_t section, pc, bytes;
};

/* The code is one range of pcs: the kernel's section, then those of the functions that it may call by address, then an
 * instruction for each function that the driver would supply. */
struct exec_kernel {
    const struct cubin_kernel *cubin;
    struct exec_inst *code;
    uint32_t count;         /* instructions; code[count] faults, for a warp that runs off the end */
    uint32_t rows;          /* registers that a warp needs: REGCOUNT, or more when the code names more */
    bool reconfigures;      /* its warps change how many registers they have (setmaxnreg) */
    bool packed;            /* three instructions of 8 bytes share a control word (isa/pascal.h) */
    bool allocates;         /* its warps allocate tensor memory */
    uint32_t local_bytes;   /* local memory a thread; exec_launch.stack_bytes come to it */
    struct exec_part *part; /* sections behind the kernel's own */
    uint32_t part_count;
    uint32_t services;      /* pc of the first driver function */
    uint32_t service_count; /* one for each symbol without a section, in their order */
    uint32_t *service;      /* its symbol */
};

/* How the CTAs of a kernel depend on each other, from the least to the most. */
enum exec_order {
    EXEC_APART,   /* none waits for another, or does work by the order of CTAs */
    EXEC_ORDERED, /* atomics on device memory return values: work and waits may depend on the order of CTAs */
    EXEC_WAITING  /* strong loads, in which a CTA may wait for another; or CTAs take over the work of others */
};

/* Returns how the code says that they do. */
enum exec_order exec_kernel_order(const struct exec_kernel *kernel);

struct exec_module {
    unsigned sm;
    struct cubin cubin; /* its image bytes are kept in `image` */
    uint8_t *image;
    struct exec_kernel *kernels; /* parallel to cubin.kernels; decoded on first use by exec_module_kernel */
    struct memory *memory;       /* borrowed */
    uint8_t *bank3, *bank4;      /* 64 KiB each, zero beyond the cubin's contents. NULL when it has none */
    uint64_t globals;            /* device address of .nv.global.init and .nv.global; 0 when none */
    uint64_t constants;          /* device address of a bank 3 copy; 0 when it is empty */
    struct isa_decoder *decoder;
};

/* Code addresses, as relocations and CALL.ABS know them: a window for each section, and one for symbols that the driver
 * would supply. */
#define EXEC_CODE_WINDOW UINT64_C(0x0000600000000000)
#define EXEC_EXTERN_WINDOW UINT64_C(0x0000610000000000)
enum { EXEC_SECTION_SHIFT = 24 };

static inline uint64_t exec_section_address(uint32_t section)
{
    return EXEC_CODE_WINDOW + ((uint64_t)section << EXEC_SECTION_SHIFT);
}

/* Takes a copy of `image`. Words that do not decode are no error here: executing one is. */
bool exec_module_load(struct exec_module *module, struct memory *memory, struct cubin_bytes image, const char *path,
                      struct status *status);
void exec_module_unload(struct exec_module *module);
const struct exec_kernel *exec_module_kernel(struct exec_module *module, const char *name, struct status *status);
/* The same for one of module->cubin.kernels. */
const struct exec_kernel *exec_module_function(struct exec_module *module, const struct cubin_kernel *function,
                                               struct status *status);

#endif
