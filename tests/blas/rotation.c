/* Plane rotations: vectors that are turned, and the numbers that a rotation is made of, against doubles. */
#include "tests/blas/structured_rig.h"

#define ROT(name) cublasStatus_t name(cublasHandle_t, int, void *, int, void *, int, const void *, const void *);
#define ROTM(name) cublasStatus_t name(cublasHandle_t, int, void *, int, void *, int, const void *);
#define ROTG(name) cublasStatus_t name(cublasHandle_t, void *, void *, void *, void *);
#define ROTMG(name) cublasStatus_t name(cublasHandle_t, void *, void *, void *, const void *, void *);
ROT(cublasSrot_v2)
ROT(cublasDrot_v2)
ROT(cublasCrot_v2)
ROT(cublasCsrot_v2)
ROT(cublasZrot_v2)
ROT(cublasZdrot_v2)
ROTM(cublasSrotm_v2)
ROTM(cublasDrotm_v2)
ROTG(cublasSrotg_v2)
ROTG(cublasDrotg_v2)
ROTG(cublasCrotg_v2)
ROTG(cublasZrotg_v2)
ROTMG(cublasSrotmg_v2)
ROTMG(cublasDrotmg_v2)

static const char *const gpu = "a100";

static const struct shape {
    int n, incx, incy;
} shapes[] = {{1, 1, 1}, {300, 1, 1}, {33, 2, -1}, {50, -3, 2}, {9, -1, -2}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static size_t place(int i, int n, int increment)
{
    return (size_t)(increment > 0 ? i * increment : (n - 1 - i) * -increment);
}

/* Compares x and y with h11 x + h12 y and h21 x + h22 y, and the numbers between them with those that were there. */
static void compare(const struct shape *s, struct rig_matrix *x, struct rig_matrix *y, const double complex h[4])
{
    void *found[2] = {rig_result(x), rig_result(y)};
    for (int i = 0; i < s->n; i++) {
        size_t at[2] = {place(i, s->n, s->incx), place(i, s->n, s->incy)};
        double complex a = read_complex(x->host, x->type, at[0]), b = read_complex(y->host, y->type, at[1]);
        double complex right[2] = {h[0] * a + h[1] * b, h[2] * a + h[3] * b};
        struct rig_matrix *m[2] = {x, y};
        for (int k = 0; k < 2; k++) {
            double complex got = read_complex(found[k], x->type, at[k]);
            expect_near(got, right[k], 24 * rig_precision(x->type), k == 0 ? "x" : "y");
            rig_write(m[k]->host, x->type, at[k], (double[]){creal(got), cimag(got)});
        }
    }
    assert_memory_equal(found[0], x->host, x->count * product_size(x->type));
    assert_memory_equal(found[1], y->host, y->count * product_size(y->type));
    free(found[0]), free(found[1]);
}

static void rotations_of_vectors_agree(void **state)
{
    (void)state;
    static const struct {
        unsigned type;
        bool real_s;
        cublasStatus_t (*rot)(cublasHandle_t, int, void *, int, void *, int, const void *, const void *);
    } forms[] = {{GEMM_F32, false, cublasSrot_v2}, {GEMM_F64, false, cublasDrot_v2}, {GEMM_C32, false, cublasCrot_v2},
                 {GEMM_C32, true, cublasCsrot_v2}, {GEMM_C64, false, cublasZrot_v2}, {GEMM_C64, true, cublasZdrot_v2}};
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < 6; f++)
        for (size_t s = 0; s < SHAPES; s++) {
            unsigned type = forms[f].type;
            struct rig_matrix x = rig_matrix(type, (size_t)(shapes[s].n * abs(shapes[s].incx)), 1);
            struct rig_matrix y = rig_matrix(type, (size_t)(shapes[s].n * abs(shapes[s].incy)), 2);
            struct given c = given(0.75, type, true), sine = given(-0.5, type, forms[f].real_s);
            GOOD(forms[f].rot(handle, shapes[s].n, rig_at(&x, 0), shapes[s].incx, rig_at(&y, 0), shapes[s].incy,
                              c.bytes, sine.bytes));
            compare(&shapes[s], &x, &y, (double complex[]){c.value, sine.value, -conj(sine.value), c.value});
            rig_free(&x), rig_free(&y);
        }
}

