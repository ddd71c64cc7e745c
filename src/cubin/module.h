/* Inside of cubin_open: the module while it is being read. */
#ifndef SUBCORE_CUBIN_MODULE_H
#define SUBCORE_CUBIN_MODULE_H

#include "cubin/elf.h"

#define MODULE_UNKNOWN UINT32_MAX /* no kernel; stack size not known to the compiler */

enum { MODULE_WHERE = 112 };

/* Facts of .nv.info that cubin_kernel does not keep unchanged. */
struct kernel_notes {
    uint32_t symbol;               /* of the kernel */
    uint32_t min_stack, max_stack; /* MODULE_UNKNOWN: not static */
    uint32_t callee_frame;         /* largest frame of a function inside the kernel's section */
    bool has_callee;               /* a user function that was not inlined is in the kernel's section */
    bool frameless_callee;         /* one has no recorded frame */
    bool has_registers, has_parameter_base;
    uint32_t parameter_capacity;
};

struct module {
    struct cubin *cubin;
    struct cubin_bytes image;
    struct status *status;
    uint32_t *kernel_of_section; /* MODULE_UNKNOWN where none */
    struct kernel_notes *notes;  /* one a kernel */
};

/* "section <index> (<name>)" for messages. */
void module_where(const struct cubin *cubin, size_t section, char text[static MODULE_WHERE]);
/* A message about a section; `offset` counts from the start of the file. Returns false. */
bool module_fail(struct module *m, size_t section, const char *what, uint64_t offset, const char *why);
/* False for the Mercury twins, which are not part of the module. */
bool module_owns(const struct cubin_section *section);

bool kernels_read(struct module *m);
/* .nv.info: facts about functions, by symbol. */
bool nvinfo_read_module(struct module *m, size_t section);
/* .nv.info.<kernel>: facts about one kernel. */
bool nvinfo_read_kernel(struct module *m, size_t section, uint32_t kernel);

/* Fills line_files and line_status; false only when memory runs out. */
bool lines_read_files(struct cubin *cubin, struct cubin_bytes image, struct status *status);

#endif
