#include "blas/product.h"
#include "blas/kernels/gemm_single.h"
#include "blas/kernels/gemm_stream.h"
#include "blas/product_async.h"

#include <stdio.h>
#include <string.h>

/* ---- which kernel ------------------------------------------------------------------------------------------------ */

enum { ANY = 0xff };

/* Types of op(A), op(B) and of the sum, the first architecture with a kernel, the kernel's name, and its tile sizes,
 * largest first. */
static const struct kernel {
    uint8_t a, b, sum, tensor, from;
    const char *name;
    uint16_t tiles[2];
} kernels[] = {
    {GEMM_F16, GEMM_F16, GEMM_F32, 1, 75, "f16", {128, 64}},
    {GEMM_BF16, GEMM_BF16, GEMM_F32, 1, 80, "bf16", {128, 64}},
    {GEMM_BF16, GEMM_BF16, GEMM_F32, 0, 75, "bf16", {64}},
    {GEMM_F32, GEMM_F32, GEMM_F32, 0, 75, "f32", {128, 64}},
    {GEMM_F64, GEMM_F64, GEMM_F64, 0, 75, "f64", {64}},
    {GEMM_C32, GEMM_C32, GEMM_C32, 0, 75, "c32", {64}},
    {GEMM_C64, GEMM_C64, GEMM_C64, 0, 75, "c64", {64}},
    {GEMM_S8, GEMM_S8, GEMM_S32, 0, 75, "s8", {64}},
    {GEMM_S8, GEMM_S8, GEMM_F32, 0, 75, "s8f32", {64}},
    {GEMM_F16, GEMM_F16, GEMM_F16, 0, 75, "h16", {64}},
    {GEMM_E4M3, GEMM_E4M3, GEMM_F32, 0, 89, "e4m3_e4m3", {64}},
    {GEMM_E4M3, GEMM_E5M2, GEMM_F32, 0, 89, "e4m3_e5m2", {64}},
    {GEMM_E5M2, GEMM_E4M3, GEMM_F32, 0, 89, "e5m2_e4m3", {64}},
};

unsigned product_size(unsigned type)
{
    switch (type) {
    case GEMM_F32:
    case GEMM_S32: return 4;
    case GEMM_F64:
    case GEMM_C32: return 8;
    case GEMM_C64: return 16;
    case GEMM_F16:
    case GEMM_BF16: return 2;
    case GEMM_S8:
    case GEMM_E4M3:
    case GEMM_E5M2: return 1;
    default: return 0;
    }
}

static bool is_fp8(unsigned type) { return type == GEMM_E4M3 || type == GEMM_E5M2; }

static bool is_complex(unsigned type) { return type == GEMM_C32 || type == GEMM_C64; }

static unsigned sum_type(const struct product *p)
{
    switch (p->compute) {
    case BLAS_COMPUTE_16F:
    case BLAS_COMPUTE_16F_PEDANTIC: return GEMM_F16;
    case BLAS_COMPUTE_32F:
    case BLAS_COMPUTE_32F_PEDANTIC:
    case BLAS_COMPUTE_32F_FAST_16F:
    case BLAS_COMPUTE_32F_FAST_16BF:
    case BLAS_COMPUTE_32F_FAST_TF32:
    case BLAS_COMPUTE_32F_EMULATED_16BFX9: return is_complex(p->a.type) ? GEMM_C32 : GEMM_F32;
    case BLAS_COMPUTE_64F:
    case BLAS_COMPUTE_64F_PEDANTIC:
    case BLAS_COMPUTE_64F_EMULATED: return is_complex(p->a.type) ? GEMM_C64 : GEMM_F64;
    case BLAS_COMPUTE_32I:
    case BLAS_COMPUTE_32I_PEDANTIC: return GEMM_S32;
    default: return ANY;
    }
}

/* Returns true if the documentation has these types of C and D with those of A and the sum. */
static bool result_fits(const struct product *p, unsigned sum)
{
    unsigned a = p->a.type, c = p->c.type, d = p->d.type;
    if (sum != GEMM_F32)
        return c == sum && d == sum;
    if (p->wide_result && d == GEMM_F32)
        return is_fp8(a) && (c == GEMM_F16 || c == GEMM_BF16 || c == GEMM_F32);
    if (is_fp8(a)) {
        bool narrow = is_fp8(d) && (c == GEMM_F16 || c == GEMM_BF16 || c == GEMM_F32);
        return narrow || (c == d && (d == GEMM_F16 || d == GEMM_BF16 || d == GEMM_F32));
    }
    if (c != d)
        return false;
    if (p->widened && (d == GEMM_F16 || d == GEMM_BF16))
        return true;
    return d == GEMM_F32 || (d == a && (a == GEMM_F16 || a == GEMM_BF16));
}

