/* The kernels of a transform: gather, a stage for each factor of each dimension, store. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/embed.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_module.h"
#include "driver/abi/enter.h"
#include "fft/fft.h"

enum { MOST_BLOCKS = 8192 };

/* The code of the kernels, which contexts share. It stays until the process ends. */
static _Atomic(CUlibrary) image;

bool transform_ready(void)
{
    size_t count;
    CUlibrary library = NULL, none = NULL;
    CUdevice device;
    if (!abi_enter(&device))
        return false;
    if (atomic_load(&image) != NULL)
        return true;
    const struct embedded *files = embedded_fft(&count);
    if (count == 0 || cuLibraryLoadData(&library, files[0].data, NULL, NULL, 0, NULL, NULL, 0) != CUDA_SUCCESS)
        return false;
    if (!atomic_compare_exchange_strong(&image, &none, library))
        cuLibraryUnload(library); /* another thread was faster */
    return true;
}

static bool wide(const struct fft_plan *plan) { return plan->in.type == FFT_F64 || plan->in.type == FFT_C64; }

static cufftResult launch(const struct fft_plan *plan, const char *name, const char *type, struct fft_arguments *g)
{
    char title[48];
    CUkernel kernel;
    void *arguments[] = {g};
    unsigned long long blocks = (g->count + FFT_THREADS - 1) / FFT_THREADS;
    snprintf(title, sizeof title, "subcore_fft_%s_%s", name, type);
    if (cuLibraryGetKernel(&kernel, atomic_load(&image), title) != CUDA_SUCCESS)
        return CUFFT_EXEC_FAILED;
    /* The driver takes kernels for functions here. */
    CUresult result =
        cuLaunchKernel((CUfunction)(void *)kernel, (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), 1, 1,
                       FFT_THREADS, 1, 1, 0, plan->stream, arguments, NULL);
    return result == CUDA_SUCCESS ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

static const char *type_of(unsigned type)
{
    return type == FFT_F64 || type == FFT_C64 ? "f64" : type == FFT_F16 || type == FFT_C16 ? "f16" : "f32";
}

static void outside(struct fft_arguments *g, const struct fft_side *side, void *data)
{
    g->outside = data;
    g->form = side->form;
    memcpy(g->steps, side->steps, sizeof g->steps);
}

/* The next factor of a number: 4, or its smallest prime. */
static unsigned factor_of(unsigned n)
{
    if (n % 4 == 0)
        return 4;
    for (unsigned p = 2; p <= n / p; p++)
        if (n % p == 0)
            return p;
    return n;
}

/* Goes through the stages of one dimension. The result is in g->to; the buffers change places between stages. */
static cufftResult dimension(const struct fft_plan *plan, struct fft_arguments *g, unsigned length)
{
    cufftResult result = CUFFT_SUCCESS;
    g->length = length;
    for (g->done = 1; g->done < length && result == CUFFT_SUCCESS; g->done *= g->radix) {
        void *from = g->from;
        g->from = g->to;
        g->to = from;
        g->radix = factor_of(length / g->done);
        result = launch(plan, "stage", wide(plan) ? "f64" : "f32", g);
    }
    return result;
}

cufftResult transform_run(const struct fft_plan *plan, void *in, void *out, int sign)
{
    size_t half = plan->work_bytes / 2;
    struct fft_arguments g = {.to = (void *)(uintptr_t)plan->work,
                              .from = (void *)(uintptr_t)(plan->work + half),
                              .count = plan->count,
                              .sign = sign};
    memcpy(g.sizes, plan->sizes, sizeof g.sizes);
    outside(&g, &plan->in, in);
    cufftResult result = launch(plan, "load", type_of(plan->in.type), &g);
    g.inner = 1;
    for (int d = FFT_RANK - 1; d >= 0 && result == CUFFT_SUCCESS; d--) {
        result = dimension(plan, &g, plan->sizes[d]);
        g.inner *= plan->sizes[d];
    }
    if (result != CUFFT_SUCCESS)
        return result;
    g.from = g.to;
    outside(&g, &plan->out, out);
    return launch(plan, "store", type_of(plan->out.type), &g);
}
