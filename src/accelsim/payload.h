/* The addresses of a line. */
#ifndef SUBCORE_ACCELSIM_PAYLOAD_H
#define SUBCORE_ACCELSIM_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The words behind a base address, and the distances from it that they gave the lanes. An instruction mostly has the
 * same ones again, and comparing them takes less time than reading them. */
struct payload_memo {
    char *text;      /* up to the end of the line; owned (NULL: none yet) */
    uint32_t length; /* with the line's end */
    uint32_t mask;
    uint64_t distance[32];
};

static inline void payload_memo_free(struct payload_memo *memo) { free(memo->text); }

/* Reads "MODE payload" for the lanes of the mask, and the words that may follow, up to `end`, the end of the line.
 * NULL, or the error. `path`: the addresses are those of all lanes on the executing path, also of lanes that the mask
 * lacks since their guard does not hold. */
const char *payload_read(const char *at, const char *end, uint32_t mask, bool path, struct payload_memo *memo,
                         uint64_t address[32]);

#endif
