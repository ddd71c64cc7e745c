/* Output of the CUDA compiler: cubins (ELF), fatbins, and host executables that carry fatbins.
 *
 * Everything here is a view of bytes that the caller keeps alive, checked for bounds once on opening. Nothing is
 * executed and nothing depends on a GPU. Malformed input ends in a status that names file, section, offset and
 * reason. Unknown attributes and sections are skipped, as the format intends. */
#ifndef SUBCORE_CUBIN_CUBIN_H
#define SUBCORE_CUBIN_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct cubin_bytes {
    const uint8_t *data;
    size_t size;
}; /* borrowed */

/* ---- one cubin --------------------------------------------------------------------------------------------------- */

struct cubin_parameter {
    uint16_t ordinal;
    uint16_t offset; /* bytes from the parameter base */
    uint32_t size;   /* bytes */
};

struct cubin_kernel {
    const char *name;             /* mangled, as in the symbol table; borrowed from the image */
    uint32_t section;             /* index of its .text section, 0-based in the ELF */
    struct cubin_bytes code;      /* 16 bytes an instruction */
    uint32_t registers;           /* a thread, as allocated (REGCOUNT) */
    uint32_t frame_bytes;         /* local frame of the kernel function */
    uint32_t stack_bytes;         /* local memory a thread needs for the call tree; 0 when it needs none */
    bool stack_unknown;           /* recursion or indirect calls: stack_bytes is a lower bound */
    uint32_t static_shared_bytes; /* size of .nv.shared.<k>; on sm_90 and later it includes the reserved 1024 */
    uint32_t parameter_base;      /* offset of the parameters in constant bank 0 */
    uint32_t parameter_bytes;
    struct cubin_parameter *parameters; /* sorted by ordinal */
    uint32_t parameter_count;
    struct cubin_bytes constant0; /* template of bank 0; may be shorter than parameter_base + parameter_bytes */
    struct cubin_bytes constant2; /* the compiler's own bank 2; empty when absent */
    uint32_t max_threads[3];      /* __launch_bounds__; 0 when absent */
    uint32_t required_threads[3]; /* 0 when absent */
    uint32_t barriers;            /* named barriers used */
    uint32_t cluster[3];          /* CTAs of a cluster, from .reqnctapercluster; 0 when absent */
    uint32_t cluster_most;        /* of .maxclusterrank; 0 when absent */
    bool cluster_explicit;        /* .explicitcluster: a launch has to name its cluster */
    bool grid_of_clusters;        /* .blocksareclusters: a launch counts clusters, and has required_threads */
};

struct cubin_symbol {
    const char *name;
    uint8_t type, other; /* STT_*, st_other */
    uint16_t section;    /* 0: undefined */
    uint64_t value, size;
};

/* A place to be patched when the module is loaded, in file terms. */
struct cubin_relocation {
    uint16_t section; /* section that is patched */
    uint32_t type;    /* R_CUDA_* number */
    uint32_t symbol;
    uint64_t offset;
    int64_t addend;
};

struct cubin_line {
    uint32_t pc; /* in the kernel's code section */
    uint32_t file, line;
    uint32_t outer_file, outer_line; /* of the call in the kernel itself where the line was inlined; else the same */
};

struct cubin_line_file {
    const char *directory; /* NULL when the table names none */
    const char *name;      /* borrowed from the image, as the directory is. NULL when it cannot be read */
};

struct cubin_section {
    const char *name;
    uint32_t type, flags, info, link;
    struct cubin_bytes bytes; /* empty data with the declared size for NOBITS */
    uint64_t size;
};

struct cubin {
    char *path;                   /* for messages */
    unsigned sm;                  /* 75, 80, 86, ... */
    unsigned virtual_sm;          /* of the PTX that it was compiled from, as the compiler notes (0: it does not) */
    unsigned abi;                 /* EI_ABIVERSION */
    bool relocatable;             /* -rdc object: not loadable without a link */
    struct cubin_kernel *kernels; /* in symbol table order */
    size_t kernel_count;
    struct cubin_section *sections;
    size_t section_count;
    struct cubin_symbol *symbols;
    size_t symbol_count;
    struct cubin_relocation *relocations;
    size_t relocation_count;
    struct cubin_bytes constant3, constant4; /* user __constant__ data; address table */
    struct cubin_bytes global_init;          /* initialised __device__ data */
    uint64_t global_bytes;                   /* zero-initialised __device__ data */
    struct cubin_line_file *line_files;      /* from all units of .debug_line */
    size_t line_file_count;
    struct status line_status; /* why line information is incomplete, if it is */
};

/* Opens a cubin image. `data` must outlive the result. On failure *out is empty. */
bool cubin_open(struct cubin *out, struct cubin_bytes image, const char *path, struct status *status);
void cubin_close(struct cubin *cubin);

/* By mangled name. When there is none, by a unique kernel whose demangled-looking core matches (`name` occurs between
 * the length prefix and the parameter list of an Itanium-mangled name). NULL with a status that lists the kernels. */
const struct cubin_kernel *cubin_find_kernel(const struct cubin *cubin, const char *name, struct status *status);

