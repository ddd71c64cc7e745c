#include "cli/code/pascal_listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { WORD = 8 };

static uint64_t word_at(struct cubin_bytes code, size_t at)
{
    uint64_t word = 0;
    for (size_t i = 0; i < WORD; i++)
        word |= (uint64_t)code.data[at + i] << 8 * i;
    return word;
}

/* Decodes the instruction at a byte offset; false where a control word is. */
static bool decode_at(const struct cubin *cubin, struct cubin_bytes code, size_t at, struct pascal_inst *out)
{
    if (pascal_is_control((uint32_t)at))
        return false;
    uint32_t control = pascal_control_bits(word_at(code, at / 32 * 32), (uint32_t)at);
    pascal_decode(cubin->sm, word_at(code, at), control, (uint32_t)at, out);
    return true;
}

void pascal_listing_print(const struct cubin *cubin, const struct cubin_kernel *kernel, bool plain, FILE *out)
{
    struct pascal_inst inst;
    char text[ISA_TEXT], control[32];
    if (plain)
        fputs("\t.text.", out);
    else
        fprintf(out, "// sm_%u\n.kernel ", cubin->sm);
    text_print(out, kernel->name);
    if (plain)
        fputs(":\n", out);
    else
        fprintf(out, "\n.registers %u\n\n", kernel->registers);
    for (size_t at = 0; at + WORD <= kernel->code.size; at += WORD) {
        if (!decode_at(cubin, kernel->code, at, &inst))
            continue;
        pascal_print(&inst, text);
        isa_print_control(inst.control, control);
        if (plain)
            fprintf(out, "        /*%04zx*/                   %s ;\n", at, text);
        else
            fprintf(out, "    /*%04zx*/  %s  %s ;\n", at, control, text);
    }
    if (!plain)
        fprintf(out, ".end\n");
}

void pascal_listing_json(const struct cubin *cubin, const struct cubin_kernel *kernel, struct json *json)
{
    struct pascal_inst inst;
    char text[ISA_TEXT], control[32], word[2 * WORD + 1];
    json_object(json, NULL);
    json_string(json, "name", kernel->name);
    json_uint(json, "registers", kernel->registers);
    json_array(json, "instructions");
    for (size_t at = 0; at + WORD <= kernel->code.size; at += WORD) {
        if (!decode_at(cubin, kernel->code, at, &inst))
            continue;
        pascal_print(&inst, text);
        isa_print_control(inst.control, control);
        snprintf(word, sizeof word, "%016llx", (unsigned long long)inst.word);
        json_object(json, NULL);
        json_uint(json, "address", at);
        json_string(json, "word", word);
        json_string(json, "control", control);
        json_string(json, "text", text);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

bool pascal_listing_words(FILE *in, const char *path, unsigned sm, struct status *status)
{
    char line[256], text[ISA_TEXT];
    uint64_t control = 0;
    uint32_t pc = 0;
    for (unsigned number = 1; fgets(line, sizeof line, in); number++) {
        const char *digits = line + strspn(line, " \t\r\n");
        digits += strncmp(digits, "0x", 2) == 0 ? 2 : 0;
        size_t length = strspn(digits, "0123456789abcdefABCDEF");
        if (*digits == '\0')
            continue;
        if (length != 2 * WORD || digits[length + strspn(digits + length, " \t\r\n")] != '\0')
            return status_fail(status, STATUS_FORMAT, "%.200s:%u: expected one word of 16 hexadecimal digits", path,
                               number);
        uint64_t word = strtoull(digits, NULL, 16);
        struct pascal_inst inst;
        if (pascal_is_control(pc)) {
            control = word;
        } else {
            pascal_decode(sm, word, pascal_control_bits(control, pc), pc, &inst);
            pascal_print(&inst, text);
            puts(text);
        }
        pc += WORD;
    }
    return true;
}
