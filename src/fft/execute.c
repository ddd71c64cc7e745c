/* The functions that execute a plan. */
#include "fft/fft.h"

/* A packed real transform in place has room for the spectrum: rows of 2 (n / 2 + 1) real elements. */
static void pad(struct fft_side *real, const struct fft_plan *plan)
{
    long long step = 1;
    for (int d = FFT_RANK; d > 0; d--) {
        real->steps[d] = step;
        step *= d == FFT_RANK ? 2 * (long long)(plan->sizes[d - 1] / 2 + 1) : plan->sizes[d - 1];
    }
    real->steps[0] = step;
}

static cufftResult execute(cufftHandle handle, void *in, void *out, int direction)
{
    const struct fft_plan *made = plan_of(handle);
    if (made == NULL || !made->made)
        return CUFFT_INVALID_PLAN;
    if (in == NULL || out == NULL)
        return CUFFT_INVALID_VALUE;
    if (made->work == 0)
        return CUFFT_NO_WORKSPACE;
    struct fft_plan plan = *made;
    if (in == out && plan.in.packed && plan.in.form == FFT_REAL)
        pad(&plan.in, &plan);
    if (in == out && plan.out.packed && plan.out.form == FFT_REAL)
        pad(&plan.out, &plan);
    int sign = plan.in.form == FFT_REAL ? FFT_FORWARD : plan.out.form == FFT_REAL ? FFT_INVERSE : direction;
    if (sign != FFT_FORWARD && sign != FFT_INVERSE)
        return CUFFT_INVALID_VALUE;
    return transform_run(&plan, in, out, sign);
}

FFT_API(cufftResult, cufftXtExec, cufftHandle plan, void *in, void *out, int direction)
{
    return execute(plan, in, out, direction);
}

/* Executes a plan whose ends have these types. */
static cufftResult typed(cufftHandle handle, unsigned in_type, unsigned out_type, void *in, void *out, int direction)
{
    const struct fft_plan *plan = plan_of(handle);
    if (plan != NULL && plan->made && (plan->in.type != in_type || plan->out.type != out_type))
        return CUFFT_INVALID_PLAN;
    return execute(handle, in, out, direction);
}

#define WITH_DIRECTION(name, in_type, out_type)                                                                        \
    FFT_API(cufftResult, name, cufftHandle plan, void *in, void *out, int direction)                                   \
    {                                                                                                                  \
        return typed(plan, in_type, out_type, in, out, direction);                                                     \
    }
#define WITHOUT_DIRECTION(name, in_type, out_type)                                                                     \
    FFT_API(cufftResult, name, cufftHandle plan, void *in, void *out)                                                  \
    {                                                                                                                  \
        return typed(plan, in_type, out_type, in, out, FFT_FORWARD);                                                   \
    }
WITH_DIRECTION(cufftExecC2C, FFT_C32, FFT_C32)
WITH_DIRECTION(cufftExecZ2Z, FFT_C64, FFT_C64)
WITHOUT_DIRECTION(cufftExecR2C, FFT_F32, FFT_C32)
WITHOUT_DIRECTION(cufftExecC2R, FFT_C32, FFT_F32)
WITHOUT_DIRECTION(cufftExecD2Z, FFT_F64, FFT_C64)
WITHOUT_DIRECTION(cufftExecZ2D, FFT_C64, FFT_F64)
