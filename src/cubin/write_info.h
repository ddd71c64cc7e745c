/* Contents of the sections that describe a cubin to the driver: attributes, notes, call graph. */
#ifndef SUBCORE_CUBIN_WRITE_INFO_H
#define SUBCORE_CUBIN_WRITE_INFO_H

#include "cubin/buffer.h"
#include "cubin/write.h"

/* .nv.info; `symbols[i]` is the symbol of function i. */
void write_module_info(const struct cubin_new *module, const uint32_t *symbols, struct buffer *out);
/* .nv.info.<name>; `bank` is the section symbol of constant bank 0. */
void write_function_info(const struct cubin_new *module, const struct cubin_new_function *function, uint32_t bank,
                         const uint32_t *exits, size_t exit_count, struct buffer *out);
void write_compat(const struct cubin_new *module, struct buffer *out);
void write_tool_note(struct buffer *out);
void write_cuda_note(unsigned sm, struct buffer *out);
void write_callgraph(struct buffer *out);
void write_relocation_action(struct buffer *out);

#endif
