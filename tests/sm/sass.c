#include "tests/sm/sass.h"

#include "isa/assemble.h"
#include "sm/legacy/units.h"

struct harness *sass_new(uint32_t consumers)
{
    struct harness *h = harness_new();
    h->config.core.dependence = CONFIG_DEPENDENCE_SCOREBOARD;
    h->config.core.scoreboard_consumers = consumers;
    h->registers = calloc(HARNESS_CODE, sizeof *h->registers);
    assert_non_null(h->registers);
    return h;
}

struct harness *sass_legacy(void)
{
    struct harness *h = sass_new(0);
    h->config.core.model = CONFIG_CORE_LEGACY;
    h->config.core.scheduler = CONFIG_SCHEDULER_GTO;
    h->config.legacy.banks = 16; /* the pipelines of Accel-Sim's QV100 */
    h->config.legacy.sp_latency = h->config.legacy.sp_interval = 2;
    h->config.legacy.int_latency = h->config.legacy.int_interval = 2;
    h->config.legacy.dp_latency = 8;
    h->config.legacy.dp_interval = 4;
    h->config.legacy.sfu_latency = 20;
    h->config.legacy.shared_latency = h->config.legacy.l1_latency = 20;
    return h;
}

static struct isa_inst assembled(const char *text)
{
    struct status status = {0};
    struct isa_asm_error error;
    struct isa_inst inst;
    struct word128 word;
    struct isa_assembler *assembler = isa_assembler_create(86, &status);
    assert_non_null(assembler);
    if (!isa_assemble(assembler, text, strlen(text), 0, NULL, NULL, &word, &error))
        fail_msg("%s: %s", text, error.message);
    assert_true(isa_decode(isa_assembler_decoder(assembler), word, 0, &inst));
    isa_assembler_destroy(assembler);
    return inst;
}

uint32_t sass(struct harness *h, const char *text)
{
    uint32_t index = h->count++;
    assert_true(index < HARNESS_CODE);
    struct isa_inst inst = assembled(text);
    inst.control = scoreboard_control(&inst, false);
    struct code *code = &h->code[index];
    code_build(code, &inst, &h->config);
    scoreboard_registers(&h->registers[index], &inst, code, &h->config.core);
    if (h->config.core.model == CONFIG_CORE_LEGACY)
        legacy_code_build(code, &h->registers[index], &inst, &h->config.legacy);
    h->program[index] = (struct inst){.code = *code,
                                      .active = ~UINT32_C(0),
                                      .bytes = (uint8_t)(4 * code->data_words),
                                      .stride = 4u * code->data_words};
    h->program[index].exits = inst.op == ISA_OP_EXIT;
    return index;
}

void sass_run(struct harness *h)
{
    sass(h, "EXIT");
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
}

uint64_t sass_distance(struct harness *h, uint32_t from, uint32_t to)
{
    sass_run(h);
    uint64_t cycles = distance(h, 0, from, to);
    harness_free(h);
    return cycles;
}
