#include "isa/assembly.h"
#include "isa/forms.h"
#include "isa/pascal_assembly.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_SLOTS = 1024 };

/* Entries of the table by mnemonic, in the table's order within each. */
struct mnemonic_index {
    uint16_t first[INDEX_SLOTS]; /* by hash (TABLE_END: none) */
    uint16_t *next;              /* [entries] */
};

struct isa_assembler {
    struct isa_decoder *decoder;
    struct mnemonic_index index;
};

static size_t mnemonic_length(const char *text)
{
    size_t n = 0;
    while (assembly_letter(text[n]))
        n++;
    return n;
}

static unsigned mnemonic_slot(const char *name, size_t length)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = hash * 31 + (uint8_t)name[i];
    return hash % INDEX_SLOTS;
}

static bool build_index(struct mnemonic_index *index, const struct isa_decoder *table)
{
    index->next = calloc(table->entries + 1, sizeof *index->next);
    if (!index->next)
        return false;
    memset(index->first, 0xff, sizeof index->first);
    for (unsigned i = table->entries; i-- > 0;) {
        const char *text = table_row(&table->entry[i])->text;
        uint16_t *slot = &index->first[mnemonic_slot(text, mnemonic_length(text))];
        index->next[i] = *slot;
        *slot = (uint16_t)i;
    }
    return true;
}

struct isa_assembler *isa_assembler_create(unsigned sm, struct status *status)
{
    struct isa_assembler *assembler = calloc(1, sizeof *assembler);
    if (!assembler) {
        status_fail(status, STATUS_MEMORY, "no memory for the assembler");
        return NULL;
    }
    assembler->decoder = isa_decoder_create(sm, status);
    if (!assembler->decoder) {
        free(assembler);
        return NULL;
    }
    if (!build_index(&assembler->index, assembler->decoder)) {
        status_fail(status, STATUS_MEMORY, "no memory for the assembler");
        isa_assembler_destroy(assembler);
        return NULL;
    }
    return assembler;
}

void isa_assembler_destroy(struct isa_assembler *assembler)
{
    if (!assembler)
        return;
    isa_decoder_destroy(assembler->decoder);
    free(assembler->index.next);
    free(assembler);
}

