/* Where instructions with a way of their own go on each architecture, and for how long they hold their resources. */
#include "sm/code.h"
#include "tests/unit.h"

struct expected {
    enum issue_class class;
    enum isa_pipe pipe;
    unsigned interval;
};

struct machine {
    unsigned sm;
    const char *gpu;
    struct config config;
};

static void each_machine(void (*check)(const struct machine *))
{
    static const struct {
        unsigned sm;
        const char *gpu;
    } machines[] = {{75, "rtx-2080-ti"}, {80, "a100"},  {86, "rtx-a6000"}, {89, "rtx-4090"},
                    {90, "h200"},        {100, "b200"}, {120, "rtx-5090"}};
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine m = {.sm = machines[i].sm, .gpu = machines[i].gpu};
        struct status status = {0};
        assert_true(config_load(&m.config, m.gpu, &status));
        check(&m);
    }
}

static struct isa_inst inst_of(enum isa_op op)
{
    struct isa_inst i = {.op = (uint16_t)op, .control = {.stall = 1, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB}};
    i.guard = (struct isa_predicate){.index = ISA_PT, .present = true};
    i.d = i.a = (struct isa_operand){.kind = ISA_REG, .index = 4, .words = 1};
    return i;
}

static void check_inst(const struct machine *m, struct isa_inst inst, struct expected expected)
{
    struct code code;
    code_build(&code, &inst, &m->config);
    if (code.class != expected.class || code.pipe != expected.pipe || code.interval != expected.interval)
        fail_msg("%s on sm_%u: class %u, pipe %u, interval %u", isa_op_info((enum isa_op)inst.op)->name, m->sm,
                 code.class, code.pipe, code.interval);
}

static void check(const struct machine *m, enum isa_op op, struct expected expected)
{
    check_inst(m, inst_of(op), expected);
}

static bool sub_cores_have_fp64(unsigned sm) { return sm == 80 || sm == 90 || sm == 100; }

static void check_doubles(const struct machine *m)
{
    bool own = sub_cores_have_fp64(m->sm);
    const struct config_core *c = &m->config.core;
    struct isa_inst wide = inst_of(ISA_OP_F2I);
    wide.a.words = 2;
    check(m, ISA_OP_DFMA, (struct expected){CLASS_FP64, ISA_PIPE_FP64, c->fp64_interval});
    check(m, ISA_OP_HFMA2_MMA, (struct expected){own ? CLASS_FP64 : CLASS_FP16, ISA_PIPE_FP64, c->half_interval});
    check(m, ISA_OP_F2I, (struct expected){CLASS_XU, ISA_PIPE_XU, c->xu_interval});
    check_inst(m, wide,
               own ? (struct expected){CLASS_XU, ISA_PIPE_XU, c->xu_interval}
                   : (struct expected){CLASS_FP64, ISA_PIPE_FP64, c->fp64_interval});
}

static void double_precision_goes_where_the_architecture_has_its_lanes(void **state)
{
    (void)state;
    each_machine(check_doubles);
}

static void check_redux(const struct machine *m)
{
    check(m, ISA_OP_REDUX,
          m->sm == 100 || m->sm == 90
              ? (struct expected){CLASS_ADU, ISA_PIPE_ADU, 8}
              : (struct expected){CLASS_UNIFORM, ISA_PIPE_UNIFORM, m->config.core.uniform_interval});
    check(m, ISA_OP_LDCU, (struct expected){CLASS_ADU, ISA_PIPE_UNIFORM, m->config.core.adu_interval});
}

static void redux_is_held_by_the_unit_for_special_registers_from_sm_90_on_in_data_centers(void **state)
{
    (void)state;
    each_machine(check_redux);
}

