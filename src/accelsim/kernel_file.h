/* The file of a kernel for Accel-Sim that is written: text, packed or not, or a container of version 6. */
#ifndef SUBCORE_ACCELSIM_KERNEL_FILE_H
#define SUBCORE_ACCELSIM_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accelsim/packing.h"
#include "base/status.h"

struct kernel_file;

/* Where a block is: in the grid, its cluster in the grid of clusters, in its cluster; its rank. */
struct kernel_file_block {
    uint32_t block[3], cluster[3], within[3], rank;
};

/* Returns the ending of the file's name, ".traceg.xz" or the like. */
const char *kernel_file_ending(enum accelsim_packing packing);

/* `path` must not exist. NULL with status on failure. Errors of the other functions are kept for kernel_file_close. */
struct kernel_file *kernel_file_open(const char *path, enum accelsim_packing packing, struct status *status);

/* First the lines of the header, then kernel_file_body. */
void kernel_file_print(struct kernel_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kernel_file_body(struct kernel_file *file, const char *format_of_lines);

/* Begins a block. `clusters`: the text says where it is in its cluster, as a container always does. */
void kernel_file_begin_block(struct kernel_file *file, const struct kernel_file_block *block, bool clusters);
/* Begins the next warp of the block, which has this many lines; they follow, each with its '\n'. */
void kernel_file_begin_warp(struct kernel_file *file, uint32_t warp, uint64_t lines);
void kernel_file_line(struct kernel_file *file, const char *line, size_t length);
void kernel_file_end_warp(struct kernel_file *file);
void kernel_file_end_block(struct kernel_file *file);

/* Completes the file, and frees; false when anything went wrong. NULL is allowed. */
bool kernel_file_close(struct kernel_file *file, struct status *status);

#endif