/* Returns true if there is code for the epilogue of such a sum. */
static bool steps_fit(const struct product *p, unsigned sum)
{
    unsigned steps = p->steps & ~(unsigned)GEMM_NO_STEP;
    if (sum == GEMM_F64)
        return (steps & ~(unsigned)(GEMM_BIAS | GEMM_RELU)) == 0 && (!(steps & GEMM_BIAS) || p->bias_type == GEMM_F64);
    return steps == 0 || sum == GEMM_F32;
}

static const struct kernel *choose(const struct blas *blas, const struct product *p)
{
    unsigned sum = sum_type(p);
    if (!result_fits(p, sum) || !steps_fit(p, sum))
        return NULL;
    /* The kernel's left operand is B. */
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (kernels[i].a == p->b.type && kernels[i].b == p->a.type && kernels[i].sum == sum &&
            blas->architecture >= kernels[i].from)
            return &kernels[i];
    return NULL;
}

bool product_possible(const struct blas *blas, const struct product *product) { return choose(blas, product) != NULL; }

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static bool operation_is(int operation) { return operation == BLAS_N || operation == BLAS_T || operation == BLAS_C; }

static bool large_enough(long long ld, long long rows) { return ld >= (rows > 1 ? rows : 1); }

static cublasStatus_t check(const struct product *p)
{
    if (!operation_is(p->a.operation) || !operation_is(p->b.operation))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->m < 0 || p->n < 0 || p->k < 0 || p->batch < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!large_enough(p->a.ld, p->a.operation == BLAS_N ? p->m : p->k) ||
        !large_enough(p->b.ld, p->b.operation == BLAS_N ? p->k : p->n) ||
        (!large_enough(p->c.ld, p->m) && !(p->broadcasts && p->c.ld == 0)) || !large_enough(p->d.ld, p->m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->alpha == NULL || p->beta == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->m > UINT32_MAX / 2 || p->n > UINT32_MAX / 2 || p->k > UINT32_MAX / 2)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023, value;
    if (exponent == 31)
        return fraction > 0 ? __builtin_nan("") : bits & 0x8000 ? -__builtin_inf() : __builtin_inf();
    value = exponent == 0 ? __builtin_ldexp(fraction, -24) : __builtin_ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

void product_scalar(double value[2], const void *at, unsigned type)
{
    float single[2] = {0};
    int32_t integer;
    uint32_t bits;
    uint16_t half;
    value[0] = value[1] = 0;
    switch (type) {
    case GEMM_F64: memcpy(value, at, sizeof(double)); break;
    case GEMM_C64: memcpy(value, at, 2 * sizeof(double)); break;
    case GEMM_S32:
        memcpy(&integer, at, sizeof integer);
        value[0] = integer;
        break;
    case GEMM_F16:
        memcpy(&half, at, sizeof half);
        value[0] = half_value(half);
        break;
    case GEMM_BF16:
        memcpy(&half, at, sizeof half);
        bits = (uint32_t)half << 16;
        memcpy(single, &bits, sizeof single[0]);
        value[0] = (double)single[0];
        break;
    default:
        memcpy(single, at, type == GEMM_C32 ? sizeof single : sizeof single[0]);
        value[0] = (double)single[0];
        value[1] = (double)single[1];
    }
}

/* `across` is the operation under which the stored columns run across the sum. */
static struct gemm_operand operand(const struct product_matrix *m, bool along, long long batch)
{
    long long size = product_size(m->type);
    return (struct gemm_operand){
        .data = m->list ? NULL : m->data,
        .list = m->list ? (const void *const *)m->data : NULL,
        .stride = m->stride,
        .pitch = m->ld,
        .along = along,
        .conjugate = m->operation == BLAS_C && is_complex(m->type),
        .aligned = m->ld * size % 16 == 0 &&
                   (m->list || (((uintptr_t)m->data) % 16 == 0 && (batch < 2 || m->stride * size % 16 == 0))),
    };
}

static struct gemm_matrix matrix(const struct product_matrix *m)
{
    return (struct gemm_matrix){
        .data = m->list ? NULL : (void *)(uintptr_t)m->data,
        .list = m->list ? (void *const *)m->data : NULL,
        .stride = m->stride,
        .pitch = m->ld,
    };
}

/* Returns true if sixteen bytes of a matrix can be accessed at once at each multiple of eight elements. */
static bool wide(const struct product_matrix *m, long long batch)
{
    long long size = product_size(m->type);
    return !m->list && (uintptr_t)m->data % 16 == 0 && m->ld * size % 16 == 0 &&
           (batch < 2 || m->stride * size % 16 == 0) &&
           (m->type == GEMM_F32 || m->type == GEMM_F16 || m->type == GEMM_BF16);
}

static bool eights_fit(const struct product *p, const struct gemm_arguments *g)
{
    return wide(&p->d, p->batch) && (!g->reads_addend || wide(&p->c, p->batch)) && p->scale_d == NULL &&
           (p->steps & ~(unsigned)(GEMM_NO_STEP | GEMM_BIAS)) == 0;
}

static struct gemm_arguments arguments_of(const struct product *p, unsigned sum)
{
    unsigned size = product_size(p->d.type);
    struct gemm_arguments g = {
        .left = operand(&p->b, p->b.operation == BLAS_N, p->batch),
        .right = operand(&p->a, p->a.operation != BLAS_N, p->batch),
        .addend = matrix(&p->c),
        .result = matrix(&p->d),
        .aux = {.data = (void *)(uintptr_t)p->aux, .pitch = p->aux_ld, .stride = p->aux_stride},
        .bias = p->bias,
        .bias_stride = p->bias_stride,
        .scale_left = p->scale_b,
        .scale_right = p->scale_a,
        .scale_addend = p->scale_c,
        .scale_result = p->scale_d,
        .rows = (unsigned)p->n,
        .columns = (unsigned)p->m,
        .depth = (unsigned)p->k,
        .type = p->d.type,
        .addend_type = p->c.type,
        .bias_type = p->bias_type,
        .aux_type = p->aux_type,
        .steps = p->steps,
    };
    if (p->device_scalars) {
        g.alpha_at = p->alpha;
        g.beta_at = p->beta;
        g.reads_addend = 1;
    } else {
        product_scalar(g.alpha, p->alpha, sum);
        product_scalar(g.beta, p->beta, sum);
        g.reads_addend = g.beta[0] != 0 || g.beta[1] != 0;
        if (g.alpha[0] == 0 && g.alpha[1] == 0)
            g.depth = 0; /* A and B are not read */
    }
    g.pairs = !p->d.list && p->d.ld % 2 == 0 && (uintptr_t)p->d.data % (2 * size) == 0 &&
              (p->batch < 2 || p->d.stride % 2 == 0) && size >= 2 && !is_fp8(p->d.type);
    g.eights = eights_fit(p, &g);
    return g;
}

/* ---- launch ------------------------------------------------------------------------------------------------------ */

static unsigned tiles(long long size, unsigned tile) { return (unsigned)((size + tile - 1) / tile); }

/* Chooses the large tile if it occupies at least half of the SMs. */
static unsigned tile_of(const struct blas *blas, const struct kernel *kernel, const struct product *p)
{
    unsigned large = kernel->tiles[0];
    if (kernel->tiles[1] == 0)
        return large;
    long long blocks = (long long)tiles(p->m, large) * tiles(p->n, large) * p->batch;
    return p->m > kernel->tiles[1] && p->n > kernel->tiles[1] && 2 * blocks >= blas->processors ? large
                                                                                                : kernel->tiles[1];
}

/* Three stages of both tiles, 32 deep: rows of 16-bit elements that are 8 longer than they need. */
static unsigned stage_bytes(const struct gemm_arguments *g, unsigned tile)
{
    enum { STAGES = 3, DEPTH = 32, PAD = 8, ELEMENT = 2 };
    unsigned along = tile * (DEPTH + PAD), across = DEPTH * (tile + PAD);
    return STAGES * ELEMENT * ((g->left.along ? along : across) + (g->right.along ? along : across));
}

/* A kernel's name, its code and its launch. */
struct choice {
    char name[64];
    enum blas_image image;
    struct blas_shape shape;
};

static void describe(struct choice *choice, const char *type, const char *kind, unsigned tile,
                     const struct gemm_arguments *g)
{
    snprintf(choice->name, sizeof choice->name, "subcore_gemm_%s_%s_%u_%c%c", type, kind, tile,
             g->left.along ? 'a' : 'x', g->right.along ? 'a' : 'x');
}

static struct choice launch_of(const struct blas *blas, const struct kernel *kernel, const struct product *p,
                               const struct gemm_arguments *g)
{
    unsigned tile = tile_of(blas, kernel, p);
    bool large = blas->architecture >= 80 && tile == GEMM_STREAM_TILE;
    struct choice choice = {
        .shape = {.grid = {tiles(p->m, tile), tiles(p->n, tile), 1}, .threads = kernel->tensor ? 128 : 256},
    };
    if (kernel->tensor && large && g->left.aligned && g->right.aligned && !p->a.list && !p->b.list) {
        choice.image = BLAS_STREAM;
        choice.shape.shared = (unsigned)GEMM_STREAM_BYTES(blas->architecture);
        describe(&choice, kernel->name, "stream", tile, g);
    } else if (kernel->tensor) {
        choice.image = BLAS_TENSOR;
        choice.shape.shared = stage_bytes(g, tile);
        describe(&choice, kernel->name, "tensor", tile, g);
    } else if (kernel->a == GEMM_F32 && large) {
        choice.image = BLAS_SINGLE;
        choice.shape = (struct blas_shape){
            .grid = {tiles(p->m, GEMM_SINGLE_SIZE), tiles(p->n, GEMM_SINGLE_SIZE), 1},
            .threads = GEMM_SINGLE_THREADS,
            .shared = GEMM_SINGLE_BYTES,
        };
        snprintf(choice.name, sizeof choice.name, "subcore_gemm_f32_single_%c%c", g->left.along ? 'a' : 'x',
                 g->right.along ? 'a' : 'x');
    } else {
        choice.image = BLAS_PLAIN;
        snprintf(choice.name, sizeof choice.name, "subcore_gemm_%s_%u", kernel->name, tile);
    }
    return choice;
}

/* Launches the batches, as many at once as a grid can have. The kernel finds the first of them in *first. */
static cublasStatus_t launch(const struct blas *blas, const struct choice *choice, long long batch, CUstream stream,
                             void *arguments, unsigned *first)
{
    enum { BATCHES = 32768 };
    struct blas_shape shape = choice->shape;
    if (shape.grid[1] > 65535)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    for (long long done = 0; done < batch; done += BATCHES) {
        *first = (unsigned)done;
        shape.grid[2] = (unsigned)(batch - done < BATCHES ? batch - done : BATCHES);
        cublasStatus_t status = blas_launch(blas, choice->image, choice->name, &shape, stream, arguments);
        if (status != CUBLAS_STATUS_SUCCESS)
            return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t start(const struct blas *blas, const struct kernel *kernel, const struct product *p,
                            struct gemm_arguments *g, CUstream stream)
{
    struct product_async async;
    if (kernel->tensor && product_async_prepare(blas, p, g, kernel->name, &async)) {
        struct choice choice = {.image = BLAS_ASYNC, .shape = async.shape};
        memcpy(choice.name, async.name, sizeof choice.name);
        return launch(blas, &choice, async.batches, stream, &async.arguments, &async.arguments.g.first);
    }
    struct choice choice = launch_of(blas, kernel, p, g);
    return launch(blas, &choice, p->batch, stream, g, &g->first);
}

/* Returns true if a matrix that the kernel needs has no address. */
static bool address_is_missing(const struct product *p, const struct gemm_arguments *g)
{
    return p->d.data == NULL || (g->reads_addend && !p->device_scalars && p->c.data == NULL) ||
           (g->depth > 0 && (p->a.data == NULL || p->b.data == NULL));
}

static bool is_empty(const struct product *p) { return p->m == 0 || p->n == 0 || p->batch == 0; }

/* Fills in the kernel, and its arguments if the product is not empty. */
static cublasStatus_t prepare(const struct blas *blas, const struct product *p, const struct kernel **kernel,
                              struct gemm_arguments *g)
{
    cublasStatus_t status = check(p);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    *kernel = choose(blas, p);
    if (*kernel == NULL)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_empty(p))
        return CUBLAS_STATUS_SUCCESS;
    *g = arguments_of(p, (*kernel)->sum);
    return address_is_missing(p, g) ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t product_check(const struct blas *blas, const struct product *p)
{
    const struct kernel *kernel;
    struct gemm_arguments g;
    return prepare(blas, p, &kernel, &g);
}

cublasStatus_t product_run(const struct blas *blas, const struct product *p, CUstream stream)
{
    const struct kernel *kernel;
    struct gemm_arguments g;
    cublasStatus_t status = prepare(blas, p, &kernel, &g);
    return status != CUBLAS_STATUS_SUCCESS || is_empty(p) ? status : start(blas, kernel, p, &g, stream);
}
