/* Instructions made from mnemonic and registers, against those that the compiler wrote. */
#include "accelsim/synthesis.h"
#include "tests/unit.h"

#include <ctype.h>
#include <glob.h>

#include "base/file.h"
#include "cubin/cubin.h"

/* ---- a tracer's record of an instruction ----------------------------------------------------------------------- */

/* General registers of an operand: R7, but not UR7. */
static void add_registers(struct sketch *s, const char *text, size_t length, bool address)
{
    for (size_t i = 0; i < length && s->registers < COMPOSE_REGISTERS; i++) {
        bool begins =
            text[i] == 'R' && (i == 0 || !isalnum((unsigned char)text[i - 1])) && (i == 0 || text[i - 1] != '_');
        if (!begins || i + 1 >= length)
            continue;
        if (isdigit((unsigned char)text[i + 1]))
            s->reg[s->registers++] = (uint8_t)strtoul(text + i + 1, NULL, 10);
        else if (text[i + 1] == 'Z' && !(i + 2 < length && isalnum((unsigned char)text[i + 2])))
            s->reg[s->registers++] = 255;
        else
            continue;
        if (address)
            return;
    }
}

static void sketch_of(const struct isa_inst *inst, char text[static ISA_TEXT], struct sketch *s)
{
    isa_print(inst, text);
    const char *at = text;
    if (*at == '@')
        at = strchr(at, ' ') + 1;
    *s = (struct sketch){
        .mnemonic = at, .length = strcspn(at, " "), .immediate_known = true, .guard = ISA_PT, .result = ISA_PT};
    at += s->length;
    for (bool first = true; *at; first = false) {
        at += strspn(at, " ,");
        size_t n = strcspn(at, ",");
        unsigned before = s->registers;
        bool special = strncmp(at, "SR_", 3) == 0;
        if (!special)
            add_registers(s, at, n, false);
        if (first && s->registers > before && (at[0] == 'R'))
            s->destination = true;
        if (strchr("0123456789-", *at) && strncmp(at, "0x", 2) == 0)
            s->immediate = (int64_t)strtoull(at, NULL, 16);
        else if (strncmp(at, "-0x", 3) == 0)
            s->immediate = -(int64_t)strtoull(at + 1, NULL, 16);
        at += n;
    }
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    s->width =
        info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE && info->space != ISA_SPACE_CONSTANT ? 4 : 0;
}

/* Registers without predicates. The order does not matter to timing. */
static void register_sets(const struct isa_inst *inst, uint64_t read[4], uint64_t written[4])
{
    struct isa_regs r;
    isa_registers(inst, &r);
    memset(read, 0, 32);
    memset(written, 0, 32);
    for (unsigned i = 0; i < r.reads; i++)
        for (unsigned w = 0; w < r.read[i].words; w++)
            read[(r.read[i].first + w) / 64 % 4] |= UINT64_C(1) << (r.read[i].first + w) % 64;
    for (unsigned i = 0; i < r.writes; i++)
        for (unsigned w = 0; w < r.write[i].words; w++)
            written[(r.write[i].first + w) / 64 % 4] |= UINT64_C(1) << (r.write[i].first + w) % 64;
}

struct tally {
    unsigned all, wrong, cluster;
};

static void compare(struct synthesis *s, const struct isa_inst *want, struct tally *tally)
{
    char text[ISA_TEXT], got_text[ISA_TEXT];
    struct sketch sketch;
    struct isa_inst got;
    uint64_t reads[2][4], writes[2][4];
    sketch_of(want, text, &sketch);
    enum synthesis_kind kind = synthesis_make(s, &sketch, &got);
    tally->cluster += strncmp(sketch.mnemonic, "UCGABAR", 7) == 0 && want->op == got.op;
    register_sets(want, reads[0], writes[0]);
    register_sets(&got, reads[1], writes[1]);
    const struct isa_op_info *a = isa_op_info((enum isa_op)want->op), *b = isa_op_info((enum isa_op)got.op);
    bool same = kind == SYNTHESIS_KNOWN && a->pipe == b->pipe && a->latency == b->latency && a->memory == b->memory &&
                a->space == b->space && want->mod[ISA_MOD_SIZE] == got.mod[ISA_MOD_SIZE] &&
                memcmp(reads[0], reads[1], 32) == 0 && memcmp(writes[0], writes[1], 32) == 0;
    tally->all++;
    tally->wrong += !same;
    if (!same) {
        isa_print(&got, got_text);
        print_message("# %s  ->  %s\n", text, got_text);
    }
}

static void compare_kernels(const char *path, struct tally *tally)
{
    struct status status = {0};
    struct file_bytes file;
    struct cubin cubin;
    assert_true(file_read(path, 64 << 20, &file, &status));
    assert_true(cubin_open(&cubin, (struct cubin_bytes){file.data, file.size}, path, &status));
    struct synthesis *s = synthesis_create(cubin.sm, &status);
    struct isa_decoder *decoder = isa_decoder_create(cubin.sm, &status);
    assert_non_null(s);
    for (size_t k = 0; cubin.sm >= 70 && k < cubin.kernel_count; k++)
        for (size_t at = 0; at + 16 <= cubin.kernels[k].code.size; at += 16) {
            struct word128 word;
            struct isa_inst inst;
            memcpy(&word, cubin.kernels[k].code.data + at, 16);
            if (isa_decode(decoder, word, (uint32_t)at, &inst))
                compare(s, &inst, tally);
        }
    isa_decoder_destroy(decoder);
    synthesis_destroy(s);
    cubin_close(&cubin);
    file_free(&file);
}

