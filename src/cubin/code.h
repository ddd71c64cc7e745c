/* Code as programs hand it to a driver: an address without a size. There lies the wrapper that nvcc puts into host
 * programs, a fatbin container, a cubin, or PTX text. Memory is read through a function that may refuse, so a wrong
 * address is an answer and not a crash. How far a container or cubin reaches is for its own headers to say. */
#ifndef SUBCORE_CUBIN_CODE_H
#define SUBCORE_CUBIN_CODE_H

#include "cubin/cubin.h"

struct cubin_code_memory {
    bool (*read)(void *self, void *to, uint64_t from, size_t bytes); /* false: not all of it can be read */
    void *self;
};

/* The device that code is wanted for. */
struct cubin_code_wish {
    unsigned sm;   /* architecture of the device */
    bool ptx_only; /* machine code does not count */
};

struct cubin_code {
    struct cubin_image image; /* `sm` is 0 when the entry does not tell: a cubin or PTX outside of a container */
    uint8_t *stored;          /* owned; image.stored_bytes */
    char *options;            /* owned; the compiler's options for PTX (NULL: none) */
};

enum cubin_code_answer {
    CUBIN_CODE_FOUND,
    CUBIN_CODE_NONE,  /* a sound container without anything for this device; the status lists its contents */
    CUBIN_CODE_WRONG, /* no code, or damaged */
    CUBIN_CODE_MEMORY /* out of memory */
};

/* Takes a copy of the one image that the driver would choose: machine code of the device's own architecture, else of
 * the highest one below with the same major number, else PTX of the highest architecture not above. Code for one
 * architecture ("sm_90a") counts on that one only, code for a family ("sm_120f") within it. */
enum cubin_code_answer cubin_code_find(struct cubin_code *out, const struct cubin_code_memory *memory, uint64_t address,
                                       const struct cubin_code_wish *wish, struct status *status);

/* The uncompressed image; *owned receives the buffer to free, or NULL when the result borrows from `code`. */
bool cubin_code_unpack(const struct cubin_code *code, struct cubin_bytes *out, uint8_t **owned, struct status *status);
void cubin_code_free(struct cubin_code *code);

/* Architectures that share the code of a family. */
bool cubin_same_family(unsigned a, unsigned b);

#endif
