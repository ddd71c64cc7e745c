/* The identity of a kernel: a hash of its launch, code, dictionaries and frames. */
#include "base/hash.h"
#include "trace/kernel.h"
#include "trace/metadata.h"

/* Adds bytes, a word of eight at a time. The two words of the identity go different ways. */
static void add(struct trace_identity *id, const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, data + at, size - at < sizeof word ? size - at : sizeof word);
        id->word[0] = (id->word[0] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        id->word[0] ^= id->word[0] >> 32;
        id->word[1] = (id->word[1] + word) * UINT64_C(0xc2b2ae3d27d4eb4f);
        id->word[1] ^= id->word[1] >> 29;
    }
}

static void add_number(struct trace_identity *id, uint64_t number) { add(id, (const uint8_t *)&number, sizeof number); }

/* Stream and number of a launch say where it stands in its program. */
static bool add_launch(struct trace_identity *id, const struct trace_launch *launch)
{
    struct trace_launch anywhere = *launch;
    struct trace_bytes bytes = {0};
    anywhere.stream = anywhere.number = 0;
    trace_metadata_put(&anywhere, &bytes);
    bool good = !bytes.failed;
    if (good)
        add(id, bytes.data, bytes.size);
    trace_bytes_free(&bytes);
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
    add(id, k->in.stored.data, block.stored);
    return true;
}

bool trace_kernel_identity(const struct trace_kernel *kernel, struct trace_identity *out)
{
    struct trace_kernel *k = trace_kernel_of(kernel);
    struct trace_identity id = {{HASH_SEED, ~HASH_SEED}};
    bool good = k->file->index.kernels > 1 && add_launch(&id, &k->launch);
    pthread_mutex_lock(&k->lock);
    for (uint32_t i = 0; good && i < k->frames.dictionaries; i++)
        good = add_block(&id, k, k->frames.dictionary_at[i]);
    for (uint32_t i = 0; good && i < k->frames.frames; i++)
        good = add_block(&id, k, k->frames.frame[i].at);
    pthread_mutex_unlock(&k->lock);
    *out = (struct trace_identity){{hash_mix(id.word[0]), hash_mix(id.word[1])}};
    return good;
}
