/* Reductions by the engine against plain C, element by element. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor_rig.h"

enum kind { U32, S32, U64, S64, F16, BF16, F32, F32_FLUSHED, F64 };

static unsigned bytes_of(enum kind kind)
{
    return kind == F16 || kind == BF16 ? 2 : kind >= U64 && kind <= S64 ? 8 : kind == F64 ? 8 : 4;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static double value_of(enum kind kind, uint64_t bits)
{
    if (kind == F64) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    if (kind == F16) {
        int exponent = bits >> 10 & 31;
        double m = (double)(bits & 1023), v = exponent == 0 ? ldexp(m, -24) : ldexp(1024 + m, exponent - 25);
        if (exponent == 31)
            v = m != 0 ? (double)NAN : (double)INFINITY;
        return bits >> 15 ? -v : v;
    }
    uint32_t word = kind == BF16 ? (uint32_t)bits << 16 : (uint32_t)bits;
    float f;
    memcpy(&f, &word, 4);
    return (double)f;
}

/* Rounds to nearest, ties to even. A sum of two halves is exact in a double. */
static uint64_t half_of(double v)
{
    uint64_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    if (isnan(v))
        return 0x7fff;
    int e;
    frexp(a, &e);
    int scale = e - 11 < -24 ? -24 : e - 11;
    double m = nearbyint(ldexp(a, -scale));
    a = ldexp(m, scale);
    if (a >= 65520)
        return sign | 0x7c00;
    if (a < ldexp(1, -14))
        return sign | (uint64_t)ldexp(a, 24);
    frexp(a, &e);
    return sign | (uint64_t)(e + 14) << 10 | ((uint64_t)ldexp(a, 11 - e) & 1023);
}

static uint64_t brain_of(float f)
{
    uint32_t word;
    memcpy(&word, &f, 4);
    if (isnan(f))
        return 0x7fff;
    return (word + 0x7fff + (word >> 16 & 1)) >> 16;
}

static uint64_t add(enum kind kind, uint64_t a, uint64_t b)
{
    double x = value_of(kind, a), y = value_of(kind, b);
    float f;
    uint32_t word;
    switch (kind) {
    case F16: return half_of(x + y);
    case BF16: return brain_of((float)x + (float)y);
    case F64:
        x += y;
        memcpy(&a, &x, 8);
        return isnan(x) ? UINT64_C(0x7fffffffffffffff) : a;
    case F32_FLUSHED:
        x = fabs(x) < ldexp(1, -126) ? copysign(0, x) : x;
        y = fabs(y) < ldexp(1, -126) ? copysign(0, y) : y;
        /* fall through */
    case F32:
        f = (float)x + (float)y;
        if (kind == F32_FLUSHED && fabsf(f) < ldexpf(1, -126))
            f = copysignf(0, f);
        memcpy(&word, &f, 4);
        return isnan(f) ? 0x7fffffff : word;
    default: return a + b;
    }
}

static bool is_less(enum kind kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case U32: return (uint32_t)a < (uint32_t)b;
    case S32: return (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
    case U64: return a < b;
    case S64: return (int64_t)a < (int64_t)b;
    default: break;
    }
    double x = value_of(kind, a), y = value_of(kind, b);
    return x < y || (x == y && signbit(x) && !signbit(y));
}

static uint64_t reduced(enum kind kind, const char *function, uint64_t old, uint64_t by)
{
    bool is_float = kind >= F16;
    if (strcmp(function, "add") == 0)
        return add(kind, old, by);
    if (strcmp(function, "inc") == 0)
        return old >= by ? 0 : old + 1;
    if (strcmp(function, "dec") == 0)
        return old == 0 || old > by ? by : old - 1;
    if (strcmp(function, "and") == 0)
        return old & by;
    if (strcmp(function, "or") == 0)
        return old | by;
    if (strcmp(function, "xor") == 0)
        return old ^ by;
    bool a_nan = is_float && isnan(value_of(kind, old)), b_nan = is_float && isnan(value_of(kind, by));
    if (a_nan || b_nan)
        return !a_nan ? old : !b_nan ? by : 0x7fff;
    bool least = strcmp(function, "min") == 0;
    return is_less(kind, old, by) == least || (!is_less(kind, by, old) && !is_less(kind, old, by)) ? old : by;
}

