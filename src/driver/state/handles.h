/* Objects that programs hold pointers to. An object is registered with its kind when it is made, so that a pointer
 * from a program can be told from garbage, from freed objects and from objects of another kind without looking
 * behind it. */
#ifndef SUBCORE_DRIVER_HANDLES_H
#define SUBCORE_DRIVER_HANDLES_H

#include <stdbool.h>
#include <stddef.h>

enum handle_kind {
    HANDLE_NONE,
    HANDLE_CONTEXT,
    HANDLE_MODULE,
    HANDLE_LIBRARY,
    HANDLE_FUNCTION, /* CUfunction and CUkernel */
    HANDLE_LINK,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_GRAPH_NODE,
    HANDLE_GRAPH_EXEC,
    HANDLE_ARRAY,
    HANDLE_MIPMAPPED_ARRAY,
    HANDLE_TEXTURE_REFERENCE,
    HANDLE_SURFACE_REFERENCE,
    HANDLE_POOL,
    HANDLE_MEMORY, /* CUmemGenericAllocationHandle */
    HANDLE_KINDS
};

struct handles; /* a hash table of addresses */

struct handles *handles_create(void); /* NULL: out of memory */

/* A zeroed object of `size` bytes, registered; NULL when memory is short. */
void *handle_new(struct handles *handles, enum handle_kind kind, size_t size);
/* Returns true if `pointer` is a live object of this kind. Any value may be asked, NULL is false. */
bool handle_is(const struct handles *handles, enum handle_kind kind, const void *pointer);
/* Takes the object out of the table and frees it. */
void handle_free(struct handles *handles, void *pointer);

#endif
