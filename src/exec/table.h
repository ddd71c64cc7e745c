/* Executors by opcode. */
#ifndef SUBCORE_EXEC_TABLE_H
#define SUBCORE_EXEC_TABLE_H

#include "exec/exec.h"

/* [ISA_OP_COUNT], for this processor. */
exec_fn *const *exec_table(void);

/* Its variants: for any processor, and for x86-64-v3. They compute the same. */
extern exec_fn *const exec_table_base[ISA_OP_COUNT];
extern exec_fn *const exec_table_v3[ISA_OP_COUNT];
bool exec_has_v3(void);

#endif