static void reduce_bytes(enum kind kind, const char *function, uint8_t *to, const uint8_t *by)
{
    uint64_t a = 0, b = 0;
    memcpy(&a, to, bytes_of(kind));
    memcpy(&b, by, bytes_of(kind));
    a = reduced(kind, function, a, b);
    memcpy(to, &a, bytes_of(kind));
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Random bits, with the numbers among them at which arithmetic turns. */
static void fill(struct tensor_rig *r, uint8_t *bytes, uint32_t size, enum kind kind)
{
    static const uint64_t edges[][6] = {
        [F16] = {0, 0x8000, 0x6800, 0x3c00, 0x0001, 0x7bff},
        [BF16] = {0, 0x8000, 0x4380, 0x3f80, 0x0001, 0x7f7f},
        [F32] = {0, 0x80000000, 0x3f800000, 0x00000001, 0x00800000, 0x80800001},
        [F32_FLUSHED] = {0, 0x80000000, 0x3f800000, 0x00000001, 0x00800000, 0x80800001},
        [F64] = {0, UINT64_C(1) << 63, 1, UINT64_C(0x3ff0000000000000), UINT64_C(0x7fefffffffffffff), 5},
    };
    for (uint32_t i = 0; i < size; i += bytes_of(kind)) {
        uint64_t v = (uint64_t)tensor_draw(r, UINT32_MAX) << 32 | tensor_draw(r, UINT32_MAX);
        if (kind >= F16 && tensor_draw(r, 2))
            v = edges[kind][tensor_draw(r, 6)];
        else if (tensor_draw(r, 4) == 0)
            v = tensor_draw(r, 4);
        memcpy(bytes + i, &v, bytes_of(kind));
    }
}

static void expect(const struct tensor_rig *r, const char *kernel)
{
    for (uint32_t i = 0; i < TENSOR_BYTES; i++)
        if (r->host[i] != r->before[i])
            fail_msg("%s: byte 0x%x is %02x, not %02x", kernel, i, r->host[i], r->before[i]);
}

static void bytes_are_reduced_by_every_function_of_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *function, *type;
        enum kind kind;
    } all[] = {{"add", "u32", U32},   {"add", "s32", S32},         {"add", "u64", U64},   {"inc", "u32", U32},
               {"dec", "u32", U32},   {"min", "u32", U32},         {"max", "u32", U32},   {"min", "s32", S32},
               {"max", "s32", S32},   {"min", "u64", U64},         {"max", "u64", U64},   {"min", "s64", S64},
               {"max", "s64", S64},   {"and", "b32", U32},         {"or", "b32", U32},    {"xor", "b32", U32},
               {"and", "b64", U64},   {"or", "b64", U64},          {"xor", "b64", U64},   {"add", "f16", F16},
               {"min", "f16", F16},   {"max", "f16", F16},         {"add", "bf16", BF16}, {"min", "bf16", BF16},
               {"max", "bf16", BF16}, {"add", "f32", F32_FLUSHED}, {"add", "f64", F64}};
    static struct tensor_rig r;
    tensor_rig_begin(&r, 11);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        char kernel[32];
        snprintf(kernel, sizeof kernel, "bulk_%s_%s", all[i].function, all[i].type);
        fill(&r, r.host, TENSOR_BYTES, all[i].kind);
        fill(&r, r.in, TILE_BYTES, all[i].kind);
        memcpy(r.before, r.host, TENSOR_BYTES);
        r.task.bytes = 16 * (1 + tensor_draw(&r, 200));
        r.task.room = 8192;
        r.task.shared = 16 * tensor_draw(&r, 100);
        r.task.global = r.tensor + 16 * tensor_draw(&r, 1000);
        for (uint32_t at = 0; at < r.task.bytes; at += bytes_of(all[i].kind))
            reduce_bytes(all[i].kind, all[i].function, r.before + (r.task.global - r.tensor) + at,
                         r.in + r.task.shared + at);
        if (!tensor_launch(&r, kernel, false))
            fail_msg("%s: %s", kernel, r.status.text);
        expect(&r, kernel);
    }
    tensor_rig_end(&r);
}

