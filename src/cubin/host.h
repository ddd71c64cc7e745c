/* How a program for the CPU is linked: the facts for the dynamic loader in its ELF file. */
#ifndef SUBCORE_CUBIN_HOST_H
#define SUBCORE_CUBIN_HOST_H

#include "cubin/cubin.h"

struct host_program {
    bool wide;           /* ELF64; nothing below is known of others, but the machine */
    uint16_t machine;    /* EM_* */
    bool dynamic;        /* a dynamic loader brings in its libraries */
    bool device_code;    /* it has sections of fatbins */
    const char **needed; /* owned list of borrowed names: libraries that it asks for */
    size_t needed_count;
    struct cubin_bytes strings; /* of the dynamic section: also the names of imported symbols */
};

/* `image` has to outlive the result. Only little-endian files are read. On failure *out is empty. */
bool host_program_open(struct host_program *out, struct cubin_bytes image, const char *path, struct status *status);
void host_program_close(struct host_program *program);

/* Whether the dynamic section's strings hold this one: it imports or exports a symbol of that name. */
bool host_program_mentions(const struct host_program *program, const char *symbol);

/* Whether a library with this name is one of NVIDIA's that bring NVIDIA's own runtime along inside, and talk to
 * NVIDIA's own driver through it. */
bool host_library_is_closed(const char *name);

#endif
