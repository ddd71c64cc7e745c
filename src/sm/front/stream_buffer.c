#include "sm/front/stream_buffer.h"

#include <assert.h>

#include "sm/front/tags.h"

void stream_buffer_clear(struct stream_buffer *s, uint32_t size)
{
    assert(size <= STREAM_MAX);
    s->size = size;
    s->first = 0;
    stream_buffer_start(s, 0, 0);
}

void stream_buffer_start(struct stream_buffer *s, uint64_t line, uint64_t end)
{
    s->count = 0;
    s->head = STREAM_NOTHING;
    s->next = line;
    s->end = end;
}

void stream_buffer_pop(struct stream_buffer *s)
{
    assert(s->count);
    s->first = (s->first + 1) % STREAM_MAX;
    s->head = --s->count ? s->line[s->first].line : STREAM_NOTHING;
}

bool stream_buffer_wants(const struct stream_buffer *s) { return s->count < s->size && s->next < s->end; }

void stream_buffer_push(struct stream_buffer *s, uint64_t ready)
{
    assert(stream_buffer_wants(s));
    if (!s->count)
        s->head = s->next;
    s->line[(s->first + s->count++) % STREAM_MAX] = (struct stream_line){s->next++, ready};
}

void stream_buffer_arrive(struct stream_buffer *s, uint64_t line, uint64_t ready)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct stream_line *l = &s->line[(s->first + i) % STREAM_MAX];
        if (l->line == line && l->ready == TAGS_COMING)
            l->ready = ready;
    }
}
