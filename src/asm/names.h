/* The names of an assembler file: the meaning of each, in the kernel or the module. */
#ifndef SUBCORE_ASM_NAMES_H
#define SUBCORE_ASM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum name_kind {
    NAME_PARAMETER, /* value: offset behind the parameter base */
    NAME_SHARED,    /* value: offset in shared memory */
    NAME_LABEL,     /* value: number of the instruction */
    NAME_ENTRY,     /* of a function inside a kernel; the same */
    NAME_FUNCTION,  /* kernel or device function */
    NAME_CONSTANT,  /* value: offset in bank 3 */
    NAME_GLOBAL,    /* value: offset in the initialised data */
    NAME_RESERVED,  /* value: offset in the data that starts as zero */
    NAME_EXTERN,
    NAME_ADDRESS /* value: offset in bank 4 */
};

/* Names of a kernel are apart from those of the module, and both from the entries of the address table. */
enum { SCOPE_MODULE = -1, SCOPE_ADDRESSES = -2 };

struct name {
    char *text; /* owned */
    int32_t scope;
    enum name_kind kind;
    uint32_t function;
    uint64_t value, size;
    unsigned line;
};

struct names {
    struct name *items;
    size_t count, room;
    uint32_t *table; /* index + 1, 0: empty */
    size_t buckets;
    bool failed; /* no memory */
};

struct name *names_find(const struct names *names, int32_t scope, const char *text, size_t length);
/* The caller has looked that it is not there yet. NULL without memory; good until the next call. */
struct name *names_add(struct names *names, int32_t scope, const char *text, size_t length);
void names_free(struct names *names);

#endif
