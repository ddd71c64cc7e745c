/* The math library's functions, compiled for a GPU and run on the whole machine, against the host's: division, square
 * root and reciprocal to the last bit in every rounding mode, the others within the error that the CUDA C++ Programming
 * Guide documents for them (float: in ulp; the host's double counts as exact). */
#include <fenv.h>
#include <math.h>

#include "base/file.h"
#include "exec/launch.h"
#include "exec/module.h"
#include "exec/run.h"
#include "exec/sizes.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { COUNT = 1024, RESULTS = 17 };

struct setting {
    struct memory *memory;
    struct exec_module module;
    struct file_bytes file;
    uint64_t address[2]; /* results, operands */
    void *out, *in;
};

static void load(struct setting *s, const char *name)
{
    struct status status = {0};
    char path[4096];
    assert_true(file_read(unit_path(path, name), 1 << 20, &s->file, &status));
    s->memory = memory_create(1 << 24, &status);
    assert_non_null(s->memory);
    if (!exec_module_load(&s->module, s->memory, (struct cubin_bytes){s->file.data, s->file.size}, name, &status))
        fail_msg("%s", status.text);
    s->address[0] = memory_alloc(s->memory, 8 * COUNT * RESULTS);
    s->address[1] = memory_alloc(s->memory, 8 * COUNT * 2);
    s->out = memory_at(s->memory, s->address[0]);
    s->in = memory_at(s->memory, s->address[1]);
}

static void unload(struct setting *s)
{
    exec_module_unload(&s->module);
    memory_destroy(s->memory);
    file_free(&s->file);
}

