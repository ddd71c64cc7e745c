/* Memory of the host that begins with a cache line: data of one line's size then lies in one. */
#ifndef SUBCORE_BASE_HOST_LINE_H
#define SUBCORE_BASE_HOST_LINE_H

#include <stddef.h>
#include <stdlib.h>

enum { HOST_LINE = 64 };

/* Not initialised; NULL when the host is out of memory. For free(). */
static inline void *host_lines(size_t bytes)
{
    return aligned_alloc(HOST_LINE, (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE);
}

#endif
