/* From a decoded instruction and a configuration to the pipeline's facts. */
#include "sm/code.h"
#include "sm/memory/fence.h"

#include "tests/unit.h"

static struct isa_operand reg(uint8_t index, uint8_t position)
{
    return (struct isa_operand){.kind = ISA_REG, .index = index, .words = 1, .position = position};
}

static struct isa_inst inst_of(enum isa_op op)
{
    struct isa_inst i = {.op = (uint16_t)op, .control = {.stall = 1, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB}};
    i.guard = (struct isa_predicate){.index = ISA_PT, .present = true};
    i.d = reg(4, 0);
    i.a = reg(2, 0);
    return i;
}

static struct code built(struct isa_inst i)
{
    struct config config;
    struct code code;
    config_defaults(&config);
    code_build(&code, &i, &config);
    return code;
}

static void opcodes_go_to_their_units_for_the_configured_cycles(void **state)
{
    (void)state;
    const struct {
        enum isa_op op;
        enum issue_class class;
        uint8_t interval, latency;
        bool fixed;
    } rows[] = {
        {ISA_OP_IADD, CLASS_ALU_EITHER, 2, 4, true}, {ISA_OP_IADD3, CLASS_ALU, 2, 4, true},
        {ISA_OP_FFMA, CLASS_FMA, 2, 4, true},        {ISA_OP_IMAD, CLASS_FMAHEAVY, 2, 4, true},
        {ISA_OP_HFMA2, CLASS_FP16, 2, 5, true},      {ISA_OP_MUFU, CLASS_XU, 8, 18, false},
        {ISA_OP_UIADD3, CLASS_UNIFORM, 2, 4, true},  {ISA_OP_S2R, CLASS_MIO, 2, 25, false},
        {ISA_OP_NOP, CLASS_FE, 1, 2, true},          {ISA_OP_SHFL, CLASS_MIO, 2, 25, false},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct code code = built(inst_of(rows[k].op));
        assert_int_equal(code.class, rows[k].class);
        assert_int_equal(code.interval, rows[k].interval);
        assert_int_equal(code.latency, rows[k].latency);
        assert_int_equal(!!(code.flags & CODE_FIXED), rows[k].fixed);
    }
}

static void a_wide_multiply_can_hold_its_warp_beyond_its_stall_count(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_OP_IMAD);
    struct config config;
    struct code code;
    config_defaults(&config);
    config.core.wide_imad_hold = 3;
    i.control.stall = 6;
    code_build(&code, &i, &config);
    assert_int_equal(code.stall, 6);
    i.mod[ISA_MOD_WIDE] = 1;
    assert_int_equal(built(i).stall, 6);
    code_build(&code, &i, &config);
    assert_int_equal(code.stall, 9); /* an H200 takes 9 cycles for each link of a chain that asks for 6 */
}

static void redux_goes_to_the_uniform_datapath_or_to_the_unit_for_special_registers(void **state)
{
    (void)state;
    struct config config;
    struct isa_inst i = inst_of(ISA_OP_REDUX);
    struct code code;
    config_defaults(&config);
    config.core.redux_latency = 21;
    code_build(&code, &i, &config);
    assert_int_equal(code.class, CLASS_UNIFORM);
    assert_int_equal(code.interval, config.core.uniform_interval);
    assert_int_equal(code.latency, 21);
    config.core.redux_interval = 8;
    code_build(&code, &i, &config);
    assert_int_equal(code.class, CLASS_ADU);
    assert_int_equal(code.pipe, ISA_PIPE_ADU);
    assert_int_equal(code.interval, 8);
    assert_int_equal(code.latency, 21);
    assert_int_equal(code.flags & (CODE_FIXED | CODE_QUEUED), CODE_QUEUED);
}

static void counts_of_bits_have_a_latency_of_their_own(void **state)
{
    (void)state;
    static const enum isa_op op[] = {ISA_OP_POPC, ISA_OP_FLO, ISA_OP_BREV};
    struct config config;
    struct code code;
    config_defaults(&config);
    config.core.count_latency = 27;
    for (unsigned k = 0; k < sizeof op / sizeof op[0]; k++) {
        struct isa_inst i = inst_of(op[k]);
        code_build(&code, &i, &config);
        assert_int_equal(code.class, CLASS_XU);
        assert_int_equal(code.latency, 27);
    }
}

