#include "tests/fuzz/exercise.h"

#include "base/text.h"
#include "cubin/code.h"
#include "cubin/line.h"
#include "isa/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH "mutant"

#define PROMISE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static void check_message(const struct status *status)
{
    PROMISE(status->code != STATUS_OK);
    PROMISE(strncmp(status->text, PATH ": ", strlen(PATH) + 2) == 0);
    for (const unsigned char *p = (const unsigned char *)status->text; *p != '\0'; p += text_utf8(p)) {
        PROMISE(text_utf8(p) > 0); /* a name from the file may have any character of UTF-8 but those that control */
        PROMISE(*p >= 0x20 && *p != 0x7f && !(*p == 0xc2 && p[1] < 0xa0));
    }
}

static bool inside(struct cubin_bytes image, struct cubin_bytes part)
{
    return part.size == 0 || (part.data >= image.data && part.size <= image.size &&
                              (size_t)(part.data - image.data) <= image.size - part.size);
}

static const struct isa_assembler *assembler_of(unsigned sm)
{
    enum { ARCHITECTURES = 256 };
    static struct isa_assembler *assemblers[ARCHITECTURES];
    if (sm >= ARCHITECTURES || !isa_supported(sm))
        return NULL;
    struct status status = {0};
    if (!assemblers[sm])
        assemblers[sm] = isa_assembler_create(sm, &status);
    PROMISE(assemblers[sm] != NULL);
    return assemblers[sm];
}

/* The exact text gives the word back. */
static void check_assembly(const struct isa_assembler *assembler, const struct isa_inst *inst)
{
    struct isa_asm_error error;
    struct word128 word;
    char text[ISA_TEXT];
    isa_print_exact(assembler, inst, text);
    PROMISE(isa_assemble(assembler, text, strlen(text), inst->pc, NULL, NULL, &word, &error));
    isa_control_encode(inst->control, &word);
    PROMISE(word.lo == inst->word.lo && word.hi == inst->word.hi);
}

void exercise_word(unsigned sm, struct word128 word, uint32_t pc)
{
    struct isa_inst inst;
    struct isa_regs registers;
    char text[ISA_TEXT], control[32];
    const struct isa_assembler *assembler = assembler_of(sm);
    if (!assembler)
        return;
    bool known = isa_decode(isa_assembler_decoder(assembler), word, pc, &inst);
    PROMISE(known == (inst.op != ISA_INVALID) && inst.op < ISA_OP_COUNT);
    PROMISE(inst.pc == pc && inst.word.lo == word.lo && inst.word.hi == word.hi);
    isa_print(&inst, text);
    isa_print_control(inst.control, control);
    PROMISE(memchr(text, 0, sizeof text) && text[0] != '\0' && memchr(control, 0, sizeof control));
    if (!known)
        return;
    if ((word.lo ^ word.lo >> 32 ^ word.hi) % 16 == 0) /* it takes longer than the rest */
        check_assembly(assembler, &inst);
    isa_registers(&inst, &registers);
    PROMISE(registers.reads <= 5 && registers.writes <= 2);
}

static void exercise_code(unsigned sm, struct cubin_bytes code)
{
    for (size_t pc = 0; pc + 16 <= code.size; pc += 16) {
        struct word128 word;
        memcpy(&word, code.data + pc, sizeof word);
        exercise_word(sm, word, (uint32_t)pc);
    }
}

static void check_lines(const struct cubin *c, const struct cubin_kernel *k)
{
    struct cubin_line *rows;
    size_t n = cubin_lines(c, k, &rows);
    for (size_t i = 0; i < n; i++) {
        const char *file = cubin_line_file(c, rows[i].file), *directory = cubin_line_directory(c, rows[i].file);
        PROMISE(rows[i].pc <
                (c->sm < 70 ? 2 : 1) * k->code.size); /* instructions of Pascal have 8 bytes, and count 16 */
        PROMISE(i == 0 || rows[i].pc > rows[i - 1].pc);
        PROMISE(!file || strlen(file) < UINT32_MAX);
        PROMISE(!directory || strlen(directory) < UINT32_MAX);
    }
    free(rows);
}

static void check_kernel(const struct cubin *c, const struct cubin_kernel *k, struct cubin_bytes image)
{
    struct status status = {0};
    PROMISE(inside(image, k->code) && inside(image, k->constant0) && inside(image, k->constant2));
    PROMISE(k->code.size > 0 && k->code.size % 16 == 0);
    PROMISE(k->registers > 0 && k->registers <= 256);
    PROMISE(k->parameter_base + k->parameter_bytes <= 0x10000);
    PROMISE(k->section < c->section_count);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        PROMISE(k->parameters[i].ordinal == i);
        PROMISE(k->parameters[i].offset + k->parameters[i].size <= k->parameter_bytes);
    }
    PROMISE(cubin_find_kernel(c, k->name, &status) != NULL);
    check_lines(c, k);
    exercise_code(c->sm, k->code);
}

