#include "exec/table.h"

#include "exec/executors.h"

#if defined(__x86_64__)
extern exec_fn *const exec_table_v3[ISA_OP_COUNT];

exec_fn *const *exec_table_wide(void)
{
    bool known = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    return known ? exec_table_v3 : NULL;
}
#else
exec_fn *const *exec_table_wide(void) { return NULL; }
#endif

exec_fn *const *exec_table(void)
{
    exec_fn *const *wide = exec_table_wide();
    return wide ? wide : exec_table_base;
}

exec_fn *exec_function(enum isa_op op) { return exec_table()[op]; }
