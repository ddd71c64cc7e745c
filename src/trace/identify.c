/* The identity of a kernel: a hash of its launch, code, dictionaries and frames. */
#include "base/hash.h"
#include "trace/identity.h"
#include "trace/kernel.h"
#include "trace/metadata.h"

static void add_number(struct trace_identity *id, uint64_t number)
{
    trace_identity_add(id, (const uint8_t *)&number, sizeof number);
}

/* Stream and number of a launch say where it stands in its program. */
static bool add_launch(struct trace_identity *id, const struct trace_kernel *k)
{
    struct trace_launch anywhere = k->launch;
    struct trace_bytes bytes = {0};
    anywhere.stream = anywhere.number = 0;
    trace_metadata_put_launch(&anywhere, &bytes);
    bool good = !bytes.failed;
    if (good)
        trace_identity_add(id, bytes.data, bytes.size);
    trace_bytes_free(&bytes);
    add_number(id, k->code->identity.word[0]);
    add_number(id, k->code->identity.word[1]);
    return good;
}

/* A block as it is in the file: the same contents are compressed to the same bytes. */
static bool add_block(struct trace_identity *id, struct trace_kernel *k, uint64_t at)
{
    struct trace_block block;
    if (trace_in_stored(&k->in, at, &block))
        return false;
    add_number(id, block.kind);
    add_number(id, block.raw);
    add_number(id, block.stored);
    trace_identity_add(id, k->in.stored.data, block.stored);
    return true;
}

static bool identify(struct trace_kernel *k)
{
    struct trace_identity id = trace_identity_begin();
    bool good = k->file->index.kernels > 1 && add_launch(&id, k);
    for (uint32_t i = 0; good && i < k->frames.dictionaries; i++)
        good = add_block(&id, k, k->frames.dictionary_at[i]);
    for (uint32_t i = 0; good && i < k->frames.frames; i++)
        good = add_block(&id, k, k->frames.frame[i].at);
    k->identity = (struct trace_identity){{hash_mix(id.word[0]), hash_mix(id.word[1])}};
    return good;
}

bool trace_kernel_identity(const struct trace_kernel *kernel, struct trace_identity *out)
{
    struct trace_kernel *k = trace_kernel_of(kernel);
    pthread_mutex_lock(&k->lock);
    k->identified = k->identified || identify(k);
    *out = k->identity;
    bool good = k->identified;
    pthread_mutex_unlock(&k->lock);
    return good;
}
