/* A linked cubin from its parts, laid out as CUDA 13 lays one out for the same architecture. */
#ifndef SUBCORE_CUBIN_WRITE_H
#define SUBCORE_CUBIN_WRITE_H

#include "cubin/cubin.h"

/* Where a symbol lies or a relocation patches. */
enum cubin_place {
    CUBIN_PLACE_NONE,        /* a symbol that the driver supplies */
    CUBIN_PLACE_TEXT,        /* of the function with the number `function` */
    CUBIN_PLACE_CONSTANT3,   /* user constants */
    CUBIN_PLACE_CONSTANT4,   /* table of addresses */
    CUBIN_PLACE_GLOBAL_INIT, /* initialised device data */
    CUBIN_PLACE_GLOBAL       /* device data that starts as zero */
};

struct cubin_new_function {
    const char *name;
    bool kernel; /* false: a device function with its own section */
    struct cubin_bytes code;
    uint32_t registers;
    uint32_t frame_bytes, stack_bytes; /* local memory: of the function itself, and its whole call tree */
    bool stack_unknown;                /* recursion or indirect calls */
    uint32_t static_shared_bytes;      /* on sm_90 and later with the 1024 bytes that the system reserves */
    uint32_t barriers;
    const struct cubin_parameter *parameters; /* in order */
    uint32_t parameter_count;
    uint32_t parameter_base, parameter_bytes;
    struct cubin_bytes constant2;
    uint32_t max_threads[3], required_threads[3], cluster[3]; /* 0: none */
    uint32_t cluster_most;                                    /* CTAs of the largest cluster (0: not said) */
    bool cluster_explicit, grid_of_clusters;                  /* as in struct cubin_kernel */
};

struct cubin_new_symbol {
    const char *name;
    enum cubin_place place;
    uint32_t function;
    bool code; /* a function, not an object */
    uint64_t value, size;
};

struct cubin_new_relocation {
    enum cubin_place place;
    uint32_t function;
    uint32_t type;         /* R_CUDA_* number */
    bool against_function; /* `symbol` is the number of a function */
    uint32_t symbol;
    uint64_t offset;
    int64_t addend;
};

struct cubin_new {
    unsigned sm;
    bool accelerated; /* sm_90a and the like */
    const struct cubin_new_function *functions;
    size_t function_count;
    const struct cubin_new_symbol *symbols;
    size_t symbol_count;
    const struct cubin_new_relocation *relocations;
    size_t relocation_count;
    struct cubin_bytes constant3, constant4, global_init;
    uint64_t global_bytes;
};

/* *bytes receives the file, to be freed by the caller. */
bool cubin_write(const struct cubin_new *module, uint8_t **bytes, size_t *size, struct status *status);

#endif
