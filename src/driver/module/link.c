/* Linking at run time: the compiler gets all inputs of a program together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/abi/api_module.h"
#include "driver/module/load.h"
#include "driver/state/call.h"
#include "driver/state/say.h"

struct CUlinkState_st {
    struct jit_input *inputs; /* `data` and `name` are owned */
    size_t count;
    struct jit_settings settings; /* the program's buffers live until cuLinkDestroy */
    struct jit_answer answer;
    bool complete, busy;
};

static CUresult create(struct call *call, const struct jit_settings *settings, CUlinkState *out)
{
    CUlinkState state = handle_new(call->driver->handles, HANDLE_LINK, sizeof *state);
    if (!state)
        return CUDA_ERROR_OUT_OF_MEMORY;
    state->settings = *settings;
    *out = state;
    return CUDA_SUCCESS;
}

static CUresult link_create(const char *name, unsigned count, const CUjit_option *options, void **values,
                            CUlinkState *out)
{
    struct call call;
    struct jit_settings settings;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = out ? jit_settings_read(&settings, count, options, values) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = create(&call, &settings, out);
    return call_end(&call, result);
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut)
{
    return link_create(__func__, numOptions, options, optionValues, stateOut);
}

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut)
{
    return link_create(__func__, numOptions, options, optionValues, stateOut);
}

/* ---- the linked image -------------------------------------------------------------------------------------------- */

static CUresult append(CUlinkState state, CUjitInputType type, const void *data, size_t size, const char *name)
{
    struct jit_input *inputs = realloc(state->inputs, (state->count + 1) * sizeof *inputs);
    if (!inputs)
        return CUDA_ERROR_OUT_OF_MEMORY;
    state->inputs = inputs;
    char unnamed[32];
    snprintf(unnamed, sizeof unnamed, "input %zu", state->count + 1);
    char *copy = malloc(size + 1);
    struct jit_input input = {type, copy, size, strdup(name && *name ? name : unnamed)};
    if (!copy || !input.name) {
        free(copy);
        free((char *)(uintptr_t)input.name);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, data, size);
    copy[size] = '\0';
    if (type == CU_JIT_INPUT_PTX)
        input.size = strlen(copy);
    inputs[state->count++] = input;
    return CUDA_SUCCESS;
}

static CUresult check(const struct call *call, CUlinkState state, CUjitInputType type)
{
    if (!handle_is(call->driver->handles, HANDLE_LINK, state))
        return CUDA_ERROR_INVALID_HANDLE;
    if (state->complete || state->busy || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_JIT_INPUT_NVVM)
        return CUDA_SUCCESS;
    say("linking NVVM code is not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Entry of a function that adds something. Its options change nothing of the rest. */
static CUresult begin_add(struct call *call, const char *name, CUlinkState state, CUjitInputType type, unsigned count,
                          const CUjit_option *options, void **values)
{
    struct jit_settings own;
    CUresult result = call_begin(call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = check(call, state, type);
    return result == CUDA_SUCCESS ? jit_settings_read(&own, count, options, values) : result;
}

static CUresult add_data(const char *caller, CUlinkState state, CUjitInputType type, const void *data, size_t size,
                         const char *name, unsigned count, const CUjit_option *options, void **values)
{
    struct call call;
    CUresult result = begin_add(&call, caller, state, type, count, options, values);
    if (result == CUDA_SUCCESS)
        result = data && size > 0 ? append(state, type, data, size, name) : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    return add_data(__func__, state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                          unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    return add_data(__func__, state, type, data, size, name, numOptions, options, optionValues);
}

static CUresult append_file(CUlinkState state, CUjitInputType type, const char *path)
{
    struct file_bytes file;
    CUresult result = path ? load_file(path, &file) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    result = file.size > 0 ? append(state, type, file.data, file.size, path) : CUDA_ERROR_INVALID_IMAGE;
    file_free(&file);
    return result;
}

static CUresult add_file(const char *caller, CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                         const CUjit_option *options, void **values)
{
    struct call call;
    CUresult result = begin_add(&call, caller, state, type, count, options, values);
    if (result == CUDA_SUCCESS)
        result = append_file(state, type, path);
    return call_end(&call, result);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                       CUjit_option *options, void **optionValues)
{
    return add_file(__func__, state, type, path, numOptions, options, optionValues);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                          CUjit_option *options, void **optionValues)
{
    return add_file(__func__, state, type, path, numOptions, options, optionValues);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* A single cubin is linked already, unless it is an object. */
static bool is_finished(const struct jit_input *input)
{
    enum { TYPE = 16, EXECUTABLE = 2 };
    const uint8_t *bytes = input->data;
    return input->type == CU_JIT_INPUT_CUBIN && input->size > TYPE + 1 && bytes[TYPE] == EXECUTABLE;
}

static CUresult finish(struct driver *driver, CUlinkState state)
{
    const struct jit_request request = {state->inputs, state->count, driver->device.config.gpu.architecture,
                                        state->settings.options};
    jit_answer_free(&state->answer);
    if (state->count == 1 && is_finished(&state->inputs[0])) {
        const struct jit_input *only = &state->inputs[0];
        state->answer.cubin = malloc(only->size);
        if (!state->answer.cubin)
            return CUDA_ERROR_OUT_OF_MEMORY;
        memcpy(state->answer.cubin, only->data, only->size);
        state->answer.size = only->size;
        return CUDA_SUCCESS;
    }
    state->busy = true;
    CUresult result = load_compile(driver, &request, &state->answer);
    state->busy = false;
    jit_settings_answer(&state->settings, &state->answer, 0);
    return result;
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !handle_is(call.driver->handles, HANDLE_LINK, state))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && (!cubinOut || state->count == 0 || state->busy))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && !state->complete) {
        result = finish(call.driver, state);
        state->complete = result == CUDA_SUCCESS;
    }
    if (result == CUDA_SUCCESS) {
        *cubinOut = state->answer.cubin;
        if (sizeOut)
            *sizeOut = state->answer.size;
    }
    return call_end(&call, result);
}

CUresult cuLinkDestroy(CUlinkState state)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && !handle_is(call.driver->handles, HANDLE_LINK, state))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && state->busy)
        result = CUDA_ERROR_NOT_READY;
    if (result == CUDA_SUCCESS) {
        for (size_t i = 0; i < state->count; i++) {
            free((void *)(uintptr_t)state->inputs[i].data);
            free((char *)(uintptr_t)state->inputs[i].name);
        }
        free(state->inputs);
        jit_answer_free(&state->answer);
        handle_free(call.driver->handles, state);
    }
    return call_end(&call, result);
}