static void compiled_code_is_rebuilt_from_mnemonics_and_registers(void **state)
{
    (void)state;
    char pattern[4096];
    glob_t found;
    struct tally tally = {0};
    assert_int_equal(glob(unit_path(pattern, "examples/cubin/*.cubin"), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        compare_kernels(found.gl_pathv[i], &tally);
    assert_true(tally.all > 25000);
    /* LDG.E.CONSTANT.SYS R18, [R18.U32+UR4]: a trace does not tell that the address is not a pair of registers */
    assert_int_equal(tally.wrong, 1);
    assert_true(tally.cluster > 20);
    globfree(&found);
}

/* ---- names of other generations ---------------------------------------------------------------------------------- */

static void names_of_other_generations_have_a_stand_in(void **state)
{
    (void)state;
    static const struct {
        unsigned architecture;
        const char *mnemonic;
        bool destination;
        uint8_t registers, reg[5];
        uint16_t width;
        enum synthesis_kind kind;
        const char *text;
    } cases[] = {
        {75, "XMAD", true, 4, {1, 2, 3, 4}, 0, SYNTHESIS_STAND_IN, "IMAD R1, R2, R3, R4"},
        {75, "IADD32I", true, 2, {1, 2}, 0, SYNTHESIS_STAND_IN, "IADD3 R1, R2, RZ, RZ"},
        {75, "SSY", false, 0, {0}, 0, SYNTHESIS_STAND_IN, "BSSY B0, 0x10"},
        {75, "LDU.E.64", true, 2, {4, 2}, 8, SYNTHESIS_STAND_IN, "LDG.E.64.SYS R4, [R2]"},
        {80, "LDG.E.64.CONSTANT.SYS", true, 2, {4, 2}, 8, SYNTHESIS_KNOWN, "LDG.E.64.CONSTANT R4, [R2]"},
        {75, "LDG.E.64", true, 2, {4, 2}, 8, SYNTHESIS_KNOWN, "LDG.E.64.SYS R4, [R2]"},
        {80, "SHFL.DOWN", false, 2, {4, 2}, 0, SYNTHESIS_KNOWN, "SHFL.DOWN PT, R4, R2, 0x0, 0x0"},
        {80, "SHFL.DOWN", true, 2, {4, 2}, 0, SYNTHESIS_KNOWN, "SHFL.DOWN PT, R4, R2, 0x0, 0x0"},
        {80,
         "ATOMG.E.ADD.STRONG.GPU",
         false,
         3,
         {4, 2, 6},
         4,
         SYNTHESIS_KNOWN,
         "ATOMG.E.ADD.STRONG.GPU PT, R4, [R2], R6"},
        {80, "HMMA.16816.F32", true, 4, {4, 8, 12, 4}, 0, SYNTHESIS_KNOWN, "HMMA.16816.F32 R4, R8, R12, R4"},
        {75, "HGMMA.64x8x16.F32", true, 3, {4, 8, 12}, 0, SYNTHESIS_STAND_IN, "HMMA.1688.F32 R4, R8, R12, RZ"},
        {80, "FROB.X", true, 3, {1, 2, 3}, 0, SYNTHESIS_UNKNOWN, "FFMA R1, R2, R3, 1"},
        {80, "ZAP", true, 5, {1, 2, 3, 4, 5}, 0, SYNTHESIS_UNKNOWN, "IADD3 R1, R2, R3, R4"},
        {80, "ATOMQ", false, 2, {2, 3}, 4, SYNTHESIS_UNKNOWN, "ATOMG.E.ADD.STRONG.GPU PT, R2, [URZ], R3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status = {0};
        char text[ISA_TEXT];
        struct isa_inst inst;
        struct synthesis *s = synthesis_create(cases[i].architecture, &status);
        struct sketch sketch = {.mnemonic = cases[i].mnemonic,
                                .length = strlen(cases[i].mnemonic),
                                .destination = cases[i].destination,
                                .registers = cases[i].registers,
                                .width = cases[i].width,
                                .guard = ISA_PT,
                                .result = ISA_PT};
        memcpy(sketch.reg, cases[i].reg, cases[i].registers);
        for (unsigned times = 0; times < 2; times++) { /* found, and remembered */
            assert_int_equal(synthesis_make(s, &sketch, &inst), cases[i].kind);
            isa_print(&inst, text);
            assert_string_equal(text, cases[i].text);
        }
        synthesis_destroy(s);
    }
}

static void architectures_use_the_tables_of_the_one_before(void **state)
{
    (void)state;
    assert_int_equal(synthesis_architecture(35), 70);
    assert_int_equal(synthesis_architecture(72), 70);
    assert_int_equal(synthesis_architecture(80), 80);
    assert_int_equal(synthesis_architecture(87), 86);
    assert_int_equal(synthesis_architecture(103), 100);
    assert_int_equal(synthesis_architecture(121), 120);
}

UNIT_TESTS(UNIT(compiled_code_is_rebuilt_from_mnemonics_and_registers),
           UNIT(names_of_other_generations_have_a_stand_in), UNIT(architectures_use_the_tables_of_the_one_before))
