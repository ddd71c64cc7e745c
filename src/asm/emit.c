#include "asm/emit.h"

#include <stdlib.h>
#include <string.h>

#include "asm/operand.h"

struct emitter {
    const struct program *program;
    struct diagnostics *errors;
    struct cubin_new module;
    struct cubin_new_function *functions;
    struct cubin_new_symbol *symbols;
    struct cubin_new_relocation *relocations;
    uint32_t *number; /* of a name among the symbols */
};

static struct cubin_bytes view(const struct buffer *b) { return (struct cubin_bytes){b->data, b->size}; }

/* ---- symbols and addresses --------------------------------------------------------------------------------------- */

static bool is_symbol(const struct program *program, const struct name *name, struct cubin_new_symbol *symbol)
{
    *symbol = (struct cubin_new_symbol){.name = name->text, .value = name->value, .size = name->size};
    if (name->scope != SCOPE_MODULE)
        return false;
    switch (name->kind) {
    case NAME_CONSTANT: symbol->place = CUBIN_PLACE_CONSTANT3; return true;
    case NAME_GLOBAL: symbol->place = CUBIN_PLACE_GLOBAL_INIT; return true;
    case NAME_RESERVED: symbol->place = CUBIN_PLACE_GLOBAL; return true;
    case NAME_EXTERN:
        symbol->place = CUBIN_PLACE_NONE;
        symbol->code = true;
        return true;
    case NAME_ENTRY:
        symbol->place = CUBIN_PLACE_TEXT;
        symbol->function = name->function;
        symbol->code = true;
        symbol->value = program_label(program, name->value);
        return true;
    default: return false;
    }
}

static void emit_symbols(struct emitter *e)
{
    const struct names *names = &e->program->names;
    for (size_t i = 0; i < names->count; i++) {
        struct cubin_new_symbol symbol;
        if (!is_symbol(e->program, &names->items[i], &symbol))
            continue;
        e->number[i] = (uint32_t)e->module.symbol_count;
        e->symbols[e->module.symbol_count++] = symbol;
    }
}

/* A label of the code that is patched stands for its function and an offset. */
static bool emit_relocation(struct emitter *e, const struct fixup *f)
{
    const struct names *names = &e->program->names;
    struct cubin_new_relocation *r = &e->relocations[e->module.relocation_count];
    *r = (struct cubin_new_relocation){
        .place = f->place, .function = f->function, .type = f->type, .offset = f->offset, .addend = f->addend};
    const struct name *name = names_find(names, SCOPE_MODULE, f->name, strlen(f->name));
    const struct name *label =
        f->place == CUBIN_PLACE_TEXT ? names_find(names, (int32_t)f->function, f->name, strlen(f->name)) : NULL;
    if (label && label->kind == NAME_LABEL) {
        r->against_function = true;
        r->symbol = f->function;
        r->addend += (int64_t)program_label(e->program, label->value);
    } else if (name && name->kind == NAME_FUNCTION) {
        r->against_function = true;
        r->symbol = name->function;
    } else if (name)
        r->symbol = e->number[name - names->items];
    else
        return diagnose(e->errors, f->line, f->column, "undefined name '%.200s'", f->name);
    e->module.relocation_count++;
    return true;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* CTA barriers by number. One in a register can be any. */
static uint32_t barriers_used(const struct isa_decoder *decoder, const struct function *f)
{
    enum { ALL = 16 };
    uint32_t count = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct isa_inst inst;
        isa_decode(decoder, f->code[i].word, (uint32_t)(i * INSTRUCTION_BYTES), &inst);
        if (inst.op == ISA_INVALID || !(isa_op_info((enum isa_op)inst.op)->flags & ISA_BARRIER))
            continue;
        uint32_t needed = inst.a.kind == ISA_REG ? ALL : inst.barrier + 1u;
        count = needed > count ? needed : count;
    }
    return count > ALL ? ALL : count;
}

static bool emit_function(struct emitter *e, size_t index, const struct isa_decoder *decoder)
{
    const struct function *f = &e->program->functions[index];
    struct cubin_new_function *out = &e->functions[index];
    uint32_t shared = f->shared_size ? f->shared_size : f->shared_end;
    if (shared < f->shared_end)
        return diagnose(e->errors, f->line, 1, ".shared_size %u is less than the %u bytes of the variables", shared,
                        f->shared_end);
    *out = (struct cubin_new_function){
        .name = f->name,
        .kernel = f->kernel,
        .code = view(&f->code_bytes),
        .registers = f->registers,
        .frame_bytes = f->frame ? f->frame : f->stack,
        .stack_bytes = f->stack > f->frame ? f->stack : f->frame,
        .stack_unknown = f->stack_unknown,
        .static_shared_bytes = shared,
        .barriers = f->barriers < 0 ? barriers_used(decoder, f) : (uint32_t)f->barriers,
        .parameters = f->parameters,
        .parameter_count = f->parameter_count,
        .parameter_base = operand_parameter_base(e->program, f),
        .parameter_bytes = f->parameter_bytes > f->parameter_end ? f->parameter_bytes : f->parameter_end,
        .constant2 = view(&f->bank2),
    };
    memcpy(out->max_threads, f->max_threads, sizeof out->max_threads);
    memcpy(out->required_threads, f->required_threads, sizeof out->required_threads);
    memcpy(out->cluster, f->cluster, sizeof out->cluster);
    out->cluster_most = f->cluster_most;
    out->cluster_explicit = f->cluster_explicit;
    out->grid_of_clusters = f->grid_of_clusters;
    return true;
}

static bool emit(struct emitter *e, const struct isa_decoder *decoder, uint8_t **bytes, size_t *size,
                 struct status *status)
{
    bool ok = true;
    for (size_t i = 0; i < e->program->function_count; i++)
        ok &= emit_function(e, i, decoder);
    emit_symbols(e);
    for (size_t i = 0; i < e->program->fixup_count; i++)
        ok &= emit_relocation(e, &e->program->fixups[i]);
    return ok && cubin_write(&e->module, bytes, size, status);
}

bool emit_cubin(const struct program *program, struct diagnostics *errors, uint8_t **bytes, size_t *size,
                struct status *status)
{
    struct emitter e = {.program = program, .errors = errors};
    e.functions = calloc(program->function_count + 1, sizeof *e.functions);
    e.symbols = calloc(program->names.count + 1, sizeof *e.symbols);
    e.number = calloc(program->names.count + 1, sizeof *e.number);
    e.relocations = calloc(program->fixup_count + 1, sizeof *e.relocations);
    e.module = (struct cubin_new){.sm = program->sm,
                                  .accelerated = program->accelerated,
                                  .functions = e.functions,
                                  .function_count = program->function_count,
                                  .symbols = e.symbols,
                                  .relocations = e.relocations,
                                  .constant3 = view(&program->constant3),
                                  .constant4 = view(&program->constant4),
                                  .global_init = view(&program->global_init),
                                  .global_bytes = program->reserved_bytes};
    struct isa_decoder *decoder = isa_decoder_create(program->sm, status);
    bool ok = e.functions && e.symbols && e.number && e.relocations
                  ? decoder && emit(&e, decoder, bytes, size, status)
                  : status_fail(status, STATUS_MEMORY, "no memory for the cubin");
    isa_decoder_destroy(decoder);
    free(e.functions);
    free(e.symbols);
    free(e.number);
    free(e.relocations);
    return ok;
}
