#include "sm/execute/queued_units.h"

#include <assert.h>

#include "sm/warp.h"

void queued_units_begin(struct queued_units *u)
{
#define X(name, class, type, places, queued, stall, event, text) type##_begin(&u->name, &u->to);
    QUEUED_UNITS(X)
#undef X
}

uint64_t queued_units_free(const struct queued_units *u, enum issue_class class)
{
    switch (class) {
#define X(name, class, type, places, queued, stall, event, text)                                                       \
    case CLASS_##class: return type##_count(&u->name) >= u->to.core->places ? UINT64_MAX : 0;
        QUEUED_UNITS(X)
#undef X
    default: assert(false); return UINT64_MAX;
    }
}

void queued_units_push(struct queued_units *u, const struct code *code, uint8_t slot, uint64_t now)
{
    u->to.warp[slot].queued_ops++;
    switch ((enum issue_class)code->class) {
#define X(name, class, type, places, queued, stall, event, text)                                                       \
    case CLASS_##class: type##_push(&u->name, code, slot, now); return;
        QUEUED_UNITS(X)
#undef X
    default: assert(false);
    }
}

bool queued_units_cycle(struct queued_units *u, uint64_t now)
{
    bool moved = false;
#define X(name, class, type, places, queued, stall, event, text) moved |= type##_cycle(&u->name, now);
    QUEUED_UNITS(X)
#undef X
    return moved;
}

uint64_t queued_units_next(const struct queued_units *u, uint64_t now)
{
    uint64_t next = UINT64_MAX, at;
#define X(name, class, type, places, queued, stall, event, text)                                                       \
    at = type##_next(&u->name, now);                                                                                   \
    next = at < next ? at : next;
    QUEUED_UNITS(X)
#undef X
    return next;
}

bool queued_units_arrives(struct queued_units *u, uint64_t line, uint64_t ready)
{
    bool any = false;
#define X(name, class, type, places, queued, stall, event, text) any |= type##_arrives(&u->name, line, ready);
    QUEUED_UNITS(X)
#undef X
    return any;
}

void queued_units_archive(struct archive *a, struct queued_units *u)
{
    archive_keep(a, &u->to);
#define X(name, class, type, places, queued, stall, event, text) type##_archive(a, &u->name);
    QUEUED_UNITS(X)
#undef X
}
