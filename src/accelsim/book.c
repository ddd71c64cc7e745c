#include "accelsim/book.h"

#include <stdio.h>
#include <stdlib.h>

#include "accelsim/line6.h"
#include "accelsim/line_run.h"
#include "accelsim/scan.h"
#include "cubin/cubin.h"
#include "isa/syntax.h"

enum { VOLTA = 70, OVERFLOW_GAP = 1024, SOURCES_MOST = COMPOSE_REGISTERS - 1, NOWHERE = UINT32_MAX };

static uint16_t slot(uint16_t offset) { return offset == CUBIN_NO_SLOT ? 0 : offset; }

void book_begin(struct book *book, struct synthesis *synthesis, const struct code *code, const struct header *header)
{
    *book = (struct book){.synthesis = synthesis,
                          .decoder = synthesis_decoder(synthesis),
                          .code = code && code->origin ? code : NULL,
                          .binary = header->binary,
                          .immediates = header->version >= 5};
    const struct cubin_abi *abi = cubin_abi(synthesis_architecture(header->binary));
    if (abi) {
        book->stack = slot(abi->stack_top);
        book->descriptor = slot(abi->descriptor);
        book->parameters = abi->parameters;
    }
}

static void release(struct book_entry *e)
{
    if (e) {
        free(e->text);
        free(e->line);
        free(e->described);
        line_run_free(e->run);
        payload_memo_free(&e->payload);
    }
    free(e);
}

void book_end(struct book *book)
{
    for (uint32_t i = 0; i < book->native_room; i++)
        release(book->by_native[i]);
    free(book->by_pc);
    free(book->by_native);
    *book = (struct book){0};
}

bool book_remember(struct book_entry *before, struct book_entry *e, const char *line, const char *text, uint32_t mask)
{
    size_t length = (size_t)(text - line) + e->length;
    if (before)
        before->follows = e;
    if (length > e->line_length) {
        char *grown = realloc(e->line, length);
        if (!grown)
            return false;
        e->line = grown;
    }
    memcpy(e->line, line, length);
    e->line_length = (uint32_t)length;
    e->mask = mask;
    return true;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

struct fields {
    struct sketch sketch;
    uint64_t destinations, sources, width;
    const char *rest; /* behind the width */
};

static bool read_registers(struct fields *f, const char **at, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index;
        *at = scan_blanks(*at);
        if (*(*at)++ != 'R' || !scan_unsigned(at, &index) || index > 255)
            return false;
        f->sketch.reg[f->sketch.registers++] = (uint8_t)index;
    }
    return true;
}

/* NDST DST.. OPCODE NSRC SRC.. WIDTH */
static const char *read_fields(struct fields *f, const char *at)
{
    *f = (struct fields){0};
    at = scan_blanks(at);
    if (!scan_unsigned(&at, &f->destinations) || f->destinations > 1)
        return "0 or 1 is expected as the number of destinations";
    if (!read_registers(f, &at, f->destinations))
        return "a destination must be R0 to R255";
    at = scan_blanks(at);
    f->sketch.destination = f->destinations;
    f->sketch.mnemonic = at;
    while (!scan_ends_token(*at) && *at != '\0')
        at++;
    f->sketch.length = (size_t)(at - f->sketch.mnemonic);
    if (!f->sketch.length || *f->sketch.mnemonic < 'A' || *f->sketch.mnemonic > 'Z')
        return "a mnemonic is expected behind the destination";
    static const char group[] = LINE6_GROUP;
    size_t most = sizeof group - 1;
    f->sketch.group = f->sketch.length > most && memcmp(at - most, group, most) == 0;
    f->sketch.length -= f->sketch.group ? most : 0;
    at = scan_blanks(at);
    if (!scan_unsigned(&at, &f->sources) || f->sources > SOURCES_MOST)
        return "the number of sources must be 0 to 7";
    if (!read_registers(f, &at, f->sources))
        return "as many sources R0 to R255 as their number says are expected";
    at = scan_blanks(at);
    if (!scan_unsigned(&at, &f->width) || f->width > 256)
        return "the width of the access in bytes, or 0, is expected behind the sources";
    f->sketch.width = (uint16_t)f->width;
    f->rest = at;
    return NULL;
}

