/* A cubin as text that the assembler reads back: directives, labels, control bits, instructions. */
#ifndef SUBCORE_CLI_LISTING_H
#define SUBCORE_CLI_LISTING_H

#include <stdio.h>

#include "base/json.h"
#include "cubin/cubin.h"
#include "isa/assemble.h"

struct listing {
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct isa_assembler *assembler;
    struct isa_inst *code;
    size_t count;
    uint32_t *label; /* [count]: 0, or a number + 1 of a branch target */
    struct cubin_line *lines;
    size_t line_count;
    bool entry; /* a kernel, not a device function */
};

bool listing_create(struct listing *listing, const struct isa_assembler *assembler, const struct cubin *cubin,
                    const struct cubin_kernel *kernel, struct status *status);
void listing_free(struct listing *listing);
/* Directives and code from .kernel to .end. */
void listing_print(const struct listing *listing, FILE *out);
/* Code alone, as nvdisasm prints it. */
void listing_print_plain(const struct listing *listing, FILE *out);
void listing_json(const struct listing *listing, struct json *json);

/* The part before the kernels: the architecture, and the data of the module. */
void listing_print_module(const struct cubin *cubin, FILE *out);
/* Bytes as value directives, with the addresses that the loader puts into the section. */
void listing_print_bytes(const struct cubin *cubin, const struct cubin_section *section, uint64_t from, uint64_t to,
                         FILE *out);
bool listing_relocated(const struct cubin *cubin, uint32_t section, uint64_t offset);
/* ".reloc" lines for patches at an offset of a section. Whole addresses of data are left to .u64. */
void listing_print_relocations(const struct cubin *cubin, uint32_t section, uint64_t offset, FILE *out);

/* The 16 bytes of an instruction as they lie in memory. */
struct word128 listing_word(const uint8_t *bytes);

#endif
