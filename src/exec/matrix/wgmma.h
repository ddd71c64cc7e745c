/* One warp's part of a warpgroup's matrix product (wgmma: HGMMA, QGMMA, IGMMA, BGMMA).
 *
 * A warpgroup multiplies A with 64 rows by B with 8 .. 256 columns. Warp w of the four has rows 16w .. 16w + 15.
 * wgmma.c reads the operands as bytes, row by row of A and column by column of B, and lanes_wgmma.c multiplies them:
 * that file is compiled for several instruction sets of the host, which give the same bits. */
#ifndef SUBCORE_EXEC_WGMMA_H
#define SUBCORE_EXEC_WGMMA_H

#include "exec/executors.h"
#include "exec/matrix/hmma.h"

enum {
    WGMMA_WARPS = 4,
    WGMMA_ROWS = 16,     /* of a warp */
    WGMMA_COLUMNS = 256, /* at most */
    WGMMA_GROUP = 8,     /* columns that two registers hold */
    WGMMA_BYTES = 64,    /* of an A row or a B column: 32, of a sparse product 64 */
    WGMMA_DEPTH = 64     /* elements of these, at most */
};

/* Bits of fraction that a term keeps (MMA-Sim, "Bit-accurate reference model of tensor cores and matrix cores"). */
enum { WGMMA_FRACTION = 25, WGMMA_FRACTION_8 = 13 };

/* Types of the elements. Bits go in words of 32. */
enum wgmma_type {
    WGMMA_F16,
    WGMMA_BF16,
    WGMMA_TF32,
    WGMMA_E4M3,
    WGMMA_E5M2,
    WGMMA_U8,
    WGMMA_S8,
    WGMMA_BITS,
    WGMMA_TYPES
};

/* The request of an instruction. */
struct wgmma_form {
    uint8_t type_a, type_b; /* enum wgmma_type */
    uint8_t element_bytes;  /* 1, 2, 4 */
    uint8_t depth;          /* elements of an A row, with those that a sparse one leaves out */
    uint16_t columns;       /* of B: 8 .. 256 */
    bool sparse;
    bool a_shared; /* A comes from shared memory */
    bool transpose_a, transpose_b;
    bool negative;    /* the products change their signs */
    bool wide;        /* accumulators have 32 bits (false: FP16) */
    bool saturate;    /* of an integer type */
    bool add;         /* C is added (false: it counts as 0) */
    uint8_t selector; /* of metadata for 16 and 32-bit elements */
    uint8_t fraction; /* bits of fraction that a float sum keeps in a term */
};

/* A product, ready to be multiplied. A sparse A has zeros where it has nothing, and `present` tells these from others:
 * they meet no infinities. */
struct wgmma_job {
    struct wgmma_form form;
    _Alignas(64) uint8_t a[WGMMA_ROWS][WGMMA_BYTES];
    _Alignas(64) uint8_t b[WGMMA_COLUMNS][WGMMA_BYTES];
    uint64_t present[WGMMA_ROWS];    /* bit k: there is an element k */
    const uint32_t (*c)[EXEC_LANES]; /* first register of C (NULL: all zero) */
    uint32_t (*d)[EXEC_LANES];       /* first register of D */
};

/* Registers of D. */
static inline unsigned wgmma_registers(const struct wgmma_form *form) { return form->columns / (form->wide ? 2u : 4u); }

/* Multiplies: one for every host, and for those with AVX2 and AVX-512. */
typedef void wgmma_multiply(const struct wgmma_job *job);
wgmma_multiply wgmma_multiply_base, wgmma_multiply_v3, wgmma_multiply_v4;

struct wgmma_variant {
    const char *name;
    wgmma_multiply *multiply;
    hmma_multiply *hmma;
    bool here; /* this host has it */
};

enum { WGMMA_VARIANTS = 3 };

/* Returns variant `index`, from the plainest to the widest. The widest that this host has. */
struct wgmma_variant wgmma_variant(unsigned index);
wgmma_multiply *wgmma_widest(void);

/* One element of a floating-point product, by the rules as they are written down: for operands with infinities and
 * NaNs, and for tests. `c` is an element of C. Returns one of D. */
uint32_t wgmma_element(const struct wgmma_job *job, unsigned row, unsigned column, uint32_t c);

/* Element `k` of a row or column. */
static inline uint32_t wgmma_raw(const struct wgmma_form *form, const uint8_t *row, unsigned k)
{
    uint32_t value = 0;
    __builtin_memcpy(&value, row + k * form->element_bytes, form->element_bytes);
    return value;
}

/* Reads the request of an instruction. False: no such form. */
bool wgmma_form_of(const struct isa_inst *isa, struct wgmma_form *form);

#endif
