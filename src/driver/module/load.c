#include "driver/module/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver/memory/memory_peek.h"
#include "driver/module/ptx.h"
#include "driver/state/lock.h"
#include "driver/state/say.h"

/* ---- choice ------------------------------------------------------------------------------------------------------ */

static bool read_program(void *self, void *to, uint64_t from, size_t bytes)
{
    (void)self;
    return memory_peek(to, from, bytes);
}

struct span {
    const uint8_t *bytes;
    size_t size;
};

static bool read_span(void *self, void *to, uint64_t from, size_t bytes)
{
    const struct span *span = self;
    if (from > span->size || bytes > span->size - from)
        return false;
    memcpy(to, span->bytes + from, bytes);
    return true;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && strcmp(value, "1") == 0;
}

static CUresult choose(const struct driver *driver, const struct cubin_code_memory *memory, uint64_t address,
                       struct cubin_code *code, struct status *status)
{
    const struct cubin_code_wish wish = {driver->device.config.gpu.architecture, is_set("CUDA_FORCE_PTX_JIT")};
    switch (cubin_code_find(code, memory, address, &wish, status)) {
    case CUBIN_CODE_FOUND: break;
    case CUBIN_CODE_NONE: return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case CUBIN_CODE_WRONG: return CUDA_ERROR_INVALID_IMAGE;
    default: return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code->image.kind != CUBIN_IMAGE_PTX || !is_set("CUDA_DISABLE_PTX_JIT"))
        return CUDA_SUCCESS;
    cubin_code_free(code);
    status_fail(status, STATUS_UNSUPPORTED, "there is PTX only for this GPU, and CUDA_DISABLE_PTX_JIT is set");
    return CUDA_ERROR_JIT_COMPILATION_DISABLED;
}

CUresult load_choose(const struct driver *driver, const void *data, struct cubin_code *code, struct status *status)
{
    const struct cubin_code_memory memory = {read_program, NULL};
    return choose(driver, &memory, (uint64_t)(uintptr_t)data, code, status);
}

CUresult load_choose_bytes(const struct driver *driver, const uint8_t *bytes, size_t size, struct cubin_code *code,
                           struct status *status)
{
    struct span span = {bytes, size + 1};
    const struct cubin_code_memory memory = {read_span, &span};
    return choose(driver, &memory, 0, code, status);
}

