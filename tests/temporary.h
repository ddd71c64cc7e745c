/* Files and folders that a test makes for itself, in $TMPDIR or /tmp. It removes them. */
#ifndef SUBCORE_TESTS_TEMPORARY_H
#define SUBCORE_TESTS_TEMPORARY_H

#include <unistd.h>

#include "base/file.h"
#include "tests/unit.h"

enum { TEMPORARY_PATH = 4096 };

/* An empty file of a new name, open for reading and writing. */
static inline int temporary_open(char path[TEMPORARY_PATH])
{
    snprintf(path, TEMPORARY_PATH, "%s/subcore-test-XXXXXX", file_temporary_folder());
    int file = mkstemp(path);
    assert_true(file >= 0);
    return file;
}

/* The same, closed. */
static inline void temporary_file(char path[TEMPORARY_PATH]) { close(temporary_open(path)); }

static inline void temporary_folder(char path[TEMPORARY_PATH])
{
    snprintf(path, TEMPORARY_PATH, "%s/subcore-test-XXXXXX", file_temporary_folder());
    assert_non_null(mkdtemp(path));
}

#endif
