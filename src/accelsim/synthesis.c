#include "accelsim/synthesis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "isa/assemble.h"

enum { MNEMONIC = 128, MODIFIERS = 10, SLOTS = 1024 };

/* How instructions of one mnemonic and shape were made before. */
struct recipe {
    char key[MNEMONIC]; /* as the trace has it (empty: none) */
    uint8_t destination, registers, width, kind;
    bool number; /* the sketch has an immediate */
    uint8_t fit;
    bool immediate;
    char mnemonic[MNEMONIC];
    const struct table_entry *entry;
};

struct synthesis {
    struct isa_assembler *assembler;
    const struct isa_decoder *table;
    struct recipe recipe[SLOTS]; /* by hash; a later one takes the place */
};

unsigned synthesis_architecture(unsigned binary)
{
    static const unsigned known[] = {120, 100, 90, 89, 86, 80, 75, 70};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (binary >= known[i] && isa_supported(known[i]))
            return known[i];
    return 70;
}

struct synthesis *synthesis_create(unsigned architecture, struct status *status)
{
    struct synthesis *s = calloc(1, sizeof *s);
    if (!s) {
        status_fail(status, STATUS_MEMORY, "no memory to make instructions");
        return NULL;
    }
    s->assembler = isa_assembler_create(architecture, status);
    if (!s->assembler) {
        free(s);
        return NULL;
    }
    s->table = isa_assembler_decoder(s->assembler);
    return s;
}

void synthesis_destroy(struct synthesis *s)
{
    if (s)
        isa_assembler_destroy(s->assembler);
    free(s);
}

const struct isa_decoder *synthesis_decoder(const struct synthesis *s) { return s->table; }

/* ---- one attempt ------------------------------------------------------------------------------------------------- */

static bool assemble(const struct synthesis *s, const char *text, struct isa_inst *out)
{
    struct isa_asm_error error;
    struct word128 word;
    return isa_assemble(s->assembler, text, strlen(text), 0, NULL, NULL, &word, &error) &&
           isa_decode(s->table, word, 0, out);
}

static bool make(const struct synthesis *s, const struct sketch *sketch, const struct recipe *r, struct isa_inst *out)
{
    char text[ISA_TEXT];
    return compose(s->table, r->entry, sketch, r->mnemonic, (enum fit)r->fit, r->immediate, text) &&
           assemble(s, text, out);
}

static size_t name_length(const char *mnemonic)
{
    size_t n = 0;
    while (mnemonic[n] && mnemonic[n] != '.' && mnemonic[n] != ' ' && mnemonic[n] != '{' && mnemonic[n] != '(')
        n++;
    return n;
}

static bool has_name(const struct synthesis *s, const char *name, size_t length)
{
    for (uint32_t i = 0; i < s->table->entries; i++) {
        const char *row = table_row(&s->table->entry[i])->text;
        if (name_length(row) == length && memcmp(row, name, length) == 0)
            return true;
    }
    return false;
}

static bool is_row_of(const struct table_entry *entry, const char *mnemonic)
{
    const char *row = table_row(entry)->text;
    size_t length = name_length(mnemonic);
    return name_length(row) == length && memcmp(row, mnemonic, length) == 0;
}

/* With and without the immediate. */
static bool try_row(const struct synthesis *s, const struct sketch *sketch, struct recipe *r, struct isa_inst *out)
{
    for (unsigned zero = sketch->immediate == 0; zero < 2; zero++) {
        r->immediate = !zero;
        if (make(s, sketch, r, out))
            return true;
    }
    return false;
}

/* Rows of r->mnemonic, the likely ones first, in the order of the tables. */
static bool try_rows(const struct synthesis *s, const struct sketch *sketch, struct recipe *r, struct isa_inst *out)
{
    for (unsigned rank = 0; rank < COMPOSE_RANKS; rank++)
        for (uint32_t i = 0; i < s->table->entries; i++) {
            r->entry = &s->table->entry[i];
            if (is_row_of(r->entry, r->mnemonic) && compose_rank(s->table, r->entry, sketch) == rank &&
                try_row(s, sketch, r, out))
                return true;
        }
    return false;
}

