#include "exec/code/references.h"

#include "exec/memory/textures.h"

enum { SYMBOL_TEXTURE = 10, SYMBOL_SURFACE = 12 }; /* STT_CUDA_TEXTURE, STT_CUDA_SURFACE */

bool reference_is(const struct cubin_symbol *symbol, bool *surface)
{
    *surface = symbol->type == SYMBOL_SURFACE;
    return symbol->section == 0 && symbol->name && (symbol->type == SYMBOL_TEXTURE || *surface);
}

bool references_make(struct cubin *cubin, struct memory *memory, struct status *status)
{
    for (size_t i = 0; i < cubin->symbol_count; i++) {
        struct texture nothing = {.unbound = true, .layers = 1, .levels = 1};
        if (!reference_is(&cubin->symbols[i], &nothing.surface))
            continue;
        cubin->symbols[i].value = textures_add(memory, &nothing);
        if (!cubin->symbols[i].value)
            return status_fail(status, STATUS_MEMORY, "%s: no room for the reference %s", cubin->path,
                               cubin->symbols[i].name);
    }
    return true;
}

void references_drop(struct cubin *cubin, struct memory *memory)
{
    for (size_t i = 0; i < cubin->symbol_count; i++) {
        bool surface;
        if (reference_is(&cubin->symbols[i], &surface) && cubin->symbols[i].value)
            textures_remove(memory, (uint32_t)cubin->symbols[i].value);
    }
}
