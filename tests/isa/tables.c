/* The instruction tables test themselves: encodings.def, enums.def and opcodes.def must fit together. */
#include "isa/syntax.h"
#include "tests/unit.h"

static const unsigned ARCHITECTURES[] = {70, 75, 80, 86, 89, 90, 100, 120};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES, ROWS = 4096 };

/* One row in one form, as one architecture has it. */
struct variant {
    const struct isa_encoding *row;
    unsigned opcode;
    struct word128 mask, value;
};

static void set_bit(struct word128 *word, unsigned bit)
{
    *(bit < 64 ? &word->lo : &word->hi) |= UINT64_C(1) << (bit & 63);
}

static void add_condition(struct variant *v, const struct syntax_element *e)
{
    unsigned from = syntax_field_width(&e->field);
    for (unsigned i = 0; i < e->field.pieces; i++) {
        for (unsigned bit = e->field.high[i] + 1u; bit-- > e->field.low[i];) {
            set_bit(&v->mask, bit);
            if (e->value >> --from & 1)
                set_bit(&v->value, bit);
        }
    }
}

static void compile(const struct isa_encoding *row, enum syntax_form form, unsigned sm, struct syntax_row *out)
{
    const char *wrong = syntax_compile(row->text, form, row->forms & SET_ADD, sm, out);
    if (wrong)
        fail_msg("\"%s\" cannot be read from \"%s\" on", row->text, wrong);
}

static void each_row(void (*check)(const struct isa_encoding *, enum syntax_form, const struct syntax_row *))
{
    for (unsigned i = 0; i < isa_encoding_count; i++) {
        const struct isa_encoding *row = &isa_encodings[i];
        for (unsigned form = 0; form <= FORM_ONE; form++) {
            struct syntax_row compiled;
            if (!(row->forms >> form & 1))
                continue;
            compile(row, (enum syntax_form)form, row->first_sm, &compiled);
            check(row, (enum syntax_form)form, &compiled);
        }
    }
}

static unsigned variants_of(unsigned sm, struct variant out[static ROWS])
{
    unsigned count = 0;
    for (unsigned i = 0; i < isa_encoding_count; i++) {
        const struct isa_encoding *row = &isa_encodings[i];
        for (unsigned form = 0; sm >= row->first_sm && sm <= row->last_sm && form <= FORM_ONE; form++) {
            struct syntax_row compiled;
            if (!(row->forms >> form & 1))
                continue;
            compile(row, (enum syntax_form)form, sm, &compiled);
            assert_true(count < ROWS);
            out[count] = (struct variant){.row = row, .opcode = isa_form_opcode(row->opcode, (enum syntax_form)form)};
            for (unsigned k = 0; k < compiled.count; k++)
                if (compiled.element[k].kind == ELEMENT_CONDITION)
                    add_condition(&out[count], &compiled.element[k]);
            count++;
        }
    }
    return count;
}

static bool exclude_each_other(const struct variant *a, const struct variant *b)
{
    return ((a->value.lo ^ b->value.lo) & a->mask.lo & b->mask.lo) != 0 ||
           ((a->value.hi ^ b->value.hi) & a->mask.hi & b->mask.hi) != 0;
}

static bool is_stricter(const struct variant *a, const struct variant *b)
{
    bool more = a->mask.lo != b->mask.lo || a->mask.hi != b->mask.hi;
    return more && (a->mask.lo & b->mask.lo) == b->mask.lo && (a->mask.hi & b->mask.hi) == b->mask.hi;
}

static void rows_of_one_opcode_exclude_each_other_or_the_stricter_stands_first(void **state)
{
    (void)state;
    static struct variant variants[ROWS];
    for (unsigned i = 0; i < ARCHITECTURE_COUNT; i++) {
        unsigned count = variants_of(ARCHITECTURES[i], variants);
        for (unsigned a = 0; a < count; a++) {
            for (unsigned b = a + 1; b < count; b++) {
                if (variants[a].opcode == variants[b].opcode && !exclude_each_other(&variants[a], &variants[b]) &&
                    !is_stricter(&variants[a], &variants[b]))
                    fail_msg("sm_%u: \"%s\" hides \"%s\"", ARCHITECTURES[i], variants[a].row->text,
                             variants[b].row->text);
            }
        }
    }
}