/* The function's own name inside a mangled one, without namespaces, template arguments and parameters. False: the name
 * is not mangled, *name and *length stay as they are. */
bool cubin_kernel_core(const char *mangled, const char **name, size_t *length);

/* Rows of .debug_line that fall into the kernel, strictly ascending by pc (of several rows at one pc the last, which is
 * the innermost inlined line); 0 rows and NULL when the cubin has none. A row holds from its pc to the next row's. The
 * caller frees *rows. Names stay in the cubin: NULL for a file that is not in the table. */
size_t cubin_lines(const struct cubin *cubin, const struct cubin_kernel *kernel, struct cubin_line **rows);
const char *cubin_line_file(const struct cubin *cubin, uint32_t file);
const char *cubin_line_directory(const struct cubin *cubin, uint32_t file);

/* ---- where the driver puts things in constant bank 0 ------------------------------------------------------------- */

enum { CUBIN_NO_SLOT = 0xffff };

/* Byte offsets in bank 0 that compiled code reads; CUBIN_NO_SLOT where the architecture has none. */
struct cubin_abi {
    uint16_t block_dim;                               /* 3 words */
    uint16_t grid_dim;                                /* 3 words */
    uint16_t shared_window;                           /* 64-bit base of the generic shared window */
    uint16_t local_window;                            /* 64-bit base of the generic local window */
    uint16_t shared_window_upper, local_window_upper; /* their upper words (0: right behind) */
    uint16_t stack_top;                               /* initial R1 */
    uint16_t constants;                               /* 64-bit address in global memory of a bank 3 copy */
    uint16_t dynamic_shared;                          /* bytes */
    uint16_t grid_id;                                 /* 64-bit */
    uint16_t grid_workspace;                          /* high, then low word of the address: %envreg1, %envreg2 */
    uint16_t sm_count;
    uint16_t reserved_shared; /* 0x400 where the system reserves shared memory */
    uint16_t total_shared;
    uint16_t parameter_window; /* 64-bit generic address of the parameters */
    uint16_t bank_window;      /* where that is missing: 64-bit generic address of bank 0, which has them */
    uint16_t descriptor;       /* 64-bit global-memory descriptor of desc[UR] */
    uint16_t cluster_explicit; /* 1 in a launch with clusters */
    uint16_t cluster_shape;    /* 3 words: CTAs of a cluster */
    uint16_t cluster_inverse;  /* 3 floats: 1 / shape */
    uint16_t cluster_grid;     /* 3 words: clusters of the grid */
    uint16_t cluster_ctas;     /* CTAs of a cluster in all */
    uint16_t textures;         /* 64-bit address of the texture objects' attributes, */
    uint16_t surfaces;         /* and of surface objects, by handle */
    uint16_t parameters;       /* default base; cubin_kernel.parameter_base overrules */
};

const struct cubin_abi *cubin_abi(unsigned sm); /* NULL for unknown architectures */

/* ---- files: cubin, fatbin, host executable ----------------------------------------------------------------------- */

enum cubin_image_kind { CUBIN_IMAGE_ELF, CUBIN_IMAGE_PTX, CUBIN_IMAGE_OTHER };
enum cubin_compression { CUBIN_PLAIN, CUBIN_LZ4, CUBIN_ZSTD, CUBIN_COMPRESSION_UNKNOWN };

struct cubin_image {
    enum cubin_image_kind kind;
    unsigned sm;
    enum cubin_compression compression;
    uint64_t offset;              /* of the stored payload in the file */
    uint64_t stored_bytes, bytes; /* as stored, and uncompressed */
    uint32_t container;           /* which fatbin container of the file, from 0 */
    uint64_t flags;               /* as in the entry header */
};

struct cubin_file {
    char *path;
    struct cubin_bytes bytes;   /* owned */
    struct cubin_image *images; /* of a plain cubin: one */
    size_t image_count;
    enum { CUBIN_FILE_CUBIN, CUBIN_FILE_FATBIN, CUBIN_FILE_HOST } kind;
};

/* Reads a file and lists the images in it. A host executable without device code is an error that says so. */
bool cubin_file_open(struct cubin_file *out, const char *path, struct status *status);
/* The same from memory. Takes a copy. */
bool cubin_file_open_bytes(struct cubin_file *out, struct cubin_bytes bytes, const char *path, struct status *status);
void cubin_file_close(struct cubin_file *file);

/* Uncompressed payload of an image; *owned receives the buffer to free, or NULL when the result borrows from the
 * file. */
bool cubin_file_image(const struct cubin_file *file, const struct cubin_image *image, struct cubin_bytes *out,
                      uint8_t **owned, struct status *status);

/* Best image for a device of architecture `sm`: exact, else the same major with the highest minor not above. Of
 * several the largest, since the linker adds containers without kernels. (A program of several translation units has
 * a container for each: look through `images` for the one with the kernel.) NULL with a status that lists the file's
 * kernels. */
const struct cubin_image *cubin_file_select(const struct cubin_file *file, unsigned sm, struct status *status);

#endif
