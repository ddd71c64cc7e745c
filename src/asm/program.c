#include "asm/program.h"

#include <stdlib.h>
#include <string.h>

void *program_room(struct program *program, void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    size_t more = *room * 2 + 16;
    void *grown = realloc(items, more * size);
    if (grown)
        *room = more;
    else
        program->failed = true;
    return grown;
}

struct function *program_add_function(struct program *program, const char *name, size_t length)
{
    struct function *items =
        program_room(program, program->functions, program->function_count, &program->function_room, sizeof *items);
    if (!items)
        return NULL;
    program->functions = items;
    char *copy = strndup(name, length);
    if (!copy) {
        program->failed = true;
        return NULL;
    }
    struct function *f = &items[program->function_count++];
    *f = (struct function){.name = copy, .barriers = -1};
    return f;
}

struct statement *function_add_statement(struct program *program, struct function *function)
{
    struct statement *code = program_room(program, function->code, function->count, &function->room, sizeof *code);
    if (!code)
        return NULL;
    function->code = code;
    struct statement *s = &code[function->count++];
    *s = (struct statement){0};
    return s;
}

void program_add_fixup(struct program *program, const struct fixup *fixup, const char *name, size_t length)
{
    struct fixup *fixups =
        program_room(program, program->fixups, program->fixup_count, &program->fixup_room, sizeof *fixups);
    char *copy = fixups ? strndup(name, length) : NULL;
    program->fixups = fixups ? fixups : program->fixups;
    if (!copy) {
        program->failed = true;
        return;
    }
    fixups[program->fixup_count] = *fixup;
    fixups[program->fixup_count++].name = copy;
}

void program_free(struct program *program)
{
    for (size_t i = 0; i < program->function_count; i++) {
        struct function *f = &program->functions[i];
        free(f->name);
        free(f->code);
        free(f->parameters);
        buffer_free(&f->bank2);
        buffer_free(&f->code_bytes);
    }
    for (size_t i = 0; i < program->fixup_count; i++)
        free(program->fixups[i].name);
    free(program->functions);
    free(program->fixups);
    names_free(&program->names);
    buffer_free(&program->constant3);
    buffer_free(&program->constant4);
    buffer_free(&program->global_init);
    *program = (struct program){0};
}
