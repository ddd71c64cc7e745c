#include "asm/instruction.h"

#include <stdlib.h>
#include <string.h>

#include "asm/operand.h"
#include "asm/scan.h"
#include "asm/schedule.h"

enum {
    RELOCATION_LOW = 0x38,
    RELOCATION_HIGH = 0x39,
    RELOCATION_CALL = 0x3a,     /* up to sm_89 */
    RELOCATION_CALL_NEW = 0x4b, /* sm_90 and later */
    TEXT_ALIGNMENT = 128,
    PASCAL_GROUP = 3,   /* instructions behind a control word */
    PASCAL_STALL = 15,  /* as compilers have it behind the end of the code */
    SPARE_REGISTERS = 2 /* compilers ask for two more than the highest that is used */
};

struct work {
    struct program *program;
    uint32_t function;
    const struct isa_assembler *assembler;
    const char *text;
    struct diagnostics *errors;
    const struct statement *statement;
    uint32_t pc;
    bool again;         /* the last time: addresses are final */
    const char *source; /* of the statement, with names replaced */
    size_t source_length;
    char message[ISA_MESSAGE]; /* why a symbol could not be resolved */
};

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

struct reference {
    const char *text;
    size_t length;
    int64_t addend;
};

static struct reference read_reference(const struct isa_symbol *symbol)
{
    struct diagnostics none = {0};
    struct scan s = {.text = symbol->name, .end = symbol->length, .errors = &none};
    struct word word = scan_name(&s);
    int64_t addend = 0;
    bool sum = scan_peek(&s) == '+' ? scan_char(&s, '+') : scan_peek(&s) == '-';
    if (sum && !scan_integer(&s, "", &addend))
        addend = 0;
    return (struct reference){word.text, scan_at_end(&s) ? word.length : 0, addend};
}

static bool refuse(struct work *w, const char *format, const struct reference *r)
{
    snprintf(w->message, sizeof w->message, format, (int)r->length, r->text);
    return false;
}

static void add_fixup(struct work *w, uint32_t type, const char *name, size_t length, int64_t addend)
{
    if (!w->again)
        return;
    struct fixup fixup = {.place = CUBIN_PLACE_TEXT,
                          .function = w->function,
                          .type = type,
                          .offset = program_offset(w->program, w->pc / INSTRUCTION_BYTES),
                          .addend = addend,
                          .line = w->statement->line,
                          .column = w->statement->column};
    program_add_fixup(w->program, &fixup, name, length);
}

static bool is_absolute_call(const struct work *w)
{
    return memmem(w->source, w->source_length, "CALL.ABS", 8) != NULL;
}

static bool belongs_to_another(const struct work *w, const struct reference *r)
{
    for (uint32_t i = 0; i < w->program->function_count; i++) {
        const struct name *name = names_find(&w->program->names, (int32_t)i, r->text, r->length);
        if (i != w->function && name && name->kind == NAME_LABEL)
            return true;
    }
    return false;
}

static bool resolve_target(struct work *w, const struct reference *r, int64_t *value)
{
    const struct name *label = names_find(&w->program->names, (int32_t)w->function, r->text, r->length);
    const struct name *other = names_find(&w->program->names, SCOPE_MODULE, r->text, r->length);
    bool here = other && other->function == w->function && (other->kind == NAME_ENTRY || other->kind == NAME_FUNCTION);
    if (label && label->kind == NAME_LABEL)
        *value = (int64_t)program_label(w->program, label->value) + r->addend;
    else if (other && is_absolute_call(w)) {
        add_fixup(w, w->program->sm >= 90 ? RELOCATION_CALL_NEW : RELOCATION_CALL, r->text, r->length, r->addend);
        *value = 0;
    } else if (here)
        *value = (int64_t)program_label(w->program, other->value) + r->addend;
    else if (other)
        return refuse(w,
                      pascal_supported(w->program->sm) ? "'%.*s' lies outside of this code"
                                                       : "'%.*s' lies outside of this code: only CALL.ABS reaches it",
                      r);
    else if (belongs_to_another(w, r))
        return refuse(w, "label '%.*s' belongs to another kernel", r);
    else
        return refuse(w, "undefined label '%.*s'", r);
    return true;
}

