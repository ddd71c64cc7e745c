/* Blocks of a program whose launches it wants the results of. The process is functional, and launches are timed where a
 * block asks for it. */
#include "driver/launch/block_api.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/abi/api_graph.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/kernels.h"

enum { AS_ASKED, TIMED, EXECUTED };

static struct kernels kernels;

static int unload(void **state)
{
    (void)state;
    kernels_unload(&kernels);
    return 0;
}

static void launch_in(CUstream stream)
{
    SUCCEEDS(cuLaunchKernel(kernels_get(&kernels, "nothing"), 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
}

static void launch(void) { launch_in(NULL); }

static uint64_t begin(int choice)
{
    uint64_t block = 0;
    SUCCEEDS(subcoreBlockBegin(choice, "test", &block));
    assert_true(block > 0);
    return block;
}

static unsigned count(const char *text, const char *word)
{
    unsigned found = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        found++;
    return found;
}

/* Ends the block, which has so many launches, and so many of them timed. */
static void ends_with(uint64_t block, unsigned launches, unsigned timed)
{
    char *document = NULL;
    SUCCEEDS(subcoreBlockEnd(block, &document));
    assert_int_equal(count(document, "\"kernel_launch\":"), launches); /* in `launches` */
    assert_int_equal(count(document, "\"kernel\":"), launches);        /* in `kernels` */
    assert_int_equal(count(document, "\"elapsed\":"), timed);
    subcoreBlockFree(document);
}

static void a_block_may_begin_before_the_driver_does(void **state)
{
    (void)state;
    setenv("SUBCORE_GPU", "a100", 1);
    assert_string_equal(subcoreBlockGpu(), "a100");
    uint64_t first = begin(TIMED), second = begin(TIMED);
    ends_with(first, 0, 0);
    kernels = kernels_load("a100");
    launch();
    ends_with(second, 1, 1); /* it began before, too */
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    uint64_t block = 0;
    char *document = NULL;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockBegin(3, "test", &block));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockBegin(-1, "test", &block));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockBegin(TIMED, NULL, &block));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockBegin(TIMED, "test", NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockEnd(12345, &document));
    block = begin(TIMED);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockEnd(block, NULL)); /* and the block goes on */
    launch();
    ends_with(block, 1, 1);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockEnd(block, &document));
}

static void a_block_holds_the_launches_that_were_submitted_in_it(void **state)
{
    (void)state;
    launch();
    uint64_t block = begin(AS_ASKED);
    launch();
    launch();
    ends_with(block, 2, 0);
    launch();
    ends_with(begin(AS_ASKED), 0, 0);
}

static void the_block_that_began_last_decides_unless_it_has_no_choice(void **state)
{
    (void)state;
    uint64_t outer = begin(TIMED);
    launch();
    uint64_t executed = begin(EXECUTED);
    launch();
    uint64_t indifferent = begin(AS_ASKED);
    launch();
    uint64_t timed = begin(TIMED);
    launch();
    ends_with(timed, 1, 1);
    ends_with(indifferent, 2, 1);
    ends_with(executed, 3, 1);
    launch();
    ends_with(outer, 5, 3);
}

static void blocks_may_end_in_the_order_in_which_they_began(void **state)
{
    (void)state;
    uint64_t first = begin(TIMED);
    launch();
    uint64_t second = begin(EXECUTED);
    launch();
    ends_with(first, 2, 1);
    launch();
    ends_with(second, 2, 0);
}

static void *launch_from_a_thread(void *unused)
{
    (void)unused;
    SUCCEEDS(cuCtxSetCurrent(kernels.context));
    launch();
    return NULL;
}

