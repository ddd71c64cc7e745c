/* Plans: how they are made, their buffers, and the functions that execute them. */
#include <stdatomic.h>
#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "fft/fft.h"

enum { MOST = INT32_MAX, PLANS = 4096, MAJOR = 12, MINOR = 0, PATCH = 0 };

/* Handles are numbers, so the process keeps a table: handle h is plans[h - 1]. */
static _Atomic(struct fft_plan *) plans[PLANS];

struct fft_plan *plan_of(cufftHandle handle)
{
    return handle >= 1 && handle <= PLANS ? atomic_load(&plans[handle - 1]) : NULL;
}

FFT_API(cufftResult, cufftCreate, cufftHandle *handle)
{
    if (handle == NULL)
        return CUFFT_INVALID_VALUE;
    if (!transform_ready())
        return CUFFT_SETUP_FAILED;
    struct fft_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return CUFFT_ALLOC_FAILED;
    plan->own_memory = true;
    for (int place = 0; place < PLANS; place++) {
        struct fft_plan *none = NULL;
        if (atomic_compare_exchange_strong(&plans[place], &none, plan)) {
            *handle = place + 1;
            return CUFFT_SUCCESS;
        }
    }
    free(plan);
    return CUFFT_ALLOC_FAILED;
}

FFT_API(cufftResult, cufftDestroy, cufftHandle handle)
{
    if (plan_of(handle) == NULL)
        return CUFFT_INVALID_PLAN;
    struct fft_plan *plan = atomic_exchange(&plans[handle - 1], NULL);
    if (plan != NULL && plan->reserved != 0)
        cuMemFree_v2(plan->reserved);
    free(plan);
    return CUFFT_SUCCESS;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

struct layout {
    const long long *embedded; /* or null: packed */
    long long step, distance;
};

struct request {
    int rank;
    const long long *sizes;
    struct layout in, out;
    unsigned in_type, out_type;
    long long batch;
};

static bool is_complex(unsigned type) { return type == FFT_C32 || type == FFT_C64 || type == FFT_C16; }

/* The precision of a type, as the real type. */
static unsigned precision(unsigned type)
{
    return type == FFT_C32 ? FFT_F32 : type == FFT_C64 ? FFT_F64 : type == FFT_C16 ? FFT_F16 : type;
}

/* Fills the steps of one end. Dimensions that are missing come first. */
static void place_side(struct fft_side *side, const struct request *r, const struct layout *l)
{
    long long step = l->embedded != NULL ? l->step : 1, distance = 0;
    for (int d = FFT_RANK; d > 0; d--) {
        int from = d - 1 - (FFT_RANK - r->rank);
        side->steps[d] = from >= 0 ? step : 0;
        if (from < 0)
            continue;
        long long size = l->embedded != NULL                            ? l->embedded[from]
                         : side->form == FFT_HERMITIAN && d == FFT_RANK ? r->sizes[from] / 2 + 1
                                                                        : r->sizes[from];
        step *= size;
        distance = step;
    }
    side->packed = l->embedded == NULL;
    side->steps[0] = l->embedded != NULL ? l->distance : distance;
}

static cufftResult check(const struct request *r)
{
    if (r->rank < 1 || r->rank > FFT_RANK || r->sizes == NULL || r->batch < 1)
        return CUFFT_INVALID_SIZE;
    for (int d = 0; d < r->rank; d++)
        if (r->sizes[d] < 1 || r->sizes[d] > MOST)
            return CUFFT_INVALID_SIZE;
    if (precision(r->in_type) > FFT_F16 || precision(r->in_type) != precision(r->out_type) ||
        (!is_complex(r->in_type) && !is_complex(r->out_type)))
        return CUFFT_INVALID_TYPE;
    return CUFFT_SUCCESS;
}

/* Works out a plan without keeping memory. */
static cufftResult work_out(struct fft_plan *plan, const struct request *r)
{
    cufftResult result = check(r);
    if (result != CUFFT_SUCCESS)
        return result;
    plan->count = (unsigned long long)r->batch;
    for (int d = 0; d < FFT_RANK; d++) {
        int from = d - (FFT_RANK - r->rank);
        plan->sizes[d] = from >= 0 ? (unsigned)r->sizes[from] : 1;
        plan->count *= plan->sizes[d];
        if (plan->count > MOST)
            return fft_refuse("cufftXtMakePlanMany", "more than 2^31 - 1 elements");
    }
    plan->in = (struct fft_side){.type = r->in_type};
    plan->out = (struct fft_side){.type = r->out_type};
    plan->in.form = !is_complex(r->in_type) ? FFT_REAL : is_complex(r->out_type) ? FFT_COMPLEX : FFT_HERMITIAN;
    plan->out.form = !is_complex(r->out_type) ? FFT_REAL : is_complex(r->in_type) ? FFT_COMPLEX : FFT_HERMITIAN;
    place_side(&plan->in, r, &r->in);
    place_side(&plan->out, r, &r->out);
    plan->work_bytes = 2 * plan->count * (precision(r->in_type) == FFT_F64 ? 16 : 8);
    return CUFFT_SUCCESS;
}

static cufftResult make(cufftHandle handle, const struct request *r, size_t *work_bytes)
{
    struct fft_plan *plan = plan_of(handle);
    if (plan == NULL || plan->made)
        return CUFFT_INVALID_PLAN;
    cufftResult result = work_out(plan, r);
    if (result != CUFFT_SUCCESS)
        return result;
    if (plan->own_memory && cuMemAlloc_v2(&plan->reserved, plan->work_bytes) != CUDA_SUCCESS)
        return CUFFT_ALLOC_FAILED;
    plan->work = plan->reserved;
    plan->made = true;
    if (work_bytes != NULL)
        *work_bytes = plan->work_bytes;
    return CUFFT_SUCCESS;
}

static cufftResult measure(const struct request *r, size_t *work_bytes)
{
    struct fft_plan plan = {0};
    cufftResult result = work_out(&plan, r);
    if (result == CUFFT_SUCCESS && work_bytes != NULL)
        *work_bytes = plan.work_bytes;
    return result;
}

FFT_API(cufftResult, cufftXtMakePlanMany, cufftHandle plan, int rank, const long long *n, const long long *inembed,
        long long istride, long long idist, int intype, const long long *onembed, long long ostride, long long odist,
        int outtype, long long batch, size_t *bytes, int executed)
{
    struct request r = {
        rank, n, {inembed, istride, idist}, {onembed, ostride, odist}, (unsigned)intype, (unsigned)outtype, batch};
    if (precision((unsigned)executed) != precision((unsigned)intype))
        return CUFFT_INVALID_TYPE;
    return make(plan, &r, bytes);
}

FFT_API(cufftResult, cufftXtGetSizeMany, cufftHandle plan, int rank, const long long *n, const long long *inembed,
        long long istride, long long idist, int intype, const long long *onembed, long long ostride, long long odist,
        int outtype, long long batch, size_t *bytes, int executed)
{
    struct request r = {
        rank, n, {inembed, istride, idist}, {onembed, ostride, odist}, (unsigned)intype, (unsigned)outtype, batch};
    (void)executed;
    return plan_of(plan) != NULL ? measure(&r, bytes) : CUFFT_INVALID_PLAN;
}

/* ---- by the older names ------------------------------------------------------------------------------------------ */

static bool types_of(int type, struct request *r)
{
    static const struct {
        int type;
        unsigned in, out;
    } types[] = {{FFT_C2C, FFT_C32, FFT_C32}, {FFT_R2C, FFT_F32, FFT_C32}, {FFT_C2R, FFT_C32, FFT_F32},
                 {FFT_Z2Z, FFT_C64, FFT_C64}, {FFT_D2Z, FFT_F64, FFT_C64}, {FFT_Z2D, FFT_C64, FFT_F64}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type) {
            r->in_type = types[i].in;
            r->out_type = types[i].out;
            return true;
        }
    return false;
}

/* A function and its request: makes a plan, or only tells the size of its buffers. */
enum deed { MAKE, MEASURE, ESTIMATE };

static cufftResult act(enum deed deed, cufftHandle plan, int type, struct request *r, size_t *bytes)
{
    if (deed != ESTIMATE && plan_of(plan) == NULL)
        return CUFFT_INVALID_PLAN;
    if (!types_of(type, r))
        return CUFFT_INVALID_TYPE;
    return deed == MAKE ? make(plan, r, bytes) : measure(r, bytes);
}

static cufftResult act_on(enum deed deed, cufftHandle plan, int rank, const long long *sizes, int type, long long batch,
                          size_t *bytes)
{
    struct request r = {.rank = rank, .sizes = sizes, .batch = batch};
    return act(deed, plan, type, &r, bytes);
}

#define ONE(name, deed, ...)                                                                                           \
    FFT_API(cufftResult, name##1d, __VA_ARGS__ int nx, int type, int batch, size_t *bytes)                             \
    {                                                                                                                  \
        return act_on(deed, HANDLE(deed), 1, (long long[]){nx}, type, batch, bytes);                                   \
    }                                                                                                                  \
    FFT_API(cufftResult, name##2d, __VA_ARGS__ int nx, int ny, int type, size_t *bytes)                                \
    {                                                                                                                  \
        return act_on(deed, HANDLE(deed), 2, (long long[]){nx, ny}, type, 1, bytes);                                   \
    }                                                                                                                  \
    FFT_API(cufftResult, name##3d, __VA_ARGS__ int nx, int ny, int nz, int type, size_t *bytes)                        \
    {                                                                                                                  \
        return act_on(deed, HANDLE(deed), 3, (long long[]){nx, ny, nz}, type, 1, bytes);                               \
    }                                                                                                                  \
    FFT_API(cufftResult, name##Many, __VA_ARGS__ int rank, const int *n, const int *inembed, int istride, int idist,   \
            const int *onembed, int ostride, int odist, int type, int batch, size_t *bytes)                            \
    {                                                                                                                  \
        long long wide[3][FFT_RANK];                                                                                   \
        if (rank < 1 || rank > FFT_RANK || n == NULL)                                                                  \
            return CUFFT_INVALID_SIZE;                                                                                 \
        for (int d = 0; d < rank; d++) {                                                                               \
            wide[0][d] = n[d];                                                                                         \
            wide[1][d] = inembed != NULL ? inembed[d] : 0;                                                             \
            wide[2][d] = onembed != NULL ? onembed[d] : 0;                                                             \
        }                                                                                                              \
        struct request r = {.rank = rank,                                                                              \
                            .sizes = wide[0],                                                                          \
                            .in = {inembed != NULL ? wide[1] : NULL, istride, idist},                                  \
                            .out = {onembed != NULL ? wide[2] : NULL, ostride, odist},                                 \
                            .batch = batch};                                                                           \
        return act(deed, HANDLE(deed), type, &r, bytes);                                                               \
    }
#define HANDLE(deed) HANDLE_##deed
#define HANDLE_MAKE plan
#define HANDLE_MEASURE plan
#define HANDLE_ESTIMATE 0

ONE(cufftMakePlan, MAKE, cufftHandle plan, )
ONE(cufftGetSize, MEASURE, cufftHandle plan, )
ONE(cufftEstimate, ESTIMATE, )

FFT_API(cufftResult, cufftMakePlanMany64, cufftHandle plan, int rank, const long long *n, const long long *inembed,
        long long istride, long long idist, const long long *onembed, long long ostride, long long odist, int type,
        long long batch, size_t *bytes)
{
    struct request r = {rank, n, {inembed, istride, idist}, {onembed, ostride, odist}, 0, 0, batch};
    return act(MAKE, plan, type, &r, bytes);
}

FFT_API(cufftResult, cufftGetSizeMany64, cufftHandle plan, int rank, const long long *n, const long long *inembed,
        long long istride, long long idist, const long long *onembed, long long ostride, long long odist, int type,
        long long batch, size_t *bytes)
{
    struct request r = {rank, n, {inembed, istride, idist}, {onembed, ostride, odist}, 0, 0, batch};
    return act(MEASURE, plan, type, &r, bytes);
}

/* ---- a plan in one call ------------------------------------------------------------------------------------------ */

static cufftResult created(cufftHandle *plan, cufftResult result)
{
    if (result != CUFFT_SUCCESS)
        cufftDestroy(*plan);
    return result;
}

#define AT_ONCE(plan, ...)                                                                                             \
    cufftResult result = cufftCreate(plan);                                                                            \
    return result == CUFFT_SUCCESS ? created(plan, __VA_ARGS__) : result

FFT_API(cufftResult, cufftPlan1d, cufftHandle *plan, int nx, int type, int batch)
{
    AT_ONCE(plan, cufftMakePlan1d(*plan, nx, type, batch, NULL));
}

FFT_API(cufftResult, cufftPlan2d, cufftHandle *plan, int nx, int ny, int type)
{
    AT_ONCE(plan, cufftMakePlan2d(*plan, nx, ny, type, NULL));
}

FFT_API(cufftResult, cufftPlan3d, cufftHandle *plan, int nx, int ny, int nz, int type)
{
    AT_ONCE(plan, cufftMakePlan3d(*plan, nx, ny, nz, type, NULL));
}

FFT_API(cufftResult, cufftPlanMany, cufftHandle *plan, int rank, const int *n, const int *inembed, int istride,
        int idist, const int *onembed, int ostride, int odist, int type, int batch)
{
    AT_ONCE(plan,
            cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, NULL));
}

/* ---- settings and answers ---------------------------------------------------------------------------------------- */

FFT_API(cufftResult, cufftSetAutoAllocation, cufftHandle handle, int automatic)
{
    struct fft_plan *plan = plan_of(handle);
    if (plan == NULL)
        return CUFFT_INVALID_PLAN;
    plan->own_memory = automatic != 0;
    return CUFFT_SUCCESS;
}

FFT_API(cufftResult, cufftSetWorkArea, cufftHandle handle, void *memory)
{
    struct fft_plan *plan = plan_of(handle);
    if (plan == NULL)
        return CUFFT_INVALID_PLAN;
    plan->work = (CUdeviceptr)(uintptr_t)memory;
    return CUFFT_SUCCESS;
}

FFT_API(cufftResult, cufftSetStream, cufftHandle handle, CUstream stream)
{
    struct fft_plan *plan = plan_of(handle);
    if (plan == NULL)
        return CUFFT_INVALID_PLAN;
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

FFT_API(cufftResult, cufftGetSize, cufftHandle handle, size_t *bytes)
{
    const struct fft_plan *plan = plan_of(handle);
    if (plan == NULL || !plan->made)
        return CUFFT_INVALID_PLAN;
    if (bytes == NULL)
        return CUFFT_INVALID_VALUE;
    *bytes = plan->work_bytes;
    return CUFFT_SUCCESS;
}

FFT_API(cufftResult, cufftGetVersion, int *version)
{
    if (version == NULL)
        return CUFFT_INVALID_VALUE;
    *version = 1000 * MAJOR + 100 * MINOR + PATCH;
    return CUFFT_SUCCESS;
}

FFT_API(cufftResult, cufftGetProperty, int which, int *value)
{
    static const int values[] = {MAJOR, MINOR, PATCH};
    if (which < 0 || which > 2 || value == NULL)
        return CUFFT_INVALID_VALUE;
    *value = values[which];
    return CUFFT_SUCCESS;
}
