#include "driver/abi/api_device.h"
#include "tests/runtime/rig.h"

static void every_error_has_a_name_and_a_text(void **state)
{
    (void)state;
    static const cudaError_t errors[] = {
#define ERROR(name, text) name,
#include "runtime/errors.def"
#undef ERROR
    };
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        const char *name = cudaGetErrorName(errors[i]);
        assert_int_equal(strncmp(name, i == 0 ? "cudaSuccess" : "cudaError", i == 0 ? 12 : 9), 0);
        assert_true(strlen(cudaGetErrorString(errors[i])) > 4);
    }
    assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    assert_string_equal(cudaGetErrorString((cudaError_t)-1), "unrecognized error code");
}

static void an_error_stays_the_last_until_it_is_asked_for(void **state)
{
    (void)state;
    void *memory;
    rig_program();
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    ANSWERS(cudaErrorInvalidDevice, cudaSetDevice(7));
    SUCCEEDS(cudaMalloc(&memory, 16)); /* success does not clear it */
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(memory, memory, 1, (enum cudaMemcpyKind)9));
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidMemcpyDirection); /* the later one */
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    SUCCEEDS(cudaFree(memory));
}

static void a_launch_of_a_wrong_shape_is_an_invalid_configuration(void **state)
{
    (void)state;
    static const dim3 one = {1, 1, 1};
    static const struct {
        dim3 grid;
        dim3 block;
    } shapes[] = {{{0, 1, 1}, {1, 1, 1}},     {{1, 0, 1}, {1, 1, 1}},     {{1, 1, 0}, {1, 1, 1}},
                  {{1, 1, 1}, {0, 1, 1}},     {{1, 1, 1}, {1, 0, 1}},     {{1, 1, 1}, {1, 1, 0}},
                  {{1, 1, 1}, {1025, 1, 1}},  {{1, 1, 1}, {1, 1025, 1}},  {{1, 1, 1}, {1, 1, 65}},
                  {{1, 65536, 1}, {1, 1, 1}}, {{1, 1, 65536}, {1, 1, 1}}, {{0x80000000, 1, 1}, {1, 1, 1}},
                  {{1, 1, 1}, {33, 32, 1}},   {{1, 1, 1}, {32, 32, 2}}};
    void *device;
    rig_program();
    SUCCEEDS(cudaMalloc(&device, 64));
    void *arguments[] = {&device};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        FAILS(cudaErrorInvalidConfiguration,
              rig_launch_in(&host_store, shapes[i].grid, shapes[i].block, arguments, 0, NULL));
        FAILS(cudaErrorInvalidConfiguration,
              cudaLaunchKernel(&host_store, shapes[i].grid, shapes[i].block, arguments, 0, NULL));
        cudaLaunchConfig_t config = {.gridDim = shapes[i].grid, .blockDim = shapes[i].block};
        FAILS(cudaErrorInvalidConfiguration, cudaLaunchKernelExC(&config, &host_store, arguments));
    }
    FAILS(cudaErrorInvalidValue, rig_launch_in(&host_dynamic_shared, one, one, arguments, 48 * 1024 + 1, NULL));
    FAILS(cudaErrorInvalidValue, rig_launch_in(&host_dynamic_shared, one, one, arguments, (size_t)1 << 40, NULL));
    FAILS(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, &host_store, arguments));
    SUCCEEDS(rig_launch_in(&host_store, one, one, arguments, 0, NULL));
    SUCCEEDS(cudaDeviceSynchronize());
    SUCCEEDS(cudaFree(device));
}

/* After a fault everything that touches the device answers the fault's error, and the question for the last error
 * does not clear it. A reset does, and the program runs on. */
static void lose_the_context(cudaError_t error, char *host, void **arguments)
{
    void *memory;
    cudaEvent_t event;
    SUCCEEDS(rig_launch(host, 1, 1, arguments));
    ANSWERS(error, cudaDeviceSynchronize());
    assert_int_equal(cudaGetLastError(), error);
    assert_int_equal(cudaGetLastError(), error);
    ANSWERS(error, cudaMalloc(&memory, 16));
    ANSWERS(error, cudaEventCreate(&event));
    ANSWERS(error, rig_launch(&host_trap, 1, 1, NULL));
    ANSWERS(error, cudaStreamSynchronize(NULL));
    assert_int_equal(cudaPeekAtLastError(), error);
    SUCCEEDS(cudaDeviceReset());
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    SUCCEEDS(cudaMalloc(&memory, 16));
    void *good[] = {&memory};
    SUCCEEDS(rig_launch(&host_store, 1, 1, good));
    int value = 0;
    SUCCEEDS(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 1);
    SUCCEEDS(cudaFree(memory));
}