static void launches_of_all_threads_are_held(void **state)
{
    (void)state;
    pthread_t thread;
    uint64_t block = begin(TIMED);
    launch();
    assert_int_equal(pthread_create(&thread, NULL, launch_from_a_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ends_with(block, 2, 2);
}

static void all_contexts_are_waited_for(void **state)
{
    (void)state;
    CUcontext other;
    uint64_t block = begin(TIMED);
    launch();
    SUCCEEDS(cuCtxCreate_v4(&other, NULL, 0, 0));
    ends_with(block, 1, 1);
    SUCCEEDS(cuCtxDestroy_v2(other));
    SUCCEEDS(cuCtxSetCurrent(kernels.context));
}

static void kernels_of_a_graph_lie_in_the_block_of_its_launch(void **state)
{
    (void)state;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    SUCCEEDS(cuStreamCreate(&stream, 1));
    uint64_t capture = begin(TIMED);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch_in(stream);
    ends_with(capture, 0, 0); /* and the capture goes on */
    launch_in(stream);
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    uint64_t block = begin(TIMED);
    SUCCEEDS(cuGraphLaunch(exec, stream));
    ends_with(block, 2, 2);
    SUCCEEDS(cuGraphExecDestroy(exec));
    SUCCEEDS(cuGraphDestroy(graph));
    SUCCEEDS(cuStreamDestroy_v2(stream));
}

/* As in a process that is timed. */
static void timed_launches_of_two_streams_overlap(void **state)
{
    (void)state;
    CUstream stream[2];
    CUevent event[2];
    float seconds[2];
    CUdeviceptr words = device_bytes(4096);
    int n = 64;
    void *parameters[] = {&words, &words, &words, &n};
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(cuStreamCreate(&stream[i], 1));
        SUCCEEDS(cuEventCreate(&event[i], 0));
    }
    for (int streams = 1; streams <= 2; streams++) {
        uint64_t block = begin(TIMED);
        SUCCEEDS(cuEventRecord(event[0], stream[0]));
        for (int i = 0; i < streams; i++)
            SUCCEEDS(
                cuLaunchKernel(kernels_get(&kernels, "vecadd"), 1, 1, 1, 64, 1, 1, 0, stream[i], parameters, NULL));
        SUCCEEDS(cuEventRecord(event[1], stream[streams - 1]));
        ends_with(block, (unsigned)streams, (unsigned)streams);
        SUCCEEDS(cuEventElapsedTime(&seconds[streams - 1], event[0], event[1]));
    }
    assert_true(seconds[0] > 0 && seconds[1] < 1.5F * seconds[0]);
    for (int i = 0; i < 2; i++)
        SUCCEEDS(cuStreamDestroy_v2(stream[i]));
}

struct from_host {
    uint64_t block;
    CUresult result;
    char *document;
};

static void end_from_host(void *data)
{
    struct from_host *f = data;
    f->result = subcoreBlockEnd(f->block, &f->document);
}

static void a_host_function_cannot_end_a_block(void **state)
{
    (void)state;
    struct from_host f = {.block = begin(TIMED)};
    SUCCEEDS(cuLaunchHostFunc(NULL, end_from_host, &f));
    SUCCEEDS(cuCtxSynchronize());
    assert_int_equal(f.result, CUDA_ERROR_NOT_PERMITTED);
    assert_null(f.document);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, subcoreBlockEnd(f.block, &f.document)); /* it is over all the same */
}

#define HOLDS(condition) ((condition) ? (void)0 : _exit(__LINE__ % 250 + 1))

static void in_a_forked_child(uint64_t block)
{
    char *document = NULL;
    uint64_t other = 0;
    HOLDS(subcoreBlockBegin(TIMED, "test", &other) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(subcoreBlockEnd(block, &document) == CUDA_SUCCESS);
    HOLDS(count(document, "\"kernel\":") == 0 && strstr(document, "\"launches\": []"));
    _exit(0);
}

static void a_child_that_was_forked_in_a_block_has_no_launches(void **state)
{
    (void)state;
    uint64_t block = begin(TIMED);
    launch();
    SUCCEEDS(cuCtxSynchronize());
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        in_a_forked_child(block);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ends_with(block, 1, 1);
}

/* The last one: the context has failed then. */
static void a_launch_that_fails_is_in_its_block_with_the_error(void **state)
{
    (void)state;
    char *document = NULL;
    CUdeviceptr wrong = 64;
    void *parameters[] = {&wrong};
    uint64_t block = begin(TIMED);
    SUCCEEDS(run(kernels_get(&kernels, "write_at"), 1, 32, parameters));
    SUCCEEDS(subcoreBlockEnd(block, &document));
    assert_int_equal(count(document, "\"error\": \"CUDA_ERROR_ILLEGAL_ADDRESS\""), 1);
    assert_int_equal(count(document, "\"error_code\": 700"), 1);
    subcoreBlockFree(document);
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT(a_block_may_begin_before_the_driver_does),
        UNIT(wrong_arguments_are_refused),
        UNIT(a_block_holds_the_launches_that_were_submitted_in_it),
        UNIT(the_block_that_began_last_decides_unless_it_has_no_choice),
        UNIT(blocks_may_end_in_the_order_in_which_they_began),
        UNIT(launches_of_all_threads_are_held),
        UNIT(all_contexts_are_waited_for),
        UNIT(kernels_of_a_graph_lie_in_the_block_of_its_launch),
        UNIT(timed_launches_of_two_streams_overlap),
        UNIT(a_host_function_cannot_end_a_block),
        UNIT(a_child_that_was_forked_in_a_block_has_no_launches),
        UNIT(a_launch_that_fails_is_in_its_block_with_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, unload);
}