static void run(struct setting *s, const char *kernel)
{
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    bool ok = launch_begin(&launch, &s->module, kernel, (struct exec_dim){COUNT / 128, 1, 1},
                           (struct exec_dim){128, 1, 1}, 0, s->address, sizeof s->address, 8, 256, &status);
    if (ok) {
        ok = exec_run(&launch, NULL, NULL, NULL, &totals, &status);
        exec_launch_end(&launch);
    }
    if (!ok)
        fail_msg("%s: %s", kernel, status.text);
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static const double specials[] = {0.0, -0.0,     1.0,      -1.0,           3.0,       INFINITY,  -INFINITY,
                                  NAN, 0x1p-149, 0x1p-126, 0x1.fffffep127, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
                                  2.0, 0.1};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Every pair of special values, then random bits. */
static void fill_floats(float *in)
{
    uint64_t state = 77;
    for (unsigned k = 0; k < 2 * COUNT; ++k) {
        uint32_t bits = (uint32_t)(next(&state) >> 32);
        memcpy(&in[k], &bits, sizeof bits);
    }
    for (unsigned k = 0; k < SPECIALS * SPECIALS; ++k) {
        in[2 * k] = (float)specials[k / SPECIALS];
        in[2 * k + 1] = (float)specials[k % SPECIALS];
    }
}

static void fill_doubles(double *in)
{
    uint64_t state = 78;
    for (unsigned k = 0; k < 2 * COUNT; ++k) {
        uint64_t bits = next(&state);
        memcpy(&in[k], &bits, sizeof bits);
    }
    for (unsigned k = 0; k < SPECIALS * SPECIALS; ++k) {
        in[2 * k] = specials[k / SPECIALS];
        in[2 * k + 1] = specials[k % SPECIALS];
    }
}

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
static const char *const names[] = {"rn", "rd", "ru", "rz"};

static void expect_float(const char *what, unsigned k, float x, float y, float have, float want)
{
    if (isnan(want) ? isnan(have) : memcmp(&have, &want, sizeof have) == 0)
        return;
    fail_msg("%s %u of %a, %a is %a, not %a", what, k, (double)x, (double)y, (double)have, (double)want);
}

static void expect_double(const char *what, unsigned k, double x, double y, double have, double want)
{
    if (isnan(want) ? isnan(have) : memcmp(&have, &want, sizeof have) == 0)
        return;
    fail_msg("%s %u of %a, %a is %a, not %a", what, k, x, y, have, want);
}

enum quotient { QUOTIENT, ROOT, RECIPROCAL };

static __attribute__((noinline)) float float_in(int mode, enum quotient what, volatile float x, volatile float y)
{
    fesetround(mode);
    volatile float r = what == QUOTIENT ? x / y : what == ROOT ? sqrtf(x) : 1.0f / x;
    fesetround(FE_TONEAREST);
    return r;
}

static __attribute__((noinline)) double double_in(int mode, enum quotient what, volatile double x, volatile double y)
{
    fesetround(mode);
    volatile double r = what == QUOTIENT ? x / y : what == ROOT ? sqrt(x) : 1.0 / x;
    fesetround(FE_TONEAREST);
    return r;
}

static void check_floats(struct setting *s)
{
    const float *in = s->in, *out = s->out;
    fill_floats(s->in);
    run(s, "divide_float");
    for (unsigned i = 0; i < 4 * COUNT; ++i) {
        float x = in[2 * (i % COUNT)], y = in[2 * (i % COUNT) + 1];
        expect_float(names[i / COUNT], 0, x, y, out[i], float_in(modes[i / COUNT], QUOTIENT, x, y));
    }
    run(s, "root_float");
    for (unsigned i = 0; i < 6 * COUNT; ++i) {
        float x = in[2 * (i % COUNT)];
        unsigned k = i / COUNT;
        float want = k < 4 ? float_in(modes[k], ROOT, x, 0) : float_in(modes[3 * (k - 4)], RECIPROCAL, x, 0);
        expect_float("root or reciprocal", k, x, 0, out[i], want);
    }
}

static void check_doubles(struct setting *s)
{
    const double *in = s->in, *out = s->out;
    fill_doubles(s->in);
    run(s, "divide_double");
    for (unsigned i = 0; i < 4 * COUNT; ++i) {
        double x = in[2 * (i % COUNT)], y = in[2 * (i % COUNT) + 1];
        expect_double(names[i / COUNT], 0, x, y, out[i], double_in(modes[i / COUNT], QUOTIENT, x, y));
    }
    run(s, "root_double");
    for (unsigned i = 0; i < 6 * COUNT; ++i) {
        double x = in[2 * (i % COUNT)];
        unsigned k = i / COUNT;
        double want = k < 4 ? double_in(modes[k], ROOT, x, 0) : double_in(modes[3 * (k - 4)], RECIPROCAL, x, 0);
        expect_double("root or reciprocal", k, x, 0, out[i], want);
    }
}

static void quotients_and_roots_are_those_of_ieee_754_in_every_rounding_mode(void **state)
{
    (void)state;
    struct setting s;
    load(&s, "tests/exec/cubin/division.sm_90.cubin");
    check_floats(&s);
    check_doubles(&s);
    unload(&s);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

struct function {
    const char *name;
    double (*exact)(double);
    double ulp;
};

static double reciprocal_root(double x) { return 1 / sqrt(x); }

static const struct function of_floats[] = {{"expf", exp, 2},   {"exp2f", exp2, 2}, {"logf", log, 1},
                                            {"log2f", log2, 1}, {"erff", erf, 2},   {"tanhf", tanh, 2},
                                            {"cbrtf", cbrt, 1}, {"atanf", atan, 2}, {"rsqrtf", reciprocal_root, 2}};

static double exact_exp(double x) { return (double)expl((long double)x); }
static double exact_log(double x) { return (double)logl((long double)x); }
static double exact_cbrt(double x) { return (double)cbrtl((long double)x); }
static double exact_atan(double x) { return (double)atanl((long double)x); }

static const struct function of_doubles[] = {
    {"exp", exact_exp, 1}, {"log", exact_log, 1}, {"cbrt", exact_cbrt, 1}, {"atan", exact_atan, 2}};

/* Distance in units of the exact value's last place, that of subnormal numbers at least. */
static double float_error(float have, double want)
{
    float nearest = (float)want;
    if (isnan(nearest) || isinf(nearest) || isinf(have))
        return isnan(nearest) == isnan(have) && (isnan(nearest) || have == nearest) ? 0 : INFINITY;
    int e;
    frexp(want, &e);
    return fabs((double)have - want) / ldexp(1.0, e < -125 ? -149 : e - 24);
}

static double double_error(double have, double want)
{
    if (isnan(want) || isinf(want))
        return isnan(want) == isnan(have) && (isnan(want) || have == want) ? 0 : INFINITY;
    int e;
    frexp(want, &e);
    return fabs(have - want) / ldexp(1.0, e < -1021 ? -1074 : e - 53);
}

/* Signaling NaN too lose against numbers. */
static double least(double x, double y) { return isnan(x) ? y : isnan(y) ? x : fmin(x, y); }
static double most(double x, double y) { return isnan(x) ? y : isnan(y) ? x : fmax(x, y); }

static void check_float_functions(struct setting *s)
{
    const float *in = s->in, *out = s->out;
    enum { FUNCTIONS = sizeof of_floats / sizeof *of_floats };
    fill_floats(s->in);
    for (unsigned k = COUNT; k < 2 * COUNT; ++k) /* the range where results are neither zero nor infinite */
        ((float *)s->in)[k] = ((float)k - 1500.3f) / 7.0f;
    run(s, "functions_float");
    for (unsigned i = 0; i < FUNCTIONS * COUNT; ++i) {
        const struct function *f = &of_floats[i / COUNT];
        float x = in[2 * (i % COUNT)];
        if (float_error(out[i], f->exact((double)x)) > f->ulp + 0.5)
            fail_msg("%s(%a) is %a", f->name, (double)x, (double)out[i]);
    }
    for (unsigned t = 0; t < COUNT; ++t) {
        float x = in[2 * t], y = in[2 * t + 1];
        expect_float("fminf", 0, x, y, out[FUNCTIONS * COUNT + t] + 0.0f, (float)least((double)x, (double)y) + 0.0f);
        expect_float("fmaxf", 0, x, y, out[(FUNCTIONS + 1) * COUNT + t] + 0.0f,
                     (float)most((double)x, (double)y) + 0.0f);
        expect_float("floorf", 0, x, y, out[(FUNCTIONS + 2) * COUNT + t], floorf(x));
        expect_float("rintf", 0, x, y, out[(FUNCTIONS + 3) * COUNT + t], rintf(x));
    }
}

static void check_double_functions(struct setting *s)
{
    const double *in = s->in, *out = s->out;
    enum { FUNCTIONS = sizeof of_doubles / sizeof *of_doubles };
    fill_doubles(s->in);
    for (unsigned k = COUNT; k < 2 * COUNT; ++k)
        ((double *)s->in)[k] = ((double)k - 1500.3) / 1.1;
    run(s, "functions_double");
    for (unsigned i = 0; i < FUNCTIONS * COUNT; ++i) {
        const struct function *f = &of_doubles[i / COUNT];
        double x = in[2 * (i % COUNT)];
        if (double_error(out[i], f->exact(x)) > f->ulp + 0.5)
            fail_msg("%s(%a) is %a", f->name, x, out[i]);
    }
    for (unsigned t = 0; t < COUNT; ++t) {
        double x = in[2 * t], y = in[2 * t + 1];
        expect_double("fmin", 0, x, y, out[FUNCTIONS * COUNT + t] + 0.0, least(x, y) + 0.0);
        expect_double("fmax", 0, x, y, out[(FUNCTIONS + 1) * COUNT + t] + 0.0, most(x, y) + 0.0);
        expect_double("floor", 0, x, y, out[(FUNCTIONS + 2) * COUNT + t], floor(x));
        expect_double("rint", 0, x, y, out[(FUNCTIONS + 3) * COUNT + t], rint(x));
    }
}

static void functions_keep_their_documented_error(void **state)
{
    (void)state;
    static const struct {
        const char *cubin;
        bool doubles;
    } machines[] = {
        {"tests/exec/cubin/functions.sm_60.cubin", true},   {"tests/exec/cubin/functions.sm_70.cubin", true},
        {"tests/exec/cubin/functions.sm_75.cubin", true},   {"tests/exec/cubin/functions.sm_90.cubin", true},
        {"tests/exec/cubin/functions.sm_100.cubin", false}, {"tests/exec/cubin/functions.sm_120.cubin", false}};
    for (unsigned k = 0; k < sizeof machines / sizeof *machines; ++k) {
        struct setting s;
        load(&s, machines[k].cubin);
        check_float_functions(&s);
        if (machines[k].doubles)
            check_double_functions(&s);
        unload(&s);
    }
}

UNIT_TESTS(UNIT(quotients_and_roots_are_those_of_ieee_754_in_every_rounding_mode),
           UNIT(functions_keep_their_documented_error))