static void every_opcode_has_a_row(void **state)
{
    (void)state;
    bool found[ISA_OP_COUNT] = {[ISA_INVALID] = true};
    for (unsigned i = 0; i < isa_encoding_count; i++)
        found[isa_encodings[i].op] = true;
#define X(id, ...) found[ISA_OP_##id] = true;
    ISA_PASCAL_OPCODES(X) /* those have rows of pascal_encodings.def */
    ISA_PASCAL_REFUSED(X)
#undef X
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        if (!found[op])
            fail_msg("%s has no row", isa_op_info((enum isa_op)op)->name);
}

static void check_mnemonic(const struct isa_encoding *row, enum syntax_form form, const struct syntax_row *compiled)
{
    (void)form;
    const char *name = isa_op_info((enum isa_op)row->op)->name;
    const struct syntax_element *first = &compiled->element[0];
    if (first->kind != ELEMENT_TEXT || strncmp(first->text, name, strlen(name)) != 0)
        fail_msg("\"%s\" does not begin with %s", row->text, name);
}

static void every_row_begins_with_the_mnemonic_of_its_opcode(void **state)
{
    (void)state;
    each_row(check_mnemonic);
}

static void mark(const struct isa_encoding *row, bool used[static 128], const struct syntax_field *field)
{
    for (unsigned i = 0; i < field->pieces; i++) {
        for (unsigned bit = field->low[i]; bit <= field->high[i]; bit++) {
            if (bit <= 15 || bit == 91 || bit >= 105)
                fail_msg("\"%s\" has a field in bit %u, which belongs to every instruction", row->text, bit);
            used[bit] = true;
        }
    }
}

static void check_fields(const struct isa_encoding *row, enum syntax_form form, const struct syntax_row *compiled)
{
    (void)form;
    bool used[128] = {false};
    for (unsigned i = 0; i < compiled->count; i++) {
        const struct syntax_element *e = &compiled->element[i];
        if (e->kind == ELEMENT_ADDRESS || e->kind == ELEMENT_TEXT)
            continue;
        bool has_no_field = e->kind == ELEMENT_CONSTANT || (e->kind == ELEMENT_CONDITION && e->role != ISA_MOD_LIMIT);
        if (e->field.pieces == 0 && !has_no_field)
            fail_msg("\"%s\" has an element without bits", row->text);
        mark(row, used, &e->field);
        mark(row, used, &e->swizzle);
    }
}

static void fields_stay_clear_of_opcode_guard_and_control_bits(void **state)
{
    (void)state;
    each_row(check_fields);
}

static void check_modifiers(const struct isa_encoding *row, enum syntax_form form, const struct syntax_row *compiled)
{
    (void)form;
    bool seen[ISA_MOD_LIMIT] = {false};
    for (unsigned i = 0; i < compiled->count; i++) {
        const struct syntax_element *e = &compiled->element[i];
        bool modifier = (e->kind == ELEMENT_MODIFIER || e->kind == ELEMENT_CONDITION) && e->role != ISA_MOD_LIMIT;
        if (modifier && seen[e->role])
            fail_msg("\"%s\" has a modifier twice", row->text);
        if (modifier)
            seen[e->role] = true;
        if (e->kind == ELEMENT_MODIFIER && syntax_field_width(&e->field) > 8)
            fail_msg("\"%s\" has a modifier wider than a byte", row->text);
    }
    for (unsigned i = 0; i < compiled->count; i++) {
        const struct syntax_element *e = &compiled->element[i];
        if (e->kind == ELEMENT_OPERAND && e->words_by != ISA_MOD_LIMIT && !seen[e->words_by])
            fail_msg("\"%s\" has an operand as wide as a modifier that it has not", row->text);
    }
}

static void modifiers_appear_once_and_widths_name_one_of_them(void **state)
{
    (void)state;
    each_row(check_modifiers);
}

