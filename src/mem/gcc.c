#include "mem/gcc.h"

#include <assert.h>
#include <stddef.h>

void gcc_reset(struct gcc *gcc) { *gcc = (struct gcc){.used = 0}; }

static struct gcc_line *find(struct gcc *gcc, uint64_t line, uint8_t sectors)
{
    for (uint32_t i = 0; i < gcc->used; i++)
        if (gcc->line[i].sectors == sectors && gcc->line[i].line == line)
            return &gcc->line[i];
    return NULL;
}

bool gcc_join(struct gcc *gcc, const struct request *request, uint32_t number)
{
    assert(number < GCC_SMS && request->sectors);
    struct gcc_line *line = find(gcc, request->line, request->sectors);
    bool joins = line != NULL;
    if (!line)
        line = find(gcc, 0, 0);
    if (!line && gcc->used < GCC_LINES)
        line = &gcc->line[gcc->used++];
    if (!line)
        return false;
    gcc->sm[number] = request->sm;
    if (!joins)
        *line = (struct gcc_line){.line = request->line, .asker = request->sm, .sectors = request->sectors};
    line->sms |= UINT64_C(1) << number;
    return joins;
}

uint64_t gcc_answer(struct gcc *gcc, const struct reply *reply)
{
    struct gcc_line *line = find(gcc, reply->line, reply->sectors);
    if (!line || line->asker != reply->sm)
        return 0;
    uint64_t sms = line->sms;
    *line = (struct gcc_line){0};
    while (gcc->used && gcc->line[gcc->used - 1].sectors == 0)
        gcc->used--;
    return sms;
}
