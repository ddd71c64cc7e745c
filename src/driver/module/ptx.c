#include "driver/module/ptx.h"

#include <stdio.h>
#include <string.h>

unsigned ptx_target(const char *text, size_t size, char *suffix)
{
    static const char word[] = ".target";
    const char *at = memmem(text, size, word, sizeof word - 1), *end = text + size;
    *suffix = 0;
    if (!at)
        return 0;
    at += sizeof word - 1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (end - at < 4 || memcmp(at, "sm_", 3) != 0)
        return 0;
    unsigned sm = 0;
    for (at += 3; at < end && *at >= '0' && *at <= '9' && sm < 1000; at++)
        sm = sm * 10 + (unsigned)(*at - '0');
    if (at < end && (*at == 'a' || *at == 'f'))
        *suffix = *at;
    return sm;
}

void ptx_architecture(const struct jit_request *request, char text[static 16])
{
    char suffix = 0;
    for (size_t i = 0; i < request->count && suffix == 0; i++) {
        const struct jit_input *in = &request->inputs[i];
        if (in->type == CU_JIT_INPUT_PTX)
            ptx_target(in->data, in->size, &suffix);
    }
    snprintf(text, 16, "sm_%u%c", request->sm % 1000, suffix);
}

CUresult ptx_blame(const char *errors)
{
    return errors && strstr(errors, "Unsupported .version") ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                                                            : CUDA_ERROR_INVALID_PTX;
}