static void check_queue(const struct machine *m)
{
    const struct config_lsu *c = &m->config.lsu;
    struct isa_inst any = inst_of(ISA_OP_MATCH);
    any.mod[ISA_MOD_MODE] = ISA_MATCH_ANY;
    check(m, ISA_OP_SHFL, (struct expected){CLASS_MIO, ISA_PIPE_LSU, c->shuffle_interval});
    check(m, ISA_OP_S2R, (struct expected){CLASS_MIO, ISA_PIPE_ADU, c->misc_interval});
    check(m, ISA_OP_QSPC, (struct expected){CLASS_MIO, ISA_PIPE_ADU, c->misc_interval});
    check(m, ISA_OP_CCTL, (struct expected){CLASS_MIO, ISA_PIPE_FE, c->misc_interval});
    check(m, ISA_OP_MATCH, (struct expected){CLASS_MIO, ISA_PIPE_ADU, c->misc_interval});
    check_inst(m, any, (struct expected){CLASS_MIO, ISA_PIPE_ADU, m->sm == 100 ? 20 : 70});
    check(m, ISA_OP_LDG, (struct expected){CLASS_LG, ISA_PIPE_LSU, 1});
    check(m, ISA_OP_LDS, (struct expected){CLASS_MIO, ISA_PIPE_LSU, 1});
    check(m, ISA_OP_TEX, (struct expected){CLASS_TEX, ISA_PIPE_TEX, 1});
    check(m, ISA_OP_SUST_D, (struct expected){CLASS_TEX, ISA_PIPE_TEX, 1});
    check(m, ISA_OP_LDTM, (struct expected){CLASS_MIO, ISA_PIPE_LSU, 1});
    check(m, ISA_OP_STTM, (struct expected){CLASS_MIO, ISA_PIPE_LSU, 1});
    check(m, ISA_OP_UTCATOMSWS, (struct expected){CLASS_MIO, ISA_PIPE_UNIFORM, 1});
}

static void the_memory_queue_takes_more_than_accesses(void **state)
{
    (void)state;
    each_machine(check_queue);
}

static void check_products(const struct machine *m)
{
    const struct config_core *c = &m->config.core;
    struct isa_inst wide = inst_of(ISA_OP_IMAD), high = inst_of(ISA_OP_IMAD);
    wide.mod[ISA_MOD_WIDE] = high.mod[ISA_MOD_HI] = 1;
    check(m, ISA_OP_IMAD, (struct expected){CLASS_FMAHEAVY, ISA_PIPE_FMAHEAVY, c->fma_interval});
    check_inst(m, wide, (struct expected){CLASS_FMAHEAVY, ISA_PIPE_FMAHEAVY, 4});
    check_inst(m, high, (struct expected){CLASS_FMAHEAVY, ISA_PIPE_FMAHEAVY, 4});
}

/* A100, H100, RTX 4090 and RTX 5090: 4.0 cycles of a sub-core, where the lower half of a product takes 2.0. */
static void a_wide_or_an_upper_product_holds_the_multiplier_for_twice_as_long(void **state)
{
    (void)state;
    each_machine(check_products);
}

static void check_lanes(const struct machine *m)
{
    static const enum isa_op either[] = {ISA_OP_IADD,    ISA_OP_ISETP, ISA_OP_IMNMX, ISA_OP_VIMNMX,
                                         ISA_OP_VIMNMX3, ISA_OP_FSETP, ISA_OP_FMNMX, ISA_OP_FSEL,
                                         ISA_OP_FSET,    ISA_OP_SEL,   ISA_OP_MOV};
    const struct config_core *c = &m->config.core;
    for (unsigned i = 0; i < sizeof either / sizeof *either; i++)
        check(m, either[i], (struct expected){CLASS_ALU_EITHER, ISA_PIPE_ALU, c->alu_interval});
    static const enum isa_op heavy[] = {ISA_OP_IADD3, ISA_OP_LOP3, ISA_OP_SHF, ISA_OP_LEA, ISA_OP_PRMT, ISA_OP_I2FP};
    for (unsigned i = 0; i < sizeof heavy / sizeof *heavy; i++)
        check(m, heavy[i], (struct expected){CLASS_ALU, ISA_PIPE_ALU, c->alu_interval});
    check(m, ISA_OP_FFMA2, (struct expected){c->half_on_fp32 ? CLASS_FP16 : CLASS_FMA, ISA_PIPE_FMA, c->fma_interval});
    check(m, ISA_OP_POPC, (struct expected){CLASS_XU, ISA_PIPE_XU, c->xu_interval});
    check(m, ISA_OP_S2UR, (struct expected){CLASS_ADU, ISA_PIPE_ADU, c->adu_interval});
    check(m, ISA_OP_BRA, (struct expected){CLASS_CBU, ISA_PIPE_CBU, c->branch_interval});
}

