/* Patches of code, constants and variables, on a cubin that is put together by hand. */
#include "exec/code/relocate.h"

#include "exec/module.h"
#include "tests/unit.h"

enum { CODE = 1, CONSTANT4, INIT, ZERO, DEBUG, SECTIONS, GLOBALS_BYTES = 40 };
#define GLOBALS UINT64_C(0x0000700000012300)

struct patched {
    uint8_t image[1024];
    struct status status;
};

/* One relocation in a section, against a symbol with value 8 in another. */
static bool patch_at(struct patched *p, uint16_t section, uint64_t offset, uint32_t type, uint16_t symbol_section,
                     int64_t addend)
{
    static const char *const names[SECTIONS] = {"",           ".text.kernel", ".nv.constant4", ".nv.global.init",
                                                ".nv.global", ".debug_frame"};
    struct cubin_section sections[SECTIONS] = {{0}};
    for (unsigned i = 0; i < SECTIONS; i++) {
        sections[i].name = names[i];
        sections[i].bytes = (struct cubin_bytes){p->image + 128 * i, i == INIT ? GLOBALS_BYTES : 128};
    }
    struct cubin_symbol symbols[3] = {{0}, {.name = "it", .section = symbol_section, .value = 8}, {0}};
    struct cubin_relocation relocation = {section, type, 1, offset, addend};
    char path[] = "by hand";
    const struct cubin cubin = {.path = path,
                                .sections = sections,
                                .section_count = SECTIONS,
                                .symbols = symbols,
                                .symbol_count = 3,
                                .relocations = &relocation,
                                .relocation_count = 1,
                                .global_init = sections[INIT].bytes};
    memset(p->image, 0xa5, sizeof p->image);
    p->status = (struct status){0};
    return relocate(&cubin, p->image, GLOBALS, &p->status);
}

static bool patch(struct patched *p, uint16_t section, uint32_t type, uint16_t symbol_section, int64_t addend)
{
    return patch_at(p, section, 16, type, symbol_section, addend);
}

static struct word128 word_at(const struct patched *p, unsigned section)
{
    struct word128 w;
    memcpy(&w.lo, p->image + 128 * section + 16, 8);
    memcpy(&w.hi, p->image + 128 * section + 24, 8);
    return w;
}

/* The field holds the value. Every other bit of the image is as it was. */
static void assert_field(struct patched *p, unsigned section, unsigned high, unsigned low, uint64_t expected)
{
    struct word128 w = word_at(p, section);
    assert_int_equal(word128_bits(w, high, low), expected);
    uint64_t clean = UINT64_C(0xa5a5a5a5a5a5a5a5);
    for (unsigned bit = low; bit <= high; bit++) {
        uint64_t *half = bit < 64 ? &w.lo : &w.hi;
        uint64_t one = UINT64_C(1) << bit % 64;
        *half = (*half & ~one) | (clean & one);
    }
    memcpy(p->image + 128 * section + 16, &w.lo, 8);
    memcpy(p->image + 128 * section + 24, &w.hi, 8);
}

static void assert_rest(const struct patched *p)
{
    for (size_t i = 0; i < sizeof p->image; i++)
        assert_int_equal(p->image[i], 0xa5);
}