CUresult load_file(const char *path, struct file_bytes *out)
{
    enum { LIMIT = 1 << 30 };
    struct status status = {0};
    *out = (struct file_bytes){0};
    if (!file_read(path, LIMIT, out, &status)) {
        say("%s", status.text);
        return status.code == STATUS_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
               : access(path, F_OK) != 0    ? CUDA_ERROR_FILE_NOT_FOUND
                                            : CUDA_ERROR_INVALID_IMAGE;
    }
    uint8_t *larger = realloc(out->data, out->size + 1);
    if (!larger) {
        file_free(out);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    larger[out->size] = 0;
    out->data = larger;
    return CUDA_SUCCESS;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void read_option(struct jit_settings *s, CUjit_option option, void **value)
{
    size_t number = (size_t)*value;
    switch (option) {
    case CU_JIT_MAX_REGISTERS: s->options.registers = (int)(number & 0xffff); break;
    case CU_JIT_OPTIMIZATION_LEVEL: s->options.level = (int)(number & 0xff); break;
    case CU_JIT_GENERATE_DEBUG_INFO: s->options.debug = (number & 0xffffffff) != 0; break;
    case CU_JIT_GENERATE_LINE_INFO: s->options.lines = (number & 0xffffffff) != 0; break;
    case CU_JIT_LOG_VERBOSE: s->options.verbose = (number & 0xffffffff) != 0; break;
    case CU_JIT_INFO_LOG_BUFFER: s->notes = *value; break;
    case CU_JIT_ERROR_LOG_BUFFER: s->errors = *value; break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        s->notes_size = number & 0xffffffff;
        s->notes_used = value;
        break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        s->errors_size = number & 0xffffffff;
        s->errors_used = value;
        break;
    case CU_JIT_WALL_TIME: s->wall_time = value; break;
    default: break;
    }
}

CUresult jit_settings_read(struct jit_settings *settings, unsigned count, const CUjit_option *options, void **values)
{
    *settings = (struct jit_settings){.options = {.level = -1}};
    if (count > 0 && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
            return CUDA_ERROR_INVALID_VALUE;
        read_option(settings, options[i], &values[i]);
    }
    return CUDA_SUCCESS;
}

static void put_log(char *buffer, size_t size, void **used, const char *log)
{
    size_t length = log ? strlen(log) : 0;
    if (buffer && size > 0) {
        length = length < size ? length : size - 1;
        if (length > 0)
            memcpy(buffer, log, length);
        buffer[length] = '\0';
    } else {
        length = 0;
    }
    if (used)
        *used = (void *)(uintptr_t)length; /* NOLINT: a number in a pointer, as the interface has it */
}

void jit_settings_answer(const struct jit_settings *s, const struct jit_answer *answer, double milliseconds)
{
    put_log(s->notes, s->notes_size, s->notes_used, answer ? answer->notes : NULL);
    put_log(s->errors, s->errors_size, s->errors_used, answer ? answer->errors : NULL);
    if (s->wall_time) {
        float time = (float)milliseconds;
        memcpy(s->wall_time, &time, sizeof time);
    }
}

/* ---- a cubin ----------------------------------------------------------------------------------------------------- */

void image_drop(struct image *image)
{
    free(image->bytes);
    *image = (struct image){0};
}

/* Options that nvcc noted for the compiler: "--compile-only -maxrregcount=32 ". */
static void read_noted(const char *text, struct jit_options *options)
{
    static const char registers[] = "-maxrregcount=";
    const char *at = text ? strstr(text, registers) : NULL;
    if (at && options->registers == 0)
        options->registers = atoi(at + sizeof registers - 1);
}

static double milliseconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

CUresult load_compile(struct driver *driver, const struct jit_request *request, struct jit_answer *answer)
{
    *answer = (struct jit_answer){0};
    if (!driver->jit)
        driver->jit = jit_create();
    if (!driver->jit)
        return CUDA_ERROR_OUT_OF_MEMORY;
    lock_leave(driver);
    CUresult result = jit_run(driver->jit, request, answer);
    lock_return(driver);
    return result;
}

static CUresult compile(struct driver *driver, const struct cubin_code *code, struct cubin_bytes text,
                        const struct jit_settings *settings, struct image *image)
{
    const struct jit_input input = {CU_JIT_INPUT_PTX, text.data, strnlen((const char *)text.data, text.size),
                                    image->name};
    struct jit_request request = {&input, 1, driver->device.config.gpu.architecture, settings->options};
    struct jit_answer answer;
    char suffix;
    read_noted(code->options, &request.options);
    double begin = milliseconds_now();
    CUresult result = load_compile(driver, &request, &answer);
    jit_settings_answer(settings, &answer, milliseconds_now() - begin);
    if (result == CUDA_SUCCESS) {
        image->bytes = answer.cubin;
        image->size = answer.size;
        image->compiled_for = ptx_target(input.data, input.size, &suffix);
        answer.cubin = NULL;
    }
    jit_answer_free(&answer);
    return result;
}

/* The stored bytes become the image's when nothing had to be unpacked. */
static CUresult copy_bytes(struct cubin_bytes bytes, uint8_t **owned, struct image *image)
{
    image->size = bytes.size;
    image->bytes = *owned;
    *owned = NULL;
    if (image->bytes)
        return CUDA_SUCCESS;
    image->bytes = malloc(bytes.size ? bytes.size : 1);
    if (!image->bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (bytes.size > 0)
        memcpy(image->bytes, bytes.data, bytes.size);
    return CUDA_SUCCESS;
}

CUresult load_image(struct driver *driver, const struct cubin_code *code, const struct jit_settings *settings,
                    const char *name, struct image *image)
{
    struct status status = {0};
    struct cubin_bytes bytes;
    uint8_t *owned;
    *image = (struct image){0};
    snprintf(image->name, sizeof image->name, "%s", name);
    if (!cubin_code_unpack(code, &bytes, &owned, &status)) {
        say("%s", status.text);
        return status.code == STATUS_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
    }
    CUresult result = CUDA_SUCCESS;
    if (code->image.kind == CUBIN_IMAGE_PTX) {
        result = compile(driver, code, bytes, settings, image);
    } else {
        jit_settings_answer(settings, NULL, 0);
        result = copy_bytes(bytes, &owned, image);
    }
    free(owned);
    return result;
}