static void engines_beside_the_warp_take_two_cycles_unless_they_have_a_uniform_result(void **state)
{
    (void)state;
    enum { WITHOUT_RESULT = 2, UNIFORM_LATENCY = 7 };
    static const struct {
        enum isa_op op;
        uint16_t latency;
    } rows[] = {{ISA_OP_UTCBAR, WITHOUT_RESULT},
                {ISA_OP_UTCCP, WITHOUT_RESULT},
                {ISA_OP_UTCSHIFT, WITHOUT_RESULT},
                {ISA_OP_WARPGROUP, WITHOUT_RESULT},
                {ISA_OP_UIADD3, UNIFORM_LATENCY}};
    struct config config;
    config_defaults(&config);
    config.core.uniform_latency = UNIFORM_LATENCY;
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct isa_inst i = inst_of(rows[k].op);
        struct code code;
        code_build(&code, &i, &config);
        assert_int_equal(code.latency, rows[k].latency);
    }
}

static void match_any_takes_its_own_time_and_match_all_that_of_other_short_instructions(void **state)
{
    (void)state;
    struct config config;
    struct isa_inst i = inst_of(ISA_OP_MATCH);
    struct code code;
    config_defaults(&config);
    config.lsu.match_interval = 20;
    config.lsu.match_latency = 375;
    code_build(&code, &i, &config);
    assert_int_equal(code.interval, config.lsu.misc_interval);
    assert_int_equal(code.latency, config.core.warp_misc_latency);
    i.mod[ISA_MOD_MODE] = ISA_MATCH_ANY;
    code_build(&code, &i, &config);
    assert_int_equal(code.interval, 20);
    assert_int_equal(code.latency, 375);
}

static void memory_instructions_are_told_apart_by_queue_space_width_and_address(void **state)
{
    (void)state;
    const struct {
        enum isa_op op;
        enum issue_class class;
        enum isa_memory memory;
        enum isa_space space;
    } rows[] = {
        {ISA_OP_LDG, CLASS_LG, ISA_MEM_LOAD, ISA_SPACE_GLOBAL},
        {ISA_OP_STG, CLASS_LG, ISA_MEM_STORE, ISA_SPACE_GLOBAL},
        {ISA_OP_LDS, CLASS_MIO, ISA_MEM_LOAD, ISA_SPACE_SHARED},
        {ISA_OP_STL, CLASS_LG, ISA_MEM_STORE, ISA_SPACE_LOCAL},
        {ISA_OP_LDC, CLASS_MIO, ISA_MEM_LOAD, ISA_SPACE_CONSTANT},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        for (uint8_t size = 0; size <= 6; size++) {
            struct isa_inst i = inst_of(rows[k].op);
            i.mod[ISA_MOD_SIZE] = size;
            struct code code = built(i);
            assert_int_equal(code.class, rows[k].class);
            assert_int_equal(code.memory, rows[k].memory);
            assert_int_equal(code.space, rows[k].space);
            assert_int_equal(code.data_words, size == 6 ? 4 : size == 5 ? 2 : 1);
            assert_false(code.flags & CODE_FIXED);
            assert_true(code.flags & CODE_VECTOR_ADDRESS);
            i.a.index = ISA_RZ;
            assert_false(built(i).flags & CODE_VECTOR_ADDRESS);
        }
    }
}

static void operands_in_constant_memory_are_looked_up_at_issue_except_those_of_ldc(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_OP_FFMA);
    i.b = (struct isa_operand){.kind = ISA_CONST, .bank = 3, .value = 0x168};
    struct code code = built(i);
    assert_true(code.flags & CODE_CONSTANT);
    assert_int_equal(code.constant_bank, 3);
    assert_int_equal(code.constant_offset, 0x168);
    i.op = ISA_OP_LDC;
    assert_false(built(i).flags & CODE_CONSTANT);
}

static void sources_keep_their_place_and_reuse_flag_and_rz_is_none(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_OP_FFMA);
    i.a = reg(ISA_RZ, 0);
    i.b = reg(7, 1);
    i.c = reg(9, 2);
    i.control.reuse = 4;
    struct code code = built(i);
    assert_int_equal(code.reads, 2);
    assert_int_equal(code.read[0].first, 7);
    assert_int_equal(code.read[0].position, 1);
    assert_false(code.read[0].reuse);
    assert_int_equal(code.read[1].position, 2);
    assert_true(code.read[1].reuse);
    assert_int_equal(code.write_first, 4);
    assert_int_equal(code.write_words, 1);
}

