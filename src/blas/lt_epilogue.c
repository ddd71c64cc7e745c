#include "blas/lt_epilogue.h"

#include <stdio.h>

#include "blas/kernels/epilogue.h"
#include "blas/vector.h"

enum { RELU_BITS = GEMM_RELU | GEMM_AUX, MOST_BLOCKS = 65535, MASK_ALIGNMENT = 128 };
enum { GRADIENTS = GEMM_BIAS_GRADIENT | LT_BIAS_GRADIENT_A | LT_BIAS_GRADIENT_B };

static const uint32_t known[] = {
    GEMM_NO_STEP,
    GEMM_RELU,
    GEMM_BIAS,
    GEMM_RELU | GEMM_BIAS,
    RELU_BITS,
    RELU_BITS | GEMM_BIAS,
    GEMM_GELU,
    GEMM_GELU | GEMM_BIAS,
    GEMM_GELU | GEMM_AUX,
    GEMM_GELU | GEMM_AUX | GEMM_BIAS,
    GEMM_AUX | GEMM_RELU_GRADIENT,
    GEMM_AUX | GEMM_RELU_GRADIENT | GEMM_BIAS_GRADIENT,
    GEMM_AUX | GEMM_GELU_GRADIENT,
    GEMM_AUX | GEMM_GELU_GRADIENT | GEMM_BIAS_GRADIENT,
    LT_BIAS_GRADIENT_A,
    LT_BIAS_GRADIENT_B,
};
enum { KNOWN = sizeof known / sizeof known[0] };

bool lt_epilogue_known(uint32_t epilogue)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i] == epilogue)
            return true;
    return false;
}

uint32_t lt_epilogue_mask(void)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < KNOWN; i++)
        mask |= known[i];
    return mask;
}

static bool keeps_bits(uint32_t epilogue) { return (epilogue & (unsigned)RELU_BITS) == RELU_BITS; }

unsigned lt_epilogue_steps(uint32_t epilogue)
{
    unsigned steps = epilogue & ~(unsigned)GRADIENTS;
    if (keeps_bits(epilogue))
        steps &= ~(unsigned)GEMM_AUX;
    return steps != 0 ? steps : GEMM_NO_STEP;
}

static bool plain(unsigned type) { return type == GEMM_F32 || type == GEMM_F16 || type == GEMM_BF16; }

/* The matrix whose rows or columns are summed. */
static const struct product_matrix *summed(uint32_t epilogue, const struct product *p)
{
    return epilogue == LT_BIAS_GRADIENT_A ? &p->a : epilogue == LT_BIAS_GRADIENT_B ? &p->b : &p->d;
}

bool lt_epilogue_possible(uint32_t epilogue, const struct product *p)
{
    if (keeps_bits(epilogue))
        return plain(p->d.type);
    if ((epilogue & (unsigned)GRADIENTS) == 0)
        return true;
    unsigned type = summed(epilogue, p)->type;
    if (p->widened && summed(epilogue, p) != &p->d)
        return false;
    return (plain(type) && plain(p->bias_type)) || (type == GEMM_F64 && p->bias_type == GEMM_F64);
}

cublasStatus_t lt_epilogue_check(uint32_t epilogue, const struct product *p)
{
    if ((epilogue & (unsigned)(GEMM_BIAS | GRADIENTS)) != 0 && p->bias == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if ((epilogue & GEMM_AUX) == 0)
        return CUBLAS_STATUS_SUCCESS;
    bool bits = (epilogue & (unsigned)(GEMM_RELU | GEMM_RELU_GRADIENT)) != 0;
    bool aligned = !bits || (p->aux_ld % MASK_ALIGNMENT == 0 && p->aux_stride % MASK_ALIGNMENT == 0);
    return p->aux != NULL && p->aux_ld >= p->m && aligned ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static struct epilogue_arguments arguments_of(const struct product_matrix *m, long long batch)
{
    return (struct epilogue_arguments){
        .data = m->list ? NULL : m->data,
        .list = m->list ? (const void *const *)m->data : NULL,
        .pitch = m->ld,
        .stride = m->stride,
        .batch = (unsigned)batch,
    };
}

static unsigned at_most(long long blocks) { return (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS); }

static cublasStatus_t launch(const struct blas *blas, const char *name, unsigned type, const unsigned grid[3],
                             struct epilogue_arguments *g, CUstream stream)
{
    char kernel[48];
    struct blas_shape shape = {.grid = {grid[0], grid[1], grid[2]}, .threads = EPILOGUE_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return blas_launch(blas, BLAS_EPILOGUE, kernel, &shape, stream, g);
}

/* Sums over the depth of op(A) or op(B), or over the columns of D. */
static cublasStatus_t sums(const struct blas *blas, uint32_t epilogue, const struct product *p, CUstream stream)
{
    const struct product_matrix *m = summed(epilogue, p);
    struct epilogue_arguments g = arguments_of(m, p->batch);
    bool of_b = epilogue == LT_BIAS_GRADIENT_B, of_d = m == &p->d;
    g.vectors = (unsigned)(of_b ? p->n : p->m);
    g.depth = (unsigned)(of_d ? p->n : p->k);
    g.along = !of_d && of_b == (m->operation == BLAS_N);
    g.result = (void *)(uintptr_t)p->bias;
    g.result_stride = p->bias_stride;
    g.result_type = p->bias_type;
    unsigned each = g.along ? EPILOGUE_ALONG : EPILOGUE_VECTORS;
    return launch(blas, "sums", m->type, (unsigned[]){(g.vectors + each - 1) / each, at_most(p->batch), 1}, &g, stream);
}

static cublasStatus_t bits(const struct blas *blas, const struct product *p, CUstream stream)
{
    struct epilogue_arguments g = arguments_of(&p->d, p->batch);
    g.vectors = (unsigned)p->n;
    g.depth = (unsigned)p->m;
    g.result = (void *)(uintptr_t)p->aux;
    g.result_stride = p->aux_stride;
    g.result_pitch = p->aux_ld;
    unsigned blocks = (g.depth + 8 * EPILOGUE_THREADS - 1) / (8 * EPILOGUE_THREADS);
    return launch(blas, "positive", p->d.type, (unsigned[]){blocks, at_most(p->n), at_most(p->batch)}, &g, stream);
}

cublasStatus_t lt_epilogue_run(const struct blas *blas, uint32_t epilogue, const struct product *p, CUstream stream)
{
    if (p->m == 0 || p->n == 0 || p->batch == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (keeps_bits(epilogue))
        return bits(blas, p, stream);
    return (epilogue & (unsigned)GRADIENTS) != 0 ? sums(blas, epilogue, p, stream) : CUBLAS_STATUS_SUCCESS;
}
