/* Host functions that tell in which order they ran, for tests of streams and graphs. */
#ifndef SUBCORE_TESTS_DRIVER_NOTES_H
#define SUBCORE_TESTS_DRIVER_NOTES_H

#include <stdatomic.h>
#include <unistd.h>

#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

#define LEGACY ((CUstream)1)
#define PER_THREAD ((CUstream)2)
enum { STREAM_NON_BLOCKING_FLAG = 1 }; /* CU_STREAM_NON_BLOCKING */

struct log {
    char text[64];
    atomic_uint length;
};

struct note {
    struct log *log;
    char letter;
};

static inline void write_note(void *data)
{
    struct note *note = data;
    note->log->text[atomic_load(&note->log->length)] = note->letter;
    atomic_fetch_add(&note->log->length, 1);
}

/* A host function that waits until a flag is set: holds the executor, not the program. */
struct gate {
    atomic_bool open;
};

static inline void wait_at_gate(void *data)
{
    struct gate *gate = data;
    while (!atomic_load(&gate->open))
        usleep(100);
}

static inline void submit_note(CUstream stream, struct note *note)
{
    SUCCEEDS(cuLaunchHostFunc(stream, write_note, note));
}

static inline CUstream new_stream(unsigned flags)
{
    CUstream stream = NULL;
    SUCCEEDS(cuStreamCreate(&stream, flags));
    assert_non_null(stream);
    return stream;
}

#endif
