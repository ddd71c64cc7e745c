#include <ctype.h>
#include <string.h>

#include "asm/directive.h"

/* ---- architecture ------------------------------------------------------------------------------------------------ */

static bool architecture_of(struct word word, unsigned *sm, bool *accelerated)
{
    size_t i = 3;
    *sm = 0;
    if (word.length < 5 || word.length > 7 || memcmp(word.text, "sm_", 3) != 0)
        return false;
    for (; i < word.length && isdigit((unsigned char)word.text[i]); i++)
        *sm = *sm * 10 + (unsigned)(word.text[i] - '0');
    *accelerated = i + 1 == word.length && word.text[i] == 'a';
    return (i == word.length || *accelerated) && (isa_supported(*sm) || pascal_supported(*sm)) &&
           cubin_abi(*sm) != NULL;
}

bool directive_arch(struct parser *p, struct scan *s, struct word word)
{
    struct program *program = p->program;
    struct word name = scan_name(s);
    unsigned sm;
    bool accelerated;
    if (!architecture_of(name, &sm, &accelerated)) {
        p->broken = true;
        return scan_error(s, name.column,
                          "unknown architecture '%.*s'; there are sm_60, sm_61, sm_70, sm_75, sm_80, sm_86, sm_89, "
                          "sm_90, sm_100, sm_120",
                          (int)name.length, name.text);
    }
    if (program->sm != 0)
        return scan_error(s, word.column, "the architecture is sm_%u already", program->sm);
    program->sm = sm;
    program->accelerated = accelerated;
    if (!p->arch_binding || p->default_arch == 0 || p->default_arch == sm)
        return scan_finish(s);
    p->broken = true;
    return scan_error(s, name.column, "the file is for sm_%u, not for sm_%u as --arch says", sm, p->default_arch);
}

bool directive_need_arch(struct parser *p, const struct scan *s, unsigned column)
{
    if (p->program->sm == 0) {
        p->program->sm = p->default_arch;
        p->program->accelerated = p->default_accelerated;
    }
    if (p->program->sm != 0)
        return true;
    p->broken = true;
    return scan_error(s, column, "no architecture: .arch sm_XY must stand before, or --arch on the command line");
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Goes on inside the function even when its name is bad, so that one mistake gives one message. */
static bool begin_function(struct parser *p, struct scan *s, struct word word, bool kernel)
{
    if (!directive_need_arch(p, s, word.column))
        return false;
    struct word text = scan_name(s);
    struct function *function = program_add_function(p->program, text.text, text.length);
    if (!function)
        return false;
    function->kernel = kernel;
    function->line = s->line;
    p->function = (int32_t)p->program->function_count - 1;
    return parser_define(p, s, SCOPE_MODULE, text, NAME_FUNCTION) && scan_finish(s);
}

bool directive_kernel(struct parser *p, struct scan *s, struct word word) { return begin_function(p, s, word, true); }

bool directive_function(struct parser *p, struct scan *s, struct word word)
{
    return begin_function(p, s, word, false);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* .const [name [, alignment]] and .global: values follow until .end. */
static bool begin_block(struct parser *p, struct scan *s, enum block block, enum name_kind kind)
{
    uint64_t alignment = 8;
    struct word text = {0};
    p->block = block;
    p->block_line = s->line;
    p->block_name = 0;
    if (!scan_at_end(s)) {
        text = scan_name(s);
        if (!directive_alignment(s, &alignment))
            return false;
    }
    buffer_align(data_buffer(p), (size_t)alignment);
    if (!text.text)
        return true;
    struct name *name = parser_define(p, s, SCOPE_MODULE, text, kind);
    if (!name)
        return false;
    name->value = data_buffer(p)->size;
    p->block_name = (size_t)(name - p->program->names.items) + 1;
    return scan_finish(s);
}

bool directive_const(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return begin_block(p, s, BLOCK_CONSTANT, NAME_CONSTANT);
}

bool directive_global(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    return begin_block(p, s, BLOCK_GLOBAL, NAME_GLOBAL);
}

bool directive_reserve(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    uint64_t size, alignment = 8;
    struct word text = scan_name(s);
    struct name *name = parser_define(p, s, SCOPE_MODULE, text, NAME_RESERVED);
    if (!name || !directive_comma(s) || !scan_number(s, "the number of bytes", 0, UINT32_MAX, &size) ||
        !directive_alignment(s, &alignment))
        return false;
    name->value = directive_align_up(p->program->reserved_bytes, alignment);
    name->size = size;
    p->program->reserved_bytes = name->value + size;
    return scan_finish(s);
}

/* .address name [+ offset]: the next entry of constant bank 4. .address 0: an empty one. */
bool directive_address(struct parser *p, struct scan *s, struct word word)
{
    enum { RELOCATION_64 = 2, BANK_BYTES = 0x10000 };
    struct word text;
    scan_blanks(s);
    struct fixup fixup = {.place = CUBIN_PLACE_CONSTANT4,
                          .type = RELOCATION_64,
                          .offset = p->program->constant4.size,
                          .line = s->line,
                          .column = scan_column(s)};
    if (fixup.offset == BANK_BYTES)
        return scan_error(s, word.column, "the constant bank has more than 64 KiB");
    if (scan_char(s, '0')) {
        buffer_zero(&p->program->constant4, 8);
        return scan_finish(s);
    }
    if (!parser_reference(s, &text, &fixup.addend) || !scan_finish(s))
        return false;
    program_add_fixup(p->program, &fixup, text.text, text.length);
    buffer_zero(&p->program->constant4, 8);
    if (fixup.addend != 0 || names_find(&p->program->names, SCOPE_ADDRESSES, text.text, text.length))
        return true;
    struct name *name = parser_define(p, s, SCOPE_ADDRESSES, text, NAME_ADDRESS);
    if (name)
        name->value = fixup.offset;
    return name != NULL;
}

bool directive_extern(struct parser *p, struct scan *s, struct word word)
{
    (void)word;
    struct word text = scan_name(s);
    return parser_define(p, s, SCOPE_MODULE, text, NAME_EXTERN) && scan_finish(s);
}
