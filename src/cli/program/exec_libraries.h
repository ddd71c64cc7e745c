/* The folder of our libcuda.so.1, runtimes and other libraries of CUDA programs. */
#ifndef SUBCORE_CLI_EXEC_LIBRARIES_H
#define SUBCORE_CLI_EXEC_LIBRARIES_H

#include "base/status.h"

struct exec_libraries {
    char folder[4096];
    char preload[32768]; /* all of them, as LD_PRELOAD names them */
};

/* lib/ beside this program, as in a build folder, else where `meson install` puts them. */
bool exec_libraries_find(struct exec_libraries *libraries, struct status *status);

#endif