/* Behind the width of an instruction without addresses: an immediate, or nothing. */
static const char *read_end(struct fields *f, bool immediates)
{
    const char *at = scan_blanks(f->rest);
    f->sketch.immediate_known = immediates;
    if (f->width)
        return NULL;
    if (*at != '\n') {
        if (!scan_signed(&at, &f->sketch.immediate))
            return "only an immediate, a decimal number, can follow";
        f->sketch.immediate_known = true;
        at = scan_blanks(at);
    }
    f->rest = at;
    return *at == '\n' ? NULL : "the line goes on behind the immediate";
}

static char *describe(const struct sketch *s)
{
    char text[ISA_TEXT];
    int n = snprintf(text, sizeof text, "%.*s", (int)(s->length < 128 ? s->length : 128), s->mnemonic);
    for (unsigned i = 0; i < s->registers && n > 0 && (size_t)n < sizeof text - 16; i++) {
        const char *before = i ? ", " : " ";
        n += s->reg[i] == ISA_RZ ? snprintf(text + n, sizeof text - (size_t)n, "%sRZ", before)
                                 : snprintf(text + n, sizeof text - (size_t)n, "%sR%u", before, s->reg[i]);
    }
    if (s->immediate && n > 0 && (size_t)n < sizeof text - 24)
        snprintf(text + n, sizeof text - (size_t)n, "%s%lld", s->registers ? ", " : " ", (long long)s->immediate);
    return strdup(text);
}

/* ---- pcs --------------------------------------------------------------------------------------------------------- */

/* Where an instruction of the trace would like to be. Before Volta instructions have 8 bytes, and every fourth place
 * (until Kepler every eighth) holds control bits. */
static uint32_t wanted(const struct book *book, uint64_t pc)
{
    uint64_t group = book->binary >= 50 ? 4 : 8, place = pc / 8;
    if (book->binary >= VOLTA)
        return pc % 16 || pc / 16 >= TRACE_CODE_MOST ? NOWHERE : (uint32_t)(pc / 16);
    if (pc % 8 || place / group * (group - 1) >= TRACE_CODE_MOST - group || place % group == 0)
        return NOWHERE;
    return (uint32_t)(place / group * (group - 1) + place % group - 1);
}

/* Code is a table by pc: a pc far behind all others, as damage brings it about, must not make that large. */
static bool is_far(const struct book *book, uint32_t index)
{
    enum { NEAR = 1 << 16, STEP = 64 };
    return index >= NEAR && index >= book->native_count + STEP && !book->code;
}

static bool is_free(const struct book *book, uint32_t index)
{
    return index < TRACE_CODE_MOST && (index >= book->native_room || !book->by_native[index]);
}

/* A place for an instruction whose own is taken: pcs count from the begin of a function, and here is another one.
 * Instructions that follow each other stay together. */
static uint32_t place_elsewhere(struct book *book, uint64_t pc, const struct book_entry *before)
{
    uint64_t step = book->binary >= VOLTA ? 16 : 8;
    if (before && before->native / 16 >= book->overflow && book->overflow && before->pc + step == pc &&
        is_free(book, before->native / 16 + 1))
        return before->native / 16 + 1;
    if (!book->overflow)
        book->overflow = 2 * book->native_count + OVERFLOW_GAP;
    uint32_t index = book->native_count > book->overflow ? book->native_count : book->overflow;
    return is_free(book, index) ? index : NOWHERE;
}