/* ---- mnemonics --------------------------------------------------------------------------------------------------- */

/* Modifiers that say how many registers an operand has, which is worth more than others. */
static bool says_width(const char *modifier, size_t length)
{
    static const char *const names[] = {"32",  "64",  "96",   "128", "256", "U8",  "S8",  "U16", "S16",
                                        "U64", "S64", "WIDE", "F64", "U32", "S32", "F32", "F16", "HI"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], modifier, length) == 0)
            return true;
    return false;
}

struct parts {
    char text[MNEMONIC];
    size_t name; /* length of the name */
    unsigned count;
    uint8_t start[MODIFIERS], length[MODIFIERS]; /* of modifiers, without the dot */
    uint32_t wide;                               /* of them, those that say a width */
};

static void split(struct parts *p, const char *mnemonic)
{
    snprintf(p->text, sizeof p->text, "%s", mnemonic);
    p->name = name_length(p->text);
    p->count = 0;
    p->wide = 0;
    for (size_t at = p->name; p->text[at] == '.' && p->count < MODIFIERS;) {
        size_t start = at + 1, end = start;
        while (p->text[end] && p->text[end] != '.')
            end++;
        p->start[p->count] = (uint8_t)start;
        p->length[p->count] = (uint8_t)(end - start);
        p->wide |= says_width(p->text + start, end - start) ? 1u << p->count : 0;
        p->count++;
        at = end;
    }
}

static void join(const struct parts *p, uint32_t without, char out[static MNEMONIC])
{
    size_t n = p->name;
    memcpy(out, p->text, n);
    for (unsigned i = 0; i < p->count; i++) {
        if (without >> i & 1)
            continue;
        out[n++] = '.';
        memcpy(out + n, p->text + p->start[i], p->length[i]);
        n += p->length[i];
    }
    out[n] = '\0';
}

static bool try_one(const struct synthesis *s, const struct sketch *sketch, const struct parts *p, uint32_t without,
                    struct recipe *r, struct isa_inst *out)
{
    join(p, without, r->mnemonic);
    return try_rows(s, sketch, r, out);
}

/* With all modifiers, then without one, without two of them, the last ones first; then without any. `wide`: also
 * without those that say a width. */
static bool try_without(const struct synthesis *s, const struct sketch *sketch, const struct parts *p, bool wide,
                        struct recipe *r, struct isa_inst *out)
{
    uint32_t all = (1u << p->count) - 1, others = all & ~p->wide;
    if (!wide && try_one(s, sketch, p, 0, r, out))
        return true;
    for (unsigned n = 1; n <= 2; n++) {
        for (uint32_t a = p->count; a-- > 0;) {
            for (uint32_t b = n == 1 ? a + 1 : a; b-- > (n == 1 ? a : 0);) {
                uint32_t without = 1u << a | 1u << b;
                if (((without & p->wide) != 0) == wide && try_one(s, sketch, p, without, r, out))
                    return true;
            }
        }
    }
    return try_one(s, sketch, p, wide ? all : others, r, out);
}

/* Modifiers come and go with generations and disassemblers: sm_75 always has .SYS where later ones say nothing. */
static bool try_mnemonic(const struct synthesis *s, const struct sketch *sketch, const char *mnemonic, enum fit fit,
                         struct recipe *r, struct isa_inst *out)
{
    char system[MNEMONIC + 8];
    struct parts plain, strict;
    snprintf(system, sizeof system, "%s.SYS", mnemonic);
    split(&plain, mnemonic);
    split(&strict, system);
    r->fit = (uint8_t)fit;
    for (unsigned wide = 0; wide < 2; wide++)
        if (try_without(s, sketch, &plain, wide, r, out) ||
            (sketch->width && try_without(s, sketch, &strict, wide, r, out)))
            return true;
    return false;
}

