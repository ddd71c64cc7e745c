#include "exec/table.h"

#include "exec/executors.h"

bool exec_has_v3(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

exec_fn *const *exec_table(void)
{
#if defined(__x86_64__)
    if (exec_has_v3())
        return exec_table_v3;
#endif
    return exec_table_base;
}

exec_fn *exec_function(enum isa_op op) { return exec_table()[op]; }
