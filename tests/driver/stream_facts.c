/* Queries of streams. */
#include "tests/driver/notes.h"

static void a_stream_tells_what_it_was_made_with(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000"), found = NULL;
    CUstream plain = new_stream(0), urgent = NULL, wrong = (CUstream)(void *)&found;
    unsigned flags = 9;
    int priority = 9;
    unsigned long long ids[2];
    CUdevice device = 9;
    SUCCEEDS(cuStreamCreateWithPriority(&urgent, STREAM_NON_BLOCKING_FLAG, -100)); /* the nearest that there is */
    SUCCEEDS(cuStreamGetPriority(urgent, &priority));
    assert_int_equal(priority, -5);
    SUCCEEDS(cuStreamGetFlags(urgent, &flags));
    assert_int_equal(flags, STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuStreamGetFlags(plain, &flags));
    assert_int_equal(flags, 0);
    SUCCEEDS(cuStreamGetPriority(plain, &priority));
    assert_int_equal(priority, 0);
    SUCCEEDS(cuStreamGetCtx(plain, &found));
    assert_ptr_equal(found, context);
    SUCCEEDS(cuStreamGetCtx(NULL, &found));
    assert_ptr_equal(found, context);
    SUCCEEDS(cuStreamGetDevice(plain, &device));
    assert_int_equal(device, 0);
    SUCCEEDS(cuStreamGetId(plain, &ids[0]));
    SUCCEEDS(cuStreamGetId(urgent, &ids[1]));
    assert_int_not_equal(ids[0], ids[1]);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamGetFlags(plain, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamGetFlags(wrong, &flags));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(wrong));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(LEGACY));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&plain, 2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(wrong));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(wrong));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(wrong, NULL, 0));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void attributes_are_kept_and_copied(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUstream first = new_stream(0), second = new_stream(0);
    CUstreamAttrValue value = {{0}};
    SUCCEEDS(cuStreamGetAttribute(first, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_AUTO);
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    SUCCEEDS(cuStreamSetAttribute(first, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    value.priority = -3;
    SUCCEEDS(cuStreamSetAttribute(first, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    value.accessPolicyWindow = (CUaccessPolicyWindow){.num_bytes = 4096, .hitRatio = 0.5F};
    SUCCEEDS(cuStreamSetAttribute(first, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    SUCCEEDS(cuStreamCopyAttributes(second, first));
    SUCCEEDS(cuStreamGetAttribute(second, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_YIELD);
    SUCCEEDS(cuStreamGetAttribute(second, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    assert_int_equal(value.priority, -3);
    SUCCEEDS(cuStreamGetAttribute(second, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    assert_int_equal(value.accessPolicyWindow.num_bytes, 4096);
    value.accessPolicyWindow.hitRatio = 2;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(first, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    value.priority = 7;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(first, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(first, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamGetAttribute(first, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamCopyAttributes(second, (CUstream)(void *)&value));
    SUCCEEDS(cuProfilerStart());
    SUCCEEDS(cuProfilerStop());
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(a_stream_tells_what_it_was_made_with), UNIT(attributes_are_kept_and_copied))
