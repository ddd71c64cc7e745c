/* The kernels that measure instructions are made of the instructions that their rows name. */
#include <stdlib.h>

#include "base/embed.h"
#include "cubin/cubin.h"
#include "isa/isa.h"
#include "tests/unit.h"
#include "validate/micro/instructions.def"

/* Of a kernel unit_*: the short and the long chain, and a turn of the stream. The compiler leaves out one SEL for
 * sm_90. */
enum { FIRST = 70 }; /* Pascal has other names for sums, moves and conversions */
enum { STEPS = 4 + 36 + 4 * 32, LEFT_OUT = 1 };

struct row {
    const char *kernel, *label;
    unsigned count, architecture;
};

#define ROW(NAME, LABEL, COUNT, ARCHITECTURE) {"unit_" #NAME, LABEL, COUNT, ARCHITECTURE},
static const struct row rows[] = {INSTRUCTIONS(ROW)};

/* Instructions of a kernel whose text begins with one of the names in `names`, which end at `end`. */
static unsigned count_named(const struct isa_decoder *decoder, const struct cubin_kernel *kernel, const char *names,
                            const char *end)
{
    unsigned count = 0;
    for (uint32_t pc = 0; pc < kernel->code.size; pc += 16) {
        struct isa_inst inst;
        struct word128 word;
        char text[ISA_TEXT];
        memcpy(&word, kernel->code.data + pc, sizeof word);
        assert_true(isa_decode(decoder, word, pc, &inst));
        isa_print(&inst, text);
        for (const char *name = names; name < end;) {
            size_t length = strcspn(name, ", ");
            const char *at = *text == '@' ? strchr(text, ' ') + 1 : text;
            if (strncmp(at, name, length) == 0) {
                count++;
                break;
            }
            name += length;
            name += strspn(name, ", ");
        }
    }
    return count;
}

static void check_row(const struct isa_decoder *decoder, const struct cubin *cubin, const struct row *row)
{
    struct status status = {0};
    const struct cubin_kernel *kernel = cubin_find_kernel(cubin, row->kernel, &status);
    if (!kernel)
        fail_msg("%s", status.text);
    const char *with = strstr(row->label, " with "), *end = with ? with : row->label + strlen(row->label);
    unsigned wanted = STEPS * (with ? row->count - 1 : row->count);
    unsigned first = count_named(decoder, kernel, row->label, end);
    if (first + LEFT_OUT < wanted || first > wanted + wanted / 4)
        fail_msg("%s: %u of %s, not %u", row->kernel, first, row->label, wanted);
    if (with) {
        const char *second = with + strlen(" with ");
        assert_true(count_named(decoder, kernel, second, second + strlen(second)) >= STEPS);
    }
}

static void check_rows(const struct isa_decoder *decoder, const struct cubin *cubin, unsigned sm)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (rows[k].architecture <= sm)
            check_row(decoder, cubin, &rows[k]);
}

static unsigned count_in(const struct isa_decoder *decoder, const struct cubin *cubin, const char *kernel,
                         const char *name)
{
    struct status status = {0};
    const struct cubin_kernel *k = cubin_find_kernel(cubin, kernel, &status);
    if (!k)
        fail_msg("%s", status.text);
    return count_named(decoder, k, name, name + strlen(name));
}

/* Of the stream every second chain may go to the other unit, and some moves; of the chain alone nothing. */
static void check_halves(const struct isa_decoder *decoder, const struct cubin *cubin, unsigned sm)
{
    enum { STREAM = 4 * 32, MOVES = 8 };
    (void)sm;
    static const char *const kernel[] = {"unit_hadd2", "unit_hmul2", "unit_hfma2"};
    for (size_t i = 0; i < sizeof kernel / sizeof kernel[0]; i++)
        assert_true(count_in(decoder, cubin, kernel[i], "HFMA2.MMA") <= STREAM / 2 + MOVES);
}

/* 512 KiB of FFMA, with hardly anything from the first to the last that is none. */
static void check_curve(const struct isa_decoder *decoder, const struct cubin *cubin, unsigned sm)
{
    enum { INSTRUCTIONS = 512 * 1024 / 16, OTHERS = 64 };
    struct status status = {0};
    const struct cubin_kernel *kernel = cubin_find_kernel(cubin, "code_curve", &status);
    (void)sm;
    assert_non_null(kernel);
    unsigned count = 0, others = 0, since = 0;
    for (uint32_t pc = 0; pc < kernel->code.size; pc += 16) {
        struct isa_inst inst;
        struct word128 word;
        memcpy(&word, kernel->code.data + pc, sizeof word);
        assert_true(isa_decode(decoder, word, pc, &inst));
        since += inst.op != ISA_OP_FFMA;
        if (inst.op == ISA_OP_FFMA) {
            others += count > 0 ? since : 0;
            since = 0;
            count++;
        }
    }
    assert_int_equal(count, INSTRUCTIONS);
    assert_in_range(others, 0, OTHERS);
}

static void each_cubin(void (*check)(const struct isa_decoder *decoder, const struct cubin *cubin, unsigned sm))
{
    size_t count;
    unsigned seen = 0;
    const struct embedded *file = embedded_cubins(&count);
    for (size_t i = 0; i < count; i++) {
        unsigned sm;
        if (sscanf(file[i].name, "measure.sm_%u", &sm) != 1 || sm < FIRST)
            continue;
        struct status status = {0};
        struct cubin cubin;
        struct isa_decoder *decoder = isa_decoder_create(sm, &status);
        assert_non_null(decoder);
        if (!cubin_open(&cubin, (struct cubin_bytes){file[i].data, file[i].size}, file[i].name, &status))
            fail_msg("%s", status.text);
        check(decoder, &cubin, sm);
        cubin_close(&cubin);
        isa_decoder_destroy(decoder);
        seen++;
    }
    assert_int_equal(seen, 7);
}

static void rows_name_the_instructions_that_run(void **state)
{
    (void)state;
    each_cubin(check_rows);
}

static void a_chain_of_halves_stays_in_one_unit(void **state)
{
    (void)state;
    each_cubin(check_halves);
}

static void the_code_of_the_curve_is_hardly_anything_but_ffma(void **state)
{
    (void)state;
    each_cubin(check_curve);
}

UNIT_TESTS(UNIT(rows_name_the_instructions_that_run), UNIT(a_chain_of_halves_stays_in_one_unit),
           UNIT(the_code_of_the_curve_is_hardly_anything_but_ffma))
