/* Shared by the streams of a kernel: pcs that have state in the predictor, patterns of addresses, cache policies. It
 * only grows. The writer puts new entries in front of the first frame that needs them. A reader has all of it. */
#ifndef SUBCORE_TRACE_DICTIONARY_H
#define SUBCORE_TRACE_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/contract.h"
#include "trace/bytes.h"

enum {
    TRACE_FLOW_SLOTS = 96,
    TRACE_ACCESS_SLOTS = 192,
    TRACE_PATTERNS_MOST = 8192,
    TRACE_POLICIES_MOST = 255,
    TRACE_KEYS_MOST = 1 << 23 /* two for each instruction of the longest code */
};

/* Keys in the order in which they came, and the slot of each: its number modulo the number of slots. */
struct trace_places {
    uint32_t slots;
    uint32_t count, key_room, slot_room;
    uint32_t *key; /* [count] */
    uint8_t *slot; /* [slot_room], by key: slot + 1; 0 none */
};

static inline unsigned trace_place(const struct trace_places *p, uint32_t key)
{
    return key < p->slot_room ? p->slot[key] : 0;
}

/* False: no memory, or a key that cannot be. */
bool trace_places_add(struct trace_places *p, uint32_t key);

enum { TRACE_NO_PATTERN = UINT16_MAX }; /* in place of a number */

struct trace_pattern {
    int32_t offset[ISA_LANES]; /* bytes from the base of an access */
    int32_t lowest, highest;   /* of these */
};

struct trace_dictionary {
    struct trace_places flow;   /* keys are pc / 16 */
    struct trace_places access; /* keys are pc / 16 * 2, and 1 more for the second addresses of an instruction */
    struct trace_pattern *pattern;
    uint32_t patterns, pattern_room;
    uint64_t policy[TRACE_POLICIES_MOST]; /* 0 is 0 */
    uint32_t policies;
};

/* With the patterns and the policy that every kernel has. */
bool trace_dictionary_init(struct trace_dictionary *d);
void trace_dictionary_free(struct trace_dictionary *d);
bool trace_dictionary_add_pattern(struct trace_dictionary *d, const int32_t offset[ISA_LANES]);

/* How much of a dictionary is in the file. */
struct trace_written {
    uint32_t flow, access, patterns, policies;
};

struct trace_written trace_dictionary_state(const struct trace_dictionary *d);
/* The entries since `from`. */
void trace_dictionary_put(const struct trace_dictionary *d, const struct trace_written *from, struct trace_bytes *out);
/* False: damaged, or no memory. */
bool trace_dictionary_take(struct trace_dictionary *d, struct trace_view *v);

#endif
