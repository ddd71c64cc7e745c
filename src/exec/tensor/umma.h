/* Products of the fifth tensor core generation (tcgen05.mma: UTCHMMA, UTCQMMA, UTCIMMA, UTCOMMA), for one CTA or a
 * pair.
 *
 *   umma_form.c      the form of an instruction and its descriptor
 *   umma_operands.c  A, B, scale factors and metadata as plain elements, from shared and tensor memory
 *   lanes_umma.c     the product of a CTA's rows, compiled for several instruction sets of the host
 *   umma_element.c   the rule, for one element
 *   umma_op.c        the executors
 *
 * Where elements of D, and A's in tensor memory, stand: row r of a CTA's part has one, two or four pieces of its
 * columns, in as many parts of the lanes (PTX ISA, data path layouts; the layouts of CuTe say the same).
 *
 *   rows of the CTA                        lane                                pieces
 *   128                                    r                                   1
 *   64, of one CTA, or sparse of a pair    32 (r / 16) + r mod 16 (+ 16 D)     1
 *   64, of a pair or stationary            r + 64 p                            2
 *   32, stationary                         r + 32 p                            4 */
#ifndef SUBCORE_EXEC_UMMA_H
#define SUBCORE_EXEC_UMMA_H

#include "exec/executors.h"

enum {
    UMMA_ROWS = 128,      /* of a CTA, at most */
    UMMA_COLUMNS = 256,   /* at most */
    UMMA_DEPTH = 128,     /* elements of a row, at most; with those that a sparse one leaves out */
    UMMA_ROW_BYTES = 32,  /* of K for A in memory */
    UMMA_LONG_DEPTH = 96, /* of 4-bit elements, on sm_103 */
    UMMA_BYTES = 128,     /* of an A row or a B column as elements: a byte each where they have 8 bits or fewer */
    UMMA_BLOCKS = 6,      /* scale factors of a row or column, at most */
    UMMA_GROUPS = 6       /* of products that are exact sums, with 4-bit elements, at most */
};

enum umma_kind { UMMA_F16, UMMA_TF32, UMMA_F8F6F4, UMMA_I8, UMMA_MXF8F6F4, UMMA_MXF4 };

enum umma_type {
    UMMA_TYPE_F16,
    UMMA_TYPE_BF16,
    UMMA_TYPE_TF32,
    UMMA_TYPE_E4M3,
    UMMA_TYPE_E5M2,
    UMMA_TYPE_E2M3,
    UMMA_TYPE_E3M2,
    UMMA_TYPE_E2M1,
    UMMA_TYPE_U8,
    UMMA_TYPE_S8,
    UMMA_TYPES
};

enum umma_result { UMMA_RESULT_F16, UMMA_RESULT_F32, UMMA_RESULT_S32 };

/* The form of an instruction. */
struct umma_form {
    uint8_t kind;           /* enum umma_kind */
    uint8_t type_a, type_b; /* enum umma_type */
    uint8_t result;         /* enum umma_result */
    uint8_t element_bytes;  /* of struct umma_job: 1, 2, 4 */
    uint8_t depth;          /* elements of an A row, with those that a sparse one leaves out */
    uint8_t row_bytes; /* of A in memory: 32, or 48 where it has 96 elements of 4 bits; of a sparse B twice as many */
    uint8_t groups;    /* with 4-bit elements: 4, 6 */
    uint8_t rows;      /* of a CTA */
    uint8_t pieces;    /* of the columns in a D row: 1, 2, 4 */
    uint16_t columns;  /* of B, in both CTAs: 8 .. 256 */
    bool pair;         /* two CTAs */
    bool split_lanes;  /* 16 rows in each quarter of the lanes */
    bool sparse, stationary;
    bool a_shared;  /* A comes from shared memory */
    bool a_shifted; /* row r has the elements of row r - 1 */
    bool transpose_a, transpose_b;
    bool negative;            /* the products change their signs */
    bool saturate;            /* of integers */
    bool add;                 /* D is added (false: it counts as 0) */
    uint8_t input_scale;      /* D counts as D * 2^-n */
    uint8_t selector;         /* of metadata */
    uint8_t blocks;           /* scale factors of a row or column: 1, 2, 4; 3 or 6 of 96 elements (0: none) */
    bool powers;              /* scale factors are UE8M0 (false: UE4M3) */
    uint8_t scale_a, scale_b; /* byte of the first scale factor in its word */
};

/* The rows of one CTA and the columns of B, ready to be multiplied. A sparse A has zeros where it has nothing, and
 * `present` tells these from others: they meet no infinities. */
struct umma_job {
    struct umma_form form;
    _Alignas(64) uint8_t a[UMMA_ROWS][UMMA_BYTES];
    _Alignas(64) uint8_t b[UMMA_COLUMNS][UMMA_BYTES];
    uint64_t present[UMMA_ROWS][2]; /* bit k: there is an element k */
    uint8_t scale_a[UMMA_ROWS][UMMA_BLOCKS], scale_b[UMMA_COLUMNS][UMMA_BLOCKS];
    uint32_t *d[UMMA_COLUMNS]; /* cells in each D column, from lane 0 on */
    uint32_t lane;             /* the lane of row 0 */
    uint32_t disabled[4];      /* lanes that are not written, a bit each */
};

/* Multiplies, and adds D or not: one for every host, and for those with AVX2 and AVX-512. */
typedef void umma_multiply(const struct umma_job *job);
umma_multiply umma_multiply_base, umma_multiply_v3, umma_multiply_v4;

struct umma_variant {
    const char *name;
    umma_multiply *multiply;
    bool here; /* this host has it */
};

enum { UMMA_VARIANTS = 3 };

/* Returns variant `index`, from the plainest to the widest. The widest that this host has. */
struct umma_variant umma_variant(unsigned index);
umma_multiply *umma_widest(void);

/* One element of a floating-point product, by the rules as they are written down. `c` is an element of D before, 0
 * where none is added. Returns the new one. */
uint32_t umma_element(const struct umma_job *job, unsigned row, unsigned column, uint32_t c);

/* Element `k` of a row or column. */
static inline uint32_t umma_raw(const struct umma_form *form, const uint8_t *row, unsigned k)
{
    uint32_t value = 0;
    __builtin_memcpy(&value, row + k * form->element_bytes, form->element_bytes);
    return value;
}

static inline bool umma_floats(const struct umma_form *form) { return form->kind != UMMA_I8; }

/* Reads the form of an instruction and its descriptor. NULL: all is right. Otherwise the mistake, as the end of a
 * sentence that begins with the descriptor. */
const char *umma_form_of(const struct isa_inst *isa, uint32_t descriptor, struct umma_form *form);

/* Returns the lane of a row's piece 0, from the lane on that the address names. */
static inline unsigned umma_lane(const struct umma_form *form, unsigned row)
{
    return form->split_lanes ? row / 16 * 32 + row % 16 : row;
}

#endif
