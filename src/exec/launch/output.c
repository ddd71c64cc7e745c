#include "exec/launch/output.h"

#include <stdlib.h>

#include "exec/fault.h"

void output_add(struct exec_core *core, struct service_text *text)
{
    struct exec_output *o = &core->output;
    if (o->count == o->room) {
        uint32_t room = o->room ? 2 * o->room : 64;
        struct exec_text *grown = realloc(o->piece, room * sizeof *grown);
        if (!grown) {
            free(text->text);
            exec_fault_core(core, EXEC_FAULT_MEMORY, "no host memory for the output of the program");
            return;
        }
        o->piece = grown;
        o->room = room;
    }
    if (text->text)
        o->piece[o->count++] = (struct exec_text){core->clock, text->text};
}

/* Of the pieces that come next in each core the earliest (NULL: there are none). */
static struct exec_text *earliest(struct exec_core *const *cores, uint32_t count)
{
    struct exec_text *first = NULL;
    struct exec_output *from = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct exec_output *o = &cores[i]->output;
        if (o->written == o->count || (first && o->piece[o->written].clock >= first->clock))
            continue;
        first = &o->piece[o->written];
        from = o;
    }
    if (from)
        from->written++;
    return first;
}

void exec_write_output(struct exec_core *const *cores, uint32_t count, FILE *to)
{
    for (struct exec_text *piece; (piece = earliest(cores, count)) != NULL;) {
        if (to)
            fputs(piece->text, to);
        free(piece->text);
    }
    for (uint32_t i = 0; i < count; i++)
        cores[i]->output.count = cores[i]->output.written = 0;
}
