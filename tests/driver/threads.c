/* Eight threads that use one context. */
#include <pthread.h>

#include "driver/abi/api_graph.h"
#include "tests/driver/notes.h"
#include "tests/driver/saxpy.h"

enum { THREADS = 8, ROUNDS = 6 };

struct worker {
    pthread_t thread;
    CUcontext context;
    struct saxpy saxpy; /* of the first thread: the function */
    unsigned index;
    atomic_uint *notes;
    const char *wrong;
};

static void count_note(void *data) { atomic_fetch_add((atomic_uint *)data, 1); }

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            worker->wrong = #condition;                                                                                \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)

/* Memory, a stream, events and a graph are made, used and destroyed. */
static bool one_round(struct worker *worker)
{
    struct saxpy *saxpy = &worker->saxpy;
    float host[SAXPY_COUNT];
    CUevent event = NULL;
    CUstream stream = NULL;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    for (int i = 0; i < SAXPY_COUNT; i++)
        host[i] = (float)worker->index;
    EXPECT(cuStreamCreate(&stream, worker->index % 2) == CUDA_SUCCESS);
    EXPECT(cuEventCreate(&event, 0) == CUDA_SUCCESS);
    EXPECT(cuMemAlloc_v2(&saxpy->x, sizeof host) == CUDA_SUCCESS);
    EXPECT(cuMemAlloc_v2(&saxpy->y, sizeof host) == CUDA_SUCCESS);
    EXPECT(cuMemcpyHtoDAsync_v2_ptsz(saxpy->x, host, sizeof host, NULL) == CUDA_SUCCESS);
    EXPECT(cuMemsetD32Async_ptsz(saxpy->y, 0, SAXPY_COUNT, NULL) == CUDA_SUCCESS);
    EXPECT(cuEventRecord_ptsz(event, NULL) == CUDA_SUCCESS);
    EXPECT(cuStreamWaitEvent(stream, event, 0) == CUDA_SUCCESS);
    EXPECT(cuLaunchKernel(saxpy->function, 4, 1, 1, 64, 1, 1, 0, stream, saxpy->parameters, NULL) == CUDA_SUCCESS);
    EXPECT(cuLaunchHostFunc(stream, count_note, worker->notes) == CUDA_SUCCESS);
    EXPECT(cuStreamSynchronize(stream) == CUDA_SUCCESS);
    EXPECT(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
    EXPECT(cuLaunchKernel(saxpy->function, 4, 1, 1, 64, 1, 1, 0, stream, saxpy->parameters, NULL) == CUDA_SUCCESS);
    EXPECT(cuLaunchHostFunc(stream, count_note, worker->notes) == CUDA_SUCCESS);
    EXPECT(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
    EXPECT(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    EXPECT(cuGraphLaunch(exec, stream) == CUDA_SUCCESS);
    EXPECT(cuMemcpyDtoHAsync_v2(host, saxpy->y, sizeof host, stream) == CUDA_SUCCESS);
    EXPECT(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    EXPECT(cuGraphDestroy(graph) == CUDA_SUCCESS);
    EXPECT(cuStreamSynchronize(stream) == CUDA_SUCCESS);
    EXPECT(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
    EXPECT(cuEventDestroy_v2(event) == CUDA_SUCCESS);
    EXPECT(cuMemFree_v2(saxpy->x) == CUDA_SUCCESS);
    EXPECT(cuMemFree_v2(saxpy->y) == CUDA_SUCCESS);
    for (int i = 0; i < SAXPY_COUNT; i++)
        EXPECT(host[i] == (float)(4 * worker->index));
    return true;
}

static void *work(void *data)
{
    struct worker *worker = data;
    struct saxpy *saxpy = &worker->saxpy;
    saxpy->parameters[0] = &saxpy->alpha;
    saxpy->parameters[1] = &saxpy->x;
    saxpy->parameters[2] = &saxpy->y;
    saxpy->parameters[3] = &saxpy->count;
    if (cuCtxSetCurrent(worker->context) != CUDA_SUCCESS)
        worker->wrong = "cuCtxSetCurrent";
    for (int i = 0; i < ROUNDS && worker->wrong == NULL; i++)
        one_round(worker);
    return NULL;
}

static void eight_threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    struct worker workers[THREADS];
    atomic_uint notes = 0;
    saxpy_open(&saxpy);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.context = context, .saxpy = saxpy, .index = i + 1, .notes = &notes};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        if (workers[i].wrong != NULL)
            fail_msg("thread %u: %s", i, workers[i].wrong);
    assert_int_equal(atomic_load(&notes), 2 * THREADS * ROUNDS);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(eight_threads_do_not_disturb_each_other))
