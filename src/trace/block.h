/* The parts of a trace file: a head, and behind it blocks. Each block has its kind, its place and its checksum. Most
 * are compressed. The last one is the index, and the tail says where that is. */
#ifndef SUBCORE_TRACE_BLOCK_H
#define SUBCORE_TRACE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "trace/bytes.h"

enum {
    TRACE_VERSION = 4,         /* 3 lacks the values of MATCH.ANY */
    TRACE_VERSION_COUNTED = 3, /* from here on the index has the instructions of frames */
    TRACE_VERSION_OLDEST = 1,  /* that is read: it has no clusters, operands and transfers */
    TRACE_HEAD_BYTES = 16,     /* magic, version, zero */
    TRACE_BLOCK_BYTES = 32,    /* head of a block */
    TRACE_TAIL_BYTES = 32,     /* magic, place of the index, bytes in the file, checksum */
    TRACE_BLOCK_MOST = 1 << 28 /* bytes of a block, compressed or not */
};

#define TRACE_MAGIC "SUBTRACE"
#define TRACE_TAIL_MAGIC "SUBINDEX"

/* Four letters, the first one lowest. */
enum trace_block_kind {
    TRACE_BLOCK_ORIGIN = 0x4749524f,     /* ORIG: texts about the trace */
    TRACE_BLOCK_DICTIONARY = 0x54434944, /* DICT: entries that frames behind it refer to */
    TRACE_BLOCK_FRAME = 0x4d415246,      /* FRAM: pieces of streams */
    TRACE_BLOCK_KERNEL = 0x4e52454b,     /* KERN: launch and code */
    TRACE_BLOCK_FRAMES = 0x5844494b,     /* KIDX: the kernel's frames and dictionaries */
    TRACE_BLOCK_INDEX = 0x58444e49       /* INDX: commands and kernels */
};

struct trace_block {
    uint32_t kind, kernel;
    uint32_t stored, raw; /* bytes in the file, and decompressed; the same: not compressed */
    uint64_t at;          /* in the file */
    uint64_t checksum;    /* of the 24 bytes before it and of the rest */
};

/* Levels of zstd. */
enum trace_effort {
    TRACE_EFFORT_LITTLE = 1, /* for bytes that hardly repeat */
    TRACE_EFFORT_USUAL = 3
};

/* The file that is written: never through a buffer that a forked process would write again. */
struct trace_out {
    int fd;
    uint64_t at;
    uint64_t plain; /* blocks that begin before it in the file are not compressed */
    int error;      /* errno of the first failure */
    void *context;  /* ZSTD_CCtx */
    struct trace_bytes packed;
};

bool trace_out_open(struct trace_out *out, int fd);
void trace_out_close(struct trace_out *out); /* leaves fd alone */
/* Compresses where that saves something, behind `plain`, and writes. Failures are kept in out->error. Returns where the
 * block is. */
struct trace_block trace_out_block(struct trace_out *out, uint32_t kind, uint32_t kernel, enum trace_effort effort,
                                   const struct trace_bytes *raw);
/* The same of bytes as they are in another trace. */
struct trace_block trace_out_stored(struct trace_out *out, const struct trace_block *block, const uint8_t *stored);
void trace_out_write(struct trace_out *out, const void *data, size_t size);

uint64_t trace_block_checksum(const uint8_t *head, const uint8_t *stored, size_t size);

/* Decompresses in a context that one thread at a time uses. */
struct trace_in {
    int fd;
    uint64_t size;
    void *context; /* ZSTD_DCtx */
    struct trace_bytes stored;
};

bool trace_in_open(struct trace_in *in, int fd, uint64_t size);
void trace_in_close(struct trace_in *in); /* leaves fd alone */
/* Reads `size` bytes at a place of the file. */
bool trace_in_read(const struct trace_in *in, uint64_t at, void *to, size_t size);
/* The head of the block at `at`: NULL, or its error. */
const char *trace_in_head(const struct trace_in *in, uint64_t at, struct trace_block *block);
/* Reads the block at `at`, which is to be of this kind and kernel, and checks everything. Its contents are in raw,
 * which the caller frees. NULL, or the error. */
const char *trace_in_block(struct trace_in *in, uint64_t at, uint32_t kind, uint32_t kernel, struct trace_bytes *raw);
/* As it is in the file, checked: in->stored. */
const char *trace_in_stored(struct trace_in *in, uint64_t at, struct trace_block *block);

#endif
