#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/code/listing.h"

enum {
    RELOCATION_64 = 2,
    SYMBOL_OBJECT = 1,
    SYMBOL_FUNCTION = 2,
    ENTRY = 0x10, /* of st_other: a kernel */
    WORDS_A_LINE = 8,
    NO_SECTION = 0
};

/* ---- relocations ------------------------------------------------------------------------------------------------- */

static const struct cubin_relocation *relocation_at(const struct cubin *cubin, uint32_t section, uint64_t offset)
{
    for (size_t i = 0; cubin && i < cubin->relocation_count; i++)
        if (cubin->relocations[i].section == section && cubin->relocations[i].offset == offset)
            return &cubin->relocations[i];
    return NULL;
}

static uint64_t next_relocation(const struct cubin *cubin, uint32_t section, uint64_t from, uint64_t to)
{
    for (size_t i = 0; cubin && i < cubin->relocation_count; i++) {
        const struct cubin_relocation *r = &cubin->relocations[i];
        if (r->section == section && r->offset > from && r->offset < to)
            to = r->offset;
    }
    return to;
}

static void print_reference(const struct cubin *cubin, const struct cubin_relocation *r, FILE *out)
{
    text_print(out, cubin->symbols[r->symbol].name);
    if (r->addend)
        fprintf(out, "%s0x%" PRIx64, r->addend < 0 ? "-" : "+", (uint64_t)(r->addend < 0 ? -r->addend : r->addend));
}

bool listing_relocated(const struct cubin *cubin, uint32_t section, uint64_t offset)
{
    return relocation_at(cubin, section, offset) != NULL;
}

void listing_print_relocations(const struct cubin *cubin, uint32_t section, uint64_t offset, FILE *out)
{
    const struct cubin_relocation *r = relocation_at(cubin, section, offset);
    if (!r)
        return;
    fprintf(out, "    .reloc 0x%02" PRIx32 ", ", r->type);
    print_reference(cubin, r, out);
    fputc('\n', out);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static size_t zeros(const uint8_t *data, size_t count)
{
    size_t n = 0;
    while (n < count && data[n] == 0)
        n++;
    return n;
}

static void print_words(const uint8_t *data, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = data + 4 * i;
        uint32_t word = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        fprintf(out, "%s0x%08" PRIx32, i == 0 ? "    .u32 " : ", ", word);
    }
    fputc('\n', out);
}

static void print_octets(const uint8_t *data, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s0x%02x", i == 0 ? "    .u8 " : ", ", data[i]);
    fputc('\n', out);
}

/* Bytes without addresses among them. */
static void print_run(const uint8_t *data, size_t size, FILE *out)
{
    while (size > 0) {
        size_t zero = zeros(data, size), words = size / 4;
        size_t used = size < 4 ? size : 4 * (words < WORDS_A_LINE ? words : (size_t)WORDS_A_LINE);
        if (zero > 2 * 4 * WORDS_A_LINE || (zero == size && zero > 4)) {
            fprintf(out, "    .zero %zu\n", zero);
            used = zero;
        } else if (size < 4)
            print_octets(data, used, out);
        else
            print_words(data, used / 4, out);
        data += used;
        size -= used;
    }
}

void listing_print_bytes(const struct cubin *cubin, const struct cubin_section *section, uint64_t from, uint64_t to,
                         FILE *out)
{
    uint32_t index = cubin ? (uint32_t)(section - cubin->sections) : 0;
    while (from < to) {
        const struct cubin_relocation *r = relocation_at(cubin, index, from);
        if (r && r->type == RELOCATION_64 && to - from >= 8) {
            fputs("    .u64 ", out);
            print_reference(cubin, r, out);
            fputc('\n', out);
            from += 8;
            continue;
        }
        if (r)
            listing_print_relocations(cubin, index, from, out);
        uint64_t end = next_relocation(cubin, index, from, to);
        print_run(section->bytes.data + from, (size_t)(end - from), out);
        from = end;
    }
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static const struct cubin_section *find_section(const struct cubin *cubin, const char *name)
{
    for (size_t i = 1; i < cubin->section_count; i++)
        if (strcmp(cubin->sections[i].name, name) == 0)
            return &cubin->sections[i];
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const struct cubin_symbol *x = *(const struct cubin_symbol *const *)a, *y = *(const struct cubin_symbol *const *)b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x > y) - (x < y);
}

