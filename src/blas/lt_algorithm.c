/* cublasLt's algorithm: its capabilities and its configuration, by documented number, and logs, of which there are
 * none. */
#include <assert.h>
#include <string.h>

#include "blas/lt.h"
#include "blas/lt_epilogue.h"

static_assert(sizeof(struct lt_algorithm) == 64, "as in CUDA 12");

void lt_algorithm_init(struct lt_algorithm *algorithm)
{
    *algorithm = (struct lt_algorithm){.mark = LT_ALGORITHM, .splits = 1};
}

cublasStatus_t lt_algorithm_check(const struct lt_algorithm *algorithm)
{
    if (algorithm->mark != LT_ALGORITHM)
        return CUBLAS_STATUS_INVALID_VALUE;
    bool plain = algorithm->tile == 0 && (algorithm->splits == 0 || algorithm->splits == 1) &&
                 algorithm->reduction == 0 && algorithm->swizzling == 0 && algorithm->custom == 0 &&
                 algorithm->stages == 0 && algorithm->inner_shape == 0 && algorithm->cluster_shape == 0;
    return plain ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

/* ---- configuration ----------------------------------------------------------------------------------------------- */

enum { CONFIG_ID = 0, CONFIGS = 9 };

/* The fields by attribute. */
static const struct field {
    uint8_t size, offset;
} fields[CONFIGS] = {
#define FIELD(name)                                                                                                    \
    {                                                                                                                  \
        sizeof(((struct lt_algorithm *)0)->name), offsetof(struct lt_algorithm, name)                                  \
    }
    FIELD(id),     FIELD(tile),   FIELD(splits),      FIELD(reduction),     FIELD(swizzling),
    FIELD(custom), FIELD(stages), FIELD(inner_shape), FIELD(cluster_shape),
};

static bool has(const struct lt_algorithm *algorithm, int attribute)
{
    return algorithm != NULL && algorithm->mark == LT_ALGORITHM && attribute >= 0 && attribute < CONFIGS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulAlgoConfigSetAttribute, struct lt_algorithm *algorithm, int attribute,
         const void *value, size_t size)
{
    if (!has(algorithm, attribute) || attribute == CONFIG_ID)
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_set((char *)algorithm + fields[attribute].offset, fields[attribute].size, value, size);
}

BLAS_API(cublasStatus_t, cublasLtMatmulAlgoConfigGetAttribute, const struct lt_algorithm *algorithm, int attribute,
         void *value, size_t size, size_t *written)
{
    if (!has(algorithm, attribute))
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_get((const char *)algorithm + fields[attribute].offset, fields[attribute].size, value, size, written);
}

/* ---- capabilities ------------------------------------------------------------------------------------------------ */

enum capability {
    SPLITK_SUPPORT = 0,
    REDUCTION_MASK = 1,
    SWIZZLING_SUPPORT = 2,
    BATCH_SUPPORT = 3,
    OUT_OF_PLACE_SUPPORT = 4,
    UPLO_SUPPORT = 5,
    TILE_IDS = 6,
    CUSTOM_MOST = 7,
    CUSTOM_ORDER = 10,
    POINTER_MODES = 11,
    EPILOGUES = 12,
    STAGES_IDS = 13,
    NEGATIVE_LD = 14,
    IMPLEMENTATION = 15,
    ALIGNMENT_A = 16,
    ALIGNMENT_D = 19,
    LIST_SUPPORT = 21,
    EMULATION_SUPPORT = 22
};

/* Returns false for an unknown number. */
static bool capability(int attribute, uint32_t *value)
{
    enum { HOST_AND_DEVICE = 3 };
    switch (attribute) {
    case SPLITK_SUPPORT:
    case REDUCTION_MASK:
    case SWIZZLING_SUPPORT:
    case UPLO_SUPPORT:
    case CUSTOM_MOST:
    case CUSTOM_ORDER:
    case NEGATIVE_LD:
    case EMULATION_SUPPORT: *value = 0; return true;
    case BATCH_SUPPORT:
    case OUT_OF_PLACE_SUPPORT:
    case LIST_SUPPORT: *value = 1; return true;
    case POINTER_MODES: *value = HOST_AND_DEVICE; return true;
    case EPILOGUES: *value = lt_epilogue_mask(); return true;
    default: *value = 1; return attribute >= ALIGNMENT_A && attribute <= ALIGNMENT_D;
    }
}

BLAS_API(cublasStatus_t, cublasLtMatmulAlgoCapGetAttribute, const struct lt_algorithm *algorithm, int attribute,
         void *value, size_t size, size_t *written)
{
    uint32_t number;
    const uint64_t unknown = 0; /* each call chooses its own arithmetic */
    if (algorithm == NULL || algorithm->mark != LT_ALGORITHM)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (attribute == IMPLEMENTATION)
        return lt_get(&unknown, sizeof unknown, value, size, written);
    if (attribute == TILE_IDS || attribute == STAGES_IDS) { /* empty lists */
        if (size == 0 ? written == NULL : value == NULL)
            return CUBLAS_STATUS_INVALID_VALUE;
        if (written != NULL)
            *written = 0;
        return CUBLAS_STATUS_SUCCESS;
    }
    return capability(attribute, &number) ? lt_get(&number, sizeof number, value, size, written)
                                          : CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- logs -------------------------------------------------------------------------------------------------------- */

#define NO_LOG(name, parameter)                                                                                        \
    BLAS_API(cublasStatus_t, name, parameter)                                                                          \
    {                                                                                                                  \
        (void)given;                                                                                                   \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
NO_LOG(cublasLtLoggerSetCallback, void *given)
NO_LOG(cublasLtLoggerSetFile, void *given)
NO_LOG(cublasLtLoggerOpenFile, const char *given)
NO_LOG(cublasLtLoggerSetLevel, int given)
NO_LOG(cublasLtLoggerSetMask, int given)

BLAS_API(cublasStatus_t, cublasLtLoggerForceDisable, void) { return CUBLAS_STATUS_SUCCESS; }