static void shared_memory_is_reduced_too(void **state)
{
    (void)state;
    static const struct {
        const char *function, *type;
        enum kind kind;
    } all[] = {{"add", "u32", U32}, {"add", "u64", U64}, {"min", "s32", S32}, {"max", "s32", S32},
               {"inc", "u32", U32}, {"dec", "u32", U32}, {"xor", "b32", U32}};
    static struct tensor_rig r;
    tensor_rig_begin(&r, 12);
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        char kernel[32];
        snprintf(kernel, sizeof kernel, "shared_%s_%s", all[i].function, all[i].type);
        fill(&r, r.in, TILE_BYTES, all[i].kind);
        r.task.room = 8192;
        r.task.shared = 16 * tensor_draw(&r, 50);
        r.task.bytes = 16 * (1 + tensor_draw(&r, 150));
        memcpy(r.tile, r.in, TILE_BYTES);
        for (uint32_t at = 0; at < r.task.bytes; at += bytes_of(all[i].kind))
            reduce_bytes(all[i].kind, all[i].function, r.tile + 4096 + at, r.in + r.task.shared + at);
        if (!tensor_launch(&r, kernel, false))
            fail_msg("%s: %s", kernel, r.status.text);
        assert_memory_equal(r.out, r.tile, r.task.room);
    }
    tensor_rig_end(&r);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

struct reduction {
    struct tensor_rig *r;
    const char *function;
    enum kind kind;
};

static void reduce_element(void *self, uint64_t address, uint32_t offset)
{
    const struct reduction *d = self;
    struct tensor_rig *r = d->r;
    uint8_t by[8] = {0};
    for (unsigned i = 0; i < bytes_of(d->kind); i++)
        by[i] = r->in[tensor_swizzled((enum swizzle)r->map.swizzle, offset + i)];
    if (address)
        reduce_bytes(d->kind, d->function, r->before + (address - r->tensor), by);
}

static void a_tile_is_reduced_where_the_tensor_has_it(void **state)
{
    (void)state;
    static const enum kind kinds[] = {[TENSOR_U32] = U32,
                                      [TENSOR_S32] = S32,
                                      [TENSOR_U64] = U64,
                                      [TENSOR_S64] = S64,
                                      [TENSOR_F16] = F16,
                                      [TENSOR_F32] = F32,
                                      [TENSOR_F32_FTZ] = F32_FLUSHED,
                                      [TENSOR_F64] = F64,
                                      [TENSOR_BF16] = BF16};
    static const char *const functions[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static struct tensor_rig r;
    unsigned done = 0;
    tensor_rig_begin(&r, 13);
    for (unsigned i = 0; i < 400; i++) {
        char kernel[32];
        unsigned function = tensor_draw(&r, 8);
        tensor_random_tile(&r, function == 0 && i % 2 ? 4 : 2, TENSOR_B4X16);
        if (r.map.type < TENSOR_U32)
            continue;
        enum kind kind = kinds[r.map.type];
        if ((kind >= F32 && function > 0) || (kind >= F16 && function > 2) || (function == 3 && kind != U32) ||
            (function == 4 && kind != U32))
            continue;
        struct reduction d = {&r, functions[function], kind};
        snprintf(kernel, sizeof kernel, "reduce_%u_%s", r.map.rank, functions[function]);
        fill(&r, r.host, TENSOR_BYTES, kind);
        fill(&r, r.in, TILE_BYTES, kind);
        memcpy(r.before, r.host, TENSOR_BYTES);
        r.task.shared = 128 * tensor_draw(&r, 10);
        r.task.room = TILE_BYTES;
        r.task.bytes = tensor_model(&r, reduce_element, &d);
        if (!tensor_launch(&r, kernel, true))
            fail_msg("%s: %s", kernel, r.status.text);
        expect(&r, kernel);
        done++;
    }
    assert_true(done > 100);
    tensor_rig_end(&r);
}

UNIT_TESTS(UNIT(bytes_are_reduced_by_every_function_of_every_type), UNIT(shared_memory_is_reduced_too),
           UNIT(a_tile_is_reduced_where_the_tensor_has_it))
