#include "blas/product_async.h"

#include <stdio.h>
#include <string.h>

#include "driver/abi/tensor_map.h"

static unsigned tiles(long long size, unsigned tile) { return (unsigned)((size + tile - 1) / tile); }

/* Describes an operand with `count` vectors of `depth` elements. */
static bool map(unsigned char bytes[128], const struct gemm_operand *o, long long count, long long depth,
                long long batch, unsigned vectors, CUtensorMapDataType type)
{
    cuuint64_t size[3] = {(cuuint64_t)(o->along ? depth : count), (cuuint64_t)(o->along ? count : depth),
                          (cuuint64_t)batch};
    cuuint64_t stride[2] = {2 * (cuuint64_t)o->pitch, 2 * (cuuint64_t)(batch > 1 ? o->stride : 8)};
    cuuint32_t box[3] = {GEMM_ASYNC_BOX, o->along ? vectors : GEMM_ASYNC_DEPTH, 1}, step[3] = {1, 1, 1};
    CUtensorMap result;
    if (!o->aligned || o->list || (batch > 1 && o->stride <= 0))
        return false;
    if (cuTensorMapEncodeTiled(&result, type, 3, (void *)(uintptr_t)o->data, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return false;
    memcpy(bytes, &result, 128);
    return true;
}

static struct blas_shape wgmma_shape(unsigned across, unsigned down)
{
    return (struct blas_shape){
        .grid = {across, down * GEMM_ASYNC_CLUSTER, 1},
        .threads = GEMM_WGMMA_THREADS,
        .shared = GEMM_WGMMA_BYTES,
    };
}

/* Two SMs have one pair of blocks, which makes several tiles. If at most half of the pairs had a tile in the last
 * round, each of these tiles is split into two halves. */
static void umma_shape(struct product_async *out, const struct blas *blas, unsigned tiles)
{
    unsigned pairs = (unsigned)blas->processors / GEMM_ASYNC_CLUSTER, last = tiles % pairs;
    unsigned halves = 2 * last <= pairs ? 2 * last : 0;
    out->arguments.whole = halves > 0 ? tiles - last : tiles;
    out->arguments.units = out->arguments.whole + halves;
    out->shape = (struct blas_shape){
        .grid = {out->arguments.units < pairs ? out->arguments.units : pairs, GEMM_ASYNC_CLUSTER, 1},
        .threads = GEMM_UMMA_THREADS,
        .shared = GEMM_UMMA_BYTES,
    };
}

bool product_async_prepare(const struct blas *blas, const struct product *p, const struct gemm_arguments *g,
                           const char *type, struct product_async *out)
{
    bool wgmma = blas->architecture == 90, umma = blas->architecture == 100;
    CUtensorMapDataType element =
        p->a.type == GEMM_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    unsigned across = tiles(p->m, GEMM_ASYNC_COLUMNS), down = tiles(p->n, GEMM_ASYNC_ROWS);
    long long blocks = (long long)across * down * p->batch;
    if ((!wgmma && !umma) || g->depth == 0 || 2 * blocks < blas->processors || blocks > UINT32_MAX / 2)
        return false;
    down = (down + 1) / GEMM_ASYNC_CLUSTER;
    *out = (struct product_async){
        .batches = wgmma ? p->batch : 1,
        .arguments = {.g = *g, .across = across, .down = down},
    };
    if (wgmma)
        out->shape = wgmma_shape(across, down);
    else
        umma_shape(out, blas, (unsigned)(across * down * p->batch));
    snprintf(out->name, sizeof out->name, "subcore_gemm_%s_%s_%c%c", type, wgmma ? "wgmma" : "umma",
             g->left.along ? 'a' : 'x', g->right.along ? 'a' : 'x');
    return map(out->arguments.left, &g->left, p->n, p->k, p->batch, GEMM_ASYNC_ROWS, element) &&
           map(out->arguments.right, &g->right, p->m, p->k, p->batch, wgmma ? GEMM_ASYNC_COLUMNS / 2 : GEMM_UMMA_BOX,
               element);
}