static unsigned name_count(enum isa_names names)
{
    unsigned count = 0;
    const char *other;
    for (unsigned value = 0; value < 256; value++)
        if (isa_value_name(names, value, &other))
            count = value + 1;
    return count;
}

static void check_names(const struct isa_encoding *row, enum syntax_form form, const struct syntax_row *compiled)
{
    (void)form;
    for (unsigned i = 0; i < compiled->count; i++) {
        const struct syntax_element *e = &compiled->element[i];
        if (e->kind != ELEMENT_MODIFIER || e->style != STYLE_NAME || e->names == NAMES_COUNT)
            continue;
        if (name_count((enum isa_names)e->names) > 1u << syntax_field_width(&e->field))
            fail_msg("\"%s\" has a field too narrow for its names", row->text);
    }
}

static void every_name_fits_the_field_that_it_is_for(void **state)
{
    (void)state;
    each_row(check_names);
}

static void check_translation(const struct isa_encoding *row, enum syntax_form form, const struct syntax_row *compiled)
{
    (void)form;
    const char *other;
    for (unsigned i = 0; i < compiled->count; i++) {
        const struct syntax_element *e = &compiled->element[i];
        if (e->kind != ELEMENT_MODIFIER || e->canonical == NAMES_COUNT)
            continue;
        for (unsigned value = 0; value < 1u << syntax_field_width(&e->field); value++)
            if (isa_value_name((enum isa_names)e->names, value, &other) &&
                isa_value_canonical((enum isa_names)e->canonical, (enum isa_names)e->names, value) == UINT8_MAX)
                fail_msg("\"%s\": value %u has no number of its own", row->text, value);
    }
}

static void translated_names_are_all_in_the_common_table(void **state)
{
    (void)state;
    each_row(check_translation);
}

static void names_of_one_table_differ_and_unnamed_values_have_a_text(void **state)
{
    (void)state;
    for (unsigned names = 0; names < NAMES_COUNT; names++) {
        const char *other, *one, *two;
        for (unsigned a = 0; a < 256; a++) {
            one = isa_value_name((enum isa_names)names, a, &other);
            assert_true(*other != '\0');
            for (unsigned b = a + 1; one && b < 256; b++) {
                two = isa_value_name((enum isa_names)names, b, &other);
                if (two && strcmp(one, two) == 0)
                    fail_msg("table %u calls %u and %u \"%s\"", names, a, b, one);
            }
        }
    }
}

static void a_row_that_cannot_be_read_says_where(void **state)
{
    (void)state;
    struct syntax_row out;
    const char *const wrong[] = {"MOV{.NOTHING@1} D", "MOV{.SAT@} D", "MOV D, A:?",
                                 "MOV D, A*NOTHING",  "MOV D, [A",    "MOV D, {",
                                 "MOV {#LUT@200:1}",  "MOV D, c[B]",  "MOV D, desc[A]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_non_null(syntax_compile(wrong[i], FORM_ONE, false, 80, &out));
    assert_null(syntax_compile("MOV{.SAT@77} D, A", FORM_ONE, false, 80, &out));
}

static void a_row_with_too_many_elements_is_refused(void **state)
{
    (void)state;
    char text[4 * SYNTAX_ELEMENTS + 8] = "X ";
    for (unsigned i = 0; i <= SYNTAX_ELEMENTS; i++)
        strcat(text, "D, ");
    struct syntax_row out;
    assert_non_null(syntax_compile(text, FORM_ONE, false, 80, &out));
}

UNIT_TESTS(UNIT(rows_of_one_opcode_exclude_each_other_or_the_stricter_stands_first), UNIT(every_opcode_has_a_row),
           UNIT(every_row_begins_with_the_mnemonic_of_its_opcode),
           UNIT(fields_stay_clear_of_opcode_guard_and_control_bits),
           UNIT(modifiers_appear_once_and_widths_name_one_of_them), UNIT(every_name_fits_the_field_that_it_is_for),
           UNIT(translated_names_are_all_in_the_common_table),
           UNIT(names_of_one_table_differ_and_unnamed_values_have_a_text), UNIT(a_row_that_cannot_be_read_says_where),
           UNIT(a_row_with_too_many_elements_is_refused))
