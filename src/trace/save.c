#include "trace/save.h"

#include "base/hash.h"
#include "trace/kernel.h"

uint64_t trace_identity(struct trace_file *f)
{
    struct trace_block block;
    uint64_t identity = hash_bytes(HASH_SEED, &f->in.size, sizeof f->in.size);
    pthread_mutex_lock(&f->lock);
    for (uint64_t at = TRACE_HEAD_BYTES; !trace_in_head(&f->in, at, &block); at += TRACE_BLOCK_BYTES + block.stored)
        identity = hash_bytes(identity, &block.checksum, sizeof block.checksum);
    pthread_mutex_unlock(&f->lock);
    return identity;
}
