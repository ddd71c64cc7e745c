/* Kernels and variables of a cubin, by their exact names. */
#ifndef SUBCORE_DRIVER_NAMES_H
#define SUBCORE_DRIVER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "cubin/cubin.h"

struct names; /* a hash table */

/* The cubin must outlive it. NULL: out of memory. */
struct names *names_create(const struct cubin *cubin);
void names_free(struct names *names);

/* Index in cubin.kernels. */
bool names_kernel(const struct names *names, const char *name, size_t *index);
/* Index in cubin.symbols, of a variable in global or constant memory. */
bool names_variable(const struct names *names, const char *name, size_t *index);

#endif
