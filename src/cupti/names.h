/* The names that records point to. Each is kept once, for as long as the process lives, as CUPTI documents. */
#ifndef SUBCORE_CUPTI_NAMES_H
#define SUBCORE_CUPTI_NAMES_H

#include <stddef.h>

struct names {
    const char **table; /* open addressing, NULL: free */
    size_t count, room; /* a power of two */
};

/* Returns the kept copy of a name (NULL: out of memory). */
const char *names_keep(struct names *names, const char *name);

#endif
