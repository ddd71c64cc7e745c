/* CUPTI, the interface of profilers: each function answers that it is not supported. That is not left to the library of
 * NVIDIA: the one of CUDA 13.2 calls itself without end where the driver of NVIDIA is missing. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CUPTI_API __attribute__((visibility("default")))

/* CUptiResult */
enum cupti_result { CUPTI_SUCCESS = 0, CUPTI_ERROR_INVALID_PARAMETER = 1, CUPTI_ERROR_NOT_SUPPORTED = 27 };

static atomic_bool told;

static enum cupti_result refuse(void)
{
    if (!atomic_exchange(&told, true))
        fputs("subcore: CUPTI, the interface of profilers, is not supported: profilers see no kernels here. "
              "'subcore exec --report DIR' writes the counters of each launch\n",
              stderr);
    return CUPTI_ERROR_NOT_SUPPORTED;
}

/* The arguments are of no interest, and this file must not see prototypes. */
#define NAME(name)                                                                                                     \
    CUPTI_API enum cupti_result name(void);                                                                            \
    enum cupti_result name(void) { return refuse(); }
#include "cupti/names.def"
#undef NAME

CUPTI_API enum cupti_result cuptiGetResultString(enum cupti_result result, const char **text);
CUPTI_API enum cupti_result cuptiGetErrorMessage(enum cupti_result result, const char **text);

static enum cupti_result explain(enum cupti_result result, const char *const texts[3], const char **text)
{
    if (!text)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *text = result == CUPTI_SUCCESS                   ? texts[0]
            : result == CUPTI_ERROR_INVALID_PARAMETER ? texts[1]
            : result == CUPTI_ERROR_NOT_SUPPORTED     ? texts[2]
                                                      : NULL;
    return *text ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

enum cupti_result cuptiGetResultString(enum cupti_result result, const char **text)
{
    static const char *const names[] = {"CUPTI_SUCCESS", "CUPTI_ERROR_INVALID_PARAMETER", "CUPTI_ERROR_NOT_SUPPORTED"};
    return explain(result, names, text);
}

enum cupti_result cuptiGetErrorMessage(enum cupti_result result, const char **text)
{
    static const char *const messages[] = {"No error", "One or more of the parameters is invalid",
                                           "The simulator does not support CUPTI"};
    return explain(result, messages, text);
}
