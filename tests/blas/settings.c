/* Settings of a handle: defaults, values that are kept, and wrong ones. */
#include "tests/blas/rig.h"

typedef cublasStatus_t set_of(cublasHandle_t, int);
typedef cublasStatus_t get_of(cublasHandle_t, int *);
#define DECLARE(name)                                                                                                  \
    set_of cublasSet##name;                                                                                            \
    get_of cublasGet##name;
DECLARE(AtomicsMode)
DECLARE(MathMode)
DECLARE(SmCountTarget)
DECLARE(EmulationStrategy)
DECLARE(EmulationSpecialValuesSupport)
DECLARE(FixedPointEmulationMantissaControl)
DECLARE(FixedPointEmulationMaxMantissaBitCount)
DECLARE(FixedPointEmulationMantissaBitOffset)
get_of cublasGetPointerMode_v2;
cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t, int *);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t, int **);

static const struct setting {
    set_of *set;
    get_of *get;
    int standard, other, wrong;
} settings[] = {
    {cublasSetPointerMode_v2, cublasGetPointerMode_v2, BLAS_HOST, BLAS_DEVICE, 2},
    {cublasSetAtomicsMode, cublasGetAtomicsMode, 0, 1, 2},
    {cublasSetMathMode, cublasGetMathMode, 0, 3, -1},
    {cublasSetSmCountTarget, cublasGetSmCountTarget, 0, 1, 100000},
    {cublasSetEmulationStrategy, cublasGetEmulationStrategy, 0, 2, 3},
    {cublasSetEmulationSpecialValuesSupport, cublasGetEmulationSpecialValuesSupport, 0xffff, 2, -1},
    {cublasSetFixedPointEmulationMantissaControl, cublasGetFixedPointEmulationMantissaControl, 0, 1, 2},
    {cublasSetFixedPointEmulationMaxMantissaBitCount, cublasGetFixedPointEmulationMaxMantissaBitCount, 0, 53, -1},
    {cublasSetFixedPointEmulationMantissaBitOffset, cublasGetFixedPointEmulationMantissaBitOffset, 0, -8, 0},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static cublasHandle_t fresh(void)
{
    cublasHandle_t handle;
    rig_handle("rtx-a6000");
    GOOD(cublasCreate_v2(&handle));
    return handle;
}

static void settings_begin_with_their_defaults_and_keep_values(void **state)
{
    (void)state;
    cublasHandle_t handle = fresh();
    int value, *count = &value;
    for (int k = 0; k < SETTINGS; k++) {
        const struct setting *s = &settings[k];
        GOOD(s->get(handle, &value));
        assert_int_equal(value, s->standard);
        GOOD(s->set(handle, s->other));
    }
    for (int k = 0; k < SETTINGS; k++) { /* no setting has changed another one */
        GOOD(settings[k].get(handle, &value));
        assert_int_equal(value, settings[k].other);
    }
    GOOD(cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &count));
    assert_null(count);
    GOOD(cublasSetFixedPointEmulationMantissaBitCountPointer(handle, &value));
    GOOD(cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &count));
    assert_ptr_equal(count, &value);
    GOOD(cublasDestroy_v2(handle));
}

static void wrong_settings_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = fresh();
    int value, *count;
    for (int k = 0; k < SETTINGS; k++) {
        const struct setting *s = &settings[k];
        assert_int_equal(s->set(NULL, s->standard), CUBLAS_STATUS_NOT_INITIALIZED);
        assert_int_equal(s->get(NULL, &value), CUBLAS_STATUS_NOT_INITIALIZED);
        assert_int_equal(s->get(handle, NULL), CUBLAS_STATUS_INVALID_VALUE);
        if (s->wrong != s->standard) /* else every value is right */
            assert_int_equal(s->set(handle, s->wrong), CUBLAS_STATUS_INVALID_VALUE);
        GOOD(s->get(handle, &value));
        assert_int_equal(value, s->standard);
    }
    assert_int_equal(cublasSetFixedPointEmulationMantissaBitCountPointer(NULL, &value), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasGetFixedPointEmulationMantissaBitCountPointer(NULL, &count), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasGetFixedPointEmulationMantissaBitCountPointer(handle, NULL), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasDestroy_v2(handle));
}

UNIT_TESTS(UNIT(settings_begin_with_their_defaults_and_keep_values), UNIT(wrong_settings_have_the_documented_status))
