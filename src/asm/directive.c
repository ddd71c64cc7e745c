#include "asm/directive.h"

enum place { IN_MODULE = 1, IN_KERNEL = 2, IN_DATA = 4 };

static const struct directive {
    const char *name;
    unsigned places;
    directive_fn *parse;
} directives[] = {
    {".arch", IN_MODULE, directive_arch},
    {".kernel", IN_MODULE, directive_kernel},
    {".function", IN_MODULE, directive_function},
    {".const", IN_MODULE, directive_const},
    {".global", IN_MODULE, directive_global},
    {".reserve", IN_MODULE, directive_reserve},
    {".address", IN_MODULE, directive_address},
    {".extern", IN_MODULE, directive_extern},
    {".param", IN_KERNEL, directive_param},
    {".param_base", IN_KERNEL, directive_param_base},
    {".param_bytes", IN_KERNEL, directive_param_bytes},
    {".shared", IN_KERNEL, directive_shared},
    {".shared_size", IN_KERNEL, directive_shared_size},
    {".registers", IN_KERNEL, directive_registers},
    {".frame", IN_KERNEL, directive_frame},
    {".stack", IN_KERNEL, directive_stack},
    {".barriers", IN_KERNEL, directive_barriers},
    {".maxntid", IN_KERNEL, directive_maxntid},
    {".reqntid", IN_KERNEL, directive_reqntid},
    {".cluster", IN_KERNEL, directive_cluster},
    {".maxclusterrank", IN_KERNEL, directive_maxclusterrank},
    {".explicitcluster", IN_KERNEL, directive_explicitcluster},
    {".blocksareclusters", IN_KERNEL, directive_blocksareclusters},
    {".bank2", IN_KERNEL, directive_bank2},
    {".symbol", IN_KERNEL, directive_symbol},
    {".exact", IN_KERNEL, directive_exact},
    {".endexact", IN_KERNEL, directive_endexact},
    {".align", IN_DATA, directive_align},
    {".reloc", IN_KERNEL | IN_DATA, directive_reloc},
    {".end", IN_KERNEL | IN_DATA, directive_end},
};

/* Relocations that the loader of a module applies. */
static const struct {
    const char *name;
    uint32_t type;
} relocations[] = {
    {"R_CUDA_32", 0x01},
    {"R_CUDA_64", 0x02},
    {"R_CUDA_ABS32_32", 0x37},
    {"R_CUDA_ABS32_LO_32", 0x38},
    {"R_CUDA_ABS32_HI_32", 0x39},
    {"R_CUDA_ABS47_34", 0x3a},
    {"R_CUDA_ABS16_32", 0x3b},
    {"R_CUDA_32_LO", 0x46},
    {"R_CUDA_32_HI", 0x47},
    {"R_CUDA_ABS55_16_34", 0x4b},
    {"R_CUDA_UNIFIED32_LO_32", 0x70},
    {"R_CUDA_UNIFIED32_HI_32", 0x71},
    {"R_CUDA_ABS56_16_34", 0x72},
};

bool directive_comma(struct scan *s) { return scan_char(s, ',') || scan_error(s, scan_column(s), "expected ','"); }

bool directive_is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

bool directive_alignment(struct scan *s, uint64_t *alignment)
{
    if (!scan_char(s, ','))
        return true;
    scan_blanks(s);
    unsigned column = scan_column(s);
    uint64_t value;
    if (!scan_number(s, "the alignment", 1, 1024, &value))
        return false;
    if (!directive_is_power_of_two(value))
        return scan_error(s, column, "the alignment must be a power of two");
    *alignment = value;
    return true;
}

bool directive_align(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    uint64_t value;
    scan_blanks(s);
    unsigned column = scan_column(s);
    if (!scan_number(s, "the alignment", 1, 1024, &value))
        return false;
    if (!directive_is_power_of_two(value))
        return scan_error(s, column, "the alignment must be a power of two");
    buffer_align(data_buffer(p), (size_t)value);
    return scan_finish(s);
}

