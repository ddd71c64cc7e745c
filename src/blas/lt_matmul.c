/* cublasLtMatmul and its queries. */
#include <string.h>

#include "blas/lt.h"
#include "blas/lt_amax.h"
#include "blas/lt_epilogue.h"
#include "blas/lt_scaled.h"

BLAS_API(cublasStatus_t, cublasLtCreate, cublasLtHandle_t *handle) { return blas_create(handle); }

BLAS_API(cublasStatus_t, cublasLtDestroy, cublasLtHandle_t handle) { return blas_destroy(handle); }

/* cublasLtOrder_t */
enum order { COLUMNS = 0, ROWS = 1 };

struct operands {
    const void *alpha, *a, *b, *beta, *c;
    void *d;
    const struct lt_layout *la, *lb, *lc, *ld;
};

static struct product_matrix matrix_of(const void *data, const struct lt_layout *layout, int operation)
{
    return (struct product_matrix){
        .data = data,
        .list = layout->mode == 1,
        .type = (unsigned)layout->type,
        .operation = operation,
        .ld = layout->ld,
        .stride = layout->stride,
    };
}

/* Rows or columns of op(X). */
static uint64_t height(const struct lt_layout *layout, int operation)
{
    return operation == BLAS_N ? layout->rows : layout->columns;
}

static uint64_t width(const struct lt_layout *layout, int operation)
{
    return operation == BLAS_N ? layout->columns : layout->rows;
}

/* A matrix stored by rows is the transpose of a matrix stored by columns. */
static int turned(int operation, const struct lt_layout *layout)
{
    return layout->order == COLUMNS ? operation : operation == BLAS_N ? BLAS_T : BLAS_N;
}

static bool orders_known(const struct operands *o)
{
    return o->la->order <= ROWS && o->lb->order <= ROWS && o->lc->order == o->ld->order && o->ld->order <= ROWS &&
           o->la->plane == 0 && o->lb->plane == 0 && o->ld->plane == 0;
}

static bool steps_known(const struct lt_operation *op, const struct operands *o)
{
    if (!lt_epilogue_known(op->epilogue))
        return false;
    /* In the transposed product the bias would run along the other dimension. */
    return o->ld->order == COLUMNS || op->epilogue == GEMM_NO_STEP;
}

static bool scales_known(const struct lt_operation *op)
{
    return op->scale_mode[2] == SCALED_WHOLE && op->scale_mode[3] == SCALED_WHOLE;
}

/* Matrices of the program whose place other ones take in the product. */
struct replaced {
    struct lt_scaled scaled;
    struct lt_amax amax;
};

/* Makes a product the transposed one, with B' for A and A' for B. */
static void exchange(struct product *p, const struct lt_operation *op, const struct operands *o)
{
    struct product_matrix a = p->a;
    p->a = p->b;
    p->b = a;
    p->m = (long long)o->ld->columns;
    p->n = (long long)o->ld->rows;
    p->a.operation = p->a.operation == BLAS_N ? BLAS_T : BLAS_N;
    p->b.operation = p->b.operation == BLAS_N ? BLAS_T : BLAS_N;
    p->scale_a = op->scale[1];
    p->scale_b = op->scale[0];
}

/* Fills in the product; C and D by rows make it the transposed one. Widened copies replace operands with block
 * scales. */
