/* Functions that the libraries lack: each says its name once, in a line that names the library, and returns the
 * documented answer. */
#include <pthread.h>
#include <unistd.h>

#include "blas/blas.h"
#include "blas/solver.h"
#include "dnn/dnn.h"
#include "fft/fft.h"
#include "nccl/nccl.h"
#include "sparse/sparse.h"
#include "tests/unit.h"

int cublasXtSgemm(void);
int cublasXtDestroy(void);
int cublasXtCreate(void);
int cusolverDnSpotri(void);
int cusolverDnXlarft(void);
int cudnnNormalizationForwardTraining(void);
int cufftXtSetGPUs(void);
int cusparseSgtsv2(void);
int curandGenerateBinomial(void);
int ncclRedOpCreatePreMulSum(void);

static const struct missing {
    const char *library, *name;
    int (*call)(void);
    int answer;
} all_missing[] = {
    {"cuBLAS", "cublasXtSgemm", cublasXtSgemm, 15},
    {"cuBLAS", "cublasXtCreate", cublasXtCreate, 15},
    {"cuSOLVER", "cusolverDnSpotri", cusolverDnSpotri, 9},
    {"cuSOLVER", "cusolverDnXlarft", cusolverDnXlarft, 9},
    {"cuDNN", "cudnnNormalizationForwardTraining", cudnnNormalizationForwardTraining, 3000},
    {"cuFFT", "cufftXtSetGPUs", cufftXtSetGPUs, 16},
    {"cuSPARSE", "cusparseSgtsv2", cusparseSgtsv2, 10},
    {"cuRAND", "curandGenerateBinomial", curandGenerateBinomial, 999},
    {"NCCL", "ncclRedOpCreatePreMulSum", ncclRedOpCreatePreMulSum, 5},
};
enum { MISSING = sizeof all_missing / sizeof all_missing[0] };

/* Standard error goes to a file between these. */
struct capture {
    FILE *file;
    int before;
};

static struct capture begin(void)
{
    struct capture c = {.file = tmpfile(), .before = dup(STDERR_FILENO)};
    assert_non_null(c.file);
    fflush(stderr);
    assert_true(dup2(fileno(c.file), STDERR_FILENO) >= 0);
    return c;
}

static void end(struct capture *c, char *text, size_t size)
{
    fflush(stderr);
    assert_true(dup2(c->before, STDERR_FILENO) >= 0);
    close(c->before);
    rewind(c->file);
    text[fread(text, 1, size - 1, c->file)] = '\0';
    fclose(c->file);
}

static void a_missing_function_says_its_name_once_and_answers_as_documented(void **state)
{
    (void)state;
    for (int i = 0; i < MISSING; i++) {
        char text[1024], expected[256];
        struct capture c = begin();
        int first = all_missing[i].call(), second = all_missing[i].call();
        end(&c, text, sizeof text);
        assert_int_equal(first, all_missing[i].answer);
        assert_int_equal(second, all_missing[i].answer);
        snprintf(expected, sizeof expected, "subcore: %s is not supported by the simulator's own %s\n",
                 all_missing[i].name, all_missing[i].library);
        assert_string_equal(text, expected);
    }
}

static void a_case_that_is_missing_names_the_function_and_the_case_once(void **state)
{
    (void)state;
    char text[1024];
    struct capture c = begin();
    assert_int_equal(blas_refuse("cublasGemmEx", "these types"), CUBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(blas_refuse("cublasGemmEx", "other types"), CUBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(solver_refuse("cusolverDnXgetrf", "this type"), CUSOLVER_STATUS_NOT_SUPPORTED);
    assert_int_equal(nccl_refuse("ncclAllReduce", "two ranks"), ncclInvalidUsage);
    assert_int_equal(fft_refuse("cufftPlan1d", "no name"), CUFFT_NOT_SUPPORTED);
    assert_int_equal(dnn_refuse("cudnnCreate", "this GPU"), CUDNN_STATUS_NOT_SUPPORTED);
    end(&c, text, sizeof text);
    assert_string_equal(text,
                        "subcore: cublasGemmEx is not supported for these types by the simulator's own cuBLAS\n"
                        "subcore: cusolverDnXgetrf is not supported for this type by the simulator's own cuSOLVER\n"
                        "subcore: ncclAllReduce is not supported for two ranks by the simulator's own NCCL\n"
                        "subcore: cufftPlan1d is not supported for no name by the simulator's own cuFFT\n"
                        "subcore: cudnnCreate is not supported for this GPU by the simulator's own cuDNN\n");
}

static void an_unknown_name_is_refused_without_a_line(void **state)
{
    (void)state;
    char text[1024];
    struct capture c = begin();
    assert_int_equal(blas_refuse("cublasGemmE", "these types"), CUBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(blas_refuse("", "these types"), CUBLAS_STATUS_NOT_SUPPORTED);
    end(&c, text, sizeof text);
    assert_string_equal(text, "");
}

static void *call_often(void *answer)
{
    for (int i = 0; i < 1000; i++)
        *(int *)answer |= cublasXtDestroy() ^ CUBLAS_STATUS_NOT_SUPPORTED;
    return NULL;
}

static void threads_that_call_at_once_get_one_line_in_all(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int answers[THREADS] = {0};
    char text[4096];
    struct capture c = begin();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &answers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    end(&c, text, sizeof text);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(answers[i], 0);
    assert_string_equal(text, "subcore: cublasXtDestroy is not supported by the simulator's own cuBLAS\n");
}

UNIT_TESTS(UNIT(a_missing_function_says_its_name_once_and_answers_as_documented),
           UNIT(a_case_that_is_missing_names_the_function_and_the_case_once),
           UNIT(an_unknown_name_is_refused_without_a_line), UNIT(threads_that_call_at_once_get_one_line_in_all))