static bool try_fits(const struct synthesis *s, const struct sketch *sketch, const char *mnemonic, struct recipe *r,
                     struct isa_inst *out)
{
    if (!has_name(s, mnemonic, name_length(mnemonic)))
        return false;
    for (unsigned fit = 0; fit < FITS; fit++)
        if (try_mnemonic(s, sketch, mnemonic, (enum fit)fit, r, out))
            return true;
    return false;
}

/* ---- names of others --------------------------------------------------------------------------------------------- */

static const char *other_name(const char *name, size_t length)
{
    static const struct {
        const char *old, *ours;
    } names[] = {
#define X(old, ours) {#old, #ours},
#include "accelsim/names.def"
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].old) == length && memcmp(names[i].old, name, length) == 0)
            return names[i].ours;
    return NULL;
}

/* An opcode of an architecture that this is not. */
static const struct isa_op_info *find_opcode(const char *name, size_t length)
{
    for (unsigned op = ISA_INVALID + 1; op < ISA_OP_COUNT; op++) { /* names of all opcodes */
        const struct isa_op_info *info = isa_op_info((enum isa_op)op);
        if (strlen(info->name) == length && memcmp(info->name, name, length) == 0)
            return info;
    }
    return NULL;
}

static const char *memory_name(enum isa_memory memory, enum isa_space space)
{
    bool shared = space == ISA_SPACE_SHARED;
    switch (memory) {
    case ISA_MEM_LOAD: return space == ISA_SPACE_CONSTANT ? "LDC" : shared ? "LDS" : "LDG.E";
    case ISA_MEM_STORE: return shared ? "STS" : "STG.E";
    case ISA_MEM_ATOMIC: return shared ? "ATOMS.ADD" : "ATOMG.E.ADD.STRONG.GPU";
    case ISA_MEM_REDUCTION: return "RED.E.ADD.STRONG.GPU";
    case ISA_MEM_ASYNC_COPY: return "LDG.E";
    case ISA_MEM_SHUFFLE: return "SHFL.IDX";
    case ISA_MEM_NONE: break;
    }
    return "IADD3";
}

static const char *pipe_name(enum isa_pipe pipe)
{
    switch (pipe) {
    case ISA_PIPE_FE: return "NOP";
    case ISA_PIPE_FMA: return "FFMA";
    case ISA_PIPE_FMAHEAVY: return "IMAD";
    case ISA_PIPE_FP16: return "HFMA2";
    case ISA_PIPE_FP64: return "DFMA";
    case ISA_PIPE_XU: return "MUFU.RCP";
    case ISA_PIPE_TENSOR: return "HMMA.1688.F32";
    case ISA_PIPE_UNIFORM: return "UIADD3";
    case ISA_PIPE_CBU: return "BSYNC";
    case ISA_PIPE_ADU: return "S2R";
    case ISA_PIPE_TEX: return "TEX";
    case ISA_PIPE_ALU:
    case ISA_PIPE_LSU:
    case ISA_PIPE_COUNT: break;
    }
    return "IADD3";
}