static void the_unit_decides_the_way_and_not_whether_a_counter_is_named(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_OP_IADD3);
    i.control.write_sb = 2;
    assert_true(built(i).flags & CODE_FIXED);
    i = inst_of(ISA_OP_MUFU); /* in a run of them compilers name the counter only in the last */
    assert_int_equal(built(i).flags & (CODE_FIXED | CODE_QUEUED), CODE_QUEUED);
    i = inst_of(ISA_OP_LDG);
    assert_int_equal(built(i).flags & (CODE_FIXED | CODE_QUEUED), 0);
}

static struct code built_for(struct isa_inst i, bool fp64_shared)
{
    struct config config;
    struct code code;
    config_defaults(&config);
    config.core.fp64_shared = fp64_shared;
    code_build(&code, &i, &config);
    return code;
}

/* Operands move at 64 bytes a cycle: 4 cycles for one of 64 bits, 1 for an operand that is no register. */
static void fp64_goes_to_the_shared_unit_with_the_time_that_its_operands_need(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_OP_DFMA);
    i.d.words = i.a.words = 2;
    i.b = reg(6, 1);
    i.b.words = 2;
    i.c = (struct isa_operand){.kind = ISA_CONST, .value = 0x160};
    struct code shared = built_for(i, true), own = built_for(i, false);
    assert_int_equal(shared.flags & (CODE_FIXED | CODE_QUEUED), CODE_QUEUED);
    assert_int_equal(shared.transfer, 4 + 4 + 1);
    assert_int_equal(shared.latency, 54 - 2 - 6 - 12 - 4);
    assert_int_equal(shared.pipe_cycles, 4 * shared.interval);
    assert_int_equal(own.flags & (CODE_FIXED | CODE_QUEUED), CODE_FIXED);
    assert_int_equal(own.latency, 54);
}

static void only_conversions_of_64_bits_go_there_too_and_half_on_that_pipe_does_not(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_OP_F2F);
    assert_int_equal(built_for(i, true).class, CLASS_XU);
    i.d.words = 2;
    assert_int_equal(built_for(i, true).class, CLASS_FP64);
    assert_int_equal(built_for(i, true).pipe, ISA_PIPE_FP64);
    assert_int_equal(built_for(i, false).class, CLASS_XU);
    i = inst_of(ISA_OP_HFMA2_MMA);
    assert_int_equal(built_for(i, true).class, CLASS_FP16);
    assert_int_equal(built_for(i, false).class, CLASS_FP64);
    assert_true(built_for(i, true).flags & CODE_FIXED);
}

static void a_result_leaves_the_queue_in_parts_of_one_register_a_bank(void **state)
{
    (void)state;
    const struct {
        uint8_t first, words, parts, banks;
    } rows[] = {{4, 1, 1, 1}, {5, 1, 1, 2}, {4, 2, 1, 3}, {8, 4, 2, 3}};
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct isa_inst i = inst_of(ISA_OP_IADD3);
        i.d = reg(rows[k].first, 0);
        i.d.words = rows[k].words;
        struct code code = built(i);
        assert_int_equal(code.result_parts, rows[k].parts);
        assert_int_equal(code.result_banks, rows[k].banks);
    }
    struct isa_inst none = inst_of(ISA_OP_IADD3);
    none.d = reg(ISA_RZ, 0);
    assert_int_equal(built(none).result_parts, 0);
}

static void depbar_has_its_counter_its_threshold_and_its_list(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_OP_DEPBAR);
    i.mod[ISA_MOD_COUNTER] = 2;
    i.mod[ISA_MOD_COUNT] = 5;
    i.mod[ISA_MOD_COUNTERS] = 0x18;
    i.control.wait = 1;
    struct code code = built(i);
    assert_true(code.flags & CODE_DEPBAR);
    assert_int_equal(code.depbar_sb, 2);
    assert_int_equal(code.depbar_max, 5);
    assert_int_equal(code.depbar_list, 0x18);
    assert_int_equal(code.wait, 1);
}

static void special_instructions_have_their_flag(void **state)
{
    (void)state;
    const struct {
        enum isa_op op;
        uint16_t flag;
    } rows[] = {
        {ISA_OP_BRA, CODE_BRANCH},
        {ISA_OP_EXIT, CODE_BRANCH},
        {ISA_OP_MEMBAR, CODE_MEMBAR},
        {ISA_OP_LDGDEPBAR, CODE_ASYNC_GROUP},
        {ISA_OP_CS2R, 0},
    };
    const uint16_t all = CODE_BRANCH | CODE_MEMBAR | CODE_ASYNC_GROUP | CODE_DEPBAR | CODE_WIDE_IMAD;
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++)
        assert_int_equal(built(inst_of(rows[k].op)).flags & all, rows[k].flag);
    struct isa_inst wide = inst_of(ISA_OP_IMAD);
    wide.mod[ISA_MOD_WIDE] = 1;
    assert_int_equal(built(wide).flags & all, CODE_WIDE_IMAD);
}

