/* Streams that wait for values in memory, and contexts that end. */
#include <pthread.h>

#include "driver/abi/api_memory.h"
#include "tests/driver/notes.h"
#include "tests/driver/saxpy.h"

enum { AT_LEAST, EQUAL, AND, NOR }; /* CU_STREAM_WAIT_VALUE_... */

/* A word that host and device see. */
static volatile uint64_t *shared_word(void)
{
    void *word = NULL;
    SUCCEEDS(cuMemHostAlloc(&word, sizeof(uint64_t), 0));
    return word;
}

static CUdeviceptr address_of(volatile uint64_t *word) { return (CUdeviceptr)(uintptr_t)word; }

static void host_writes(volatile uint64_t *word, uint64_t value)
{
    __atomic_store_n((uint64_t *)(uintptr_t)word, value, __ATOMIC_RELEASE);
}

static void a_stream_waits_until_the_host_writes_a_value(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    volatile uint64_t *word = shared_word();
    struct log log = {0};
    struct note a = {&log, 'a'}, b = {&log, 'b'};
    CUstream waits = new_stream(0), other = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuStreamWaitValue32_v2(waits, address_of(word), 5, EQUAL));
    submit_note(waits, &a);
    submit_note(other, &b);
    SUCCEEDS(cuStreamSynchronize(other));
    assert_string_equal(log.text, "b");
    ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(waits));
    host_writes(word, 5);
    SUCCEEDS(cuStreamSynchronize(waits));
    assert_string_equal(log.text, "ba");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_stream_waits_until_another_stream_writes_a_value(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note a = {&log, 'a'}, b = {&log, 'b'};
    CUdeviceptr word = 0;
    SUCCEEDS(cuMemAlloc_v2(&word, 16));
    SUCCEEDS(cuMemsetD32_v2(word, 0, 4));
    CUstream waits = new_stream(STREAM_NON_BLOCKING_FLAG), writes = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuStreamWaitValue64_v2(waits, word + 8, UINT64_C(1) << 40, AT_LEAST));
    submit_note(waits, &a);
    submit_note(writes, &b);
    SUCCEEDS(cuStreamWriteValue64_v2(writes, word + 8, (UINT64_C(1) << 40) + 1, 0));
    SUCCEEDS(cuCtxSynchronize());
    assert_string_equal(log.text, "ba");
    uint64_t found = 0;
    SUCCEEDS(cuMemcpyDtoH_v2(&found, word + 8, sizeof found));
    assert_true(found == (UINT64_C(1) << 40) + 1);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

/* A wait with these arguments lets its stream go on when the word holds `found`, or does not. */
static void goes_on(bool expected, volatile uint64_t *word, bool wide, uint64_t found, uint64_t value, unsigned flags)
{
    CUstream stream = new_stream(STREAM_NON_BLOCKING_FLAG);
    host_writes(word, found);
    if (wide)
        SUCCEEDS(cuStreamWaitValue64_v2(stream, address_of(word), value, flags));
    else
        SUCCEEDS(cuStreamWaitValue32_v2(stream, address_of(word), (cuuint32_t)value, flags));
    if (!expected) {
        usleep(5000);
        ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
        host_writes(word, flags == AND ? UINT64_MAX : flags == NOR ? 0 : value);
    }
    SUCCEEDS(cuStreamSynchronize(stream));
    SUCCEEDS(cuStreamDestroy_v2(stream));
}

