/* Calls that fail with a reason, and their entries in the error log. */
#ifndef SUBCORE_TESTS_DRIVER_LOGS_H
#define SUBCORE_TESTS_DRIVER_LOGS_H

#include <unistd.h>

#include "driver/abi/api_module.h"
#include "driver/state/entries.h"
#include "tests/driver/rig.h"
#include "tests/temporary.h"

enum { BUFFER = 64 << 10 };
#define REFUSED "[cuIpcGetMemHandle] cuIpcGetMemHandle is not supported"

/* A call that always fails, with a reason. */
static inline void refuse(void)
{
    void *function = NULL;
    entry_function call;
    SUCCEEDS(cuGetProcAddress_v2("cuIpcGetMemHandle", &function, 13000, 0, NULL));
    memcpy(&call, &function, sizeof call);
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, call());
}

/* The same with a long reason: cuModuleLoad names the file. */
static inline void refuse_at_length(void)
{
    char path[TEMPORARY_PATH + 800], folder[TEMPORARY_PATH];
    CUmodule module;
    temporary_folder(folder);
    size_t length = (size_t)snprintf(path, sizeof path, "%s/", folder);
    memset(path + length, 'x', 200);
    path[length + 200] = '\0';
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("this is no code for a GPU", file);
    fclose(file);
    assert_int_not_equal(cuModuleLoad(&module, path), CUDA_SUCCESS);
    unlink(path);
    rmdir(folder);
}

static inline CUlogIterator now(void)
{
    CUlogIterator end = 12345;
    SUCCEEDS(cuLogsCurrent(&end, 0));
    return end;
}

/* All that has been entered since; its bytes. */
static inline size_t dump(CUlogIterator *from, char text[BUFFER])
{
    size_t size = BUFFER;
    SUCCEEDS(cuLogsDumpToMemory(from, text, &size, 0));
    assert_int_equal(strlen(text), size);
    return size;
}

static inline unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* The one entry since, without its time and thread. */
static inline const char *only(CUlogIterator since, char text[BUFFER])
{
    unsigned hour, minute, second, thousandth;
    int end = 0;
    dump(&since, text);
    assert_int_equal(lines_of(text), 1);
    text[strlen(text) - 1] = '\0';
    assert_int_equal(sscanf(text, "[%2u:%2u:%2u.%3u][%*u]%n", &hour, &minute, &second, &thousandth, &end), 4);
    assert_true(end > 0 && hour < 24 && minute < 60 && second < 61);
    return text + end;
}

#endif