/* Halves of addresses that only the loader knows. */
static bool resolve_half(struct work *w, const struct reference *r, bool high, int64_t *value)
{
    const struct name *local = names_find(&w->program->names, (int32_t)w->function, r->text, r->length);
    const struct name *other = names_find(&w->program->names, SCOPE_MODULE, r->text, r->length);
    uint32_t type = high ? RELOCATION_HIGH : RELOCATION_LOW;
    *value = 0;
    if (pascal_supported(w->program->sm))
        return refuse(w, "'%.*s': loaders fill in no instructions of Pascal; .address and c[0x4][..] give addresses",
                      r);
    if (local && local->kind == NAME_LABEL) {
        const char *function = w->program->functions[w->function].name;
        add_fixup(w, type, function, strlen(function), (int64_t)program_label(w->program, local->value) + r->addend);
    } else if (other)
        add_fixup(w, type, r->text, r->length, r->addend);
    else
        return refuse(w, "'%.*s' has no address", r);
    return true;
}

static bool resolve_value(struct work *w, const struct reference *r, int64_t *value)
{
    const struct name *local = names_find(&w->program->names, (int32_t)w->function, r->text, r->length);
    const struct name *other = names_find(&w->program->names, SCOPE_MODULE, r->text, r->length);
    if (local && local->kind == NAME_SHARED)
        *value = (int64_t)local->value + r->addend;
    else if (other && other->kind == NAME_CONSTANT)
        *value = (int64_t)other->value + r->addend;
    else if (local || other)
        return refuse(w, "'%.*s' is no number; 32@lo(..) and 32@hi(..) give the halves of an address", r);
    else
        return refuse(w, "undefined name '%.*s'", r);
    return true;
}