static bool relocation_type(struct scan *s, uint32_t *type)
{
    uint64_t number;
    if (scan_peek(s) >= '0' && scan_peek(s) <= '9') {
        if (!scan_number(s, "the relocation's number", 1, 0xff, &number))
            return false;
        *type = (uint32_t)number;
        return true;
    }
    struct word name = scan_name(s);
    for (size_t i = 0; i < sizeof relocations / sizeof *relocations; i++)
        if (word_is(name, relocations[i].name)) {
            *type = relocations[i].type;
            return true;
        }
    return scan_error(s, name.column, "unknown relocation '%.*s'", (int)name.length, name.text);
}

bool directive_reloc(struct parser *p, struct scan *s, struct word word)
{
    struct fixup fixup = {.line = s->line};
    struct word name;
    if (p->block == BLOCK_BANK2)
        return scan_error(s, word.column, ".reloc cannot stand in .bank2");
    if (!relocation_type(s, &fixup.type) || !directive_comma(s))
        return false;
    scan_blanks(s);
    fixup.column = scan_column(s);
    if (!parser_reference(s, &name, &fixup.addend) || !scan_finish(s))
        return false;
    if (p->has_pending)
        return scan_error(s, word.column, "the .reloc of line %u has no instruction yet", p->pending.line);
    p->pending = fixup;
    p->pending_name = name;
    p->has_pending = true;
    return true;
}

static void end_block(struct parser *p)
{
    if (p->block_name > 0) {
        struct name *name = &p->program->names.items[p->block_name - 1];
        name->size = data_buffer(p)->size - name->value;
    }
    p->block = BLOCK_NONE;
    p->block_name = 0;
}

bool directive_end(struct parser *p, struct scan *s, struct word word)
{
    bool pending = p->has_pending;
    p->has_pending = false;
    if (p->block != BLOCK_NONE)
        end_block(p);
    else if (parser_function(p)->count == 0) {
        const char *name = parser_function(p)->name;
        p->function = NO_FUNCTION;
        return scan_error(s, word.column, "'%.100s' has no instruction", name);
    } else
        p->function = NO_FUNCTION;
    bool exact = p->exact && p->function == NO_FUNCTION;
    p->exact &= !exact;
    if (exact)
        return scan_error(s, word.column, "the .exact has no .endexact");
    if (pending)
        return scan_error(s, word.column, "the .reloc of line %u has nothing to patch", p->pending.line);
    return scan_finish(s);
}

/* ---- finding one ------------------------------------------------------------------------------------------------- */

static unsigned current_place(const struct parser *p)
{
    return p->block != BLOCK_NONE ? IN_DATA : p->function != NO_FUNCTION ? IN_KERNEL : IN_MODULE;
}

static bool misplaced(const struct parser *p, const struct scan *s, struct word name, unsigned places)
{
    if (p->block != BLOCK_NONE)
        return scan_error(s, name.column, "'%.*s' among data; .end of line %u's block is missing", (int)name.length,
                          name.text, p->block_line);
    if (p->function != NO_FUNCTION && places != IN_DATA)
        return scan_error(s, name.column, "'%.*s' inside of '%.100s'; its .end is missing", (int)name.length, name.text,
                          p->program->functions[p->function].name);
    return scan_error(s, name.column, "'%.*s' outside of a %s", (int)name.length, name.text,
                      places & IN_KERNEL ? "kernel" : ".const, .global or .bank2 block");
}

bool directive_parse(struct parser *p, struct scan *s, struct word name)
{
    if (data_is_directive(name))
        return p->block != BLOCK_NONE ? data_parse(p, s, name) : misplaced(p, s, name, IN_DATA);
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (!word_is(name, directives[i].name))
            continue;
        return directives[i].places & current_place(p) ? directives[i].parse(p, s, name)
                                                       : misplaced(p, s, name, directives[i].places);
    }
    return scan_error(s, name.column, "unknown directive '%.*s'", (int)name.length, name.text);
}
