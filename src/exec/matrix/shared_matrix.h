/* Matrices in shared memory that a tensor core reads by itself: the layouts of wgmma and tcgen05.
 *
 * Let a row be one of A, or a column of B, T the elements in 16 bytes, S the bytes in a swizzle row (without
 * one, 16). Byte offset from the start of the matrix, before the swizzle (PTX ISA, canonical layouts):
 *
 *   K-major                    (r mod 8) * S + (r div 8) * stride + chunk * 16;  without a swizzle chunk * leading
 *   MN-major, no swizzle       mn = t + T j, k = q + 8 i:              j * stride + i * leading + q * 16
 *   MN-major                   mn = t + T (a + S/16 j), k = q + 8 i:   16 a + j * leading + q * S + i * stride
 *   the same, atoms of 32      mn = t + T (a + 8 j), k = q + 4 i:      16 a + j * leading + q * 128 + i * stride
 *
 * The descriptor has, in units of 16 bytes, the start in bits 13:0, `leading` in 29:16 and `stride` in 45:32, then the
 * base offset in 51:49 and the swizzle above. An address has 18 bits: it is always in a CTA's own shared memory.
 *
 * Where bit 52 is set (sm_103, swizzle of 128 bytes, K-major), rows of 48 bytes are broken: the part that does not fit
 * into the 128 bytes in which a row begins stands at the beginning of a second matrix, whose start is in place of
 * `leading`. */
#ifndef SUBCORE_EXEC_SHARED_MATRIX_H
#define SUBCORE_EXEC_SHARED_MATRIX_H

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/engine/swizzle.h"

struct shared_matrix {
    uint32_t start, leading, stride, base;
    enum swizzle swizzle;
    uint32_t span; /* bytes of a swizzle row (0: none) */
    bool broken;
    uint32_t limit;
    const uint8_t *shared;
    uint32_t outside;             /* an address that is not in shared memory (UINT32_MAX: none) */
    const struct exec_core *core; /* checks between the proxies (NULL: none) */
    struct exec_cta *cta;
    uint32_t number; /* for the checker */
};

/* Returns the matrix in the CTA's memory that a descriptor of wgmma names. */
struct shared_matrix shared_matrix_90(struct exec_cta *cta, uint32_t low, uint32_t high);
/* The same for a tcgen05 descriptor. Returns false where it has a swizzle or a mode that there is not. */
bool shared_matrix_100(struct exec_cta *cta, uint32_t low, uint32_t high, struct shared_matrix *m);

/* Reads `bytes` of K in the `count` rows from `first` on: row i to `to` + i * pitch. Bytes outside of shared memory
 * are read as zeros, and noted. */
void shared_matrix_rows(struct shared_matrix *m, unsigned first, unsigned count, unsigned bytes, uint8_t *to,
                        size_t pitch);
/* The same for a transposed matrix (MN-major) with `depth` elements of K, each with 1, 2 or 4 bytes. */
void shared_matrix_columns(struct shared_matrix *m, unsigned first, unsigned count, unsigned depth,
                           unsigned element_bytes, uint8_t *to, size_t pitch);

#endif
