/* A kernel's code as text: addresses, control bits, instructions, labels where branches go. */
#ifndef SUBCORE_CLI_LISTING_H
#define SUBCORE_CLI_LISTING_H

#include <stdio.h>

#include "base/json.h"
#include "cubin/cubin.h"
#include "isa/isa.h"

struct listing {
    const struct cubin_kernel *kernel;
    struct isa_inst *code;
    size_t count;
    bool *label; /* [count]: some branch goes here */
};

bool listing_create(struct listing *listing, const struct isa_decoder *decoder, const struct cubin_kernel *kernel,
                    struct status *status);
void listing_free(struct listing *listing);
void listing_print(const struct listing *listing, FILE *out);
void listing_json(const struct listing *listing, struct json *json);

/* The 16 bytes of an instruction as they lie in memory. */
struct word128 listing_word(const uint8_t *bytes);

#endif