static void modified_rotations_have_four_forms(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    static const double h[4][5] = {
        {-1, 0.5, -0.25, 2, 1.5}, {0, 9, -0.25, 2, 9}, {1, 0.5, 9, 9, 1.5}, {-2, 9, 9, 9, 9}};
    static const double complex meant[4][4] = {{0.5, 2, -0.25, 1.5}, {1, 2, -0.25, 1}, {0.5, 1, -1, 1.5}, {1, 0, 0, 1}};
    for (int wide = 0; wide < 2; wide++)
        for (size_t form = 0; form < 4; form++)
            for (size_t s = 0; s < SHAPES; s++) {
                unsigned type = wide ? GEMM_F64 : GEMM_F32;
                _Alignas(8) char parameters[40];
                struct rig_matrix x = rig_matrix(type, (size_t)(shapes[s].n * abs(shapes[s].incx)), 1);
                struct rig_matrix y = rig_matrix(type, (size_t)(shapes[s].n * abs(shapes[s].incy)), 2);
                for (size_t i = 0; i < 5; i++)
                    rig_write(parameters, type, i, (double[]){h[form][i], 0});
                GOOD((wide ? cublasDrotm_v2 : cublasSrotm_v2)(handle, shapes[s].n, rig_at(&x, 0), shapes[s].incx,
                                                              rig_at(&y, 0), shapes[s].incy, parameters));
                compare(&shapes[s], &x, &y, meant[form]);
                rig_free(&x), rig_free(&y);
            }
}

/* A rotation takes b away: c a + s b = r, c b - conj(s) a = 0. Its numbers lie in host or device memory. */
static void try_rotg(unsigned type, double complex a, double complex b, bool on_device)
{
    cublasHandle_t handle = rig_handle(gpu);
    unsigned real = structured_real(type);
    struct rig_matrix m[4] = {rig_matrix(type, 1, 1), rig_matrix(type, 1, 2), rig_matrix(real, 1, 3),
                              rig_matrix(type, 1, 4)};
    double complex given[4] = {a, b, 0, 0};
    for (int i = 0; i < 4; i++) {
        rig_write(m[i].host, m[i].type, 0, (double[]){creal(given[i]), cimag(given[i])});
        assert_int_equal(cuMemcpyHtoD_v2(m[i].device, m[i].host, product_size(m[i].type)), CUDA_SUCCESS);
    }
    GOOD(cublasSetPointerMode_v2(handle, on_device ? BLAS_DEVICE : BLAS_HOST));
    void *at[4];
    for (int i = 0; i < 4; i++)
        at[i] = on_device ? rig_at(&m[i], 0) : m[i].host;
    GOOD((type == GEMM_F32   ? cublasSrotg_v2
          : type == GEMM_F64 ? cublasDrotg_v2
          : type == GEMM_C32 ? cublasCrotg_v2
                             : cublasZrotg_v2)(handle, at[0], at[1], at[2], at[3]));
    GOOD(cublasSetPointerMode_v2(handle, BLAS_HOST));
    double complex found[4];
    for (int i = 0; i < 4; i++) {
        void *host = on_device ? rig_result(&m[i]) : NULL;
        found[i] = read_complex(on_device ? host : m[i].host, m[i].type, 0);
        free(host);
    }
    double complex r = found[0], c = found[2], s = found[3];
    double size = cabs(a) + cabs(b), allowed = 8 * rig_precision(type);
    expect_near(c * c + s * conj(s), 1, allowed, "length");
    expect_near(c * a + s * b, r, allowed * size, "r");
    expect_near(c * b - conj(s) * a, 0, allowed * size, "zero");
    if (!is_complex(type)) { /* z tells of both: s, or 1 / c, or 1 */
        double complex z = size == 0 || cabs(a) > cabs(b) ? s : c != 0 ? 1 / c : 1;
        expect_near(found[1], z, allowed * cabs(z), "z");
        assert_true(size == 0 || creal(r) * creal(cabs(a) > cabs(b) ? a : b) > 0);
    }
    for (int i = 0; i < 4; i++)
        rig_free(&m[i]);
}

static void rotations_are_made_from_two_numbers(void **state)
{
    (void)state;
    static const unsigned types[] = {GEMM_F32, GEMM_F64, GEMM_C32, GEMM_C64};
    static const double numbers[][2] = {{3, 4}, {-4, 3},  {3, -4},      {0, 2},
                                        {2, 0}, {-5, -5}, {1e25, 2e25}, {1e-25, 3e-26}};
    rig_handle(gpu);
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            for (int on_device = 0; on_device < 2; on_device++) {
                double complex turn = is_complex(types[t]) ? 1 + 0.5 * I : 1;
                try_rotg(types[t], numbers[i][0] * turn, numbers[i][1] * conj(turn), on_device);
            }
    try_rotg(GEMM_F64, 0, 0, false);
}

