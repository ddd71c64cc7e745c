/* cublasLt's algorithm: capabilities, configurations, and products that take or refuse one. */
#include "tests/blas/lt_rig.h"

typedef struct lt_algorithm *algorithm_t;
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t, int, int, int, int, int, int, int, algorithm_t);
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, operation_t, layout_t, layout_t, layout_t, layout_t,
                                       const struct lt_algorithm *, void *);
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(algorithm_t, int, const void *, size_t);
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const struct lt_algorithm *, int, void *, size_t, size_t *);
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const struct lt_algorithm *, int, void *, size_t, size_t *);
cublasStatus_t cublasLtLoggerSetCallback(void *);
cublasStatus_t cublasLtLoggerSetFile(void *);
cublasStatus_t cublasLtLoggerOpenFile(const char *);
cublasStatus_t cublasLtLoggerSetLevel(int);
cublasStatus_t cublasLtLoggerSetMask(int);
cublasStatus_t cublasLtLoggerForceDisable(void);

enum { ID = 0, TILE = 1, SPLITS = 2, INNER_SHAPE = 7, CLUSTER_SHAPE = 8 };
enum { TILE_IDS = 6, POINTER_MODES = 11, EPILOGUES = 12, STAGES_IDS = 13, IMPLEMENTATION = 15 };
static const int invalid = CUBLAS_STATUS_INVALID_VALUE;

static struct lt_algorithm algorithm(void)
{
    struct lt_algorithm a;
    memset(&a, 0xff, sizeof a);
    GOOD(cublasLtMatmulAlgoInit(rig_handle(gpu), BLAS_COMPUTE_32F, GEMM_F32, GEMM_F32, GEMM_F32, GEMM_F32, GEMM_F32, 0,
                                &a));
    return a;
}

static void a_configuration_keeps_its_attributes(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 4, 4, 4, 4, 4, 4, 2, 2};
    struct lt_algorithm a = algorithm();
    for (int k = ID; k <= CLUSTER_SHAPE; k++) {
        uint32_t value = 0, back = 0;
        size_t written = 0;
        GOOD(cublasLtMatmulAlgoConfigGetAttribute(&a, k, &value, sizes[k], &written));
        assert_true(written == sizes[k] && value == (k == SPLITS));
        GOOD(cublasLtMatmulAlgoConfigGetAttribute(&a, k, NULL, 0, &written));
        assert_int_equal(written, sizes[k]);
        value = 100 + (uint32_t)k;
        assert_int_equal(cublasLtMatmulAlgoConfigSetAttribute(&a, k, &value, sizes[k]), k == ID ? invalid : 0);
        GOOD(cublasLtMatmulAlgoConfigGetAttribute(&a, k, &back, sizes[k], NULL));
        assert_int_equal(back, k == ID ? 0 : value);
        assert_int_equal(cublasLtMatmulAlgoConfigSetAttribute(&a, k, &value, sizes[k] + 1), invalid);
        assert_int_equal(cublasLtMatmulAlgoConfigSetAttribute(&a, k, NULL, sizes[k]), invalid);
        assert_int_equal(cublasLtMatmulAlgoConfigGetAttribute(&a, k, &back, 1, &written), invalid);
        assert_int_equal(cublasLtMatmulAlgoConfigGetAttribute(&a, k, NULL, 0, NULL), invalid);
    }
    for (int k = ID + 1; k <= CLUSTER_SHAPE; k++) { /* no attribute has changed another one */
        uint32_t back = 0;
        GOOD(cublasLtMatmulAlgoConfigGetAttribute(&a, k, &back, sizes[k], NULL));
        assert_int_equal(back, 100 + k);
    }
    uint32_t value = 0;
    struct lt_algorithm other = {.mark = 1};
    assert_int_equal(cublasLtMatmulAlgoConfigGetAttribute(&a, 9, &value, 4, NULL), invalid);
    assert_int_equal(cublasLtMatmulAlgoConfigGetAttribute(&a, -1, &value, 4, NULL), invalid);
    assert_int_equal(cublasLtMatmulAlgoConfigGetAttribute(NULL, TILE, &value, 4, NULL), invalid);
    assert_int_equal(cublasLtMatmulAlgoConfigSetAttribute(&other, TILE, &value, 4), invalid);
}

