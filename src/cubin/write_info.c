#include "cubin/write_info.h"

#include <string.h>

#include "cubin/image.h"

/* Records: format, id, then a 16-bit value, or a 16-bit size and that many bytes. */
enum { FLAG = 1, BYTE = 2, HALF = 3, SIZED = 4 };

static void put_value(struct buffer *out, unsigned format, unsigned id, uint32_t value)
{
    buffer_number(out, format, 1);
    buffer_number(out, id, 1);
    buffer_number(out, value, 2);
}

static void put_words(struct buffer *out, unsigned id, const uint32_t *words, size_t count)
{
    put_value(out, SIZED, id, (uint32_t)(4 * count));
    for (size_t i = 0; i < count; i++)
        buffer_number(out, words[i], 4);
}

static void put_word(struct buffer *out, unsigned id, uint32_t word) { put_words(out, id, &word, 1); }

static void put_three(struct buffer *out, unsigned id, const uint32_t words[3])
{
    if (words[0] != 0)
        put_words(out, id, words, 3);
}

/* ---- .nv.info ---------------------------------------------------------------------------------------------------- */

void write_module_info(const struct cubin_new *module, const uint32_t *symbols, struct buffer *out)
{
    for (size_t i = module->function_count; i-- > 0;) {
        const struct cubin_new_function *f = &module->functions[i];
        put_words(out, 0x2f, (const uint32_t[]){symbols[i], f->registers}, 2);
        /* Of an open call tree the driver knows only the frames. They stand here as one. */
        uint32_t frame = f->stack_unknown ? f->stack_bytes : f->frame_bytes;
        put_words(out, 0x11, (const uint32_t[]){symbols[i], frame}, 2);
    }
    for (size_t i = 0; i < module->function_count; i++) {
        const struct cubin_new_function *f = &module->functions[i];
        uint32_t stack = f->stack_unknown ? UINT32_MAX : f->stack_bytes;
        put_words(out, 0x12, (const uint32_t[]){symbols[i], stack}, 2);
    }
}

/* ---- .nv.info.<function> ----------------------------------------------------------------------------------------- */

/* The size stands in 14 bits of the first form. The second one is used for all when a kernel has over 4 KiB. */
static void put_parameters(const struct cubin_new *module, const struct cubin_new_function *f, struct buffer *out)
{
    for (uint32_t i = f->parameter_count; i-- > 0;) {
        const struct cubin_parameter *p = &f->parameters[i];
        uint32_t space = module->sm >= 100 && p->size == 8 ? 5 : 0;
        uint32_t place = i | (uint32_t)p->offset << 16;
        if (f->parameter_bytes > 4096)
            put_words(out, 0x45, (const uint32_t[]){0, place, (p->size & 0xffff) | space << 24}, 3);
        else
            put_words(out, 0x17, (const uint32_t[]){0, place, space << 8 | 0x1fu << 12 | p->size << 18}, 3);
    }
}

static void put_bank(const struct cubin_new_function *f, uint32_t bank, struct buffer *out)
{
    put_words(out, 0x0a, (const uint32_t[]){bank, f->parameter_base | f->parameter_bytes << 16}, 2);
}

/* Up to sm_89. The workarounds are those that CUDA 13 names for every kernel of the architecture. */
static void put_old(const struct cubin_new *module, const struct cubin_new_function *f, uint32_t bank,
                    struct buffer *out)
{
    if (module->sm == 75)
        put_word(out, 0x36, 1);
    put_word(out, 0x37, 0x82); /* CUDA 13.0 */
    if (module->sm == 80 || module->sm == 86)
        put_value(out, FLAG, 0x35, 0);
    if (!f->kernel)
        return;
    put_bank(f, bank, out);
    put_value(out, HALF, 0x19, f->parameter_bytes);
    put_parameters(module, f, out);
    put_value(out, HALF, 0x1b, 0xff); /* no limit of registers */
    if (f->barriers)
        put_value(out, BYTE, 0x4c, f->barriers);
    put_value(out, HALF, 0x5f, 0);
}

