/* A line of trace version 6: as version 5 would have it, and its further fields. Version 6 has registers of all
 * kinds, with their kind, the group of a warpgroup's product, an engine's copies, a second immediate, and values
 * of registers. Version 5, as which such a line is read on, has general registers, one destination, up to seven
 * sources, and one immediate. */
#ifndef SUBCORE_ACCELSIM_LINE6_H
#define SUBCORE_ACCELSIM_LINE6_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accelsim/added.h"
#include "accelsim/places.h"

enum { LINE6_WRONG = 160, LINE6_VALUES = 6, LINE6_LANES = 32, LINE6_LONGER = 128 };

/* Stands behind the mnemonic of a group's last product, in a line that was rewritten. */
#define LINE6_GROUP ".gsb0"

/* What UTMA* and UBLK* copy. */
struct line6_copy {
    uint32_t object;         /* address of the barrier object, with the rank of its CTA; 0 without one */
    uint32_t targets;        /* a bit for each rank (0: the own CTA alone) */
    uint64_t bytes, outside; /* bytes, and bytes that the tensor does not have */
    struct places places;    /* in device memory */
};

struct line6 {
    bool marker;                    /* REPLAY_START or REPLAY_END: no instruction */
    bool barrier;                   /* BAR: the immediates are its number and its threads, if no register has them */
    bool has_copy;                  /* `copy` is the line's */
    bool has_values;                /* as many registers as `value` has room for are in it */
    uint32_t destinations, sources; /* of all kinds */
    uint64_t immediate[2];
    uint64_t value[LINE6_VALUES][LINE6_LANES]; /* for destinations, then for sources */
    struct line6_copy copy;
    struct added added;
};

void line6_free(struct line6 *line);

/* Rewrites a line from its pc on to before `end`, where '\n' is, into `out`, which has room for as many bytes and
 * LINE6_LONGER. Returns where the line in `out` ends, with '\n' there. NULL, with `wrong`, if it cannot be read. */
char *line6_rewrite(struct line6 *line, const char *at, const char *end, char *out, char wrong[static LINE6_WRONG]);

/* Returns the values of source number n, 0 first. NULL if the line has none. */
const uint64_t *line6_source(const struct line6 *line, unsigned n);

#endif
