/* The program that `subcore exec` runs: where it is, and whether it can run. */
#ifndef SUBCORE_CLI_EXEC_PROGRAM_H
#define SUBCORE_CLI_EXEC_PROGRAM_H

#include "config/config.h"
#include "cubin/cubin.h"

struct exec_program {
    char path[4096];
    bool preload; /* our libraries are loaded before all others, so that no library of the program brings its own */
};

/* Finds `name` as execvp(3) does, and makes the checks that are possible before it runs: how it is linked, and that
 * it has code for the GPU. Files that are no ELF programs, and programs without CUDA, pass. */
bool exec_program_find(struct exec_program *program, const char *name, struct status *status);
bool exec_program_check(struct exec_program *program, const struct config *config, struct status *status);

/* The same of a file's bytes, apart from its images. */
bool exec_program_links(struct exec_program *program, struct cubin_bytes image, uint16_t own_machine,
                        struct status *status);

/* Whether something here compiles PTX for the driver: nvJitLink or ptxas, where driver/module/jit.h looks for them. */
bool exec_program_compiler(void);

#endif
