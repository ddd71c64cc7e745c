/* Writes a container of trace version 6, whose layout accelsim/container.h has. There is no dictionary. */
#ifndef SUBCORE_ACCELSIM_CONTAINER_WRITE_H
#define SUBCORE_ACCELSIM_CONTAINER_WRITE_H

#include "accelsim/kernel_file.h"
#include "accelsim/sink.h"

/* Instructions of a part. */
enum { CONTAINER_PART = 2048 };

struct container_writer;

/* The sink, which is not packed, is borrowed. Nothing but the header's text is in it by container_writer_body. */
struct container_writer *container_writer_create(struct sink *sink);
void container_writer_destroy(struct container_writer *writer);

void container_writer_body(struct container_writer *writer);
void container_writer_block(struct container_writer *writer, const struct kernel_file_block *block);
/* A warp in the block, whose number of lines is known; these, each with its '\n'. Its end. */
void container_writer_warp(struct container_writer *writer, uint64_t lines);
void container_writer_line(struct container_writer *writer, const char *line, size_t length);
void container_writer_end_warp(struct container_writer *writer);
/* Writes the index. Returns false if anything failed: memory, or more than 2^32 lines of a warp. */
bool container_writer_end(struct container_writer *writer);

#endif
