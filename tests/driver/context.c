/* Contexts, the stack of a thread, the primary context, limits and the other settings of a context. */
#include <pthread.h>

#include "driver/abi/api_stream.h"
#include "driver/state/context.h"
#include "tests/driver/rig.h"

static CUcontext current(void)
{
    CUcontext context = (CUcontext)(uintptr_t)1;
    SUCCEEDS(cuCtxGetCurrent(&context));
    return context;
}

static void a_context_that_was_made_is_current_until_it_is_popped(void **state)
{
    (void)state;
    CUcontext made = rig_context("rtx-a6000"), popped = NULL;
    assert_ptr_equal(current(), made);
    SUCCEEDS(cuCtxPopCurrent_v2(&popped));
    assert_ptr_equal(popped, made);
    assert_null(current());
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(&popped));
    SUCCEEDS(cuCtxDestroy_v2(made));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(made));
}

static void contexts_of_a_thread_are_a_stack(void **state)
{
    (void)state;
    CUcontext a = NULL, b = NULL, c = NULL;
    SUCCEEDS(cuCtxCreate(&a, 0, 0));
    SUCCEEDS(cuCtxCreate_v2(&b, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    SUCCEEDS(cuCtxCreate_v3(&c, NULL, 0, 0, 0));
    SUCCEEDS(cuCtxPushCurrent_v2(a));
    assert_ptr_equal(current(), a);
    SUCCEEDS(cuCtxPopCurrent_v2(NULL));
    assert_ptr_equal(current(), c);
    SUCCEEDS(cuCtxSetCurrent(a));
    assert_ptr_equal(current(), a);
    SUCCEEDS(cuCtxSetCurrent(NULL));
    assert_ptr_equal(current(), b);
    SUCCEEDS(cuCtxDestroy_v2(b)); /* current: popped as well */
    assert_ptr_equal(current(), a);
    SUCCEEDS(cuCtxDestroy(a));
    SUCCEEDS(cuCtxDestroy_v2(c));
    assert_null(current());
    SUCCEEDS(cuCtxSetCurrent(NULL));
}

static void a_stack_has_an_end(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000"), other = NULL;
    unsigned pushed = 0;
    while (pushed < 1000 && cuCtxPushCurrent_v2(context) == CUDA_SUCCESS)
        ++pushed;
    assert_in_range(pushed, 32, 999);
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuCtxCreate_v4(&other, NULL, 0, 0));
    while (cuCtxPopCurrent_v2(NULL) == CUDA_SUCCESS)
        continue;
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void wrong_arguments_of_contexts_are_answered(void **state)
{
    (void)state;
    CUcontext context = NULL;
    CUexecAffinityParam affinity = {.type = CU_EXEC_AFFINITY_TYPE_SM_COUNT};
    CUctxCreateParams with_affinity = {.execAffinityParams = &affinity, .numExecAffinityParams = 1};
    int garbage[64] = {0};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v4(NULL, NULL, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v4(&context, NULL, 0x100, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v4(&context, NULL, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate_v4(&context, NULL, 0, 1));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate_v2(&context, 0, -1));
    ANSWERS(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v3(&context, &affinity, 1, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v3(&context, NULL, 1, 0, 0));
    ANSWERS(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v4(&context, &with_affinity, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(NULL));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2((CUcontext)(void *)garbage));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)(void *)garbage));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent_v2((CUcontext)(uintptr_t)8));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent_v2(NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxGetCurrent(NULL));
}

static void without_a_context_there_is_no_work(void **state)
{
    (void)state;
    size_t value;
    unsigned flags;
    CUdevice device;
    assert_null(current());
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetFlags(&flags));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetApiVersion(NULL, &flags));
}

static void the_primary_context_is_active_while_it_is_retained(void **state)
{
    (void)state;
    CUcontext first = NULL, second = NULL;
    unsigned flags = 99;
    int active = 99;
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    assert_int_equal(flags, 0);
    SUCCEEDS(cuDevicePrimaryCtxRetain(&first, 0));
    SUCCEEDS(cuDevicePrimaryCtxRetain(&second, 0));
    assert_ptr_equal(first, second);
    assert_null(current());
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxRetain(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&first, 1));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRelease(2));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxReset_v2(-2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxGetState(0, NULL, &active));
}

static void the_primary_context_can_be_current_before_it_is_in_use(void **state)
{
    (void)state;
    CUcontext primary = NULL, again = NULL;
    CUdevice device = 99;
    size_t value;
    SUCCEEDS(cuDevicePrimaryCtxRetain(&primary, 0));
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuCtxSetCurrent(primary));
    SUCCEEDS(cuCtxGetDevice(&device));
    assert_int_equal(device, 0);
    ANSWERS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    SUCCEEDS(cuDevicePrimaryCtxRetain(&again, 0));
    assert_ptr_equal(primary, again);
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(primary));
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuCtxSetCurrent(NULL));
}