static void values_are_compared_as_the_flags_say(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    volatile uint64_t *word = shared_word();
    goes_on(true, word, false, 7, 7, AT_LEAST);
    goes_on(false, word, false, 6, 7, AT_LEAST);
    goes_on(true, word, false, 1, 0xffffffff, AT_LEAST); /* on a circle */
    goes_on(false, word, true, UINT64_MAX, 0, AT_LEAST);
    goes_on(false, word, false, 8, 7, EQUAL);
    goes_on(true, word, false, UINT64_C(1) << 32 | 7, 7, EQUAL); /* the upper half does not count */
    goes_on(false, word, true, UINT64_C(1) << 32 | 7, 7, EQUAL);
    goes_on(true, word, false, 6, 3, AND);
    goes_on(false, word, false, 4, 3, AND);
    goes_on(true, word, false, 0xfffffffe, 0, NOR);
    goes_on(false, word, false, 0xfffffffe, 1, NOR);
    goes_on(true, word, true, 0xfffffffe, 1, NOR);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void an_event_behind_a_wait_holds_those_that_wait_for_it(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    volatile uint64_t *word = shared_word();
    struct log log = {0};
    struct note a = {&log, 'a'}, b = {&log, 'b'}, c = {&log, 'c'};
    CUevent event = NULL;
    SUCCEEDS(cuEventCreate(&event, 0));
    CUstream first = new_stream(STREAM_NON_BLOCKING_FLAG), second = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuStreamWaitValue32_v2(first, address_of(word), 1, EQUAL));
    submit_note(first, &a);
    SUCCEEDS(cuEventRecord(event, first));
    SUCCEEDS(cuStreamWaitEvent(second, event, 0));
    submit_note(second, &b);
    submit_note(NULL, &c); /* waits for neither */
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_string_equal(log.text, "c");
    ANSWERS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
    SUCCEEDS(cuEventDestroy_v2(event)); /* the thread that waits goes on waiting */
    ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
    host_writes(word, 1);
    SUCCEEDS(cuStreamSynchronize(second));
    assert_string_equal(log.text, "cab");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void the_legacy_stream_waits_for_a_blocking_stream_and_the_other_way_round(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    volatile uint64_t *word = shared_word();
    struct log log = {0};
    struct note notes[5] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}, {&log, 'd'}, {&log, 'e'}};
    CUstream first = new_stream(0), second = new_stream(0), free_stream = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuStreamWaitValue32_v2(first, address_of(word), 1, EQUAL));
    submit_note(second, &notes[0]); /* before the legacy stream is given something */
    submit_note(NULL, &notes[1]);
    submit_note(second, &notes[2]);
    submit_note(PER_THREAD, &notes[3]);
    submit_note(free_stream, &notes[4]);
    SUCCEEDS(cuStreamSynchronize(free_stream));
    assert_string_equal(log.text, "ae");
    ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
    ANSWERS(CUDA_ERROR_NOT_READY, cuStreamQuery(PER_THREAD));
    host_writes(word, 1);
    SUCCEEDS(cuCtxSynchronize());
    assert_string_equal(log.text, "aebcd");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_destroyed_stream_goes_on_waiting(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    volatile uint64_t *word = shared_word();
    struct log log = {0};
    struct note a = {&log, 'a'};
    CUstream stream = new_stream(0);
    SUCCEEDS(cuStreamWaitValue32_v2(stream, address_of(word), 1, EQUAL));
    submit_note(stream, &a);
    SUCCEEDS(cuStreamDestroy_v2(stream));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    host_writes(word, 1);
    SUCCEEDS(cuCtxSynchronize());
    assert_string_equal(log.text, "a");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_batch_is_done_in_its_order_or_not_at_all(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    volatile uint64_t *word = shared_word();
    CUstreamBatchMemOpParams ops[3] = {
        {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = address_of(word), .value = 4}},
        {.waitValue =
             {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, .address = address_of(word), .value = 4, .flags = 1}},
        {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, .address = address_of(word), .value64 = 6}},
    };
    SUCCEEDS(cuStreamBatchMemOp_v2(NULL, 3, ops, 0));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_true(*word == 6);
    ops[2].writeValue.address += 4;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(NULL, 3, ops, 0));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_true(*word == 6);
    int local = 0;
    CUdeviceptr host = (CUdeviceptr)(uintptr_t)&local;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(NULL, 257, ops, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(NULL, 1, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(NULL, 1, ops, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(NULL, 0, 1, EQUAL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(NULL, host, 1, EQUAL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(NULL, address_of(word) + 2, 1, EQUAL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(NULL, address_of(word), 1, 4));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32_v2(NULL, address_of(word), 1, 1u << 30));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64_v2(NULL, address_of(word) + 4, 1, 0));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamWriteValue32_v2((CUstream)(void *)&local, address_of(word), 1, 0));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

struct seen {
    CUresult state;
    unsigned calls;
};

static void see(CUstream stream, CUresult result, void *data)
{
    struct seen *seen = data;
    (void)stream;
    *seen = (struct seen){result, seen->calls + 1};
}

struct waiter {
    CUcontext context;
    CUstream stream;
    CUresult answer;
};

static void *wait_for_stream(void *data)
{
    struct waiter *waiter = data;
    SUCCEEDS(cuCtxSetCurrent(waiter->context));
    waiter->answer = cuStreamSynchronize(waiter->stream);
    return NULL;
}

static void a_fault_ends_the_context_and_wakes_all_who_wait(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    volatile uint64_t *word = shared_word();
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    struct log log = {0};
    struct note never = {&log, 'n'};
    struct seen seen = {CUDA_SUCCESS, 0};
    struct gate gate = {false};
    CUevent event = NULL;
    SUCCEEDS(cuEventCreate(&event, 0));
    CUstream held = new_stream(STREAM_NON_BLOCKING_FLAG), faulty = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuStreamWaitValue32_v2(held, address_of(word), 1, EQUAL));
    submit_note(held, &never);
    SUCCEEDS(cuStreamAddCallback(held, see, &seen, 0));
    struct waiter waiter = {context, held, CUDA_SUCCESS};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_stream, &waiter), 0);
    saxpy.x = 0x10;
    SUCCEEDS(cuLaunchHostFunc(faulty, wait_at_gate, &gate));
    saxpy_launch(&saxpy, faulty);
    submit_note(faulty, &never);
    SUCCEEDS(cuEventRecord(event, faulty));
    atomic_store(&gate.open, true);
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    pthread_join(thread, NULL);
    assert_int_equal(waiter.answer, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.state, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_string_equal(log.text, "");
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(event));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(held));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuLaunchHostFunc(held, write_note, &never));
    CUstream stream = NULL;
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamCreate(&stream, 0));
    SUCCEEDS(cuCtxDestroy_v2(context));
    context = rig_context("rtx-a6000"); /* another context works */
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(a_stream_waits_until_the_host_writes_a_value), UNIT(a_stream_waits_until_another_stream_writes_a_value),
           UNIT(values_are_compared_as_the_flags_say), UNIT(an_event_behind_a_wait_holds_those_that_wait_for_it),
           UNIT(the_legacy_stream_waits_for_a_blocking_stream_and_the_other_way_round),
           UNIT(a_destroyed_stream_goes_on_waiting), UNIT(a_batch_is_done_in_its_order_or_not_at_all),
           UNIT(a_fault_ends_the_context_and_wakes_all_who_wait))