static void addresses_fill_the_fields_that_the_type_names(void **state)
{
    (void)state;
    uint64_t value = GLOBALS + 8 + 5;
    const struct {
        uint32_t type;
        unsigned high, low;
        uint64_t expected;
    } cases[] = {
        {0x02, 63, 0, value},
        {0x01, 31, 0, (uint32_t)value},
        {0x03, 31, 0, (uint32_t)value},
        {0x04, 63, 0, value},
        {0x37, 63, 32, (uint32_t)value},
        {0x38, 63, 32, (uint32_t)value},
        {0x39, 63, 32, value >> 32},
        {0x70, 63, 32, (uint32_t)value},
        {0x71, 63, 32, value >> 32},
        {0x3a, 80, 34, value >> 2},
        {0x3b, 47, 32, value & 0xffff},
        {0x46, 31, 0, (uint32_t)value},
        {0x47, 31, 0, value >> 32},
        {0x23, 63, 0, value},
        {0x3e, 63, 32, (uint32_t)value},
        {0x3f, 63, 32, value >> 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct patched p;
        assert_true(patch(&p, CODE, cases[i].type, INIT, 5));
        assert_field(&p, CODE, cases[i].high, cases[i].low, cases[i].expected);
        assert_rest(&p);
    }
}

static void call_targets_of_later_architectures_have_their_low_byte_apart(void **state)
{
    (void)state;
    uint64_t words = (GLOBALS + 8) >> 2;
    static const struct {
        uint32_t type;
        unsigned high;
    } cases[] = {{0x4b, 80}, {0x72, 81}};
    for (size_t i = 0; i < 2; i++) {
        struct patched p;
        assert_true(patch(&p, CODE, cases[i].type, INIT, 0));
        assert_field(&p, CODE, cases[i].high, 34, words >> 8);
        assert_field(&p, CODE, 23, 16, words & 0xff);
        assert_rest(&p);
    }
}

static void symbols_have_the_address_of_what_they_name(void **state)
{
    (void)state;
    const struct {
        uint16_t section;
        uint64_t expected;
    } cases[] = {
        {INIT, GLOBALS + 8}, {ZERO, GLOBALS + 256 + 8},    {CODE, exec_section_address(CODE) + 8},
        {CONSTANT4, 8},      {0, EXEC_EXTERN_WINDOW + 16}, /* symbol 1, which the driver would supply */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct patched p;
        assert_true(patch(&p, CONSTANT4, 0x02, cases[i].section, 0));
        assert_field(&p, CONSTANT4, 63, 0, cases[i].expected);
        assert_rest(&p);
    }
}

/* The generic address of a place in shared memory depends on the window, which the loader does not know. */
static void generic_addresses_are_those_of_global_memory(void **state)
{
    (void)state;
    struct patched p;
    assert_true(patch(&p, INIT, 0x04, ZERO, 28));
    assert_field(&p, INIT, 63, 0, GLOBALS + 256 + 8 + 28);
    assert_rest(&p);
    assert_false(patch(&p, INIT, 0x04, CONSTANT4, 0));
    assert_int_equal(p.status.code, STATUS_UNSUPPORTED);
    assert_string_equal(p.status.text, "by hand: .nv.global.init+0x10: generic address of symbol 1, which is not in "
                                       "global memory");
    assert_rest(&p);
}

static void sections_that_are_not_loaded_stay_as_they_are(void **state)
{
    (void)state;
    struct patched p;
    assert_true(patch(&p, DEBUG, 0x02, INIT, 0));
    assert_true(patch(&p, DEBUG, 0x7777, INIT, 0));
    assert_rest(&p);
}

static void what_cannot_be_patched_is_an_error_with_its_place(void **state)
{
    (void)state;
    struct patched p;
    assert_false(patch(&p, CODE, 0x7777, INIT, 0));
    assert_int_equal(p.status.code, STATUS_UNSUPPORTED);
    assert_string_equal(p.status.text, "by hand: .text.kernel+0x10: relocation type 0x7777 is not supported");
    assert_false(patch(&p, CODE, 0x02, DEBUG, 0));
    assert_non_null(strstr(p.status.text, "relocation against symbol 1, which has no address"));
    assert_true(patch_at(&p, INIT, GLOBALS_BYTES - 8, 0x02, INIT, 0));
    assert_false(patch_at(&p, INIT, GLOBALS_BYTES - 7, 0x02, INIT, 0));
    assert_string_equal(p.status.text, "by hand: .nv.global.init+0x21: relocation outside of the section");
    assert_false(patch_at(&p, INIT, UINT64_MAX, 0x02, INIT, 0));
    assert_rest(&p);
}

UNIT_TESTS(UNIT(addresses_fill_the_fields_that_the_type_names),
           UNIT(call_targets_of_later_architectures_have_their_low_byte_apart),
           UNIT(symbols_have_the_address_of_what_they_name), UNIT(generic_addresses_are_those_of_global_memory),
           UNIT(sections_that_are_not_loaded_stay_as_they_are), UNIT(what_cannot_be_patched_is_an_error_with_its_place))
