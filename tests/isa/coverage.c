/* The tables are complete for each architecture: the bits' owners, the values' names, the opcodes' places. */
#include "isa/describe.h"
#include "isa/table.h"
#include "tests/unit.h"

enum { BITS = 128, NOBODY = 0 };

static void each_entry(void (*check)(const struct isa_decoder *, const struct table_entry *))
{
    for (unsigned i = 0; isa_architecture(i); i++) {
        struct status status = {0};
        struct isa_decoder *table = isa_decoder_create(isa_architecture(i), &status);
        assert_non_null(table);
        if (!table_build_all(table, &status))
            fail_msg("%s", status.text);
        for (unsigned k = 0; k < table->entries; k++)
            check(table, &table->entry[k]);
        isa_decoder_destroy(table);
    }
}

static bool is_register(const struct syntax_element *e)
{
    return e->kind == ELEMENT_OPERAND || e->kind == ELEMENT_UREG_BASE || e->kind == ELEMENT_DESCRIPTOR;
}

/* A register may stand for two things: itself and the next one, or the number of a barrier and its count of threads.
 * The type of VIMNMX and its kin also says whether it has a sign. */
static bool may_share(const struct syntax_element *a, const struct syntax_element *b)
{
    if (is_register(a) && is_register(b))
        return memcmp(&a->field, &b->field, sizeof a->field) == 0;
    return a->kind == ELEMENT_MODIFIER && a->role == ISA_MOD_VECTOR && b->kind == ELEMENT_MODIFIER &&
           b->role == ISA_MOD_SIGNED && (b->flags & ELEMENT_HIDDEN);
}

static void take_bit(const struct isa_decoder *table, const struct table_entry *entry, uint8_t owner[static BITS],
                     unsigned bit, unsigned element)
{
    const struct syntax_element *elements = &table->element[entry->first];
    if (owner[bit] != NOBODY && !may_share(&elements[owner[bit] - 1], &elements[element]))
        fail_msg("sm_%u: bit %u of \"%s\" belongs to elements %u and %u", table->sm, bit, table_row(entry)->text,
                 owner[bit] - 1u, element);
    owner[bit] = (uint8_t)(element + 1);
}

static void take(const struct isa_decoder *table, const struct table_entry *entry, uint8_t owner[static BITS],
                 const struct syntax_field *field, unsigned element)
{
    for (unsigned i = 0; i < field->pieces; i++)
        for (unsigned bit = field->low[i]; bit <= field->high[i]; bit++)
            take_bit(table, entry, owner, bit, element);
}

/* Conditions select among the values of other elements, so they count apart. */
static void check_owners(const struct isa_decoder *table, const struct table_entry *entry)
{
    uint8_t fields[BITS] = {NOBODY}, conditions[BITS] = {NOBODY};
    for (unsigned i = 0; i < entry->count; i++) {
        const struct syntax_element *e = &table->element[entry->first + i];
        if (e->kind == ELEMENT_ADDRESS || e->kind == ELEMENT_CONSTANT)
            continue;
        take(table, entry, e->kind == ELEMENT_CONDITION ? conditions : fields, &e->field, i);
        take(table, entry, fields, &e->swizzle, i);
        if (e->kind != ELEMENT_OPERAND && e->kind != ELEMENT_PREDICATE)
            continue;
        if (e->negate)
            take_bit(table, entry, fields, e->negate, i);
        if (e->absolute)
            take_bit(table, entry, fields, e->absolute, i);
    }
}

static void no_bit_belongs_to_two_elements(void **state)
{
    (void)state;
    each_entry(check_owners);
}

static void check_values(const struct isa_decoder *table, const struct table_entry *entry)
{
    for (unsigned i = 0; i < entry->count; i++) {
        const struct syntax_element *e = &table->element[entry->first + i];
        if (e->kind != ELEMENT_MODIFIER || e->style != STYLE_NAME || e->names == NAMES_COUNT)
            continue;
        unsigned named = 0, limit = 1u << syntax_field_width(&e->field);
        for (unsigned value = 0; value < limit; value++) {
            const char *other = NULL, *name = isa_value_name((enum isa_names)e->names, value, &other);
            named += name != NULL;
            if (!name && (!other || !*other))
                fail_msg("sm_%u: value %u of %s in \"%s\" prints as nothing", table->sm, value,
                         isa_modifier_name((enum isa_modifier)e->role), table_row(entry)->text);
        }
        if (named == 0)
            fail_msg("%s in \"%s\" has no named value", isa_modifier_name((enum isa_modifier)e->role),
                     table_row(entry)->text);
    }
}

static void every_value_of_a_field_has_a_name_or_prints_its_number(void **state)
{
    (void)state;
    each_entry(check_values);
}

static const bool of_pascal[ISA_OP_COUNT] = {
#define X(id, ...) [ISA_OP_##id] = true,
    ISA_PASCAL_OPCODES(X) ISA_PASCAL_REFUSED(X)
#undef X
};

static void every_opcode_has_a_pipe_a_latency_and_an_architecture(void **state)
{
    (void)state;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const struct isa_op_info *info = isa_op_info((enum isa_op)op);
        assert_true(info->name && *info->name);
        assert_true(info->pipe < ISA_PIPE_COUNT && info->latency < ISA_LATENCY_COUNT);
        if (!describe_architectures((enum isa_op)op) && !of_pascal[op])
            fail_msg("%s is on no architecture", info->name);
    }
}

static void descriptions_are_complete(void **state)
{
    (void)state;
    static const char *const mnemonics[] = {"FADD", "LDG", "I2F", "HMMA", "BRA", "TEX"};
    for (size_t m = 0; m < sizeof mnemonics / sizeof *mnemonics; m++) {
        struct status status = {0};
        struct describe_forms forms;
        assert_true(describe_mnemonic(mnemonics[m], 0, &forms, &status));
        assert_true(forms.count > 0);
        for (size_t i = 0; i < forms.count; i++) {
            const struct describe_form *form = &forms.form[i];
            assert_int_equal(strncmp(form->text, mnemonics[m], strlen(mnemonics[m])), 0);
            assert_true(form->architectures != 0);
            assert_true(form->count < DESCRIBE_FIELDS && strlen(form->text) + 1 < DESCRIBE_TEXT);
            for (unsigned k = 0; k < form->count; k++)
                assert_true(form->field[k].name[0] && form->field[k].bits[0]);
        }
        describe_free(&forms);
    }
}

UNIT_TESTS(UNIT(no_bit_belongs_to_two_elements), UNIT(every_value_of_a_field_has_a_name_or_prints_its_number),
           UNIT(every_opcode_has_a_pipe_a_latency_and_an_architecture), UNIT(descriptions_are_complete))