static bool resolve(void *context, const struct isa_symbol *symbol, int64_t *value)
{
    struct work *w = context;
    struct reference r = read_reference(symbol);
    if (r.length == 0) {
        snprintf(w->message, sizeof w->message, "expected a name, perhaps with + or - and a number");
        return false;
    }
    switch (symbol->use) {
    case ISA_SYMBOL_TARGET: return resolve_target(w, &r, value);
    case ISA_SYMBOL_LOW: return resolve_half(w, &r, false, value);
    case ISA_SYMBOL_HIGH: return resolve_half(w, &r, true, value);
    default: return resolve_value(w, &r, value);
    }
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static void report(struct work *w, size_t at, const char *message, const char *forms)
{
    unsigned before = w->errors->count;
    diagnose(w->errors, w->statement->line, w->statement->column + (unsigned)at, "%s", message);
    if (w->errors->count > before)
        snprintf(w->errors->items[before].forms, ISA_FORMS_TEXT, "%s", forms);
}

static void drop_reuse(const struct program *program, struct word128 *word)
{
    enum { REUSE_BITS = 122 - 64, PASCAL_REUSE_BITS = 17 };
    word->hi &= ~(UINT64_C(7) << (pascal_supported(program->sm) ? PASCAL_REUSE_BITS : REUSE_BITS));
}

static bool assemble_one(struct work *w, struct statement *s)
{
    struct operand_text replaced;
    struct operand_error wrong = {0};
    struct isa_asm_error error = {0};
    w->statement = s;
    w->message[0] = '\0';
    if (!operand_replace(w->program, w->function, w->text + s->at, s->end - s->at, &replaced, &wrong)) {
        report(w, wrong.at, wrong.message, "");
        return false;
    }
    w->source = replaced.text;
    w->source_length = replaced.length;
    if (!isa_assemble(w->assembler, replaced.text, replaced.length, w->pc, resolve, w, &s->word, &error)) {
        report(w, operand_source(&replaced, error.column), w->message[0] ? w->message : error.message,
               w->message[0] ? "" : error.forms);
        return false;
    }
    if (s->drop_reuse)
        drop_reuse(w->program, &s->word);
    bool raw = memcmp(replaced.text, ".word", replaced.length < 5 ? replaced.length : 5) == 0;
    if (s->has_control)
        isa_assembler_set_control(w->assembler, s->control, &s->word);
    else if (raw) {
        s->has_control = true;
        s->control = isa_control_decode(s->word);
    }
    return true;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static unsigned registers_of(const struct isa_inst *inst)
{
    struct isa_regs regs;
    unsigned count = 0;
    isa_registers(inst, &regs);
    for (unsigned i = 0; i < regs.reads; i++)
        count = regs.read[i].first + regs.read[i].words > (int)count ? regs.read[i].first + (unsigned)regs.read[i].words
                                                                     : count;
    for (unsigned i = 0; i < regs.writes; i++)
        count = regs.write[i].first + regs.write[i].words > (int)count
                    ? regs.write[i].first + (unsigned)regs.write[i].words
                    : count;
    return count;
}

static void check_registers(struct work *w)
{
    enum { MOST = 255 };
    struct function *f = &w->program->functions[w->function];
    unsigned used = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct isa_inst inst;
        isa_decode(isa_assembler_decoder(w->assembler), f->code[i].word, (uint32_t)(i * INSTRUCTION_BYTES), &inst);
        unsigned count = inst.op == ISA_INVALID ? 0 : registers_of(&inst);
        if (count > (f->registers ? f->registers : MOST))
            diagnose(w->errors, f->code[i].line, f->code[i].column, "R%u is used, but %s %u registers", count - 1,
                     f->registers ? ".registers allows" : "there are", f->registers ? f->registers : MOST);
        used = count > used ? count : used;
    }
    if (f->registers == 0)
        f->registers = used + SPARE_REGISTERS > MOST ? MOST : used + SPARE_REGISTERS;
}

/* ---- the whole function ------------------------------------------------------------------------------------------ */

static bool is_pascal(const struct work *w) { return pascal_supported(w->program->sm); }

/* Appends a branch to itself or a NOP. */
static void add_padding(struct work *w, struct function *f, const char *text)
{
    const struct isa_control control = {
        .stall = is_pascal(w) ? PASCAL_STALL : 0, .yield = true, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB};
    struct isa_asm_error error = {0};
    uint32_t pc = (uint32_t)f->count * INSTRUCTION_BYTES;
    struct statement *s = function_add_statement(w->program, f);
    if (!s)
        return;
    *s = (struct statement){.line = f->line, .has_control = true, .control = control};
    if (!isa_assemble(w->assembler, text, strlen(text), pc, NULL, NULL, &s->word, &error))
        diagnose(w->errors, f->line, 1, "%s", error.message);
    isa_assembler_set_control(w->assembler, control, &s->word);
}

static bool ends_for_good(const struct work *w, const struct function *f)
{
    struct isa_inst inst;
    isa_decode(isa_assembler_decoder(w->assembler), f->code[f->count - 1].word,
               (uint32_t)((f->count - 1) * INSTRUCTION_BYTES), &inst);
    /* Padding that is there already: the assembler itself writes NOP and BRA, below. */
    bool branch = inst.op != ISA_INVALID && strcmp(isa_op_info((enum isa_op)inst.op)->name, "BRA") == 0;
    return inst.op == ISA_OP_NOP || (branch && inst.guard.index == ISA_PT && !inst.guard.inverted);
}

/* A branch to itself and NOPs, because instructions are fetched ahead. */
static void pad(struct work *w, struct function *f)
{
    char branch[40];
    unsigned group = is_pascal(w) ? PASCAL_GROUP : TEXT_ALIGNMENT / INSTRUCTION_BYTES;
    snprintf(branch, sizeof branch, "BRA 0x%x", program_label(w->program, f->count));
    if (!ends_for_good(w, f))
        add_padding(w, f, branch);
    while (f->count % group != 0 && !w->program->failed)
        add_padding(w, f, "NOP");
}

/* Three instructions of Pascal follow their control word. */
static void put_code(struct work *w)
{
    struct function *f = &w->program->functions[w->function];
    struct buffer *out = &f->code_bytes;
    pad(w, f);
    for (size_t i = 0; i < f->count && !w->program->failed; i++) {
        const struct statement *s = &f->code[i];
        if (is_pascal(w) && i % PASCAL_GROUP == 0)
            buffer_number(out, pascal_control_word((const struct word128[]){s[0].word, s[1].word, s[2].word}), 8);
        buffer_number(out, s->word.lo, 8);
        if (!is_pascal(w))
            buffer_number(out, s->word.hi, 8);
    }
}

static void assemble_all(struct work *w)
{
    struct function *f = &w->program->functions[w->function];
    for (size_t i = 0; i < f->count; i++) {
        w->pc = (uint32_t)(i * INSTRUCTION_BYTES);
        if (f->code[i].end > 0)
            assemble_one(w, &f->code[i]);
        else
            isa_assembler_set_control(w->assembler, f->code[i].control, &f->code[i].word);
    }
}

void instruction_assemble(struct program *program, uint32_t function, const struct isa_assembler *assembler,
                          const char *text, struct diagnostics *errors)
{
    struct work w = {.program = program, .function = function, .assembler = assembler, .text = text, .errors = errors};
    struct function *f = &program->functions[function];
    unsigned before = errors->count + errors->dropped;
    assemble_all(&w);
    if (errors->count + errors->dropped != before || f->count == 0)
        return;
    check_registers(&w);
    if (schedule_is_needed(f) &&
        !(is_pascal(&w) ? schedule_fill_pascal : schedule_fill)(program, function, assembler, errors))
        return;
    w.again = true;
    assemble_all(&w);
    put_code(&w);
}
