/* The table of all executors, once for each variant of the lanes_*.c files: the names in it are renamed as they are. */
#include "exec/arithmetic/lanes_names.h"

#include "exec/executors.h"
#include "exec/table.h"

exec_fn *const EXEC_NAME(table)[ISA_OP_COUNT] = {[ISA_INVALID] = exec_invalid,
#define X(id, ...) [ISA_OP_##id] = exec_##id,
                                                 ISA_EXECUTED_OPCODES(X)
#undef X
#define X(id, ...) [ISA_OP_##id] = exec_refused,
                                                     ISA_REFUSED_OPCODES(X)
#undef X
};