static bool grow(struct book_entry ***table, uint32_t *room, uint32_t index)
{
    uint32_t larger = *room ? *room : 1024;
    if (index < *room)
        return true;
    while (larger <= index)
        larger *= 2;
    struct book_entry **grown = realloc(*table, larger * sizeof(struct book_entry *));
    if (!grown)
        return false;
    memset(grown + *room, 0, (larger - *room) * sizeof(struct book_entry *));
    *table = grown;
    *room = larger;
    return true;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static size_t base_length(const char *mnemonic, size_t most)
{
    size_t n = 0;
    while (n < most && mnemonic[n] != '.' && mnemonic[n] != ' ' && mnemonic[n] != '\0')
        n++;
    return n;
}

/* The machine code has the same instruction here? Names are compared without modifiers, which come and go with the
 * versions of disassemblers. */
static bool agrees(const struct book *book, const struct isa_inst *isa, const struct sketch *sketch, uint64_t pc,
                   const struct input *in, struct status *status)
{
    char text[ISA_TEXT];
    isa_print(isa, text);
    const char *name = *text == '@' && strchr(text, ' ') ? strchr(text, ' ') + 1 : text;
    size_t n = base_length(name, strlen(name));
    if (n == base_length(sketch->mnemonic, sketch->length) && memcmp(name, sketch->mnemonic, n) == 0)
        return true;
    return input_fail(in, status, "the trace executes %.*s at pc 0x%llx, but %s has '%s' there: it is other code",
                      (int)(sketch->length < 60 ? sketch->length : 60), sketch->mnemonic, (unsigned long long)pc,
                      book->code->origin, text);
}

/* From the machine code where it is known, otherwise made up. */
static bool set_instruction(const struct book *book, struct book_entry *e, const struct sketch *sketch,
                            const struct input *in, struct status *status)
{
    uint32_t index = e->pc / 16;
    e->exact = book->code && book->code->count;
    if (e->exact) {
        if (index >= book->code->count || !book->code->known[index])
            return input_fail(in, status, "%s has no instruction at pc 0x%x: it is other code", book->code->origin,
                              e->pc);
        isa_decode(book->decoder, book->code->word[index], e->pc, &e->isa);
        if (!agrees(book, &e->isa, sketch, e->pc, in, status))
            return false;
        e->place = book->code->known[index] == CODE_PLACED ? book->code->place[index].lane : NULL;
    } else {
        e->is_unknown = synthesis_make(book->synthesis, sketch, &e->isa) == SYNTHESIS_UNKNOWN;
    }
    e->isa.pc = e->native;
    book_effects(e, sketch);
    return true;
}

static struct book_entry *no_memory(struct book_entry *e, const struct input *in, struct status *status)
{
    release(e);
    status_fail(status, STATUS_MEMORY, "%s: no memory for its instructions", in->path);
    return NULL;
}

/* The same instruction, written with other blanks. */
static struct book_entry *find_alike(const struct book *book, uint64_t pc, const char *described, uint64_t width)
{
    struct book_entry *e = pc / 8 < book->pc_room ? book->by_pc[pc / 8] : NULL;
    while (e && (strcmp(e->described, described) != 0 || e->has_address != (width != 0)))
        e = e->next;
    return e;
}

static struct book_entry *insert(struct book *book, struct book_entry *e, uint32_t index, const struct sketch *sketch,
                                 const struct input *in, struct status *status)
{
    e->native = index * 16;
    if (!grow(&book->by_pc, &book->pc_room, e->pc / 8) || !grow(&book->by_native, &book->native_room, index))
        return no_memory(e, in, status);
    if (!set_instruction(book, e, sketch, in, status)) {
        release(e);
        return NULL;
    }
    struct book_entry **last = &book->by_pc[e->pc / 8];
    while (*last)
        last = &(*last)->next;
    *last = e;
    book->by_native[index] = e;
    book->native_count = index >= book->native_count ? index + 1 : book->native_count;
    return e;
}

static bool names(const struct sketch *sketch, const char *name, size_t at)
{
    size_t n = strlen(name);
    return sketch->length >= at + n && memcmp(sketch->mnemonic + at, name, n) == 0;
}

/* Predicates are not in a trace. A branch or an exit waits for a comparison, most often for the last one before it. A
 * question for the phase of a barrier object is one. */
static void set_predicates(struct book *book, struct sketch *sketch)
{
    bool compares = !sketch->destination &&
                    (names(sketch, "SETP", 1) || names(sketch, "PLOP3", 0) || names(sketch, "SYNCS.PHASECHK", 0));
    bool branches = names(sketch, "BRA", 0) || names(sketch, "EXIT", 0);
    sketch->guard = branches && book->comparisons ? (uint8_t)((book->comparisons - 1) % ISA_PT) : ISA_PT;
    sketch->result = compares ? (uint8_t)(book->comparisons++ % ISA_PT) : ISA_PT;
}

/* Compiled kernels begin with R1 = c[0x0][0x28]. IMAD multiplies with the size of a block, at 0. ULDC.64 loads the
 * descriptor of global memory. Most others are parameters. */
static uint16_t likely_constant(const struct book *book, uint64_t pc, const struct sketch *sketch)
{
    if (pc == 0)
        return book->stack;
    if (names(sketch, "ULDC.64", 0))
        return book->descriptor;
    return sketch->length == 4 && names(sketch, "IMAD", 0) ? 0 : book->parameters;
}

struct book_entry *book_enter(struct book *book, uint64_t pc, const char **at, const char *end,
                              const struct book_entry *before, const struct input *in, struct status *status)
{
    struct fields f;
    const char *text = *at;
    const char *wrong = read_fields(&f, text);
    wrong = wrong ? wrong : read_end(&f, book->immediates);
    if (wrong) {
        input_fail(in, status, "%s", wrong);
        return NULL;
    }
    f.sketch.constant = likely_constant(book, pc, &f.sketch);
    if (pc % 8 || pc / 8 >= 2 * (uint64_t)TRACE_CODE_MOST) {
        input_fail(in, status, "pc 0x%llx is no place for an instruction", (unsigned long long)pc);
        return NULL;
    }
    set_predicates(book, &f.sketch);
    *at = f.rest;
    struct book_entry *e = calloc(1, sizeof *e);
    if (!e || !(e->described = describe(&f.sketch)))
        return no_memory(e, in, status);
    struct book_entry *alike = find_alike(book, pc, e->described, f.width);
    if (alike) {
        release(e);
        return alike;
    }
    uint32_t index = wanted(book, pc);
    if (index == NOWHERE || is_far(book, index) || !is_free(book, index))
        index = place_elsewhere(book, pc, before);
    if (index == NOWHERE) {
        input_fail(in, status, "more than %d different instructions", TRACE_CODE_MOST);
        release(e);
        return NULL;
    }
    e->pc = (uint32_t)pc;
    e->has_address = f.width != 0;
    e->length = (uint32_t)((f.width ? f.rest : end) + 1 - text); /* with the blank, or the end of the line */
    e->text = malloc(e->length);
    if (!e->text)
        return no_memory(e, in, status);
    memcpy(e->text, text, e->length);
    return insert(book, e, index, &f.sketch, in, status);
}

/* ---- the code of the launch -------------------------------------------------------------------------------------- */

bool book_code(const struct book *book, struct trace_launch *launch)
{
    uint32_t count = book->native_count;
    if (book->code && book->code->count > count)
        count = book->code->count;
    static const struct sketch sketch = {.mnemonic = "NOP", .length = 3, .guard = ISA_PT, .result = ISA_PT};
    struct isa_inst nop;
    synthesis_make(book->synthesis, &sketch, &nop);
    launch->code = calloc(count ? count : 1, sizeof *launch->code);
    launch->code_count = count;
    bool good = launch->code != NULL;
    for (uint32_t i = 0; i < count && good; i++) {
        const struct book_entry *e = i < book->native_room ? book->by_native[i] : NULL;
        struct trace_inst *out = &launch->code[i];
        if (e) {
            out->isa = e->isa;
            out->described = e->exact ? NULL : strdup(e->described);
            good = e->exact || out->described;
        } else if (book->code && i < book->code->count && book->code->known[i]) {
            isa_decode(book->decoder, book->code->word[i], i * 16, &out->isa);
        } else {
            out->isa = nop;
            out->isa.pc = i * 16;
            out->described = strdup("NOP");
            good = out->described != NULL;
        }
    }
    return good;
}
