/* PTX: compiled where a compiler is installed, and linked. */
#include "driver/module/ptx.h"
#include "tests/driver/kernels.h"
#include "tests/temporary.h"

#include <unistd.h>

/* out[0] = value + 1 */
static const char good[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry next(.param .u64 out, .param .u32 value)\n"
                           "{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
                           "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [value];\n"
                           "cvta.to.global.u64 %rd2, %rd1;\nadd.s32 %r2, %r1, 1;\n"
                           "st.global.u32 [%rd2], %r2;\nret;\n}\n";

static const char calls[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                            ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                            ".visible .entry through(.param .u64 out, .param .u32 value)\n"
                            "{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
                            "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [value];\n"
                            "cvta.to.global.u64 %rd2, %rd1;\n"
                            "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r1;\n"
                            "call.uni (r), twice, (x); ld.param.b32 %r2, [r]; }\n"
                            "st.global.u32 [%rd2], %r2;\nret;\n}\n";

static const char called[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                             ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                             "{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\nadd.s32 %r2, %r1, %r1;\n"
                             "st.param.b32 [r], %r2;\nret;\n}\n";

static const char launching[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".visible .entry parent()\n"
    "{ .reg .b64 %d; mov.u64 %d, 0; .param .b64 p; .param .b64 s; .param .b32 r;\n"
    "st.param.b64 [p], %d; st.param.b64 [s], %d;\n"
    "call.uni (r), __cudaCDP2LaunchDeviceV2, (p, s); ret; }\n";

static const char wrong[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { nonsense; }\n";
static const char newer[] = ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
static const char later[] = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";

static bool has_library(void)
{
    struct nvjitlink *library = nvjitlink_open();
    free(library);
    return library != NULL;
}

static bool has_process(void)
{
    char *path = ptxas_find();
    free(path);
    return path != NULL;
}

static void run_next(CUmodule module, const char *name, int value, int expected)
{
    CUfunction f = NULL;
    CUdeviceptr out = device_bytes(4);
    int seen = 0;
    SUCCEEDS(cuModuleGetFunction(&f, module, name));
    SUCCEEDS(run(f, 1, 1, (void *[]){&out, &value}));
    SUCCEEDS(cuMemcpyDtoH_v2(&seen, out, sizeof seen));
    assert_int_equal(seen, expected);
}

static void ptx_is_compiled_and_runs(void **state)
{
    (void)state;
    if (!has_library() && !has_process())
        skip();
    CUcontext context = rig_context("rtx-a6000");
    CUmodule module = NULL, again = NULL;
    CUfunction f = NULL;
    int value = 0;
    SUCCEEDS(cuModuleLoadData(&module, good));
    SUCCEEDS(cuModuleLoadData(&again, good));
    run_next(module, "next", 41, 42);
    run_next(again, "next", -1, 0);
    SUCCEEDS(cuModuleGetFunction(&f, module, "next"));
    SUCCEEDS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    assert_int_equal(value, 75);
    SUCCEEDS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, f));
    assert_int_equal(value, 86);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void ptx_that_cannot_be_compiled_has_a_code_and_a_log(void **state)
{
    (void)state;
    if (!has_library() && !has_process())
        skip();
    CUcontext context = rig_context("rtx-a6000");
    CUmodule module = NULL;
    char log[512] = "", notes[512] = "?";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_WALL_TIME,        CU_JIT_MAX_REGISTERS};
    void *values[] = {log, (void *)sizeof log, notes, (void *)sizeof notes, NULL, (void *)32};
    ANSWERS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, wrong, 6, options, values));
    assert_non_null(strstr(log, "nonsense"));
    assert_int_equal((size_t)values[1], strlen(log));
    ANSWERS(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadData(&module, newer));
    ANSWERS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, later));
    SUCCEEDS(cuModuleLoadDataEx(&module, good, 6, options, values));
    run_next(module, "next", 1, 2);
    options[0] = CU_JIT_NUM_OPTIONS;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, good, 6, options, values));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void launches_by_device_code_are_named_where_ptx_is_refused(void **state)
{
    (void)state;
    char path[TEMPORARY_PATH], text[4096] = "";
    CUmodule module;
    if (!has_library() && !has_process())
        skip();
    CUcontext context = rig_context("rtx-a6000");
    int file = temporary_open(path), kept = dup(STDERR_FILENO);
    assert_true(kept >= 0);
    dup2(file, STDERR_FILENO);
    CUresult result = cuModuleLoadData(&module, launching);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    close(file);
    unlink(path);
    assert_int_equal(result, CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(text, "__cudaCDP2LaunchDeviceV2"));
    assert_non_null(strstr(text, "subcore: launches by device code (dynamic parallelism) are not supported"));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static struct jit_request request_of(const struct jit_input *input)
{
    return (struct jit_request){.inputs = input, .count = 1, .sm = 86, .options = {.level = -1}};
}

static void ptxas_as_a_process_does_the_same(void **state)
{
    (void)state;
    char *path = ptxas_find();
    if (!path)
        skip();
    const struct jit_input input = {CU_JIT_INPUT_PTX, good, sizeof good - 1, "good"},
                           bad = {CU_JIT_INPUT_PTX, wrong, sizeof wrong - 1, "wrong"},
                           new = {CU_JIT_INPUT_PTX, newer, sizeof newer - 1, "newer"};
    struct jit_answer answer = {0};
    struct jit_request request = request_of(&input);
    SUCCEEDS(ptxas_run(path, &request, &answer));
    assert_true(answer.size > 64);
    assert_memory_equal(answer.cubin, "\177ELF", 4);
    jit_answer_free(&answer);
    request = request_of(&bad);
    ANSWERS(CUDA_ERROR_INVALID_PTX, ptxas_run(path, &request, &answer));
    assert_non_null(strstr(answer.errors, "nonsense"));
    assert_null(answer.cubin);
    jit_answer_free(&answer);
    request = request_of(&new);
    ANSWERS(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, ptxas_run(path, &request, &answer));
    jit_answer_free(&answer);
    free(path);
}

static void a_program_links_its_own_code(void **state)
{
    (void)state;
    if (!has_library())
        skip();
    CUcontext context = rig_context("rtx-a6000");
    CUlinkState link = NULL;
    CUmodule module = NULL;
    void *cubin = NULL;
    size_t size = 0;
    SUCCEEDS(cuLinkCreate_v2(0, NULL, NULL, &link));
    SUCCEEDS(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)calls, sizeof calls, "calls", 0, NULL, NULL));
    SUCCEEDS(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)called, sizeof called, NULL, 0, NULL, NULL));
    SUCCEEDS(cuLinkComplete(link, &cubin, &size));
    assert_true(size > 64);
    SUCCEEDS(cuModuleLoadData(&module, cubin));
    run_next(module, "through", 21, 42);
    SUCCEEDS(cuLinkDestroy(link));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(link));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void wrong_calls_of_the_linker_are_refused(void **state)
{
    (void)state;
    char path[4096];
    CUcontext context = rig_context("rtx-a6000");
    CUlinkState link = NULL;
    CUmodule module = NULL;
    void *cubin = NULL;
    size_t size = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLinkCreate_v2(0, NULL, NULL, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLinkCreate_v2(1, NULL, NULL, &link));
    SUCCEEDS(cuLinkCreate_v2(0, NULL, NULL, &link));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLinkComplete(link, &cubin, &size));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, NULL, 4, NULL, 0, NULL, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLinkAddData_v2(link, CU_JIT_NUM_INPUT_TYPES, &size, 4, NULL, 0, NULL, NULL));
    ANSWERS(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile_v2(link, CU_JIT_INPUT_CUBIN, "/nonexistent", 0, NULL, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuLinkAddFile_v2(NULL, CU_JIT_INPUT_CUBIN, "/nonexistent", 0, NULL, NULL));
    /* A cubin that is linked already comes out as it is, without any compiler. */
    SUCCEEDS(cuLinkAddFile_v2(link, CU_JIT_INPUT_CUBIN, unit_path(path, "tests/driver/cubin/kernels.sm_80.cubin"), 0,
                              NULL, NULL));
    SUCCEEDS(cuLinkComplete(link, &cubin, &size));
    SUCCEEDS(cuModuleLoadData(&module, cubin));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, &size, 4, NULL, 0, NULL, NULL));
    SUCCEEDS(cuLinkDestroy(link));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void the_target_is_read_from_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned sm;
        char suffix;
    } cases[] = {
        {".version 7.0\n.target sm_75\n", 75, 0},
        {".target sm_90a, debug", 90, 'a'},
        {".target  sm_120f", 120, 'f'},
        {".target compute_80", 0, 0},
        {"nothing", 0, 0},
        {".target sm_", 0, 0},
        {".target", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char suffix = 'x';
        assert_int_equal(ptx_target(cases[i].text, strlen(cases[i].text), &suffix), cases[i].sm);
        assert_int_equal(suffix, cases[i].suffix);
    }
}

/* nvJitLink (13.0 and 13.5) does not refuse undefined functions any more once it has met a .version that it does not
 * know; ptx_that_cannot_be_compiled_has_a_code_and_a_log shows it one. */
UNIT_TESTS(UNIT(ptx_is_compiled_and_runs), UNIT(launches_by_device_code_are_named_where_ptx_is_refused),
           UNIT(ptx_that_cannot_be_compiled_has_a_code_and_a_log), UNIT(ptxas_as_a_process_does_the_same),
           UNIT(a_program_links_its_own_code), UNIT(wrong_calls_of_the_linker_are_refused),
           UNIT(the_target_is_read_from_the_text))
