/* The checker and the timing model agree: the checker asks for the fixed latency that a GPU's configuration gives. */
#include "config/config.h"
#include "hazard/code.h"
#include "isa/assemble.h"
#include "isa/contract.h"
#include "isa/pascal.h"
#include "isa/resources.h"
#include "isa/stall.h"
#include "tests/unit.h"

enum { UNIFORM_DATAPATH = 75 }; /* the first architecture that has one */

static struct isa_inst instruction(const struct isa_assembler *assembler, const char *text)
{
    struct word128 word;
    struct isa_asm_error error;
    struct isa_inst inst;
    if (!isa_assemble(assembler, text, strlen(text), 0, NULL, NULL, &word, &error))
        fail_msg("%s", text);
    const struct isa_control none = {.write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB};
    isa_assembler_set_control(assembler, none, &word);
    assert_true(isa_decode(isa_assembler_decoder(assembler), word, 0, &inst));
    return inst;
}

static void check_latencies(const struct config *given, unsigned sm)
{
    struct config c = *given;
    struct status status = {0};
    struct isa_assembler *assembler = isa_assembler_create(sm, &status);
    assert_non_null(assembler);
    struct isa_inst add =
        instruction(assembler, pascal_supported(sm) ? "LOP.AND R1, R2, R3" : "LOP3.LUT R1, R2, R3, RZ, 0xc0, !PT");
    struct isa_inst fma = instruction(assembler, "FFMA R1, R2, R3, R4");
    struct isa_inst half = instruction(assembler, "HADD2 R1, R2, R3");
    struct isa_inst set = instruction(assembler, "FSETP.GEU.AND P0, PT, R2, R3, PT");
    const unsigned p0 = RESOURCE_PREDICATE;
    assert_int_equal(isa_distance(&add, 1, ISA_CONSUMER_ALU, sm), c.core.alu_latency);
    assert_int_equal(isa_distance(&fma, 1, ISA_CONSUMER_FMA, sm), c.core.fma_latency);
    assert_int_equal(isa_distance(&half, 1, ISA_CONSUMER_ALU, sm), c.core.half_latency);
    assert_int_equal(isa_distance(&set, p0, ISA_CONSUMER_GUARD, sm), c.core.predicate_latency);
    assert_int_equal(isa_distance(&set, p0, ISA_CONSUMER_ALU, sm), c.core.predicate_data_latency);
    if (sm >= UNIFORM_DATAPATH) {
        struct isa_inst uniform = instruction(assembler, "ULOP3.LUT UR4, UR5, UR6, URZ, 0xc0, !UPT");
        const unsigned ur4 = RESOURCE_UNIFORM + 4;
        assert_int_equal(isa_distance(&uniform, ur4, ISA_CONSUMER_UNIFORM, sm), c.core.uniform_latency);
        assert_int_equal(isa_distance(&uniform, ur4, ISA_CONSUMER_ALU, sm), c.core.uniform_to_vector_latency);
    }
    isa_assembler_destroy(assembler);
}

static void check_gpu(const char *gpu)
{
    struct config c;
    struct status status = {0};
    assert_true(config_load(&c, gpu, &status));
    unsigned sm = c.gpu.architecture;
    check_latencies(&c, sm);
    if (!isa_latency_is_fixed(ISA_LATENCY_FP64, sm))
        return;
    struct isa_inst fma = {.op = ISA_OP_DFMA, .control = {.write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB}};
    assert_false(c.core.fp64_shared); /* a shared unit cannot keep a fixed latency */
    assert_int_equal(isa_distance(&fma, 1, ISA_CONSUMER_FP64, sm), c.core.fp64_latency);
}

static void distances_are_the_latencies_of_the_configuration(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_gpu_count(); i++)
        check_gpu(config_gpu_name(i));
}

/* The defaults are those of GA102. */
static void the_defaults_are_the_distances_of_sm_86(void **state)
{
    struct config c;
    (void)state;
    config_defaults(&c);
    check_latencies(&c, 86);
    assert_int_equal(c.core.stall_zero_yield, isa_stall_sleep(86));
}

/* Compiled: a pair, or the word alone, which sm_120 gives a cycle later. */
static void a_clock_takes_longer_as_a_pair(void **state)
{
    static const unsigned architectures[] = {70, 75, 80, 86, 89, 90, 100, 120};
    (void)state;
    for (unsigned i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        unsigned sm = architectures[i];
        struct status status = {0};
        struct isa_assembler *assembler = isa_assembler_create(sm, &status);
        struct isa_inst pair = instruction(assembler, "CS2R R2, SR_CLOCKLO");
        struct isa_inst word = instruction(assembler, "CS2R.32 R2, SR_CLOCKLO");
        assert_int_equal(isa_distance(&pair, 2, ISA_CONSUMER_ALU, sm), 6);
        assert_int_equal(isa_distance(&word, 2, ISA_CONSUMER_ALU, sm), sm == 120 ? 5 : 4);
        assert_int_equal(isa_distance(&pair, 2, ISA_CONSUMER_FMA, sm), 5);
        assert_int_equal(isa_distance(&word, 2, ISA_CONSUMER_FMA, sm), 5);
        assert_int_equal(isa_write_distance(&pair, 2, sm), 5);
        assert_int_equal(isa_write_distance(&word, 2, sm), 4);
        isa_assembler_destroy(assembler);
    }
}

/* The checker has no configuration: it takes the sleep of the code's architecture. */
static void the_sleep_of_stall_0_is_that_of_every_configuration(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_gpu_count(); i++) {
        struct config c;
        struct status status = {0};
        assert_true(config_load(&c, config_gpu_name(i), &status));
        unsigned sleep = isa_stall_sleep(c.gpu.architecture);
        if (sleep != c.core.stall_zero_yield)
            fail_msg("%s: %u cycles, core.stall_zero_yield = %u", config_gpu_name(i), sleep, c.core.stall_zero_yield);
    }
}

/* MICRO 2025 paper, section 4, and measured on an A100; the others as their relatives. */
static void the_checker_lets_a_warp_sleep_as_long_as_its_chip_does(void **state)
{
    const struct {
        unsigned sm, sleep;
    } rows[] = {{75, 45}, {80, 54}, {86, 45}, {89, 45}, {90, 58}, {100, 58}, {120, 45}};
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct isa_inst inst = {.op = ISA_INVALID, .control = {.yield = true}};
        struct hazard_code code;
        assert_true(hazard_code_build(&code, rows[i].sm, &inst, sizeof inst, 1));
        assert_int_equal(code.at[0].stall, rows[i].sleep);
        hazard_code_free(&code);
    }
}

UNIT_TESTS(UNIT(distances_are_the_latencies_of_the_configuration), UNIT(the_defaults_are_the_distances_of_sm_86),
           UNIT(a_clock_takes_longer_as_a_pair), UNIT(the_sleep_of_stall_0_is_that_of_every_configuration),
           UNIT(the_checker_lets_a_warp_sleep_as_long_as_its_chip_does))