static void check_tables(const struct cubin *c, struct cubin_bytes image)
{
    for (size_t i = 0; i < c->section_count; i++)
        PROMISE(inside(image, c->sections[i].bytes) && strlen(c->sections[i].name) < image.size);
    for (size_t i = 0; i < c->symbol_count; i++)
        PROMISE(c->symbols[i].section < c->section_count || c->symbols[i].section >= 0xff00);
    for (size_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *r = &c->relocations[i];
        PROMISE(r->section < c->section_count && r->symbol < c->symbol_count);
        PROMISE(r->offset < c->sections[r->section].size);
    }
    PROMISE(inside(image, c->constant3) && inside(image, c->constant4) && inside(image, c->global_init));
}

static void exercise_cubin(struct cubin_bytes image)
{
    struct cubin c;
    struct status status = {0};
    if (!cubin_open(&c, image, PATH, &status)) {
        check_message(&status);
        PROMISE(!c.kernels && !c.sections && !c.path);
        return;
    }
    PROMISE(status.code == STATUS_OK);
    check_tables(&c, image);
    for (size_t i = 0; i < c.kernel_count; i++)
        check_kernel(&c, &c.kernels[i], image);
    if (!cubin_find_kernel(&c, "no such kernel", &status))
        check_message(&status);
    cubin_close(&c);
}

static void exercise_image(const struct cubin_file *f, const struct cubin_image *image)
{
    struct status status = {0};
    struct cubin_bytes bytes;
    uint8_t *owned;
    if (!cubin_file_image(f, image, &bytes, &owned, &status)) {
        check_message(&status);
        return;
    }
    PROMISE(bytes.size == image->bytes);
    if (image->kind == CUBIN_IMAGE_ELF)
        exercise_cubin(bytes);
    free(owned);
}

static void exercise_file(struct cubin_bytes bytes)
{
    static const unsigned architectures[] = {0, 75, 89, 90, 120, 255};
    struct cubin_file f;
    struct status status = {0};
    if (!cubin_file_open_bytes(&f, bytes, PATH, &status)) {
        check_message(&status);
        PROMISE(!f.path && !f.images && !f.bytes.data);
        return;
    }
    for (size_t i = 0; i < f.image_count; i++)
        exercise_image(&f, &f.images[i]);
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        struct status none = {0};
        if (!cubin_file_select(&f, architectures[i], &none))
            check_message(&none);
    }
    cubin_file_close(&f);
}

/* The same bytes as a program's memory, of which nothing is known but where they begin. */
enum { PLACE = 0x10000 };

static bool read_bytes(void *self, void *to, uint64_t from, size_t bytes)
{
    const struct cubin_bytes *b = self;
    if (from < PLACE || from - PLACE > b->size || bytes > b->size - (from - PLACE))
        return false;
    if (bytes > 0)
        memcpy(to, b->data + (from - PLACE), bytes);
    return true;
}

static void exercise_memory(struct cubin_bytes bytes)
{
    static const struct cubin_code_wish wishes[] = {{75, false}, {80, false}, {90, false}, {121, false}, {90, true}};
    const struct cubin_code_memory memory = {read_bytes, &bytes};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        struct cubin_code code;
        struct cubin_bytes image;
        struct status status = {0};
        uint8_t *owned;
        if (cubin_code_find(&code, &memory, PLACE, &wishes[i], &status) != CUBIN_CODE_FOUND) {
            PROMISE(status.code != STATUS_OK && !code.stored && !code.options);
            continue;
        }
        PROMISE(code.image.stored_bytes <= bytes.size && code.image.sm <= wishes[i].sm);
        if (cubin_code_unpack(&code, &image, &owned, &status))
            free(owned);
        cubin_code_free(&code);
    }
}

void exercise(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (!exact)
        return;
    if (size > 0)
        memcpy(exact, data, size);
    const struct cubin_bytes bytes = {exact, size};
    bool elf = size >= 20 && memcmp(data, "\177ELF", 4) == 0 && data[18] == 190 && data[19] == 0;
    if (!elf)
        exercise_cubin(bytes);
    exercise_file(bytes);
    exercise_memory(bytes);
    free(exact);
}

static uint64_t hear_address(void *context, size_t offset, uint64_t operand)
{
    PROMISE(offset < *(const size_t *)context);
    return operand;
}

static void hear_row(void *context, const struct line_unit *unit, const struct line_state *state)
{
    (void)state;
    PROMISE(unit->end <= *(const size_t *)context);
}

static void hear_end(void *context) { (void)context; }

size_t exercise_lines(const uint8_t *data, size_t size)
{
    static const uint8_t strings[] = "/top\0sub";
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (!exact)
        return 0;
    memcpy(exact, data, size);
    const struct line_sink sink = {
        .context = &size, .set_address = hear_address, .row = hear_row, .end_sequence = hear_end};
    struct line_walk w = {.section = {exact, size}, .line_strings = {strings, sizeof strings}, .collect = true};
    struct line_unit unit;
    while (line_next_unit(&w, &unit)) {
        PROMISE(unit.program <= unit.end && unit.end <= size);
        line_run(w.section, &unit, &sink);
    }
    PROMISE(w.files <= size);
    free(w.table);
    free(exact);
    return w.files;
}
