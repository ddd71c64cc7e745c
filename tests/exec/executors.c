/* Every opcode of the tables executes or says that it does not. */
#include "exec/executors.h"
#include "arith.h"
#include "unit.h"

static const bool executed[ISA_OP_COUNT] = {
#define X(id, ...) [ISA_OP_##id] = true,
    ISA_EXECUTED_OPCODES(X)
#undef X
};

static void executed_opcodes_have_an_executor_and_the_others_the_refusal(void **state)
{
    (void)state;
    for (unsigned variant = 0; variant < EXEC_TABLES; ++variant) {
        exec_fn *const *table = exec_table_variant(variant).functions;
        if (!table)
            continue;
        assert_true(table[ISA_INVALID] == exec_invalid);
        for (unsigned op = 1; op < ISA_OP_COUNT; ++op) {
            exec_fn *function = table[op];
            const struct isa_op_info *info = isa_op_info((enum isa_op)op);
            assert_non_null(function);
            assert_true(executed[op] == !(info->flags & ISA_NOT_EXECUTABLE));
            if (executed[op] ? function == exec_refused || function == exec_invalid : function != exec_refused)
                fail_msg("%s has the wrong executor", info->name);
        }
    }
}

static void the_refusal_names_the_instruction(void **state)
{
    (void)state;
    struct arith *t = arith_create(1);
    for (unsigned op = 1; op < ISA_OP_COUNT; ++op) {
        if (executed[op])
            continue;
        arith_begin(t, (enum isa_op)op);
        memset(&t->core.fault, 0, sizeof t->core.fault);
        arith_run(t, exec_table(), UINT32_MAX);
        assert_int_equal(t->core.fault.code, STATUS_UNSUPPORTED);
        assert_non_null(strstr(t->core.fault.text, isa_op_info((enum isa_op)op)->name));
    }
    arith_destroy(t);
}

UNIT_TESTS(UNIT(executed_opcodes_have_an_executor_and_the_others_the_refusal), UNIT(the_refusal_names_the_instruction))