static void a_reset_ends_use_until_the_next_retain_and_keeps_the_count(void **state)
{
    (void)state;
    CUcontext primary = NULL;
    unsigned flags;
    int active;
    size_t value = 0;
    SUCCEEDS(cuDevicePrimaryCtxRetain(&primary, 0));
    SUCCEEDS(cuCtxSetCurrent(primary));
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    SUCCEEDS(cuDevicePrimaryCtxReset_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    ANSWERS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    SUCCEEDS(cuDevicePrimaryCtxRetain(&primary, 0));
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 1024);
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuCtxSetCurrent(NULL));
}

static void flags_of_the_primary_context_can_be_set(void **state)
{
    (void)state;
    CUcontext primary = NULL;
    unsigned flags = 99;
    int active;
    SUCCEEDS(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_YIELD));
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(flags, CU_CTX_SCHED_YIELD);
    SUCCEEDS(cuDevicePrimaryCtxRetain(&primary, 0));
    SUCCEEDS(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    ANSWERS(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
    SUCCEEDS(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_SPIN));
    SUCCEEDS(cuCtxSetCurrent(primary));
    SUCCEEDS(cuCtxGetFlags(&flags));
    assert_int_equal(flags, CU_CTX_SCHED_SPIN);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags_v2(0, 0x1000));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxSetFlags(7));
    SUCCEEDS(cuCtxSetFlags(CU_CTX_MAP_HOST));
    SUCCEEDS(cuCtxGetFlags(&flags));
    assert_int_equal(flags, CU_CTX_MAP_HOST);
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuCtxSetCurrent(NULL));
    SUCCEEDS(cuDevicePrimaryCtxSetFlags_v2(0, 0));
}

static void limits_have_documented_defaults_and_ranges(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    size_t value = 0;
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 1024);
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
    assert_int_equal(value, 1 << 20);
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(value, 8 << 20);
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2001));
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 2016);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 512 * 1024 + 1));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 512 * 1024)); /* for 129024 threads */
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, (size_t)49 << 30));
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, (size_t)4 << 30));
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, (1 << 20) + 1));
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(value, (1 << 20) + 16);
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129));
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 20));
    SUCCEEDS(cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    assert_int_equal(value, 0);
    ANSWERS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 4));
    ANSWERS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    ANSWERS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, CU_LIMIT_MAX));
    ANSWERS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit((CUlimit)-1, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void preferences_are_kept_and_checked(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUfunc_cache cache = 99;
    CUsharedconfig banks = 99;
    int least = 99, greatest = 99;
    SUCCEEDS(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    SUCCEEDS(cuCtxGetCacheConfig(&cache));
    assert_int_equal(cache, CU_FUNC_CACHE_PREFER_L1);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxSetCacheConfig((CUfunc_cache)4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxGetCacheConfig(NULL));
    SUCCEEDS(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    SUCCEEDS(cuCtxGetSharedMemConfig(&banks));
    assert_int_equal(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxSetSharedMemConfig((CUsharedconfig)3));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxGetSharedMemConfig(NULL));
    SUCCEEDS(cuCtxGetStreamPriorityRange(&least, &greatest));
    assert_int_equal(least, 0);
    assert_int_equal(greatest, -5);
    SUCCEEDS(cuCtxGetStreamPriorityRange(NULL, NULL));
    SUCCEEDS(cuCtxResetPersistingL2Cache());
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuFlushGPUDirectRDMAWrites(0, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFlushGPUDirectRDMAWrites(0, 7));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_context_has_an_id_a_version_and_a_device(void **state)
{
    (void)state;
    CUcontext a = rig_context("rtx-a6000"), b = rig_context("rtx-a6000");
    unsigned long long first = 0, second = 0;
    unsigned version = 0;
    CUdevice device = 99;
    SUCCEEDS(cuCtxGetId(a, &first));
    SUCCEEDS(cuCtxGetId(NULL, &second));
    assert_true(first != 0 && second != 0 && first != second);
    SUCCEEDS(cuCtxGetApiVersion(a, &version));
    assert_int_equal(version, 3020);
    SUCCEEDS(cuCtxGetDevice_v2(&device, a));
    assert_int_equal(device, 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxGetId(a, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxGetApiVersion(a, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxGetDevice(NULL));
    SUCCEEDS(cuCtxDestroy_v2(b));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetId(b, &second));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetApiVersion(b, &version));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice_v2(&device, b));
    SUCCEEDS(cuCtxDestroy_v2(a));
}

static void contexts_of_one_device_are_no_peers(void **state)
{
    (void)state;
    CUcontext a = rig_context("rtx-a6000"), b = rig_context("rtx-a6000");
    ANSWERS(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(a, 0));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(b, 0)); /* the current one */
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxEnablePeerAccess(a, 1));
    ANSWERS(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(a));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDisablePeerAccess(NULL));
    SUCCEEDS(cuCtxDestroy_v2(b));
    SUCCEEDS(cuCtxDestroy_v2(a));
}

