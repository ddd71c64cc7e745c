/* The operands of tcgen05.mma as plain elements. */
#ifndef SUBCORE_EXEC_UMMA_OPERANDS_H
#define SUBCORE_EXEC_UMMA_OPERANDS_H

#include "exec/cta.h"
#include "exec/tensor/umma.h"

/* The operands that an instruction's registers name. The same addresses count in both CTAs of a pair. */
struct umma_places {
    uint32_t d, metadata;      /* addresses in tensor memory */
    uint32_t a[2], b[2];       /* descriptors; a[0] alone: an address in tensor memory */
    uint32_t scale_a, scale_b; /* addresses in tensor memory */
    uint32_t disabled[8];      /* lanes of D that stay, four words for a CTA */
    uint64_t zero_columns;     /* descriptor of B's columns that count as zero (0: none) */
};

/* An instruction's values from uniform registers, word by word. */
enum umma_word {
    UMMA_WORD_A = 0,
    UMMA_WORD_B = 2,
    UMMA_WORD_D = 4,
    UMMA_WORD_METADATA,
    UMMA_WORD_DESCRIPTOR,
    UMMA_WORD_ADD,  /* enable-input-d */
    UMMA_WORD_MORE, /* there are more, from UMMA_WORD_LAST on: a mask, a descriptor of zero columns, scale factors */
    UMMA_WORD_LAST,
    UMMA_WORDS = UMMA_WORD_LAST + 8
};

void umma_words_of(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t word[UMMA_WORDS]);
struct umma_places umma_places_of(const struct umma_form *form, const uint32_t word[UMMA_WORDS]);

/* The CTAs that take part: the warp's own, or those of its pair by their rank. */
struct umma_ctas {
    struct exec_cta *cta[2];
    unsigned count;
    uint32_t number[2]; /* of the product for the checker of shared memory (0: there is none) */
};

/* Checks that all that the instruction reads and writes of tensor memory is allocated. False, with a fault: not. */
bool umma_check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                const struct umma_form *form, const struct umma_places *at, const struct umma_ctas *ctas);
/* Reads B, of both CTAs. False, with a fault: it is not in shared memory. */
bool umma_read_b(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                 const struct umma_places *at, const struct umma_ctas *ctas, struct umma_job *job);
/* Reads A, metadata and scale factors of CTA `index`, and says where its D is. False, with a fault: A is not in shared
 * memory. */
bool umma_read_rows(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                    const struct umma_places *at, const struct umma_ctas *ctas, unsigned index, struct umma_job *job);

#endif