/* The section's variables by place; NULL without memory. */
static const struct cubin_symbol **variables_of(const struct cubin *cubin, const struct cubin_section *section,
                                                size_t *count)
{
    const struct cubin_symbol **list = calloc(cubin->symbol_count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < cubin->symbol_count; i++) {
        const struct cubin_symbol *s = &cubin->symbols[i];
        if (s->type == SYMBOL_OBJECT && s->section == (uint32_t)(section - cubin->sections) &&
            s->value <= section->size)
            list[(*count)++] = s;
    }
    if (list)
        qsort(list, *count, sizeof *list, by_value);
    return list;
}

/* Any power of two that divides the offset gives the place back, since each variable ends where the next begins. */
static unsigned alignment_of(uint64_t offset)
{
    uint64_t power = offset & (0 - offset);
    return power == 0 || power > 16 ? 16 : (unsigned)power;
}

static void print_data(const struct cubin *cubin, const char *directive, const struct cubin_section *section, FILE *out)
{
    size_t count;
    const struct cubin_symbol **list = variables_of(cubin, section, &count);
    uint64_t first = list && count > 0 ? list[0]->value : section->size;
    if (first > 0) {
        fprintf(out, "%s\n", directive);
        listing_print_bytes(cubin, section, 0, first, out);
        fputs(".end\n", out);
    }
    for (size_t i = 0; list && i < count; i++) {
        uint64_t end = i + 1 < count ? list[i + 1]->value : section->size;
        fprintf(out, "%s ", directive);
        text_print(out, list[i]->name);
        fprintf(out, ", %u\n", alignment_of(list[i]->value));
        listing_print_bytes(cubin, section, list[i]->value, end, out);
        fputs(".end\n", out);
    }
    free(list);
}

static void print_reserved(const struct cubin *cubin, const struct cubin_section *section, FILE *out)
{
    size_t count;
    const struct cubin_symbol **list = variables_of(cubin, section, &count);
    if (list && count == 0)
        fprintf(out, ".reserve $reserved, %" PRIu64 ", 16\n", section->size);
    for (size_t i = 0; list && i < count; i++) {
        uint64_t end = i + 1 < count ? list[i + 1]->value : section->size;
        fputs(".reserve ", out);
        text_print(out, list[i]->name);
        fprintf(out, ", %" PRIu64 ", %u\n", end - list[i]->value, alignment_of(list[i]->value));
    }
    free(list);
}

/* Entries that no relocation fills are 0 when the kernel runs. */
static void print_addresses(const struct cubin *cubin, const struct cubin_section *section, FILE *out)
{
    for (uint64_t at = 0; at + 8 <= section->size; at += 8) {
        const struct cubin_relocation *r = relocation_at(cubin, (uint32_t)(section - cubin->sections), at);
        fputs(".address ", out);
        if (r)
            print_reference(cubin, r, out);
        else
            fputc('0', out);
        fprintf(out, "    // c[0x4][0x%" PRIx64 "]\n", at);
    }
}

/* ---- module ------------------------------------------------------------------------------------------------------ */

static bool is_used(const struct cubin *cubin, size_t symbol)
{
    for (size_t i = 0; i < cubin->relocation_count; i++)
        if (cubin->relocations[i].symbol == symbol)
            return true;
    return false;
}

/* A record of .nv.compat tells code for sm_90a and the like. */
static bool is_accelerated(const struct cubin *cubin)
{
    enum { BYTE = 2, TARGET = 9 };
    const struct cubin_section *s = find_section(cubin, ".nv.compat");
    return s && s->bytes.size >= 4 && s->bytes.data[0] == BYTE && s->bytes.data[1] == TARGET && s->bytes.data[2] == 1;
}

void listing_print_module(const struct cubin *cubin, FILE *out)
{
    static const struct {
        const char *section;
        void (*print)(const struct cubin *cubin, const struct cubin_section *section, FILE *out);
        const char *directive;
    } parts[] = {
        {".nv.constant3", NULL, ".const"},
        {".nv.global.init", NULL, ".global"},
        {".nv.global", print_reserved, NULL},
        {".nv.constant4", print_addresses, NULL},
    };
    fprintf(out, ".arch sm_%u%s\n", cubin->sm, is_accelerated(cubin) ? "a" : "");
    for (size_t i = 1; i < cubin->symbol_count; i++)
        if (cubin->symbols[i].section == NO_SECTION && cubin->symbols[i].name[0] != '\0' && is_used(cubin, i)) {
            fputs(".extern ", out);
            text_print(out, cubin->symbols[i].name);
            fputc('\n', out);
        }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct cubin_section *section = find_section(cubin, parts[i].section);
        if (!section || section->size == 0)
            continue;
        if (parts[i].print)
            parts[i].print(cubin, section, out);
        else
            print_data(cubin, parts[i].directive, section, out);
    }
}
