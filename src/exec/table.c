#include "exec/table.h"

#include "exec/executors.h"

extern exec_fn *const exec_table_base[ISA_OP_COUNT];

#if defined(__x86_64__)
extern exec_fn *const exec_table_v3[ISA_OP_COUNT], *const exec_table_v4[ISA_OP_COUNT];

struct exec_table_variant exec_table_variant(unsigned index)
{
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    const struct exec_table_variant variants[EXEC_TABLES] = {
        {"base", exec_table_base}, {"AVX2", v3 ? exec_table_v3 : NULL}, {"AVX-512", v4 ? exec_table_v4 : NULL}};
    return variants[index];
}
#else
struct exec_table_variant exec_table_variant(unsigned index)
{
    return (struct exec_table_variant){"base", index == 0 ? exec_table_base : NULL};
}
#endif

exec_fn *const *exec_table(void)
{
    unsigned index = EXEC_TABLES - 1;
    while (!exec_table_variant(index).functions)
        index--;
    return exec_table_variant(index).functions;
}

exec_fn *exec_function(enum isa_op op) { return exec_table()[op]; }
