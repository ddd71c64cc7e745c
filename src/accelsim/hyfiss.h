/* Traces of HyFiSS (MICRO 2024), rewritten as the text of a .traceg, which the reader of Accel-Sim's traces takes.
 *
 *   APP/configs/app.config     launches: -kernel_K_KEY VALUE, -app_kernels_id 1,2,..
 *   APP/configs/instn.config   static instructions: K PC [@P] OPCODE ND [DST] NS SRC..
 *   APP/sass_traces/kernel_K.sass              executions: PC MASK WARP, blank-separated, warps of the grid in hex
 *   APP/sass_traces/kernel-K/kernel_K_block_B.sass         those of a CTA, warps in decimal
 *   APP/memory_traces/kernel_K.mem             CTA PC OPCODE MASK TIME REFERENCES 0xADDRESS PAIRS STRIDE:COUNT..
 *   APP/memory_traces/kernel-K/kernel_K_block_B.mem        the same without CTA
 *
 * A memory line does not name its warp. The tracer sends an instruction and its addresses together, so that the n-th
 * memory line of a pc in a CTA belongs to the n-th execution of that pc there with an active lane. Different numbers of
 * the two are an error. docs/hyfiss.md has the facts that such a trace lacks. */
#ifndef SUBCORE_ACCELSIM_HYFISS_H
#define SUBCORE_ACCELSIM_HYFISS_H

#include <stdio.h>

#include "accelsim/input.h"

/* The files of one kernel as text, each with '\n' at its end. `path` is for messages. */
struct hyfiss_text {
    const char *path, *begin, *end;
};

struct hyfiss_source {
    struct hyfiss_text app, instructions;
    unsigned kernel, architecture;
    bool by_cta; /* each CTA has files: `load` gives those of one CTA, else the grid's with CTA 0 */
    void *self;
    bool (*load)(void *self, uint64_t cta, struct hyfiss_text *executed, struct hyfiss_text *memory,
                 struct status *status);
};

/* Writes the kernel as a .traceg of version 4. Returns false, with status, on errors; `out` has a part then. */
bool hyfiss_write(const struct hyfiss_source *source, FILE *out, struct status *status);

/* Returns whether the path is one that hyfiss_path makes. */
bool hyfiss_is(const char *path);
/* Writes the path that stands for a kernel: APP/configs/../sass_traces/kernel_K.sass. Returns false if there is no
 * room. */
bool hyfiss_path(char *out, size_t room, const char *app_config, uint64_t kernel);
/* Opens a kernel by such a path as the text of a .traceg, which is made in a temporary file. */
bool hyfiss_open(struct input *in, const char *path, unsigned architecture, uint64_t *taken, struct status *status);

#endif