const struct isa_decoder *isa_assembler_decoder(const struct isa_assembler *assembler) { return assembler->decoder; }

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static bool report(struct isa_asm_error *error, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool report(struct isa_asm_error *error, size_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    error->column = column;
    error->forms[0] = '\0';
    return false;
}

/* The word or character at a place of the line. */
static int token_length(const struct attempt *a, size_t at)
{
    size_t n = attempt_char(a, at) == '.';
    while (assembly_letter(attempt_char(a, at + n)) && n < 40)
        n++;
    return (int)(n ? n : at < a->length);
}

static int put_expected(const struct failure *f, const char *first, char *out, size_t room)
{
    size_t n = 0;
    for (unsigned i = 0; i < f->expected && n + 60 < room; i++) {
        const char *between = i == 0 ? first : i + 1 == f->expected ? " or " : ", ";
        n += (size_t)snprintf(out + n, room - n, "%s%s", between, f->phrase[i]);
    }
    return (int)n;
}

static void describe(const struct attempt *a, const struct failure *f, struct isa_asm_error *error)
{
    char expected[ISA_MESSAGE - 64];
    int found = token_length(a, f->column);
    const char *at = a->text + f->column;
    error->column = f->column;
    put_expected(f, "", expected, sizeof expected);
    if (f->message[0])
        snprintf(error->message, sizeof error->message, "%s", f->message);
    else if (!found)
        snprintf(error->message, sizeof error->message, "expected %s, but the line ends here", expected);
    else if (*at == '.' && found > 1)
        snprintf(error->message, sizeof error->message,
                 "modifier '%.*s' is unknown or stands in the wrong place: "
                 "expected %s",
                 found, at, expected);
    else if (*at == ' ')
        snprintf(error->message, sizeof error->message, "expected %s before the space", expected);
    else
        snprintf(error->message, sizeof error->message, "expected %s, found '%.*s'", expected, found, at);
}

/* ---- mnemonics --------------------------------------------------------------------------------------------------- */

static bool has_mnemonic(const struct isa_encoding *row, const char *name, size_t length)
{
    return mnemonic_length(row->text) == length && memcmp(row->text, name, length) == 0;
}

static void list_forms(const struct isa_decoder *table, const char *mnemonic, size_t length,
                       struct isa_asm_error *error)
{
    error->forms[0] = '\0';
    for (unsigned i = 0; i < table->entries; i++) {
        const struct table_entry *entry = &table->entry[i];
        char form[160];
        if (!has_mnemonic(table_row(entry), mnemonic, length))
            continue;
        table_need(table, entry);
        forms_print(&table->element[entry->first], entry->count, form, sizeof form);
        forms_append(form, error->forms, sizeof error->forms);
    }
}

/* Letters to insert, delete or replace. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    enum { LONGEST = 31 };
    unsigned row[LONGEST + 1];
    if (b_length > LONGEST)
        return UINT8_MAX;
    for (unsigned j = 0; j <= b_length; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned replaced = diagonal + (toupper((unsigned char)a[i - 1]) != b[j - 1]),
                     moved = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replaced < moved + 1 ? replaced : moved + 1;
        }
    }
    return row[b_length];
}

static bool unknown_mnemonic(const struct isa_decoder *table, const char *name, size_t length, size_t column,
                             struct isa_asm_error *error)
{
    unsigned best = 3, first = UINT8_MAX, last = 0;
    const char *nearest = NULL;
    for (unsigned i = 0; i < isa_encoding_count; i++) {
        const struct isa_encoding *row = &isa_encodings[i];
        if (has_mnemonic(row, name, length)) {
            first = row->first_sm < first ? row->first_sm : first;
            last = row->last_sm > last ? row->last_sm : last;
        }
        unsigned d = distance(name, length, row->text, mnemonic_length(row->text));
        if (d < best && table->sm >= row->first_sm && table->sm <= row->last_sm) {
            best = d;
            nearest = row->text;
        }
    }
    for (unsigned i = 0; pascal_supported(table->sm) && i < pascal_row_count(); i++) {
        const char *row = pascal_rows[i].text + (*pascal_rows[i].text == '!');
        unsigned d = distance(name, length, row, mnemonic_length(row));
        nearest = d < best ? row : nearest;
        best = d < best ? d : best;
    }
    int shown = length > 40 ? 40 : (int)length;
    if (last != 0 && table->sm < first)
        return report(error, column, "%.*s exists on sm_%u and later only, not on sm_%u", shown, name, first,
                      table->sm);
    if (last != 0)
        return report(error, column, "%.*s exists up to sm_%u only, not on sm_%u", shown, name, last, table->sm);
    if (nearest)
        return report(error, column, "there is no instruction %.*s; did you mean %.*s?", shown, name,
                      (int)mnemonic_length(nearest), nearest);
    return report(error, column, "there is no instruction %.*s on sm_%u", shown, name, table->sm);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool resolve_symbols(struct attempt *a, isa_symbol_fn *resolve, void *context)
{
    struct draft *d = &a->result;
    for (unsigned i = 0; i < d->symbols; i++) {
        const struct isa_symbol *symbol = &d->symbol[i].symbol;
        int64_t value = 0;
        d->at = a->length;
        if (!resolve || !resolve(context, symbol, &value)) {
            a->failure->message[0] = '\0';
            return attempt_fail(a, a->length, symbol->column, "'%.*s' is not defined",
                                symbol->length > 80 ? 80 : (int)symbol->length, symbol->name);
        }
        if (symbol->use == ISA_SYMBOL_LOW)
            value = (int64_t)((uint64_t)value & UINT32_MAX);
        else if (symbol->use == ISA_SYMBOL_HIGH)
            value = (int64_t)((uint64_t)value >> 32);
        a->failure->message[0] = '\0';
        const struct assembly_symbol *place = &d->symbol[i];
        if (!(place->item ? pascal_place(a, d, place->item, value, symbol->column)
                          : attempt_place(a, d, place->element, value, symbol->column)))
            return false;
    }
    return true;
}

/* Bits of the opcode, the entry's conditions, and the guard. */
static struct draft begin(const struct table_entry *entry, struct isa_predicate guard)
{
    struct draft d = {.word = entry->value, .written = entry->mask};
    draft_set_bits(&d, 11, 0, entry->opcode & 0xfffu);
    draft_set_bits(&d, 91, 91, entry->opcode >> 12);
    draft_set_bits(&d, 14, 12, guard.index);
    draft_set_bits(&d, 15, 15, guard.inverted);
    return d;
}

static bool try_entry(struct attempt *a, const struct table_entry *entry, size_t at, struct isa_predicate guard)
{
    bool uniform = isa_op_info((enum isa_op)table_row(entry)->op)->flags & ISA_UNIFORM;
    if (guard.uniform != uniform && guard.index != ISA_PT)
        return attempt_fail(a, at, 1, "the guard of this instruction is %s predicate",
                            uniform ? "a uniform" : "the thread's own");
    table_need(a->table, entry);
    a->entry = entry;
    a->element = &a->table->element[entry->first];
    a->count = entry->count;
    struct draft start = begin(entry, guard);
    a->alias = isa_alias_at((enum isa_op)table_row(entry)->op, a->text + at, a->length - at);
    start.at = at;
    if (a->alias) {
        start.at += strlen(a->alias);
        const struct syntax_element *name = a->element;
        a->element++; /* the name stands for the first element */
        a->count--;
        if (attempt_row(a, start))
            return true;
        a->element = name;
        a->count++;
        a->alias = NULL;
        start.at = at;
    }
    return attempt_row(a, start);
}

static bool read_guard(struct attempt *a, struct draft *d, struct isa_predicate *guard, struct isa_asm_error *error)
{
    *guard = (struct isa_predicate){.index = ISA_PT};
    if (attempt_char(a, d->at) != '@')
        return true;
    size_t column = ++d->at;
    if (!attempt_predicate_name(a, d, guard))
        return report(error, column, "%s",
                      a->failure->message[0] ? a->failure->message
                                             : "expected a predicate such as P0 or !P0 after '@'");
    if (attempt_skip(a, d->at) == d->at)
        return report(error, d->at, "expected a space after the guard");
    d->at = attempt_skip(a, d->at);
    return true;
}

/* 0x and so many digits. */
static bool read_digits(const struct attempt *a, struct draft *d, unsigned digits, struct word128 *word)
{
    size_t at = d->at;
    *word = (struct word128){0, 0};
    if (attempt_char(a, at) != '0' || attempt_char(a, at + 1) != 'x')
        return false;
    at += 2;
    for (unsigned i = 0; i < digits; i++, at++) {
        const char *hexadecimal = "0123456789abcdef", *digit = strchr(hexadecimal, attempt_char(a, at) | 0x20);
        if (!digit || !*digit)
            return false;
        word->hi = word->hi << 4 | word->lo >> 60;
        word->lo = word->lo << 4 | (uint64_t)(digit - hexadecimal);
    }
    d->at = at;
    return !assembly_letter(attempt_char(a, at));
}

/* .word 0x.., also as isa_print writes unknown words. */
static bool read_word(const struct attempt *a, size_t at, struct word128 *word, bool *is_word,
                      struct isa_asm_error *error)
{
    enum { DIGITS = 32 };
    struct draft d = {.at = at};
    *is_word = attempt_word(a, &d, ".word") || attempt_word(a, &d, "INVALID");
    if (!*is_word)
        return false;
    d.at = at = attempt_skip(a, d.at);
    return (read_digits(a, &d, DIGITS, word) && attempt_skip(a, d.at) == a->length) ||
           report(error, at, "expected a word of 32 hexadecimal digits, as in 0x000fea00038000000000000000007918");
}

/* .dword 0x.. of Pascal, which has no control bits. Reuse bits may follow it in braces. */
static bool read_dword(struct attempt *a, size_t at, bool *is_word, struct isa_asm_error *error)
{
    enum { DIGITS = 16 };
    struct draft d = {.at = at};
    *is_word = attempt_word(a, &d, ".dword");
    if (!*is_word)
        return false;
    d.at = at = attempt_skip(a, d.at);
    if (!read_digits(a, &d, DIGITS, &a->result.word))
        return report(error, at, "expected a word of 16 hexadecimal digits, as in 0x50b0000000070f00");
    d.at = attempt_skip(a, d.at);
    if (!attempt_forced(a, &d) || attempt_skip(a, d.at) != a->length)
        return report(error, d.at, "expected nothing behind the word, or bits such as {@65:64=0x3}");
    return true;
}

static bool scan_rows(struct attempt *a, size_t at, size_t name, struct isa_predicate guard, bool *known)
{
    const struct mnemonic_index *index = a->index;
    *known = false;
    for (uint16_t i = index->first[mnemonic_slot(a->text + at, name)]; i != TABLE_END; i = index->next[i]) {
        const struct table_entry *entry = &a->table->entry[i];
        if (!has_mnemonic(table_row(entry), a->text + at, name))
            continue;
        *known = true;
        if (try_entry(a, entry, at, guard))
            return true;
    }
    return false;
}

/* The first row that the line fits. Errors of the others then do not matter. Words of the language come before
 * symbols of the same name. */
static bool find_row(struct attempt *a, size_t at, size_t name, struct isa_predicate guard, bool *known)
{
    if (pascal_supported(a->table->sm))
        return pascal_assemble(a, a->table->sm, at, name, guard, known);
    a->identifiers = false;
    if (scan_rows(a, at, name, guard, known))
        return true;
    a->identifiers = true;
    return *known && scan_rows(a, at, name, guard, known);
}

static bool assemble_instruction(struct attempt *a, struct draft *d, isa_symbol_fn *resolve, void *context,
                                 struct isa_asm_error *error)
{
    struct isa_predicate guard;
    size_t name = 0;
    bool known;
    if (!read_guard(a, d, &guard, error))
        return false;
    while (assembly_letter(attempt_char(a, d->at + name)))
        name++;
    if (name == 0)
        return report(error, d->at, "expected an instruction");
    if (find_row(a, d->at, name, guard, &known) && resolve_symbols(a, resolve, context))
        return true;
    if (!known)
        return unknown_mnemonic(a->table, a->text + d->at, name, d->at, error);
    describe(a, a->failure, error);
    list_forms(a->table, a->text + d->at, name, error);
    return false;
}

bool isa_assemble(const struct isa_assembler *assembler, const char *text, size_t length, uint32_t pc,
                  isa_symbol_fn *resolve, void *context, struct word128 *word, struct isa_asm_error *error)
{
    struct failure failure = {0};
    struct attempt a = {.text = text,
                        .length = length,
                        .pc = pc,
                        .table = assembler->decoder,
                        .index = &assembler->index,
                        .failure = &failure};
    struct draft d = {.at = attempt_skip(&a, 0)};
    bool is_word, pascal = pascal_supported(assembler->decoder->sm);
    while (a.length > d.at && (text[a.length - 1] == ' ' || text[a.length - 1] == '\t'))
        a.length--;
    if (pascal ? read_dword(&a, d.at, &is_word, error) : read_word(&a, d.at, word, &is_word, error)) {
        if (!pascal)
            return true;
    } else if (is_word || !assemble_instruction(&a, &d, resolve, context, error)) {
        return false;
    }
    word->lo = (a.result.word.lo & ~a.forced.lo) | a.force.lo;
    word->hi = (a.result.word.hi & ~a.forced.hi) | a.force.hi;
    if (pascal)
        *word = pascal_machine_word(*word);
    return true;
}
