/* Before cuInit, and the refusals of cuInit. Every test runs in a process of its own. */
#include <sys/wait.h>
#include <unistd.h>

#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"
#include "tests/temporary.h"

/* The exit status of `body` in a child (0: all of its conditions held). */
static int in_child(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr); /* messages are expected */
        body();
        _exit(0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

#define HOLDS(condition) ((condition) ? (void)0 : _exit(__LINE__ % 250 + 1))

static void calls_without_init(void)
{
    int number;
    CUcontext context;
    size_t bytes;
    HOLDS(cuDeviceGetCount(&number) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuDeviceGet(&number, 0) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuCtxSetCurrent(NULL) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuCtxCreate_v4(&context, NULL, 0, 0) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuDeviceTotalMem_v2(&bytes, 0) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuEventQuery((CUevent)&bytes) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuEventSynchronize((CUevent)&bytes) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuStreamQuery((CUstream)&bytes) == CUDA_ERROR_NOT_INITIALIZED);
    HOLDS(cuDriverGetVersion(&number) == CUDA_SUCCESS && number == 13000);
    HOLDS(cuDriverGetVersion(NULL) == CUDA_ERROR_INVALID_VALUE);
}

static void before_init_nothing_but_the_version_is_told(void **state)
{
    (void)state;
    assert_int_equal(in_child(calls_without_init), 0);
}

static void init_with_flags(void)
{
    HOLDS(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    HOLDS(cuInit(0) == CUDA_SUCCESS);
    HOLDS(cuInit(0) == CUDA_SUCCESS);
    HOLDS(cuInit(~0U) == CUDA_ERROR_INVALID_VALUE);
}

static void init_takes_no_flags_and_can_be_repeated(void **state)
{
    (void)state;
    assert_int_equal(in_child(init_with_flags), 0);
}

static void init_fails(void)
{
    int count;
    HOLDS(cuInit(0) == CUDA_ERROR_NO_DEVICE);
    HOLDS(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
}

static void init_fails_three_times(void)
{
    char text[2048] = "";
    char path[TEMPORARY_PATH];
    snprintf(path, sizeof path, "%s/subcore-test-XXXXXX", file_temporary_folder());
    int file = mkstemp(path); /* no assertion: this is a child */
    HOLDS(file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    stderr = fdopen(STDERR_FILENO, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
    for (int i = 0; i < 3; ++i)
        init_fails();
    HOLDS(pread(file, text, sizeof text - 1, 0) > 0 && unlink(path) == 0);
    HOLDS(strncmp(text, "subcore: ", 9) == 0 && strstr(text, "no-such-gpu") != NULL);
    HOLDS(strchr(text, '\n') == strrchr(text, '\n'));
}

static int with(const char *variable, const char *value, void (*body)(void))
{
    setenv(variable, value, 1);
    int status = in_child(body);
    unsetenv(variable);
    return status;
}

static void a_wrong_setting_leaves_no_device(void **state)
{
    (void)state;
    assert_int_equal(with("SUBCORE_GPU", "no-such-gpu", init_fails), 0);
    assert_int_equal(with("SUBCORE_GPU", "no-such-gpu", init_fails_three_times), 0);
    assert_int_equal(with("SUBCORE_SET", "gpu.sms=0", init_fails), 0);
    assert_int_equal(with("SUBCORE_SET", "\n\nl2.size=65536\nno.key=1\n", init_fails), 0);
    assert_int_equal(with("SUBCORE_MODE", "quick", init_fails), 0);
    assert_int_equal(with("SUBCORE_THREADS", "many", init_fails), 0);
    assert_int_equal(with("SUBCORE_THREADS", "257", init_fails), 0);
    assert_int_equal(with("SUBCORE_THREADS", "-1", init_fails), 0);
    assert_int_equal(with("SUBCORE_API_LOG", "/no/such/folder/log", init_fails), 0);
}

/* The name is known only in a process that has started: the process of the caller asks another one. */
static void show_by_name(void)
{
    CUuuid uuid;
    char name[16];
    int status = 1;
    int ends[2];
    HOLDS(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        HOLDS(cuInit(0) == CUDA_SUCCESS && cuDeviceGetUuid_v2(&uuid, 0) == CUDA_SUCCESS);
        HOLDS(write(ends[1], &uuid, sizeof uuid) == sizeof uuid);
        _exit(0);
    }
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
    HOLDS(read(ends[0], &uuid, sizeof uuid) == sizeof uuid);
    snprintf(name, sizeof name, "GPU-%02X%02x%02x", uuid.bytes[0] & 0xff, uuid.bytes[1] & 0xff, uuid.bytes[2] & 0xff);
    setenv("CUDA_VISIBLE_DEVICES", name, 1);
    HOLDS(cuInit(0) == CUDA_SUCCESS);
}

static void a_device_can_be_hidden(void **state)
{
    (void)state;
    assert_int_equal(with("CUDA_VISIBLE_DEVICES", "", init_fails), 0);
    assert_int_equal(with("CUDA_VISIBLE_DEVICES", "-1", init_fails), 0);
    assert_int_equal(with("CUDA_VISIBLE_DEVICES", "1,0", init_fails), 0);
    assert_int_equal(with("CUDA_VISIBLE_DEVICES", "0,1", init_with_flags), 0);
    assert_int_equal(with("CUDA_VISIBLE_DEVICES", "none", init_fails), 0);
    assert_int_equal(with("CUDA_VISIBLE_DEVICES", "GPU-", init_fails), 0);
    assert_int_equal(with("CUDA_VISIBLE_DEVICES", "GPU-00000000", init_fails), 0);
    assert_int_equal(in_child(show_by_name), 0);
}

static void has_four_sms(void)
{
    int value;
    HOLDS(cuInit(0) == CUDA_SUCCESS);
    HOLDS(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) == CUDA_SUCCESS && value == 4);
    HOLDS(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0) == CUDA_SUCCESS && value == 1500000);
    HOLDS(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) == CUDA_SUCCESS && value == 9);
}

static void settings_choose_the_gpu_and_change_it(void **state)
{
    (void)state;
    setenv("SUBCORE_GPU", "h200", 1);
    assert_int_equal(with("SUBCORE_SET", "gpu.sms=4\ngpu.gpcs=4\ngpu.clock=1500", has_four_sms), 0);
    unsetenv("SUBCORE_GPU");
}

static void fork_after_init(void)
{
    CUcontext context;
    int count, status = 1;
    HOLDS(cuInit(0) == CUDA_SUCCESS);
    HOLDS(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    pid_t child = fork();
    if (child == 0) {
        HOLDS(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
        HOLDS(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED);
        HOLDS(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED);
        _exit(0);
    }
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
    HOLDS(cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 1);
}

static void a_forked_child_gets_errors_and_does_not_hang(void **state)
{
    (void)state;
    assert_int_equal(in_child(fork_after_init), 0);
}

static void log_some_calls(void)
{
    int count;
    HOLDS(cuInit(0) == CUDA_SUCCESS);
    HOLDS(cuDeviceGetCount(&count) == CUDA_SUCCESS);
    HOLDS(cuDeviceGetCount(NULL) == CUDA_ERROR_INVALID_VALUE);
}

static void calls_can_be_logged(void **state)
{
    (void)state;
    char path[TEMPORARY_PATH], text[512] = "";
    int file = temporary_open(path);
    assert_int_equal(with("SUBCORE_API_LOG", path, log_some_calls), 0);
    assert_true(read(file, text, sizeof text - 1) > 0);
    close(file);
    unlink(path);
    assert_string_equal(text, "[1] cuInit: CUDA_SUCCESS\n[1] cuDeviceGetCount: CUDA_SUCCESS\n"
                              "[1] cuDeviceGetCount: CUDA_ERROR_INVALID_VALUE\n");
}

static void there_are_no_tables_of_hidden_functions(void **state)
{
    (void)state;
    CUuuid id = {{1, 2, 3}};
    const void *table = &id;
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &id));
    assert_null(table);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(NULL, &id));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(&table, NULL));
}

UNIT_TESTS(UNIT(before_init_nothing_but_the_version_is_told), UNIT(init_takes_no_flags_and_can_be_repeated),
           UNIT(a_wrong_setting_leaves_no_device), UNIT(a_device_can_be_hidden),
           UNIT(settings_choose_the_gpu_and_change_it), UNIT(a_forked_child_gets_errors_and_does_not_hang),
           UNIT(calls_can_be_logged), UNIT(there_are_no_tables_of_hidden_functions))
