#include "driver/nvtx/names.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct nvtx_domain *nvtx_domain_named(struct ranges *ranges, const char *name)
{
    char cut[RANGE_DOMAIN];
    snprintf(cut, sizeof cut, "%s", name ? name : "");
    pthread_mutex_lock(&ranges->lock);
    struct nvtx_domain *domain = ranges->domains;
    while (domain && strcmp(domain->name, cut) != 0)
        domain = domain->next;
    if (!domain && (domain = calloc(1, sizeof *domain))) {
        memcpy(domain->name, cut, sizeof cut);
        domain->next = ranges->domains;
        ranges->domains = domain;
    }
    pthread_mutex_unlock(&ranges->lock);
    return domain;
}

const struct nvtx_string *nvtx_string_new(struct ranges *ranges, const char *text)
{
    struct nvtx_string *string = calloc(1, sizeof *string);
    if (!string)
        return NULL;
    snprintf(string->text, sizeof string->text, "%s", text ? text : "");
    pthread_mutex_lock(&ranges->lock);
    string->next = ranges->strings;
    ranges->strings = string;
    pthread_mutex_unlock(&ranges->lock);
    return string;
}

/* Returns the number of bytes; not those of a surrogate or a value without a character. */
static size_t encode(uint32_t c, char to[static 4])
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return encode('?', to);
    size_t bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = bytes; --i > 0; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)((0xf00U >> bytes) | c);
    return bytes;
}

void nvtx_narrow(const wchar_t *from, char *to, size_t size)
{
    char bytes[4];
    size_t at = 0;
    for (; from && *from; from++) {
        size_t count = encode((uint32_t)*from, bytes);
        if (at + count >= size)
            break;
        memcpy(to + at, bytes, count);
        at += count;
    }
    to[at] = '\0';
}

const char *nvtx_event_name(const struct nvtx_event *event, char room[static RANGE_NAME])
{
    const char *name = NULL;
    if (!event || event->size < offsetof(struct nvtx_event, message) + sizeof event->message)
        return "";
    switch (event->message_type) {
    case NVTX_MESSAGE_NARROW: name = event->message.narrow; break;
    case NVTX_MESSAGE_WIDE: nvtx_narrow(event->message.wide, room, RANGE_NAME); return room;
    case NVTX_MESSAGE_REGISTERED: name = event->message.registered ? event->message.registered->text : NULL; break;
    default: break;
    }
    return name ? name : "";
}