static bool starts(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

/* The look of an unknown name. */
static const char *guess(const char *name, size_t length, const struct sketch *sketch)
{
    if (sketch->width)
        return starts(name, "ATOM")  ? memory_name(ISA_MEM_ATOMIC, ISA_SPACE_GLOBAL)
               : starts(name, "RED") ? memory_name(ISA_MEM_REDUCTION, ISA_SPACE_GLOBAL)
               : sketch->destination ? "LDG.E"
                                     : "STG.E";
    if (length >= 3 && memcmp(name + length - 3, "MMA", 3) == 0)
        return pipe_name(ISA_PIPE_TENSOR);
    switch (*name) {
    case 'D': return pipe_name(ISA_PIPE_FP64);
    case 'F': return pipe_name(ISA_PIPE_FMA);
    case 'H': return pipe_name(ISA_PIPE_FP16);
    case 'U': return pipe_name(ISA_PIPE_UNIFORM);
    case 'B':
    case 'J': return pipe_name(ISA_PIPE_CBU);
    case 'T': return pipe_name(ISA_PIPE_TEX);
    default: return starts(name, "MUFU") ? "MUFU.RCP" : "IADD3";
    }
}

static bool try_replaced(const struct synthesis *s, const struct sketch *sketch, const char *mnemonic, const char *name,
                         struct recipe *r, struct isa_inst *out)
{
    char replaced[2 * MNEMONIC];
    snprintf(replaced, sizeof replaced, "%s%s", name, mnemonic + name_length(mnemonic));
    replaced[MNEMONIC - 1] = '\0';
    return try_fits(s, sketch, replaced, r, out);
}

/* Of a memory access the width stays. */
static void make_stand_in(const struct synthesis *s, const struct sketch *sketch, const char *name, struct recipe *r,
                          struct isa_inst *out)
{
    char wide[MNEMONIC];
    if (sketch->width >= 8 && sketch->width <= 16) {
        snprintf(wide, sizeof wide, "%s.%u", name, 8u * sketch->width);
        if (try_fits(s, sketch, wide, r, out))
            return;
    }
    if (try_fits(s, sketch, name, r, out) || try_fits(s, sketch, "IADD3", r, out))
        return;
    bool made = try_fits(s, sketch, "NOP", r, out);
    assert(made);
    (void)made;
}

static enum synthesis_kind find(const struct synthesis *s, const struct sketch *sketch, struct recipe *r,
                                struct isa_inst *out)
{
    size_t length = name_length(r->key);
    if (try_fits(s, sketch, r->key, r, out))
        return SYNTHESIS_KNOWN;
    const char *other = other_name(r->key, length);
    if (other && try_replaced(s, sketch, r->key, other, r, out))
        return SYNTHESIS_STAND_IN;
    const struct isa_op_info *info = find_opcode(r->key, length);
    if (info) {
        make_stand_in(s, sketch, info->memory ? memory_name(info->memory, info->space) : pipe_name(info->pipe), r, out);
        return SYNTHESIS_STAND_IN;
    }
    make_stand_in(s, sketch, guess(r->key, length, sketch), r, out);
    return SYNTHESIS_UNKNOWN;
}

/* ---- recipes ----------------------------------------------------------------------------------------------------- */

enum synthesis_kind synthesis_make(struct synthesis *s, const struct sketch *sketch, struct isa_inst *out)
{
    struct recipe wanted = {.destination = sketch->destination,
                            .registers = sketch->registers,
                            .number = sketch->immediate != 0,
                            .width = (uint8_t)(sketch->width < 255 ? sketch->width : 255)};
    snprintf(wanted.key, sizeof wanted.key, "%.*s", (int)(sketch->length < MNEMONIC ? sketch->length : MNEMONIC - 1),
             sketch->mnemonic);
    uint64_t hash = hash_bytes(HASH_SEED, wanted.key, strlen(wanted.key));
    hash = hash_mix(hash ^ (wanted.destination + 2u * wanted.registers + 32u * wanted.width + 8192u * wanted.number));
    struct recipe *r = &s->recipe[hash % SLOTS];
    bool same = r->destination == wanted.destination && r->registers == wanted.registers && r->width == wanted.width &&
                r->number == wanted.number && strcmp(r->key, wanted.key) == 0;
    if (same && r->key[0] && make(s, sketch, r, out))
        return (enum synthesis_kind)r->kind;
    wanted.kind = (uint8_t)find(s, sketch, &wanted, out);
    *r = wanted;
    return (enum synthesis_kind)wanted.kind;
}