static void the_memory_unit_learns_order_comparison_bypass_and_scope(void **state)
{
    (void)state;
    const struct {
        enum isa_op op;
        unsigned mod;
        uint8_t value;
        uint16_t flag;
    } rows[] = {
        {ISA_OP_LDG, ISA_MOD_ORDER, ISA_ORDER_WEAK, 0},
        {ISA_OP_LDG, ISA_MOD_ORDER, ISA_ORDER_STRONG_SM, CODE_IN_ORDER},
        {ISA_OP_LDG, ISA_MOD_ORDER, ISA_ORDER_STRONG_GPU, 0},
        {ISA_OP_STG, ISA_MOD_ORDER, ISA_ORDER_STRONG_SM, 0},
        {ISA_OP_ATOMS, ISA_MOD_FUNCTION, ISA_ATOM_ADD, 0},
        {ISA_OP_ATOMS, ISA_MOD_FUNCTION, ISA_ATOM_FORM_CAS, CODE_COMPARE},
        {ISA_OP_ATOMS, ISA_MOD_FUNCTION, ISA_ATOM_FORM_CAST, CODE_COMPARE | CODE_ONE_PASS},
        {ISA_OP_ATOMS, ISA_MOD_FUNCTION, ISA_ATOM_FORM_POPC_INC, CODE_ONE_PASS},
        {ISA_OP_LDGSTS, ISA_MOD_BYPASS, ISA_BYPASS_NONE, 0},
        {ISA_OP_LDGSTS, ISA_MOD_BYPASS, ISA_BYPASS_BYPASS, CODE_BYPASS},
        {ISA_OP_CCTL, ISA_MOD_FUNCTION, 3, 0},
        {ISA_OP_CCTL, ISA_MOD_FUNCTION, ISA_CCTL_ALL_IVALL, CODE_INVALIDATE},
        {ISA_OP_CCTL, ISA_MOD_FUNCTION, ISA_CCTL_ALL_WBALL, 0},
    };
    const uint16_t all = CODE_IN_ORDER | CODE_COMPARE | CODE_BYPASS | CODE_INVALIDATE | CODE_ONE_PASS;
    for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct isa_inst i = inst_of(rows[k].op);
        i.mod[rows[k].mod] = rows[k].value;
        assert_int_equal(built(i).flags & all, rows[k].flag);
    }
    struct isa_inst fence = inst_of(ISA_OP_MEMBAR);
    const uint8_t scopes[] = {[ISA_SCOPE_CTA] = FENCE_CTA,
                              [ISA_SCOPE_SM] = FENCE_CTA,
                              [ISA_SCOPE_GPU] = FENCE_GPU,
                              [ISA_SCOPE_SYS] = FENCE_SYS};
    for (uint8_t s = ISA_SCOPE_CTA; s <= ISA_SCOPE_SYS; s++) {
        fence.mod[ISA_MOD_SCOPE] = s;
        assert_int_equal(built(fence).fence, scopes[s]);
    }
}

static void s2r_match_qspc_and_cctl_go_through_the_memory_queue(void **state)
{
    (void)state;
    const enum isa_op ops[] = {ISA_OP_SHFL, ISA_OP_S2R, ISA_OP_MATCH, ISA_OP_QSPC, ISA_OP_CCTL};
    for (unsigned k = 0; k < sizeof ops / sizeof ops[0]; k++) {
        struct code code = built(inst_of(ops[k]));
        assert_int_equal(code.class, CLASS_MIO);
        assert_int_equal(code.memory, k == 0 ? ISA_MEM_SHUFFLE : CODE_QUEUE_ONLY);
        assert_true(code_only_passes(&code));
        assert_int_equal(code.flags & CODE_FIXED, 0);
        assert_int_equal(code.interval, 2);
    }
}

