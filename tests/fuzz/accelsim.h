/* Bytes as a file with a path, as readers of Accel-Sim's traces take it. */
#ifndef SUBCORE_TESTS_FUZZ_ACCELSIM_H
#define SUBCORE_TESTS_FUZZ_ACCELSIM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "accelsim/accelsim.h"
#include "base/file.h"

/* A file in memory (-1: none). */
static inline int memory_file(const uint8_t *data, size_t size, char path[static 64])
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    if (file >= 0 && write(file, data, size) != (ssize_t)size) {
        close(file);
        file = -1;
    }
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

/* Reads everything and throws it away. */
static inline void convert_and_forget(const char *list, const struct accelsim_options *options)
{
    struct status status = {0};
    struct accelsim_report report;
    char path[4096];
    snprintf(path, sizeof path, "%s/fuzz-%d.trace", file_temporary_folder(), (int)getpid());
    struct trace_writer *w = trace_writer_create(path, NULL, &status);
    if (!w)
        return;
    bool good = accelsim_convert(list, w, options, &report, &status);
    if (good != (status.code == STATUS_OK))
        abort();
    trace_writer_destroy(w);
}

#endif
