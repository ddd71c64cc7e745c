/* Identifiers of modifier values: each prints as its name, whatever opcode and architecture it is for. */
#include <ctype.h>

#include "isa/syntax.h"
#include "tests/unit.h"

/* A row of enums.def. Those that follow a table up to the next are its values. */
struct row {
    const char *table, *base; /* base: of LIKE; the table itself: of VALUES (NULL: of NAMES) */
    const char *id, *name;
    unsigned value;
};

static const struct row rows[] = {
#define NAMES(id, other, ...) {#id, NULL, NULL, NULL, 0},
#define LIKE(id, base, other, ...) {#id, #base, NULL, NULL, 0},
#define VALUES(id, tag, other, ...) {#id, #id, NULL, NULL, 0}, __VA_ARGS__,
#define V(id, name)                                                                                                    \
    {                                                                                                                  \
        NULL, NULL, #id, name, ISA_##id                                                                                \
    }
#define AT(value, id, name)                                                                                            \
    {                                                                                                                  \
        NULL, NULL, #id, name, value                                                                                   \
    }
#include "isa/enums.def"
};

enum { ROWS = sizeof rows / sizeof *rows };

static const unsigned ARCHITECTURES[] = {70, 75, 80, 86, 89, 90, 100, 120};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };

static enum isa_names table_of(const char *id)
{
    enum isa_names names = isa_names_find(id, strlen(id));
    assert_int_not_equal(names, NAMES_COUNT);
    return names;
}

/* Does the identifier end with the name, in capitals and with _ for a character that no identifier has? */
static bool ends_with(const char *id, const char *name)
{
    size_t length = strlen(id), n = strlen(name);
    if (n > length || (n < length && id[length - n - 1] != '_'))
        return false;
    for (size_t i = 0; i < n; i++)
        if (id[length - n + i] != (isalnum((unsigned char)name[i]) ? toupper((unsigned char)name[i]) : '_'))
            return false;
    return true;
}

static void an_identifier_has_the_value_that_prints_as_its_name(void **state)
{
    (void)state;
    enum isa_names names = NAMES_COUNT;
    for (unsigned i = 0; i < ROWS; i++) {
        const char *other;
        if (rows[i].table) {
            names = table_of(rows[i].table);
            continue;
        }
        const char *name = isa_value_name(names, rows[i].value, &other);
        if (!name || strcmp(name, rows[i].name) != 0)
            fail_msg("%s is %u, which prints as %s", rows[i].id, rows[i].value, name ? name : "a number");
        if (name[0] && !ends_with(rows[i].id, name))
            fail_msg("%s prints as %s", rows[i].id, name);
        assert_int_equal(isa_value_find(rows[i].id, strlen(rows[i].id)), rows[i].value);
    }
    assert_int_equal(isa_value_find("MATCH_NONE", 10), ISA_NO_VALUE);
}

static unsigned row_of(const char *table)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].table && strcmp(rows[i].table, table) == 0)
            return i;
    fail_msg("there is no table %s", table);
    return 0;
}

/* The value in the base whose identifier has this name, or a printed name that is the same. */
static const struct row *named(unsigned base, const char *name)
{
    for (unsigned i = base + 1; i < ROWS && !rows[i].table; i++)
        if (strcmp(rows[i].name, name) == 0 || (!rows[i].name[0] && ends_with(rows[i].id, name)))
            return &rows[i];
    return NULL;
}

static void tables_that_are_like_another_have_its_numbers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        if (!rows[i].base || strcmp(rows[i].base, rows[i].table) == 0)
            continue;
        unsigned base = row_of(rows[i].base);
        assert_string_equal(rows[base].base, rows[i].base); /* it has identifiers */
        for (unsigned value = 0; value < 256; value++) {
            const char *other, *name = isa_value_name(table_of(rows[i].table), value, &other);
            const struct row *same = name && name[0] ? named(base, name) : NULL;
            if (same && same->value != value)
                fail_msg("%s calls %u %s, but that is %s, %u", rows[i].table, value, name, same->id, same->value);
        }
    }
}

/* Which table's identifiers the modifier holds (NULL: none). */
static const char *base_of(const struct syntax_element *e)
{
    unsigned names = e->canonical != NAMES_COUNT ? e->canonical : e->names;
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].table && table_of(rows[i].table) == names)
            return rows[i].base;
    return NULL;
}

/* The values of each opcode's modifiers, as the rows so far say. */
static const char *held[ISA_OP_COUNT][ISA_MOD_LIMIT];
static bool seen[ISA_OP_COUNT][ISA_MOD_LIMIT];

static void check_element(const struct isa_encoding *row, const struct syntax_element *e)
{
    if (e->kind != ELEMENT_MODIFIER || e->style != STYLE_NAME || e->role == ISA_MOD_LIMIT || e->names == NAMES_COUNT)
        return;
    const char *base = base_of(e), *before = held[row->op][e->role];
    if (seen[row->op][e->role] && base != before && (!base || !before || strcmp(base, before) != 0))
        fail_msg("%s of %s holds values of %s and of %s", isa_modifier_name((enum isa_modifier)e->role),
                 isa_op_info((enum isa_op)row->op)->name, before ? before : "none", base ? base : "none");
    held[row->op][e->role] = base;
    seen[row->op][e->role] = true;
}

static void all_rows_of_an_opcode_number_a_modifier_alike(void **state)
{
    (void)state;
    for (unsigned a = 0; a < ARCHITECTURE_COUNT; a++) {
        for (unsigned i = 0; i < isa_encoding_count; i++) {
            const struct isa_encoding *row = &isa_encodings[i];
            struct syntax_row compiled;
            if (ARCHITECTURES[a] < row->first_sm || ARCHITECTURES[a] > row->last_sm)
                continue;
            for (unsigned form = 0; form <= FORM_ONE; form++) {
                if (!(row->forms >> form & 1))
                    continue;
                assert_null(syntax_compile(row->text, (enum syntax_form)form, row->forms & SET_ADD, ARCHITECTURES[a],
                                           &compiled));
                for (unsigned k = 0; k < compiled.count; k++)
                    check_element(row, &compiled.element[k]);
            }
        }
    }
}

/* {FUNCTION@90:87=CCTL_ALL_IVALL}: the row prints IVALL itself. */
static void a_row_that_demands_a_value_prints_its_name(void **state)
{
    (void)state;
    unsigned demands = 0;
    for (unsigned i = 0; i < isa_encoding_count; i++) {
        const char *text = isa_encodings[i].text;
        for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
            size_t length = strcspn(at + 1, "}");
            if (isdigit((unsigned char)at[1]))
                continue;
            const struct row *value = NULL;
            for (unsigned k = 0; k < ROWS && !value; k++)
                if (rows[k].id && strlen(rows[k].id) == length && memcmp(rows[k].id, at + 1, length) == 0)
                    value = &rows[k];
            assert_non_null(value);
            char name[64];
            snprintf(name, sizeof name, ".%s", value->name);
            if (value->name[0] && !strstr(text, name))
                fail_msg("\"%s\" demands %s without %s", text, value->id, name);
            demands++;
        }
    }
    assert_true(demands > 50);
}

UNIT_TESTS(UNIT(an_identifier_has_the_value_that_prints_as_its_name),
           UNIT(tables_that_are_like_another_have_its_numbers), UNIT(all_rows_of_an_opcode_number_a_modifier_alike),
           UNIT(a_row_that_demands_a_value_prints_its_name))
