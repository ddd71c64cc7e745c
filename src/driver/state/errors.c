#include "driver/state/errors.h"

#include <stddef.h>

#include "driver/abi/api_device.h"

#define RESULT(code, sentence)                                                                                         \
    case code: return #code;
const char *error_name(CUresult result)
{
    switch (result) {
#include "driver/state/results.def"
    }
    return NULL;
}
#undef RESULT

#define RESULT(code, sentence)                                                                                         \
    case code: return sentence;
const char *error_text(CUresult result)
{
    switch (result) {
#include "driver/state/results.def"
    }
    return NULL;
}
#undef RESULT

/* Both work before cuInit. */
CUresult cuGetErrorName(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = error_name(error);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = error_text(error);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