static void capabilities_are_those_of_the_kernels(void **state)
{
    (void)state;
    static const struct {
        int attribute;
        uint32_t value;
    } right[] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {4, 1},  {5, 0},  {7, 0}, {10, 0}, {POINTER_MODES, 3},
                 {14, 0}, {16, 1}, {17, 1}, {18, 1}, {19, 1}, {21, 1}, {22, 0}};
    struct lt_algorithm a = algorithm();
    uint32_t value, many[8];
    uint64_t wide = 1;
    size_t written;
    for (size_t k = 0; k < sizeof right / sizeof right[0]; k++) {
        GOOD(cublasLtMatmulAlgoCapGetAttribute(&a, right[k].attribute, &value, sizeof value, &written));
        assert_true(value == right[k].value && written == sizeof value);
    }
    GOOD(cublasLtMatmulAlgoCapGetAttribute(&a, EPILOGUES, &value, sizeof value, NULL));
    assert_true(value & GEMM_BIAS && value & GEMM_RELU && value & GEMM_GELU && value & GEMM_AUX);
    GOOD(cublasLtMatmulAlgoCapGetAttribute(&a, IMPLEMENTATION, &wide, sizeof wide, NULL));
    assert_true(wide == 0);
    for (int k = TILE_IDS; k <= STAGES_IDS; k += STAGES_IDS - TILE_IDS) {
        written = 9;
        GOOD(cublasLtMatmulAlgoCapGetAttribute(&a, k, NULL, 0, &written));
        assert_int_equal(written, 0);
        written = 9;
        GOOD(cublasLtMatmulAlgoCapGetAttribute(&a, k, many, sizeof many, &written));
        assert_int_equal(written, 0);
        assert_int_equal(cublasLtMatmulAlgoCapGetAttribute(&a, k, NULL, 4, &written), invalid);
        assert_int_equal(cublasLtMatmulAlgoCapGetAttribute(&a, k, NULL, 0, NULL), invalid);
    }
    for (int k = 8; k <= 23; k += k == 8 ? 1 : k == 9 ? 11 : 3) /* 8, 9, 20 and 23 have no meaning */
        assert_int_equal(cublasLtMatmulAlgoCapGetAttribute(&a, k, &value, sizeof value, NULL), invalid);
    assert_int_equal(cublasLtMatmulAlgoCapGetAttribute(NULL, 0, &value, sizeof value, NULL), invalid);
    assert_int_equal(cublasLtMatmulAlgoCapGetAttribute(&a, 0, &value, 2, NULL), invalid);
}

static void only_the_default_configuration_runs(void **state)
{
    (void)state;
    cublasLtHandle_t handle = rig_handle(gpu);
    const struct lt_case c = {.type = GEMM_F32, .result = GEMM_F32, .m = 4, .n = 4, .k = 4, .batch = 1};
    struct stored a = stored(GEMM_F32, 4, 4, &c, false, 1), b = stored(GEMM_F32, 4, 4, &c, false, 2);
    struct stored d = stored(GEMM_F32, 4, 4, &c, false, 3);
    struct lt_algorithm with = algorithm();
    operation_t operation;
    float one = 1, zero = 0;
    uint64_t result[16];
    GOOD(cublasLtMatmulDescCreate(&operation, BLAS_COMPUTE_32F, GEMM_F32));
#define RUN()                                                                                                          \
    (int)cublasLtMatmul(handle, operation, &one, rig_at(&a.data, 0), a.layout, rig_at(&b.data, 0), b.layout, &zero,    \
                        rig_at(&d.data, 0), d.layout, rig_at(&d.data, 0), d.layout, &with, NULL, 0, NULL)
#define CHECK(handle, algorithm)                                                                                       \
    (int)cublasLtMatmulAlgoCheck(handle, operation, a.layout, b.layout, d.layout, d.layout, algorithm, result)
    GOOD(RUN());
    GOOD(CHECK(handle, &with));
    assert_int_equal(CHECK(NULL, &with), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(CHECK(handle, NULL), invalid);
    for (int k = TILE; k <= CLUSTER_SHAPE; k++) {
        uint32_t value = 2;
        with = algorithm();
        GOOD(cublasLtMatmulAlgoConfigSetAttribute(&with, k, &value, k >= INNER_SHAPE ? 2 : 4));
        assert_int_equal(RUN(), CUBLAS_STATUS_NOT_SUPPORTED);
        assert_int_equal(CHECK(handle, &with), CUBLAS_STATUS_NOT_SUPPORTED);
    }
    with.mark = 0;
    assert_int_equal(RUN(), invalid);
    assert_int_equal(CHECK(handle, &with), invalid);
    GOOD(cublasLtMatmulDescDestroy(operation));
    release(&a);
    release(&b);
    release(&d);
}

static void logs_may_be_asked_for(void **state)
{
    (void)state;
    GOOD(cublasLtLoggerSetCallback(NULL));
    GOOD(cublasLtLoggerSetFile(NULL));
    GOOD(cublasLtLoggerOpenFile("/no/such/folder/log"));
    GOOD(cublasLtLoggerSetLevel(5));
    GOOD(cublasLtLoggerSetMask(31));
    GOOD(cublasLtLoggerForceDisable());
}

UNIT_TESTS(UNIT(a_configuration_keeps_its_attributes), UNIT(capabilities_are_those_of_the_kernels),
           UNIT(only_the_default_configuration_runs), UNIT(logs_may_be_asked_for))
