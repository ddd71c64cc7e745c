/* The directives: the name of each, its place, and the reader of its operands. */
#ifndef SUBCORE_ASM_DIRECTIVE_H
#define SUBCORE_ASM_DIRECTIVE_H

#include "asm/parser.h"

/* `word` is the directive itself, for messages about all of it. */
typedef bool directive_fn(struct parser *p, struct scan *s, struct word word);

/* Of the module. */
directive_fn directive_arch, directive_kernel, directive_function, directive_const, directive_global, directive_reserve,
    directive_address, directive_extern;
/* Of a kernel. */
directive_fn directive_param, directive_param_base, directive_param_bytes, directive_shared, directive_shared_size,
    directive_registers, directive_frame, directive_stack, directive_barriers, directive_maxntid, directive_reqntid,
    directive_cluster, directive_maxclusterrank, directive_explicitcluster, directive_blocksareclusters,
    directive_bank2, directive_symbol, directive_exact, directive_endexact;
/* Of several. */
directive_fn directive_align, directive_reloc, directive_end;

/* "expected ," when there is none. */
bool directive_comma(struct scan *s);
bool directive_is_power_of_two(uint64_t value);
static inline uint64_t directive_align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}
/* An alignment behind a comma. Leaves *alignment alone when there is none. */
bool directive_alignment(struct scan *s, uint64_t *alignment);

#endif
