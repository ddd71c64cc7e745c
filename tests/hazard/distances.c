/* The checker and the timing model agree: what a GPU's configuration gives as a fixed latency is what the checker asks
 * for. */
#include "config/config.h"
#include "hazard/distance.h"
#include "isa/assemble.h"
#include "isa/resources.h"
#include "tests/unit.h"

static struct isa_inst instruction(const struct isa_assembler *assembler, const char *text)
{
    struct word128 word;
    struct isa_asm_error error;
    struct isa_inst inst;
    if (!isa_assemble(assembler, text, strlen(text), 0, NULL, NULL, &word, &error))
        fail_msg("%s", text);
    const uint64_t none = UINT64_C(0x3f) << (110 - 64); /* no counters */
    word.hi |= none;
    assert_true(isa_decode(isa_assembler_decoder(assembler), word, 0, &inst));
    return inst;
}

static void check_gpu(const char *gpu)
{
    struct config c;
    struct status status = {0};
    assert_true(config_load(&c, gpu, &status));
    unsigned sm = c.gpu.architecture;
    struct isa_assembler *assembler = isa_assembler_create(sm, &status);
    assert_non_null(assembler);
    struct isa_inst add = instruction(assembler, "LOP3.LUT R1, R2, R3, RZ, 0xc0, !PT");
    struct isa_inst fma = instruction(assembler, "FFMA R1, R2, R3, R4");
    struct isa_inst half = instruction(assembler, "HADD2 R1, R2, R3");
    struct isa_inst uniform = instruction(assembler, "ULOP3.LUT UR4, UR5, UR6, URZ, 0xc0, !UPT");
    struct isa_inst set = instruction(assembler, "FSETP.GEU.AND P0, PT, R2, R3, PT");
    const unsigned p0 = RESOURCE_PREDICATE, ur4 = RESOURCE_UNIFORM + 4;
    assert_int_equal(hazard_distance(&add, 1, CONSUMER_ALU, sm), c.core.alu_latency);
    assert_int_equal(hazard_distance(&fma, 1, CONSUMER_FMA, sm), c.core.fma_latency);
    assert_int_equal(hazard_distance(&half, 1, CONSUMER_ALU, sm), c.core.half_latency);
    assert_int_equal(hazard_distance(&uniform, ur4, CONSUMER_UNIFORM, sm), c.core.uniform_latency);
    assert_int_equal(hazard_distance(&uniform, ur4, CONSUMER_ALU, sm), c.core.uniform_to_vector_latency);
    assert_int_equal(hazard_distance(&set, p0, CONSUMER_GUARD, sm), c.core.predicate_latency);
    assert_int_equal(hazard_distance(&set, p0, CONSUMER_ALU, sm), c.core.predicate_data_latency);
    isa_assembler_destroy(assembler);
}

static void distances_are_the_latencies_of_the_configuration(void **state)
{
    static const char *const gpus[] = {"t4", "a100", "rtx-a6000", "l40", "h200", "b200", "rtx-5070-ti"};
    (void)state;
    for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++)
        check_gpu(gpus[i]);
}

/* Compiled: a pair, or the word alone, which sm_120 gives a cycle later. */
static void a_clock_takes_longer_as_a_pair(void **state)
{
    static const unsigned architectures[] = {75, 80, 86, 89, 90, 100, 120};
    (void)state;
    for (unsigned i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        unsigned sm = architectures[i];
        struct status status = {0};
        struct isa_assembler *assembler = isa_assembler_create(sm, &status);
        struct isa_inst pair = instruction(assembler, "CS2R R2, SR_CLOCKLO");
        struct isa_inst word = instruction(assembler, "CS2R.32 R2, SR_CLOCKLO");
        assert_int_equal(hazard_distance(&pair, 2, CONSUMER_ALU, sm), 6);
        assert_int_equal(hazard_distance(&word, 2, CONSUMER_ALU, sm), sm == 120 ? 5 : 4);
        assert_int_equal(hazard_distance(&pair, 2, CONSUMER_FMA, sm), 5);
        assert_int_equal(hazard_distance(&word, 2, CONSUMER_FMA, sm), 5);
        assert_int_equal(hazard_write_latency(&pair, 2, sm), 5);
        assert_int_equal(hazard_write_latency(&word, 2, sm), 4);
        isa_assembler_destroy(assembler);
    }
}

UNIT_TESTS(UNIT(distances_are_the_latencies_of_the_configuration), UNIT(a_clock_takes_longer_as_a_pair))