static void put_new(const struct cubin_new *module, const struct cubin_new_function *f, struct buffer *out)
{
    put_word(out, 0x37, 0x82);
    if (!f->kernel)
        return;
    put_parameters(module, f, out);
    put_value(out, HALF, 0x50, 0);
    put_value(out, HALF, 0x1b, 0xff);
    if (f->barriers)
        put_value(out, BYTE, 0x4c, f->barriers);
    put_value(out, HALF, 0x5f, 0x0101);
    if (module->sm >= 100)
        put_value(out, BYTE, 0x4a, 0);
}

static void put_flag(struct buffer *out, unsigned id) { buffer_number(out, 1u | id << 8, 4); }

static void put_clusters(const struct cubin_new_function *function, struct buffer *out)
{
    put_three(out, 0x3d, function->cluster);
    if (function->cluster_most != 0)
        put_word(out, 0x3f, function->cluster_most);
    if (function->cluster_explicit)
        put_flag(out, 0x3e);
    if (function->grid_of_clusters)
        put_flag(out, 0x5b);
}

void write_function_info(const struct cubin_new *module, const struct cubin_new_function *function, uint32_t bank,
                         const uint32_t *exits, size_t exit_count, struct buffer *out)
{
    bool later = image_is_new(module->sm);
    if (later)
        put_new(module, function, out);
    else
        put_old(module, function, bank, out);
    if (!function->kernel)
        return;
    if (exit_count > 0)
        put_words(out, 0x1c, exits, exit_count);
    put_three(out, 0x05, function->max_threads);
    put_three(out, 0x10, function->required_threads);
    put_clusters(function, out);
    if (!later)
        return;
    put_value(out, HALF, 0x19, function->parameter_bytes);
    put_bank(function, bank, out);
    put_word(out, 0x36, module->sm == 120 ? 0 : 8);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* The last record is a mask whose meaning is not known. These are the values that CUDA 13.0 writes. */
void write_compat(const struct cubin_new *module, struct buffer *out)
{
    put_value(out, BYTE, 0x09, module->accelerated);
    put_value(out, BYTE, 0x02, 1);
    put_value(out, BYTE, 0x05, 5);
    put_value(out, HALF, 0x07, 0x0101);
    put_value(out, BYTE, 0x03, 0);
    put_value(out, BYTE, 0x06, 1);
    uint32_t mask = module->sm >= 120 ? 0x50 : module->sm >= 100 ? 9 : 0;
    put_words(out, 0x0b, (const uint32_t[]){mask, 0}, 2);
}

static void put_note(struct buffer *out, uint32_t type, const struct buffer *contents)
{
    static const char owner[] = "NVIDIA Corp";
    buffer_number(out, sizeof owner, 4);
    buffer_number(out, contents->size, 4);
    buffer_number(out, type, 4);
    buffer_put(out, owner, sizeof owner);
    out->failed |= contents->failed;
    buffer_put(out, contents->data, contents->size);
    buffer_align(out, 4);
}

/* Version 2, then the offsets of four strings behind the six words. */
void write_tool_note(struct buffer *out)
{
    static const char *const strings[] = {"subcore", "subcore assembler", "", ""};
    struct buffer contents = {0}, text = {0};
    buffer_string(&text, "");
    buffer_number(&contents, 2, 4);
    buffer_number(&contents, 0, 4);
    for (unsigned i = 0; i < 4; i++)
        buffer_number(&contents, buffer_string(&text, strings[i]), 4);
    buffer_put(&contents, text.data, text.size);
    contents.failed |= text.failed;
    buffer_align(&contents, 4);
    put_note(out, 0x7d0, &contents);
    buffer_free(&text);
    buffer_free(&contents);
}

void write_cuda_note(unsigned sm, struct buffer *out)
{
    struct buffer contents = {0};
    buffer_number(&contents, 2, 2);
    buffer_number(&contents, sm, 2);
    buffer_number(&contents, 0x82, 2);
    buffer_number(&contents, 0, 2);
    put_note(out, 0x3e8, &contents);
    buffer_free(&contents);
}

/* The four entries that every call graph has. */
void write_callgraph(struct buffer *out)
{
    for (int i = -1; i >= -4; i--) {
        buffer_number(out, 0, 4);
        buffer_number(out, (uint32_t)i, 4);
    }
}

void write_relocation_action(struct buffer *out)
{
    static const uint8_t bytes[16] = {0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 0x05, 0x36};
    buffer_put(out, bytes, sizeof bytes);
}