static void attached_contexts_live_until_the_last_is_detached(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000"), attached = NULL;
    SUCCEEDS(cuCtxAttach(&attached, 0));
    assert_ptr_equal(attached, context);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuCtxAttach(&attached, 1));
    SUCCEEDS(cuCtxDetach(context));
    assert_ptr_equal(current(), context);
    SUCCEEDS(cuCtxDetach(context));
    assert_null(current());
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDetach(context));
}

static void a_fault_is_answered_by_every_later_call_until_the_reset(void **state)
{
    (void)state;
    CUcontext primary = NULL;
    CUdevice device = 99;
    size_t value;
    SUCCEEDS(cuDevicePrimaryCtxRetain(&primary, 0));
    SUCCEEDS(cuCtxSetCurrent(primary));
    context_fault(primary, CUDA_ERROR_ILLEGAL_ADDRESS);
    context_fault(primary, CUDA_ERROR_ASSERT); /* the first one stays */
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    SUCCEEDS(cuCtxGetDevice(&device));
    assert_ptr_equal(current(), primary);
    SUCCEEDS(cuDevicePrimaryCtxReset_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxRetain(&primary, 0));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuCtxSetCurrent(NULL));
}

static void *use_a_destroyed_context(void *context)
{
    size_t value;
    CUresult set = cuCtxSetCurrent(context);
    if (set != CUDA_SUCCESS || cuCtxDestroy_v2(context) != CUDA_SUCCESS)
        return "cannot destroy the context of another thread";
    if (current() != NULL)
        return "it is still current";
    return cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE) == CUDA_ERROR_INVALID_CONTEXT ? NULL : "another error";
}

static void a_context_that_another_thread_destroyed_stays_current_and_is_dead(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    pthread_t thread;
    void *wrong = "no answer";
    size_t value;
    assert_int_equal(pthread_create(&thread, NULL, use_a_destroyed_context, context), 0);
    assert_int_equal(pthread_join(thread, &wrong), 0);
    assert_null(wrong);
    ANSWERS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    ANSWERS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    SUCCEEDS(cuCtxPopCurrent_v2(NULL));
}

enum { THREADS = 8, ROUNDS = 200 };

static void *make_and_destroy(void *argument)
{
    (void)argument;
    for (int i = 0; i < ROUNDS; ++i) {
        CUcontext context = NULL, primary = NULL;
        size_t value = 0;
        int sms = 0;
        bool good = cuCtxCreate_v4(&context, NULL, 0, 0) == CUDA_SUCCESS &&
                    cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t)i * 16) == CUDA_SUCCESS &&
                    cuDevicePrimaryCtxRetain(&primary, 0) == CUDA_SUCCESS &&
                    cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) == CUDA_SUCCESS &&
                    cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS && value == (size_t)i * 16 &&
                    sms == 84 && cuCtxSynchronize() == CUDA_SUCCESS && cuCtxDestroy_v2(context) == CUDA_SUCCESS &&
                    cuDevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS;
        if (!good)
            return "a call failed";
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, make_and_destroy, NULL), 0);
    for (int i = 0; i < THREADS; ++i) {
        void *wrong = "no answer";
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_null(wrong);
    }
}

UNIT_TESTS(UNIT(a_context_that_was_made_is_current_until_it_is_popped), UNIT(contexts_of_a_thread_are_a_stack),
           UNIT(a_stack_has_an_end), UNIT(wrong_arguments_of_contexts_are_answered),
           UNIT(without_a_context_there_is_no_work), UNIT(the_primary_context_is_active_while_it_is_retained),
           UNIT(the_primary_context_can_be_current_before_it_is_in_use),
           UNIT(a_reset_ends_use_until_the_next_retain_and_keeps_the_count),
           UNIT(flags_of_the_primary_context_can_be_set), UNIT(limits_have_documented_defaults_and_ranges),
           UNIT(preferences_are_kept_and_checked), UNIT(a_context_has_an_id_a_version_and_a_device),
           UNIT(contexts_of_one_device_are_no_peers), UNIT(attached_contexts_live_until_the_last_is_detached),
           UNIT(a_fault_is_answered_by_every_later_call_until_the_reset),
           UNIT(a_context_that_another_thread_destroyed_stays_current_and_is_dead),
           UNIT(threads_do_not_disturb_each_other))