static void additions_of_two_moves_and_comparisons_have_a_class_apart_from_iadd3_logic_and_shifts(void **state)
{
    (void)state;
    each_machine(check_lanes);
}

/* CUDA C++ Programming Guide, results a cycle and SM: of sums 64 on sm_60 and 128 on sm_61, of shifts 32 and 64; 64 of
 * both on sm_70. */
static void pascal_shifts_and_compares_at_half_the_rate_of_sums(void **state)
{
    (void)state;
    static const struct {
        struct machine machine;
        unsigned sums, shifts;
    } all[] = {
        {{.sm = 60, .gpu = "p100"}, 2, 4}, {{.sm = 61, .gpu = "gtx-1080"}, 1, 2}, {{.sm = 70, .gpu = "titan-v"}, 2, 2}};
    static const enum isa_op slow[] = {ISA_OP_ISETP, ISA_OP_FSETP, ISA_OP_IMNMX, ISA_OP_FMNMX};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
        struct machine m = all[k].machine;
        struct status status = {0};
        assert_true(config_load(&m.config, m.gpu, &status));
        check(&m, ISA_OP_IADD3, (struct expected){CLASS_ALU, ISA_PIPE_ALU, all[k].sums});
        check(&m, ISA_OP_LOP3, (struct expected){CLASS_ALU, ISA_PIPE_ALU, all[k].sums});
        check(&m, ISA_OP_SHF, (struct expected){CLASS_ALU, ISA_PIPE_ALU, all[k].shifts});
        check(&m, ISA_OP_BFE, (struct expected){CLASS_ALU, ISA_PIPE_ALU, all[k].shifts});
        for (unsigned i = 0; i < sizeof slow / sizeof *slow; i++)
            check(&m, slow[i], (struct expected){CLASS_ALU_EITHER, ISA_PIPE_ALU, all[k].shifts});
    }
}

/* An opcode whose line has a way that its pipe, space or memory kind cannot have is a slip of the pen. */
static void a_way_suits_the_rest_of_its_line(void **state)
{
    (void)state;
    for (unsigned op = ISA_INVALID + 1; op < ISA_OP_COUNT; op++) {
        const struct isa_op_info *info = isa_op_info((enum isa_op)op);
        bool to_peer = op == ISA_OP_STAS || op == ISA_OP_REDAS; /* generic, but always shared memory */
        bool texture = info->pipe == ISA_PIPE_TEX;
        bool lg =
            !to_peer && !texture &&
            (info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_LOCAL || info->space == ISA_SPACE_GENERIC);
        bool tensor = info->way == ISA_WAY_QUEUE_TENSOR && op != ISA_OP_UTCATOMSWS; /* whose result is uniform */
        bool queue = info->way == ISA_WAY_QUEUE_LG || info->way == ISA_WAY_QUEUE_MIO ||
                     info->way == ISA_WAY_QUEUE_SHUFFLE || tensor;
        if (lg != (info->way == ISA_WAY_QUEUE_LG) ||
            (info->memory == ISA_MEM_SHUFFLE) != (info->way == ISA_WAY_QUEUE_SHUFFLE) ||
            (info->pipe == ISA_PIPE_LSU) != queue || texture != (info->way == ISA_WAY_QUEUE_TEX) ||
            (info->way != ISA_WAY_TENSOR_ENGINE && /* where copies and commits go, too */
             (info->pipe == ISA_PIPE_TENSOR) != (info->way == ISA_WAY_TENSOR || info->way == ISA_WAY_WARPGROUP)))
            fail_msg("%s has the way %s", info->name, isa_way_name(info->way));
    }
}

UNIT_TESTS(UNIT(a_wide_or_an_upper_product_holds_the_multiplier_for_twice_as_long),
           UNIT(double_precision_goes_where_the_architecture_has_its_lanes),
           UNIT(redux_is_held_by_the_unit_for_special_registers_from_sm_90_on_in_data_centers),
           UNIT(the_memory_queue_takes_more_than_accesses),
           UNIT(additions_of_two_moves_and_comparisons_have_a_class_apart_from_iadd3_logic_and_shifts),
           UNIT(pascal_shifts_and_compares_at_half_the_rate_of_sums), UNIT(a_way_suits_the_rest_of_its_line))
