/* Fourier transforms against sums in double on the host: small and large factors, ranks, layouts, batches. */
#include <complex.h>
#include <math.h>

#include "driver/abi/api_memory.h"
#include "fft/fft.h"
#include "tests/unit.h"

#define GOOD(call) assert_int_equal((call), CUFFT_SUCCESS)

cufftResult cufftCreate(cufftHandle *handle);
cufftResult cufftDestroy(cufftHandle handle);
cufftResult cufftPlan1d(cufftHandle *plan, int nx, int type, int batch);
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, int type);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, int type, int batch, size_t *bytes);
cufftResult cufftEstimate1d(int nx, int type, int batch, size_t *bytes);
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic);
cufftResult cufftSetWorkArea(cufftHandle handle, void *memory);
cufftResult cufftGetSize(cufftHandle handle, size_t *bytes);
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, const long long *n, const long long *inembed,
                                long long istride, long long idist, int intype, const long long *onembed,
                                long long ostride, long long odist, int outtype, long long batch, size_t *bytes,
                                int executed);
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftExecC2C(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftExecR2C(cufftHandle plan, void *in, void *out);
cufftResult cufftExecC2R(cufftHandle plan, void *in, void *out);

static void begin(void)
{
    setenv("SUBCORE_GPU", "a100", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
}

static double number(unsigned i) { return (double)(i * 2654435761u >> 8 & 0xffff) / 32768 - 1; }

/* ---- memory on both sides ---------------------------------------------------------------------------------------- */

struct block {
    bool wide; /* FP64, else FP32 */
    size_t count;
    double *host; /* real numbers; complex ones are two */
    CUdeviceptr device;
};

static struct block block_of(bool wide, size_t count, unsigned seed)
{
    struct block b = {wide, count, calloc(count, sizeof(double)), 0};
    float *narrow = calloc(count, sizeof *narrow);
    assert_non_null(b.host);
    assert_non_null(narrow);
    for (size_t i = 0; i < count; i++)
        b.host[i] = (double)(narrow[i] = (float)number(seed + (unsigned)i));
    size_t bytes = count * (wide ? 8 : 4);
    assert_int_equal(cuMemAlloc_v2(&b.device, bytes), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(b.device, wide ? (void *)b.host : narrow, bytes), CUDA_SUCCESS);
    free(narrow);
    return b;
}

static void *at(const struct block *b) { return (void *)(uintptr_t)b->device; }

static void expect(const struct block *b, double error, const char *what)
{
    size_t bytes = b->count * (b->wide ? 8 : 4);
    void *found = malloc(bytes);
    assert_non_null(found);
    assert_int_equal(cuMemcpyDtoH_v2(found, b->device, bytes), CUDA_SUCCESS);
    for (size_t i = 0; i < b->count; i++) {
        double x = b->wide ? ((double *)found)[i] : (double)((float *)found)[i];
        if (!(fabs(x - b->host[i]) <= error))
            fail_msg("%s: number %zu is %.17g instead of %.17g", what, i, x, b->host[i]);
    }
    free(found);
}

static void release(struct block *b)
{
    free(b->host);
    assert_int_equal(cuMemFree_v2(b->device), CUDA_SUCCESS);
}

/* ---- transforms on the host -------------------------------------------------------------------------------------- */

struct problem {
    int sizes[FFT_RANK]; /* 1 where there is no dimension */
    int batch;
};

static int elements(const struct problem *p) { return p->sizes[0] * p->sizes[1] * p->sizes[2]; }

static double complex turn(int sign, long long part, int whole)
{
    double angle = sign * 2 * M_PI * (double)part / whole;
    return cos(angle) + I * sin(angle);
}

/* One dimension of all transforms, in place: the sum is the definition. */
static void dimension(double complex *x, int outer, int length, int inner, int sign)
{
    double complex *sum = calloc((size_t)length, sizeof *sum);
    assert_non_null(sum);
    for (int o = 0; o < outer * inner; o++) {
        double complex *line = x + o / inner * length * inner + o % inner;
        for (int k = 0; k < length; k++) {
            sum[k] = 0;
            for (int j = 0; j < length; j++)
                sum[k] += line[j * inner] * turn(sign, (long long)j * k % length, length);
        }
        for (int k = 0; k < length; k++)
            line[k * inner] = sum[k];
    }
    free(sum);
}

static void transform(double complex *x, const struct problem *p, int sign)
{
    int inner = 1;
    for (int d = FFT_RANK - 1; d >= 0; d--) {
        dimension(x, p->batch * elements(p) / inner / p->sizes[d], p->sizes[d], inner, sign);
        inner *= p->sizes[d];
    }
}

static const struct problem problems[] = {{{1, 1, 1}, 2},  {{1, 1, 2}, 3},   {{1, 1, 12}, 2},  {{1, 1, 64}, 1},
                                          {{1, 1, 97}, 2}, {{1, 1, 210}, 1}, {{1, 1, 256}, 2}, {{1, 6, 10}, 2},
                                          {{1, 7, 9}, 1},  {{4, 3, 8}, 1},   {{3, 5, 7}, 2}};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static double allowed(const struct problem *p, bool wide) { return (wide ? 2e-15 : 1e-6) * (elements(p) + 4); }

static cufftHandle plan_for(const struct problem *p, int in, int out)
{
    long long n[FFT_RANK];
    int rank = p->sizes[0] > 1 ? 3 : p->sizes[1] > 1 ? 2 : 1;
    cufftHandle plan;
    for (int d = 0; d < rank; d++)
        n[d] = p->sizes[FFT_RANK - rank + d];
    GOOD(cufftCreate(&plan));
    GOOD(cufftXtMakePlanMany(plan, rank, n, NULL, 1, 0, in, NULL, 1, 0, out, p->batch, NULL, in));
    return plan;
}

static void complex_transforms_agree_with_sums_on_the_host(void **state)
{
    (void)state;
    begin();
    for (size_t i = 0; i < 4 * PROBLEMS; i++) {
        const struct problem *p = &problems[i / 4];
        bool wide = i % 2 != 0;
        int sign = i / 2 % 2 ? FFT_FORWARD : FFT_INVERSE, type = wide ? FFT_C64 : FFT_C32;
        cufftHandle plan = plan_for(p, type, type);
        size_t count = 2 * (size_t)(p->batch * elements(p));
        struct block in = block_of(wide, count, 1), out = block_of(wide, count, 2);
        GOOD(cufftXtExec(plan, at(&in), at(&out), sign));
        expect(&in, 0, "the input");
        memcpy(out.host, in.host, count * sizeof *in.host);
        transform((double complex *)out.host, p, sign);
        expect(&out, allowed(p, wide), "complex");
        GOOD(cufftXtExec(plan, at(&in), at(&in), sign));
        memcpy(in.host, out.host, count * sizeof *in.host);
        expect(&in, allowed(p, wide), "in place");
        GOOD(cufftDestroy(plan));
        release(&in);
        release(&out);
    }
}

/* The spectrum of real numbers: the stored half of each last dimension. */
static double complex *spectrum(const struct problem *p, const struct block *real)
{
    size_t count = (size_t)(p->batch * elements(p));
    double complex *x = calloc(count, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++)
        x[i] = real->host[i];
    transform(x, p, FFT_FORWARD);
    return x;
}

static void real_transforms_agree_and_their_inverses_return(void **state)
{
    (void)state;
    begin();
    for (size_t i = 0; i < 2 * PROBLEMS; i++) {
        const struct problem *p = &problems[i / 2];
        bool wide = i % 2 != 0;
        int real_type = wide ? FFT_F64 : FFT_F32, type = wide ? FFT_C64 : FFT_C32;
        int last = p->sizes[2], half = last / 2 + 1, rows = p->batch * elements(p) / last;
        cufftHandle forth = plan_for(p, real_type, type), back = plan_for(p, type, real_type);
        struct block in = block_of(wide, (size_t)(rows * last), 1), out = block_of(wide, 2 * (size_t)(rows * half), 2);
        double complex *whole = spectrum(p, &in);
        GOOD(cufftXtExec(forth, at(&in), at(&out), FFT_FORWARD));
        for (int k = 0; k < rows * half; k++) {
            out.host[2 * k] = creal(whole[k / half * last + k % half]);
            out.host[2 * k + 1] = cimag(whole[k / half * last + k % half]);
        }
        expect(&out, allowed(p, wide), "real to complex");
        GOOD(cufftXtExec(back, at(&out), at(&in), FFT_INVERSE));
        for (size_t k = 0; k < in.count; k++)
            in.host[k] *= elements(p);
        expect(&in, elements(p) * allowed(p, wide), "complex to real");
        free(whole);
        GOOD(cufftDestroy(forth));
        GOOD(cufftDestroy(back));
        release(&in);
        release(&out);
    }
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

static void a_layout_with_gaps_is_read_and_written_in_its_places(void **state)
{
    (void)state;
    begin();
    enum { N = 6, BATCH = 3, STEP = 2, DISTANCE = 20 };
    long long n[] = {N}, embedded[] = {N};
    struct problem p = {{1, 1, N}, BATCH};
    cufftHandle plan;
    GOOD(cufftCreate(&plan));
    GOOD(cufftXtMakePlanMany(plan, 1, n, embedded, STEP, DISTANCE, FFT_C64, embedded, BATCH, 1, FFT_C64, BATCH, NULL,
                             FFT_C64));
    struct block in = block_of(true, 2 * DISTANCE * BATCH, 1), out = block_of(true, 2 * N * BATCH + 2, 2);
    double complex x[N * BATCH];
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < N; i++)
            x[b * N + i] = ((double complex *)in.host)[b * DISTANCE + i * STEP];
    transform(x, &p, FFT_FORWARD);
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < N; i++)
            ((double complex *)out.host)[i * BATCH + b] = x[b * N + i];
    GOOD(cufftXtExec(plan, at(&in), at(&out), FFT_FORWARD));
    expect(&out, allowed(&p, true), "columns");
    GOOD(cufftDestroy(plan));
    release(&in);
    release(&out);
}

static void a_packed_real_transform_in_place_has_padded_rows(void **state)
{
    (void)state;
    begin();
    enum { N = 5, HALF = N / 2 + 1, BATCH = 2 };
    struct problem p = {{1, 1, N}, BATCH};
    cufftHandle forth, back;
    GOOD(cufftPlan1d(&forth, N, FFT_R2C, BATCH));
    GOOD(cufftPlan1d(&back, N, FFT_C2R, BATCH));
    struct block both = block_of(false, 2 * HALF * BATCH, 1), real = block_of(false, N * BATCH, 1);
    for (int i = 0; i < N * BATCH; i++)
        real.host[i] = both.host[i / N * 2 * HALF + i % N];
    double complex *whole = spectrum(&p, &real);
    GOOD(cufftExecR2C(forth, at(&both), at(&both)));
    for (int k = 0; k < HALF * BATCH; k++)
        ((double complex *)both.host)[k] = whole[k / HALF * N + k % HALF];
    expect(&both, allowed(&p, false), "in place");
    GOOD(cufftExecC2R(back, at(&both), at(&real)));
    for (int i = 0; i < N * BATCH; i++)
        real.host[i] *= N;
    expect(&real, N * allowed(&p, false), "and back");
    free(whole);
    GOOD(cufftDestroy(forth));
    GOOD(cufftDestroy(back));
    release(&both);
    release(&real);
}

static void wrong_plans_and_calls_have_the_documented_results(void **state)
{
    (void)state;
    begin();
    cufftHandle plan;
    size_t bytes = 0, estimated = 0;
    long long n[] = {8};
    struct block data = block_of(false, 32, 1), work = block_of(false, 4096, 2);
    assert_int_equal(cufftPlan1d(&plan, 0, FFT_C2C, 1), CUFFT_INVALID_SIZE);
    assert_int_equal(cufftPlan1d(&plan, 8, FFT_C2C, 0), CUFFT_INVALID_SIZE);
    assert_int_equal(cufftPlan1d(&plan, 8, 0x17, 1), CUFFT_INVALID_TYPE);
    assert_int_equal(cufftPlan3d(&plan, 2048, 2048, 2048, FFT_C2C), CUFFT_NOT_SUPPORTED);
    assert_int_equal(cufftDestroy(0), CUFFT_INVALID_PLAN);
    GOOD(cufftCreate(&plan));
    assert_int_equal(cufftExecC2C(plan, at(&data), at(&data), FFT_FORWARD), CUFFT_INVALID_PLAN);
    assert_int_equal(cufftXtMakePlanMany(plan, 1, n, NULL, 1, 0, FFT_C32, NULL, 1, 0, FFT_C64, 1, NULL, FFT_C32),
                     CUFFT_INVALID_TYPE);
    GOOD(cufftSetAutoAllocation(plan, 0));
    GOOD(cufftMakePlan1d(plan, 8, FFT_C2C, 2, &bytes));
    GOOD(cufftEstimate1d(8, FFT_C2C, 2, &estimated));
    assert_int_equal(bytes, estimated);
    GOOD(cufftGetSize(plan, &estimated));
    assert_int_equal(bytes, estimated);
    assert_int_equal(cufftMakePlan1d(plan, 8, FFT_C2C, 2, &bytes), CUFFT_INVALID_PLAN);
    assert_int_equal(cufftExecC2C(plan, at(&data), at(&data), FFT_FORWARD), CUFFT_NO_WORKSPACE);
    assert_true(bytes <= 4096 * sizeof(float));
    GOOD(cufftSetWorkArea(plan, at(&work)));
    GOOD(cufftExecC2C(plan, at(&data), at(&data), FFT_FORWARD));
    assert_int_equal(cufftExecC2C(plan, at(&data), at(&data), 0), CUFFT_INVALID_VALUE);
    assert_int_equal(cufftExecC2C(plan, NULL, at(&data), FFT_FORWARD), CUFFT_INVALID_VALUE);
    assert_int_equal(cufftExecR2C(plan, at(&data), at(&data)), CUFFT_INVALID_PLAN);
    GOOD(cufftDestroy(plan));
    release(&data);
    release(&work);
}

UNIT_TESTS(UNIT(complex_transforms_agree_with_sums_on_the_host), UNIT(real_transforms_agree_and_their_inverses_return),
           UNIT(a_layout_with_gaps_is_read_and_written_in_its_places),
           UNIT(a_packed_real_transform_in_place_has_padded_rows),
           UNIT(wrong_plans_and_calls_have_the_documented_results))