/* H takes y1 away, and keeps d1 x1^2 + d2 y1^2. */
static void try_rotmg(unsigned type, double d1, double d2, double x1, double y1)
{
    _Alignas(8) char n[4][8], parameters[40];
    double given[4] = {d1, d2, x1, y1}, h[5], after[3], x[2];
    for (int i = 0; i < 4; i++)
        rig_write(n[i], type, 0, (double[]){given[i], 0});
    for (size_t i = 0; i < 5; i++)
        rig_write(parameters, type, i, (double[]){77, 0});
    GOOD((type == GEMM_F32 ? cublasSrotmg_v2 : cublasDrotmg_v2)(rig_handle(gpu), n[0], n[1], n[2], n[3], parameters));
    for (size_t i = 0; i < 5; i++) {
        rig_read(parameters, type, i, x);
        h[i] = x[0];
    }
    for (int i = 0; i < 3; i++) {
        rig_read(n[i], type, 0, x);
        after[i] = x[0];
    }
    double flag = h[0], allowed = 64 * rig_precision(type), weight = d1 * x1 * x1 + d2 * y1 * y1;
    assert_true(flag == -2 || flag == -1 || flag == 0 || flag == 1);
    double h11 = flag == 0 || flag == -2 ? 1 : h[1], h22 = flag == 0 || flag == -2 ? 1 : h[4];
    double h21 = flag == 1 ? -1 : flag == -2 ? 0 : h[2], h12 = flag == 1 ? 1 : flag == -2 ? 0 : h[3];
    assert_true(flag != -2 || d2 * y1 == 0);
    expect_near(h11 * x1 + h12 * y1, after[2], allowed * (fabs(h11 * x1) + fabs(h12 * y1)), "x1");
    if (flag != -2)
        expect_near(h21 * x1 + h22 * y1, 0, allowed * (fabs(h21 * x1) + fabs(h22 * y1)), "y1");
    expect_near(after[0] * after[2] * after[2], weight, allowed * fabs(weight), "weight");
    assert_true(flag == -2 || (after[0] > 0x1p-24 && after[0] < 0x1p24));
}

static void modified_rotations_are_made_from_four_numbers(void **state)
{
    (void)state;
    rig_handle(gpu);
    for (int wide = 0; wide < 2; wide++) {
        unsigned type = wide ? GEMM_F64 : GEMM_F32;
        try_rotmg(type, 1, 1, 3, 2);
        try_rotmg(type, 1, 1, 2, 3);
        try_rotmg(type, 2, 0.5, -1, 4);
        try_rotmg(type, 1e10, 3, 2, 1);
        try_rotmg(type, 3, 1e-12, 2, 1);
        try_rotmg(type, 1e-9, 1e-9, 1, 5);
        try_rotmg(type, 1, 0, 1, 1);
        try_rotmg(type, 1, 2, 3, 0);
    }
    float d1 = -1, d2 = 1, x1 = 2, y1 = 3, h[5] = {9, 9, 9, 9, 9}; /* nothing has a negative weight */
    GOOD(cublasSrotmg_v2(rig_handle(gpu), &d1, &d2, &x1, &y1, h));
    assert_true(h[0] == -1 && h[1] == 0 && h[2] == 0 && h[3] == 0 && h[4] == 0 && d1 == 0 && d2 == 0 && x1 == 0);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix m = rig_matrix(GEMM_F32, 8, 1);
    void *p = rig_at(&m, 0);
    float one = 1;
    assert_int_equal(cublasSrot_v2(NULL, 4, p, 1, p, 1, &one, &one), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasSrot_v2(handle, 4, NULL, 1, p, 1, &one, &one), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSrot_v2(handle, 4, p, 1, p, 1, NULL, &one), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSrot_v2(handle, 4, p, 1, p, 1, &one, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSrotm_v2(handle, 4, p, 1, p, 1, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSrotg_v2(handle, &one, NULL, &one, &one), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSrotg_v2(NULL, &one, &one, &one, &one), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasSrotmg_v2(handle, &one, &one, &one, &one, NULL), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasSrot_v2(handle, 0, NULL, 1, NULL, 1, &one, &one));
    rig_free(&m);
}

UNIT_TESTS(UNIT(rotations_of_vectors_agree), UNIT(modified_rotations_have_four_forms),
           UNIT(rotations_are_made_from_two_numbers), UNIT(modified_rotations_are_made_from_four_numbers),
           UNIT(wrong_arguments_have_the_documented_status))
