#include "asm/parser.h"

#include <ctype.h>
#include <string.h>

#include "isa/contract.h"

/* R2, UR4, P0, UPT, B1, SR_TID.X and the like would be taken for names. */
static bool is_register(struct word word)
{
    static const char *const prefixes[] = {"UR", "UP", "R", "P", "B"};
    static const char *const fixed[] = {"RZ", "URZ", "PT", "UPT"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (word_is(word, fixed[i]))
            return true;
    if (word.length > 3 && memcmp(word.text, "SR_", 3) == 0)
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]), digits = length;
        if (word.length <= length || memcmp(word.text, prefixes[i], length) != 0)
            continue;
        while (digits < word.length && isdigit((unsigned char)word.text[digits]))
            digits++;
        if (digits == word.length)
            return true;
    }
    return false;
}

struct name *parser_define(struct parser *p, const struct scan *s, int32_t scope, struct word word, enum name_kind kind)
{
    const struct name *other = names_find(&p->program->names, scope, word.text, word.length);
    if (word.length == 0)
        scan_error(s, word.column, "expected a name");
    else if (is_register(word))
        scan_error(s, word.column, "'%.*s' is a register and cannot be a name", (int)word.length, word.text);
    else if (other)
        scan_error(s, word.column, "'%.*s' is already defined in line %u", (int)word.length, word.text, other->line);
    else {
        struct name *name = names_add(&p->program->names, scope, word.text, word.length);
        if (name) {
            name->kind = kind;
            name->function = p->function < 0 ? 0 : (uint32_t)p->function;
            name->line = s->line;
        }
        return name;
    }
    return NULL;
}

bool parser_reference(struct scan *s, struct word *name, int64_t *addend)
{
    *name = scan_name(s);
    *addend = 0;
    if (name->length == 0)
        return scan_error(s, name->column, "expected a name");
    if (scan_peek(s) == '+')
        s->at++;
    else if (scan_peek(s) != '-')
        return true;
    return scan_integer(s, "a number behind the name", addend);
}

void parser_take_pending(struct parser *p, enum cubin_place place, uint64_t offset)
{
    if (!p->has_pending)
        return;
    struct fixup fixup = p->pending;
    fixup.place = place;
    fixup.function = p->function < 0 ? 0 : (uint32_t)p->function;
    fixup.offset = offset;
    program_add_fixup(p->program, &fixup, p->pending_name.text, p->pending_name.length);
    p->has_pending = false;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* No compiler writes the stall count 0, or one from 12 on, without the yield hint, and hardware does not wait so long
 * then (docs/core.md): outside of .exact it can only be a mistake. Pascal's numbers are meant. */
static bool parse_control(const struct parser *p, struct scan *s, struct statement *statement)
{
    enum { READ_COLUMN = 10, WRITE_COLUMN = 13, STALL_COLUMN = 18 };
    struct isa_asm_error error = {0};
    scan_blanks(s);
    const char *start = s->text + s->at, *close = memchr(start, ']', s->end - s->at);
    if (!close)
        return scan_error(s, scan_column(s), "the control bits need a ']'");
    size_t length = (size_t)(close - start) + 1;
    if (!isa_parse_control(start, length, &statement->control, &error))
        return scan_error(s, scan_column(s) + (unsigned)error.column, "%s", error.message);
    const struct isa_control *c = &statement->control;
    if (c->read_sb == 6 || c->write_sb == 6)
        return scan_error(s, scan_column(s) + (c->read_sb == 6 ? READ_COLUMN : WRITE_COLUMN),
                          "there is no counter 6: they are 0 to 5");
    if (!p->exact && !pascal_supported(p->program->sm) && !c->yield && (c->stall == 0 || c->stall >= ISA_YIELD_FROM))
        return scan_error(s, scan_column(s) + STALL_COLUMN, "a stall count of %u needs the yield hint, as in :Y:S%02u",
                          c->stall, c->stall);
    statement->has_control = true;
    s->at += length;
    return true;
}

static bool parse_instruction(struct parser *p, struct scan *s)
{
    struct statement statement = {.line = s->line, .exact = p->exact};
    if (scan_peek(s) == '[' && !parse_control(p, s, &statement))
        return false;
    scan_blanks(s);
    statement.column = scan_column(s);
    statement.at = (size_t)(s->text - p->text) + s->at;
    const char *semicolon = memchr(s->text + s->at, ';', s->end - s->at);
    size_t end = semicolon ? (size_t)(semicolon - s->text) : s->end;
    size_t behind = end + (semicolon ? 1 : 0);
    while (end > s->at && isspace((unsigned char)s->text[end - 1]))
        end--;
    if (end == s->at)
        return scan_error(s, statement.column, "expected an instruction");
    statement.end = (size_t)(s->text - p->text) + end;
    s->at = behind;
    if (!scan_at_end(s))
        return scan_error(s, scan_column(s), "one instruction a line: this one has ended");
    if (p->block != BLOCK_NONE)
        return scan_error(s, statement.column, "an instruction among data; .end of line %u's block is missing",
                          p->block_line);
    if (p->function == NO_FUNCTION)
        return scan_error(s, statement.column, "an instruction outside of a kernel");
    if (p->exact && !statement.has_control)
        return scan_error(s, statement.column, "between .exact and .endexact the control bits must be written");
    parser_take_pending(p, CUBIN_PLACE_TEXT, program_offset(p->program, parser_function(p)->count));
    struct statement *added = function_add_statement(p->program, parser_function(p));
    if (added)
        *added = statement;
    return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* "name:" at the place. Labels of one line may follow each other. */
static bool parse_labels(struct parser *p, struct scan *s)
{
    for (;;) {
        size_t start = s->at;
        struct word name = scan_name(s);
        if (name.length == 0 || !scan_char(s, ':')) {
            s->at = start;
            return true;
        }
        if (p->function == NO_FUNCTION || p->block != BLOCK_NONE)
            return scan_error(s, name.column, "a label outside of a kernel's code");
        struct name *label = parser_define(p, s, p->function, name, NAME_LABEL);
        if (!label)
            return false;
        label->value = parser_function(p)->count;
    }
}

static bool parse_line(struct parser *p, struct scan *s)
{
    if (!parse_labels(p, s) || scan_at_end(s))
        return true;
    size_t start = s->at;
    struct word name = scan_name(s);
    if (name.length > 0 && name.text[0] == '.' && !word_is(name, ".word") && !word_is(name, ".dword"))
        return directive_parse(p, s, name);
    s->at = start;
    return parse_instruction(p, s);
}

static void finish(struct parser *p, unsigned line)
{
    if (p->block != BLOCK_NONE)
        diagnose(p->errors, p->block_line, 1, "the block has no .end");
    else if (p->function != NO_FUNCTION)
        diagnose(p->errors, parser_function(p)->line, 1, "'%.100s' has no .end", parser_function(p)->name);
    else if (p->program->function_count == 0 && p->errors->count == 0)
        diagnose(p->errors, line > 1 ? line - 1 : 1, 1, "the file has no kernel");
}

void parser_run(struct parser *p)
{
    size_t at = 0;
    unsigned line = 1;
    p->function = NO_FUNCTION;
    for (; at < p->size && !p->broken && !p->program->failed; line++) {
        const char *start = p->text + at, *newline = memchr(start, '\n', p->size - at);
        size_t length = newline ? (size_t)(newline - start) : p->size - at;
        struct scan s = {.text = start, .end = length, .line = line, .errors = p->errors};
        parse_line(p, &s);
        at += length + 1;
    }
    if (!p->broken)
        finish(p, line);
}
