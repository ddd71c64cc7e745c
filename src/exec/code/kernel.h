/* The code that a kernel can reach, decoded, and the addresses that relocations and registers know it by. */
#ifndef SUBCORE_EXEC_KERNEL_H
#define SUBCORE_EXEC_KERNEL_H

#include "exec/module.h"

bool kernel_build(const struct exec_module *module, struct exec_kernel *kernel, const struct cubin_kernel *cubin,
                  struct status *status);
void kernel_free(struct exec_kernel *kernel);

/* The pc of an address; false when the kernel has no code there. */
bool kernel_place(const struct exec_kernel *kernel, uint64_t address, uint32_t *pc);
/* The function whose code stands at a pc, when it is another than the kernel (NULL: the kernel). */
const char *kernel_function(const struct exec_module *module, const struct exec_kernel *kernel, uint32_t pc);
/* The address of a pc. */
uint64_t kernel_address(const struct exec_kernel *kernel, uint32_t pc);

#endif