static void a_fault_loses_the_context_until_a_reset(void **state)
{
    (void)state;
    void *wild = (void *)0x10, *memory;
    int value = 3;
    rig_program();
    void *wild_arguments[] = {&wild};
    lose_the_context(cudaErrorIllegalAddress, &host_store, wild_arguments);
    SUCCEEDS(cudaMalloc(&memory, 64));
    void *arguments[] = {&memory};
    lose_the_context(cudaErrorMisalignedAddress, &host_store_misaligned, arguments);
    void *assert_arguments[] = {&value};
    lose_the_context(cudaErrorAssert, &host_fail, assert_arguments);
    lose_the_context(cudaErrorLaunchFailure, &host_trap, NULL);
}

static void wrong_arguments_are_answered_not_followed(void **state)
{
    (void)state;
    void *memory = NULL;
    int value;
    rig_program();
    SUCCEEDS(cudaMalloc(&memory, 256));
    FAILS(cudaErrorInvalidValue, cudaMalloc(NULL, 16));
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&(void *){NULL}, (size_t)1 << 50));
    FAILS(cudaErrorInvalidValue, cudaMallocHost(NULL, 16));
    FAILS(cudaErrorInvalidValue, cudaMallocManaged(NULL, 16, 1));
    FAILS(cudaErrorInvalidValue, cudaMallocPitch(NULL, NULL, 1, 1));
    FAILS(cudaErrorInvalidValue, cudaFree((char *)memory + 4));
    FAILS(cudaErrorInvalidValue, cudaFree(&value));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(&value));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(NULL, memory, 4, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(memory, NULL, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(memory, &value, 512, cudaMemcpyDeviceToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(memory, &value, 4, (enum cudaMemcpyKind)5));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(memory, &value, 4, (enum cudaMemcpyKind) - 1));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(memory, 8, memory, 16, 16, 2, cudaMemcpyDeviceToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemset(NULL, 0, 4));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceCount(NULL));
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(-1));
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&(struct cudaDeviceProp){.major = 0}, 1));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceProperties(NULL, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    FAILS(cudaErrorInvalidValue, cudaSetDeviceFlags(0x1000));
    FAILS(cudaErrorInvalidValue, cudaRuntimeGetVersion(NULL));
    FAILS(cudaErrorInvalidValue, cudaPointerGetAttributes(NULL, memory));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize((cudaStream_t)memory));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord((cudaEvent_t)memory, NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(NULL));
    FAILS(cudaErrorInvalidValue, cudaStreamCreate(NULL));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&(cudaStream_t){NULL}, 77));
    FAILS(cudaErrorInvalidValue, cudaEventCreate(NULL));
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(NULL, NULL, NULL, 0));
    FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute(&host_add, (enum cudaFuncAttribute)3, 1));
    FAILS(cudaErrorInvalidValue, cudaFuncGetAttributes(NULL, &host_add));
    SUCCEEDS(cudaFree(memory));
    SUCCEEDS(cudaFree(NULL));
    SUCCEEDS(cudaFreeHost(NULL));
}

static void what_is_not_implemented_says_not_supported(void **state)
{
    (void)state;
    extern cudaError_t cudaIpcCloseMemHandle(void *memory);
    rig_environment();
    FAILS(cudaErrorNotSupported, cudaIpcCloseMemHandle(NULL));
    FAILS(cudaErrorNotSupported, cudaIpcCloseMemHandle(NULL));
}

static void count_message(void *data, cudaLogLevel level, char *message, size_t length)
{
    unsigned *calls = data;
    *calls += level == cudaLogLevelError && length == strlen(message);
}

static void the_error_log_is_that_of_the_driver(void **state)
{
    (void)state;
    char text[1024];
    size_t size = sizeof text;
    unsigned calls = 0;
    cudaLogIterator at = 99, driver_at = 98;
    cudaLogsCallbackHandle handle = NULL;
    SUCCEEDS(cudaLogsRegisterCallback(count_message, &calls, &handle));
    SUCCEEDS(cudaLogsCurrent(&at, 0));
    assert_int_equal(cuLogsCurrent(&driver_at, 0), CUDA_SUCCESS);
    assert_int_equal(at, driver_at);
    FAILS(cudaErrorInvalidValue, cudaLogsDumpToFile(&at, NULL, 0));
    assert_int_equal(calls, 1);
    SUCCEEDS(cudaLogsUnregisterCallback(handle));
    FAILS(cudaErrorInvalidValue, cudaLogsUnregisterCallback(handle));
    assert_int_equal(calls, 1);
    SUCCEEDS(cudaLogsDumpToMemory(&at, text, &size, 0));
    assert_int_equal(at, driver_at + 2);
    assert_non_null(strstr(text, "[cuLogsDumpToFile] pathToFile is NULL\n"));
}

UNIT_TESTS(UNIT(every_error_has_a_name_and_a_text), UNIT(an_error_stays_the_last_until_it_is_asked_for),
           UNIT(a_launch_of_a_wrong_shape_is_an_invalid_configuration), UNIT(wrong_arguments_are_answered_not_followed),
           UNIT(what_is_not_implemented_says_not_supported), UNIT(the_error_log_is_that_of_the_driver),
           UNIT(a_fault_loses_the_context_until_a_reset))
