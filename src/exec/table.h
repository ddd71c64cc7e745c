/* Executors by opcode. */
#ifndef SUBCORE_EXEC_TABLE_H
#define SUBCORE_EXEC_TABLE_H

#include "exec/exec.h"

/* [ISA_OP_COUNT], for this processor. */
exec_fn *const *exec_table(void);

/* Its variants: for any processor, and for x86-64-v3. They compute the same. */
extern exec_fn *const exec_table_base[ISA_OP_COUNT];
/* Returns the second one (NULL: this processor cannot run it). */
exec_fn *const *exec_table_wide(void);

#endif
