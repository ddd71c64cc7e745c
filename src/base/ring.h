/* A fixed ring of messages with a ready cycle: the port between two hardware stages.
 *
 *   RING(lsu_port, struct request, 8)
 *
 * declares struct lsu_port and lsu_port_full, _empty, _push, _ready, _front, _pop. A message becomes visible at its
 * ready cycle, and messages leave in the order in which they entered. Pushing into a full ring is a bug of the
 * sender, which must ask first. The type holds the capacity, a power of two. */
#ifndef SUBCORE_BASE_RING_H
#define SUBCORE_BASE_RING_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define RING(name, type, capacity)                                                                                     \
    enum { name##_capacity = (capacity), name##_mask = name##_capacity - 1 };                                          \
    struct name {                                                                                                      \
        uint32_t head, tail;                                                                                           \
        uint64_t ready[name##_capacity];                                                                               \
        type item[name##_capacity];                                                                                    \
    };                                                                                                                 \
    _Static_assert((name##_capacity & name##_mask) == 0, #name " needs a power of two");                               \
    static inline uint32_t name##_count(const struct name *r) { return r->tail - r->head; }                            \
    static inline bool name##_full(const struct name *r) { return r->tail - r->head == name##_capacity; }              \
    static inline bool name##_empty(const struct name *r) { return r->tail == r->head; }                               \
    static inline type *name##_push(struct name *r, uint64_t ready)                                                    \
    {                                                                                                                  \
        assert(!name##_full(r));                                                                                       \
        uint32_t i = r->tail++ & name##_mask;                                                                          \
        r->ready[i] = ready;                                                                                           \
        return &r->item[i];                                                                                            \
    }                                                                                                                  \
    static inline bool name##_ready(const struct name *r, uint64_t now)                                                \
    {                                                                                                                  \
        return r->tail != r->head && r->ready[r->head & name##_mask] <= now;                                           \
    }                                                                                                                  \
    static inline uint64_t name##_next(const struct name *r)                                                           \
    {                                                                                                                  \
        return r->tail == r->head ? UINT64_MAX : r->ready[r->head & name##_mask];                                      \
    }                                                                                                                  \
    static inline type *name##_front(struct name *r) { return &r->item[r->head & name##_mask]; }                       \
    static inline void name##_pop(struct name *r)                                                                      \
    {                                                                                                                  \
        assert(!name##_empty(r));                                                                                      \
        r->head++;                                                                                                     \
    }

#endif
