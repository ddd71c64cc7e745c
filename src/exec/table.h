/* Executors by opcode. */
#ifndef SUBCORE_EXEC_TABLE_H
#define SUBCORE_EXEC_TABLE_H

#include "exec/inst.h"

/* Returns [ISA_OP_COUNT], of the widest variant that this processor can run. */
exec_fn *const *exec_table(void);

/* A variant of it. All compute the same. */
struct exec_table_variant {
    const char *name;
    exec_fn *const *functions; /* NULL: this processor cannot run it */
};

enum { EXEC_TABLES = 3 };

/* Returns variant `index`: for any processor, for x86-64-v3 (AVX2), for x86-64-v4 (AVX-512). */
struct exec_table_variant exec_table_variant(unsigned index);

#endif
