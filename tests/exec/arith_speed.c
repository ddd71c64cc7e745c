/* Prints the time of one warp instruction in each variant. It measures. It does not judge. */
#include <time.h>

#include "arith.h"
#include "unit.h"

static double now(void)
{
    struct timespec s;
    clock_gettime(CLOCK_MONOTONIC, &s);
    return (double)s.tv_sec * 1e9 + (double)s.tv_nsec;
}

/* Nanoseconds a run, the best of some short series. */
static double measure(struct arith *t, exec_fn *const *table, uint32_t active)
{
    enum { RUNS = 200, SERIES = 200 };
    double best = 1e30;
    struct issued out = {0};
    exec_fn *run = table[t->inst.isa.op];
    for (unsigned s = 0; s < SERIES; ++s) {
        double start = now();
        for (unsigned k = 0; k < RUNS; ++k)
            run(&t->core, &t->warp, &t->inst, active, &out);
        double each = (now() - start) / RUNS;
        best = each < best ? each : best;
    }
    return best;
}

static void report(struct arith *t, const char *name)
{
    enum { SOME = 0x00ffff0f };
    char text[160] = "";
    for (unsigned i = 0; i < EXEC_TABLES; i++) {
        struct exec_table_variant variant = exec_table_variant(i);
        size_t used = strlen(text);
        if (variant.functions)
            snprintf(text + used, sizeof text - used, "  %s %6.1f, some lanes %6.1f", variant.name,
                     measure(t, variant.functions, UINT32_MAX), measure(t, variant.functions, SOME));
    }
    print_message("# %-18s ns:%s\n", name, text);
    assert_int_equal(t->core.fault.code, STATUS_OK);
}

static struct isa_inst *three(struct arith *t, enum isa_op op)
{
    struct isa_inst *isa = arith_begin(t, op);
    isa->d = arith_register(8);
    isa->a = arith_register(1);
    isa->b = arith_register(2);
    isa->c = arith_register(3);
    isa->mod[ISA_MOD_SCALE] = 4;
    isa->mod[ISA_MOD_MASK] = 15;
    isa->mod[ISA_MOD_SHF_TYPE] = 3;
    isa->mod[ISA_MOD_CMP] = 1;
    isa->mod[ISA_MOD_LUT] = 0x96;
    isa->mod[ISA_MOD_SHIFT] = 2;
    bool selects = op == ISA_OP_SEL || op == ISA_OP_FSEL || op == ISA_OP_FMNMX;
    isa->pp = (struct isa_predicate){.index = 1, .present = selects};
    return isa;
}

static void setp(struct arith *t, enum isa_op op)
{
    struct isa_inst *isa = three(t, op);
    isa->d.kind = ISA_NONE;
    isa->pu = (struct isa_predicate){.index = 0, .present = true};
    isa->pv = (struct isa_predicate){.index = 7, .present = true};
}

static void speed(void **state)
{
    (void)state;
    struct arith *t = arith_create(1);
    arith_shuffle(t, ARITH_FLOAT);
    for (unsigned r = 0; r < ORACLE_REGISTERS; ++r)
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            t->reg[r][i] = (arith_random(t) & 0x807fffff) | 0x3f800000;
#define REPORT(op) three(t, ISA_OP_##op), report(t, #op)
    REPORT(IADD3);
    three(t, ISA_OP_IADD3)->pu = (struct isa_predicate){.index = 0, .present = true};
    report(t, "IADD3, carry");
    three(t, ISA_OP_IADD3)->b = arith_immediate(4);
    report(t, "IADD3, immediate");
    REPORT(IMAD);
    three(t, ISA_OP_IMAD)->mod[ISA_MOD_WIDE] = 1;
    t->inst.isa.c = arith_register(4);
    report(t, "IMAD.WIDE.U32");
    t->inst.isa.mod[ISA_MOD_SIGNED] = 1;
    report(t, "IMAD.WIDE");
    REPORT(LEA);
    REPORT(LOP3);
    three(t, ISA_OP_SHF)->b = arith_immediate(5);
    report(t, "SHF, immediate");
    REPORT(SHF);
    three(t, ISA_OP_PRMT)->b = arith_immediate(0x5410);
    report(t, "PRMT, immediate");
    REPORT(SEL);
    REPORT(MOV);
    REPORT(POPC);
    REPORT(FADD);
    REPORT(FMUL);
    REPORT(FFMA);
    three(t, ISA_OP_FFMA)->mod[ISA_MOD_ROUND] = 1;
    report(t, "FFMA.RM");
    REPORT(FMNMX);
    REPORT(FSEL);
    setp(t, ISA_OP_ISETP);
    report(t, "ISETP");
    setp(t, ISA_OP_FSETP);
    report(t, "FSETP");
    three(t, ISA_OP_MUFU)->mod[ISA_MOD_FUNCTION] = 4;
    report(t, "MUFU.RCP");
    three(t, ISA_OP_MUFU)->mod[ISA_MOD_FUNCTION] = 2;
    report(t, "MUFU.EX2");
    REPORT(HFMA2);
    three(t, ISA_OP_HFMA2)->mod[ISA_MOD_HALF_FORMAT] = 2;
    report(t, "HFMA2.BF16_V2");
    struct isa_inst *isa = three(t, ISA_OP_HMMA);
    isa->a = arith_register(16);
    isa->b = arith_register(20);
    isa->c = arith_register(24);
    isa->d = arith_register(28);
    for (unsigned r = 16; r < 28; ++r) /* halves between 1 and 2: infinities and NaNs go another way */
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            t->reg[r][i] = (arith_random(t) & 0x03ff03ff) | 0x3c003c00;
    isa->mod[ISA_MOD_SHAPE] = 1;
    isa->mod[ISA_MOD_MMA_ACC] = 1;
    report(t, "HMMA.16816.F32");
    isa->mod[ISA_MOD_SHAPE] = 0;
    isa->mod[ISA_MOD_MMA_TYPE] = 2;
    report(t, "HMMA.1688.F32.TF32");
    arith_destroy(t);
}

UNIT_TESTS(UNIT(speed))
