#include "sm/stream_buffer.h"

#include <assert.h>
#include <stddef.h>

void stream_buffer_clear(struct stream_buffer *s, uint32_t size, uint64_t end)
{
    assert(size <= STREAM_MAX);
    s->size = size;
    s->end = s->next = end;
    s->first = s->count = 0;
}

void stream_buffer_start(struct stream_buffer *s, uint64_t line)
{
    s->count = 0;
    s->next = line;
}

const struct stream_line *stream_buffer_first(const struct stream_buffer *s)
{
    return s->count ? &s->line[s->first] : NULL;
}

void stream_buffer_pop(struct stream_buffer *s)
{
    s->first = (s->first + 1) % STREAM_MAX;
    s->count--;
}

bool stream_buffer_wants(const struct stream_buffer *s) { return s->count < s->size && s->next < s->end; }

void stream_buffer_push(struct stream_buffer *s, uint64_t ready)
{
    assert(stream_buffer_wants(s));
    s->line[(s->first + s->count++) % STREAM_MAX] = (struct stream_line){s->next++, ready};
}