static cublasStatus_t product_of(const struct blas *blas, struct product *p, struct replaced *replaced,
                                 const struct lt_operation *op, struct operands *o)
{
    if (op == NULL || o->la == NULL || o->lb == NULL || o->ld == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (o->lc == NULL)
        o->lc = o->ld; /* as documented */
    int ta = op->operation[0], tb = op->operation[1];
    if (height(o->la, ta) != o->ld->rows || width(o->lb, tb) != o->ld->columns ||
        width(o->la, ta) != height(o->lb, tb) || o->lc->rows != o->ld->rows || o->lc->columns != o->ld->columns)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (o->la->batch != o->ld->batch || o->lb->batch != o->ld->batch)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!orders_known(o) || !steps_known(op, o) || !scales_known(op) || op->other || op->operation[2] != BLAS_N ||
        op->pointer_mode > BLAS_DEVICE || op->fill != 0 || (o->ld->type == GEMM_S32) != (op->scale_type == GEMM_S32))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    *p = (struct product){
        .m = (long long)o->ld->rows,
        .n = (long long)o->ld->columns,
        .k = (long long)width(o->la, ta),
        .batch = o->ld->batch,
        .a = matrix_of(o->a, o->la, turned(ta, o->la)),
        .b = matrix_of(o->b, o->lb, turned(tb, o->lb)),
        .c = matrix_of(o->c, o->lc, BLAS_N),
        .d = matrix_of(o->d, o->ld, BLAS_N),
        .compute = (unsigned)op->compute,
        .alpha = o->alpha,
        .beta = o->beta,
        .device_scalars = op->pointer_mode == BLAS_DEVICE,
        .broadcasts = true,
        .steps = lt_epilogue_steps(op->epilogue),
        .bias = op->bias,
        .bias_type = op->bias_type >= 0 ? (unsigned)op->bias_type : (unsigned)o->ld->type,
        .bias_stride = op->bias_stride,
        .aux = op->aux,
        .aux_type = op->aux_type >= 0 ? (unsigned)op->aux_type : (unsigned)o->ld->type,
        .aux_ld = op->aux_ld,
        .aux_stride = op->aux_stride,
        .scale_a = op->scale[0],
        .scale_b = op->scale[1],
        .scale_c = op->scale[2],
        .scale_d = op->scale[3],
    };
    if (o->ld->order == ROWS)
        exchange(p, op, o);
    bool by_rows = o->ld->order == ROWS;
    cublasStatus_t status =
        lt_scaled_take(blas, &replaced->scaled, p, op->scale_mode[by_rows], op->scale_mode[!by_rows]);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt_amax_take(&replaced->amax, p, op->amax);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    return lt_epilogue_possible(op->epilogue, p) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

static cublasStatus_t run_replaced(const struct blas *blas, uint32_t epilogue, struct product *p,
                                   const struct lt_amax *amax, CUstream stream)
{
    cublasStatus_t status = lt_amax_begin(amax, p, stream);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    status = product_run(blas, p, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt_epilogue_run(blas, epilogue, p, stream);
    cublasStatus_t ended = lt_amax_end(blas, amax, p, status == CUBLAS_STATUS_SUCCESS, stream);
    return status == CUBLAS_STATUS_SUCCESS ? ended : status;
}

static cublasStatus_t run(const struct blas *blas, uint32_t epilogue, struct product *p,
                          const struct replaced *replaced, CUstream stream)
{
    cublasStatus_t status = lt_scaled_begin(blas, &replaced->scaled, p, stream);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    status = run_replaced(blas, epilogue, p, &replaced->amax, stream);
    cublasStatus_t ended = lt_scaled_end(&replaced->scaled, p, stream);
    return status == CUBLAS_STATUS_SUCCESS ? ended : status;
}

BLAS_API(cublasStatus_t, cublasLtMatmul, cublasLtHandle_t handle, const struct lt_operation *operation,
         const void *alpha, const void *A, const struct lt_layout *Adesc, const void *B, const struct lt_layout *Bdesc,
         const void *beta, const void *C, const struct lt_layout *Cdesc, void *D, const struct lt_layout *Ddesc,
         const struct lt_algorithm *algorithm, void *workspace, size_t workspace_size, CUstream stream)
{
    struct operands o = {alpha, A, B, beta, C, D, Adesc, Bdesc, Cdesc, Ddesc};
    struct replaced replaced;
    struct product p;
    (void)workspace, (void)workspace_size;
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cublasStatus_t status = algorithm != NULL ? lt_algorithm_check(algorithm) : CUBLAS_STATUS_SUCCESS;
    if (status == CUBLAS_STATUS_SUCCESS)
        status = product_of(handle, &p, &replaced, operation, &o);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt_epilogue_check(operation->epilogue, &p);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = run(handle, operation->epilogue, &p, &replaced, stream);
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? blas_refuse("cublasLtMatmul", "these types or this epilogue")
                                                 : status;
}

/* ---- heuristics: one algorithm, which chooses when it runs ------------------------------------------------------- */

struct lt_result {
    struct lt_algorithm algorithm;
    size_t workspace;
    cublasStatus_t state;
    float waves;
    int reserved[4];
};

BLAS_API(cublasStatus_t, cublasLtMatmulAlgoGetHeuristic, cublasLtHandle_t handle, const struct lt_operation *operation,
         const struct lt_layout *Adesc, const struct lt_layout *Bdesc, const struct lt_layout *Cdesc,
         const struct lt_layout *Ddesc, const struct lt_preference *preference, int requested,
         struct lt_result results[], int *count)
{
    struct operands o = {.la = Adesc, .lb = Bdesc, .lc = Cdesc, .ld = Ddesc};
    struct replaced replaced;
    struct product p;
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (requested <= 0 || results == NULL || count == NULL || preference == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *count = 0;
    cublasStatus_t status = product_of(handle, &p, &replaced, operation, &o);
    if (status == CUBLAS_STATUS_INVALID_VALUE)
        return status;
    /* Programs use another path if there is no algorithm; PyTorch stops if the status is an error. */
    if (status != CUBLAS_STATUS_SUCCESS || !product_possible(handle, &p)) {
        blas_refuse("cublasLtMatmul", "these types or this epilogue");
        return CUBLAS_STATUS_SUCCESS;
    }
    memset(&results[0], 0, sizeof results[0]);
    lt_algorithm_init(&results[0].algorithm);
    results[0].waves = 1;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulAlgoGetIds, cublasLtHandle_t handle, int compute, int scale_type, int type_a,
         int type_b, int type_c, int type_d, int requested, int ids[], int *count)
{
    (void)compute, (void)scale_type, (void)type_a, (void)type_b, (void)type_c, (void)type_d;
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (requested <= 0 || ids == NULL || count == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    ids[0] = 0;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulAlgoInit, cublasLtHandle_t handle, int compute, int scale_type, int type_a,
         int type_b, int type_c, int type_d, int id, struct lt_algorithm *algorithm)
{
    (void)compute, (void)scale_type, (void)type_a, (void)type_b, (void)type_c, (void)type_d;
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (id != 0 || algorithm == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    lt_algorithm_init(algorithm);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulAlgoCheck, cublasLtHandle_t handle, const struct lt_operation *operation,
         const struct lt_layout *Adesc, const struct lt_layout *Bdesc, const struct lt_layout *Cdesc,
         const struct lt_layout *Ddesc, const struct lt_algorithm *algorithm, struct lt_result *result)
{
    struct lt_preference preference = {0};
    int count;
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (algorithm == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasStatus_t status = lt_algorithm_check(algorithm);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    status =
        cublasLtMatmulAlgoGetHeuristic(handle, operation, Adesc, Bdesc, Cdesc, Ddesc, &preference, 1, result, &count);
    return status == CUBLAS_STATUS_SUCCESS && count == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : status;
}

BLAS_API(cublasStatus_t, cublasLtHeuristicsCacheGetCapacity, size_t *capacity)
{
    if (capacity == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *capacity = 0;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtHeuristicsCacheSetCapacity, size_t capacity)
{
    (void)capacity;
    return CUBLAS_STATUS_SUCCESS;
}
