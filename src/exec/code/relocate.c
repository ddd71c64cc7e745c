#include "exec/code/relocate.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "exec/code/references.h"
#include "exec/memory/textures.h"
#include "exec/module.h"

enum { ALIGNMENT = 256, GENERIC_32 = 0x03, GENERIC_64 = 0x04 };

uint64_t relocate_zero_offset(const struct cubin *cubin) { return align_up(cubin->global_init.size, ALIGNMENT); }

/* Relocation numbers, and the bits that they fill, counted in the 128-bit word at the place. `low` and `high`
 * choose a half of the value; `shift` drops bits of it. */
static const struct rule {
    uint32_t type;
    uint8_t to, width, from;
} rules[] = {
    {0x01, 0, 32, 0},       /* R_CUDA_32 */
    {0x02, 0, 64, 0},       /* R_CUDA_64 */
    {GENERIC_32, 0, 32, 0}, /* R_CUDA_G32 */
    {GENERIC_64, 0, 64, 0}, /* R_CUDA_G64 */
    {0x06, 0, 32, 0},       /* R_CUDA_TEX_HEADER_INDEX: handle of a texture reference */
    {0x34, 0, 32, 0},       /* R_CUDA_SURF_HEADER_INDEX: of a surface reference */
    {0x23, 0, 64, 0},       /* R_CUDA_FUNC_DESC_64: of a kernel that device code launches; here it is its address */
    {0x2a, 20, 32, 0},      /* R_CUDA_ABS32_20, of Pascal */
    {0x37, 32, 32, 0},      /* R_CUDA_ABS32_32 */
    {0x38, 32, 32, 0},      /* R_CUDA_ABS32_LO_32 */
    {0x39, 32, 32, 32},     /* R_CUDA_ABS32_HI_32 */
    {0x3a, 34, 47, 2},      /* R_CUDA_ABS47_34 */
    {0x3b, 32, 16, 0},      /* R_CUDA_ABS16_32 */
    {0x3e, 32, 32, 0},      /* R_CUDA_FUNC_DESC32_LO_32 */
    {0x3f, 32, 32, 32},     /* R_CUDA_FUNC_DESC32_HI_32 */
    {0x46, 0, 32, 0},       /* R_CUDA_32_LO */
    {0x47, 0, 32, 32},      /* R_CUDA_32_HI */
    {0x4b, 34, 47, 10},     /* R_CUDA_ABS55_16_34, upper part */
    {0x4b, 16, 8, 2},       /* and lower part */
    {0x70, 32, 32, 0},      /* R_CUDA_UNIFIED32_LO_32 */
    {0x71, 32, 32, 32},     /* R_CUDA_UNIFIED32_HI_32 */
    {0x72, 34, 48, 10},     /* R_CUDA_ABS56_16_34, upper part */
    {0x72, 16, 8, 2},       /* and lower part */
};

enum { RULES = sizeof rules / sizeof rules[0] };

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool is_loaded(const char *section)
{
    return starts_with(section, ".text.") || starts_with(section, ".nv.constant") ||
           strcmp(section, ".nv.global.init") == 0;
}

/* Symbols that stand for a number of the driver: the factor for the handles of textures and surfaces. */
static bool is_record_size(const struct cubin_symbol *symbol)
{
    return symbol->name && (strcmp(symbol->name, ".nv.unified.texrefDescSize") == 0 ||
                            strcmp(symbol->name, ".nv.surfrefDescSize") == 0);
}

static bool symbol_value(const struct cubin *cubin, const struct cubin_symbol *symbol, size_t index, uint64_t globals,
                         uint64_t *value)
{
    bool surface;
    if (reference_is(symbol, &surface)) {
        *value = symbol->value;
        return true;
    }
    if (symbol->section == 0 && is_record_size(symbol)) {
        *value = TEXTURE_RECORD;
        return true;
    }
    if (symbol->section == 0) {
        *value = EXEC_EXTERN_WINDOW + 16 * index;
        return true;
    }
    if (symbol->section >= cubin->section_count)
        return false;
    const char *section = cubin->sections[symbol->section].name;
    if (starts_with(section, ".text."))
        *value = exec_section_address(symbol->section) + symbol->value;
    else if (strcmp(section, ".nv.global.init") == 0)
        *value = globals + symbol->value;
    else if (strcmp(section, ".nv.global") == 0)
        *value = globals + relocate_zero_offset(cubin) + symbol->value;
    else if (starts_with(section, ".nv.constant") || starts_with(section, ".nv.shared"))
        *value = symbol->value;
    else
        return false;
    return true;
}

/* Whether the generic address of a symbol is its address: so in global memory. */
static bool in_global(const struct cubin *cubin, const struct cubin_symbol *symbol)
{
    return starts_with(cubin->sections[symbol->section].name, ".nv.global");
}

/* Replaces `width` bits of a little-endian field from bit `to` on. */
static void put_bits(uint8_t *at, unsigned to, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        uint8_t bit = (uint8_t)(1u << (to + i) % 8);
        uint8_t *byte = &at[(to + i) / 8];
        *byte = (uint8_t)(value >> i & 1 ? *byte | bit : *byte & ~bit);
    }
}

static bool apply(const struct cubin *cubin, const struct cubin_relocation *r, uint8_t *image, uint64_t globals,
                  struct status *status)
{
    const struct cubin_section *section = &cubin->sections[r->section];
    uint64_t value;
    if (r->symbol >= cubin->symbol_count ||
        !symbol_value(cubin, &cubin->symbols[r->symbol], r->symbol, globals, &value))
        return status_fail(status, STATUS_UNSUPPORTED,
                           "%s: %s+0x%" PRIx64 ": relocation against symbol %" PRIu32 ", which has no address",
                           cubin->path, section->name, r->offset, r->symbol);
    if ((r->type == GENERIC_32 || r->type == GENERIC_64) && !in_global(cubin, &cubin->symbols[r->symbol]))
        return status_fail(status, STATUS_UNSUPPORTED,
                           "%s: %s+0x%" PRIx64 ": generic address of symbol %" PRIu32 ", which is not in global memory",
                           cubin->path, section->name, r->offset, r->symbol);
    value += (uint64_t)r->addend;
    bool known = false;
    for (size_t i = 0; i < RULES; i++) {
        const struct rule *rule = &rules[i];
        if (rule->type != r->type)
            continue;
        known = true;
        uint64_t end = (rule->to + rule->width + 7u) / 8;
        if (r->offset > section->bytes.size || end > section->bytes.size - r->offset)
            return status_fail(status, STATUS_FORMAT, "%s: %s+0x%" PRIx64 ": relocation outside of the section",
                               cubin->path, section->name, r->offset);
        put_bits(image + (section->bytes.data - image) + r->offset, rule->to, rule->width, value >> rule->from);
    }
    if (!known)
        return status_fail(status, STATUS_UNSUPPORTED,
                           "%s: %s+0x%" PRIx64 ": relocation type 0x%" PRIx32 " is not supported", cubin->path,
                           section->name, r->offset, r->type);
    return true;
}

bool relocate(const struct cubin *cubin, uint8_t *image, uint64_t globals, struct status *status)
{
    for (size_t i = 0; i < cubin->relocation_count; i++) {
        const struct cubin_relocation *r = &cubin->relocations[i];
        if (r->section < cubin->section_count && is_loaded(cubin->sections[r->section].name) &&
            !apply(cubin, r, image, globals, status))
            return false;
    }
    return true;
}
