/* Assembling text in tests. */
#ifndef SUBCORE_TESTS_ASM_ASSEMBLE_H
#define SUBCORE_TESTS_ASM_ASSEMBLE_H

#include "asm/asm.h"
#include "cubin/cubin.h"
#include "tests/unit.h"

struct assembled {
    uint8_t *bytes;
    struct cubin cubin;
};

/* The text must be right. */
static inline struct assembled assemble(const char *text)
{
    struct assembled a = {0};
    struct asm_output output;
    struct status status = {0};
    const struct asm_input input = {.text = text, .size = strlen(text)};
    if (!asm_assemble(&input, &output, &status)) {
        diagnostics_print(&output.errors, "test", text, strlen(text), stderr);
        fail_msg("%s", status.text);
    }
    a.bytes = output.cubin;
    if (!cubin_open(&a.cubin, (struct cubin_bytes){output.cubin, output.size}, "test", &status))
        fail_msg("%s", status.text);
    return a;
}

static inline void assembled_free(struct assembled *a)
{
    cubin_close(&a->cubin);
    free(a->bytes);
}

/* The instructions of a kernel. The caller frees them. */
static inline struct isa_inst *decoded(const struct cubin *cubin, const struct cubin_kernel *kernel, size_t *count)
{
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(cubin->sm, &status);
    *count = kernel->code.size / 16;
    struct isa_inst *code = calloc(*count + 1, sizeof *code);
    assert_true(decoder && code);
    for (size_t i = 0; i < *count; i++) {
        struct word128 word;
        memcpy(&word, kernel->code.data + 16 * i, sizeof word);
        isa_decode(decoder, word, (uint32_t)(16 * i), &code[i]);
    }
    isa_decoder_destroy(decoder);
    return code;
}

#endif