static void shuffles_and_special_registers_of_lanes_pass_the_array_of_shared_memory(void **state)
{
    (void)state;
    struct isa_inst s2r = inst_of(ISA_OP_S2R);
    const uint8_t special[] = {ISA_SR_TID_X, ISA_SR_TID_Z, ISA_SR_CTAID_X, ISA_SR_CLOCK};
    for (unsigned i = 0; i < 4; i++) {
        s2r.mod[ISA_MOD_SPECIAL] = special[i];
        struct code code = built(s2r);
        assert_int_equal(code_passes_array(&code), i < 2);
    }
    struct code shuffle = built(inst_of(ISA_OP_SHFL)), match = built(inst_of(ISA_OP_MATCH));
    assert_true(code_passes_array(&shuffle) && !code_passes_array(&match));
}

static void what_goes_to_tensor_memory_passes_the_memory_queue(void **state)
{
    (void)state;
    struct isa_inst load = inst_of(ISA_OP_LDTM), store = inst_of(ISA_OP_STTM), map = inst_of(ISA_OP_UTCATOMSWS),
                    pair = map, fences[3];
    load.d = (struct isa_operand){.kind = ISA_REG, .index = 8, .words = 16};
    store.d.kind = ISA_NONE;
    store.b.words = 32;
    pair.mod[ISA_MOD_CTAS] = 1;
    for (uint8_t k = 0; k < 3; k++) {
        fences[k] = inst_of(ISA_OP_FENCE);
        fences[k].mod[ISA_MOD_FUNCTION] = k;
        assert_int_equal(built(fences[k]).tensor, k == 2 ? CODE_TENSOR_WAIT : CODE_NO_TENSOR);
        assert_int_equal(built(fences[k]).class, k == 2 ? CLASS_MIO : CLASS_FE);
    }
    const struct isa_inst insts[] = {load, store, map, pair};
    static const uint8_t kinds[] = {CODE_TENSOR_LOAD, CODE_TENSOR_STORE, CODE_TENSOR_MAP, CODE_TENSOR_PAIR};
    static const uint8_t words[] = {16, 32, 0, 0};
    for (unsigned k = 0; k < 4; k++) {
        struct code code = built(insts[k]);
        assert_int_equal(code.tensor, kinds[k]);
        assert_int_equal(code.data_words, words[k]);
        assert_int_equal(code.class, CLASS_MIO);
        assert_int_equal(code.flags & CODE_FIXED, 0);
        assert_true(code_only_passes(&code));
    }
}

static void an_unknown_word_issues_as_a_no_operation(void **state)
{
    (void)state;
    struct isa_inst i = inst_of(ISA_INVALID);
    i.control.stall = 5;
    i.control.write_sb = 1;
    struct code code = built(i);
    assert_int_equal(code.class, CLASS_FE);
    assert_int_equal(code.stall, 5);
    assert_int_equal(code.write_sb, ISA_NO_SB);
    assert_int_equal(code.memory, ISA_MEM_NONE);
}

UNIT_TESTS(UNIT(opcodes_go_to_their_units_for_the_configured_cycles),
           UNIT(redux_goes_to_the_uniform_datapath_or_to_the_unit_for_special_registers),
           UNIT(counts_of_bits_have_a_latency_of_their_own),
           UNIT(engines_beside_the_warp_take_two_cycles_unless_they_have_a_uniform_result),
           UNIT(match_any_takes_its_own_time_and_match_all_that_of_other_short_instructions),
           UNIT(memory_instructions_are_told_apart_by_queue_space_width_and_address),
           UNIT(operands_in_constant_memory_are_looked_up_at_issue_except_those_of_ldc),
           UNIT(sources_keep_their_place_and_reuse_flag_and_rz_is_none),
           UNIT(the_unit_decides_the_way_and_not_whether_a_counter_is_named),
           UNIT(fp64_goes_to_the_shared_unit_with_the_time_that_its_operands_need),
           UNIT(only_conversions_of_64_bits_go_there_too_and_half_on_that_pipe_does_not),
           UNIT(a_result_leaves_the_queue_in_parts_of_one_register_a_bank),
           UNIT(depbar_has_its_counter_its_threshold_and_its_list), UNIT(special_instructions_have_their_flag),
           UNIT(the_memory_unit_learns_order_comparison_bypass_and_scope),
           UNIT(s2r_match_qspc_and_cctl_go_through_the_memory_queue),
           UNIT(shuffles_and_special_registers_of_lanes_pass_the_array_of_shared_memory),
           UNIT(what_goes_to_tensor_memory_passes_the_memory_queue), UNIT(an_unknown_word_issues_as_a_no_operation),
           UNIT(a_wide_multiply_can_hold_its_warp_beyond_its_stall_count))
