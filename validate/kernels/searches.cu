// Searches: a tree, a sorted table, a hash table.

constexpr unsigned THREADS = 256, FANOUT = 8, NOTHING = 0xffffffffu;

// A tree whose nodes have seven keys and eight children, which lie in the order of their levels: child c of node n is
// node FANOUT * n + c + 1. The result is the number of the leaf that a key belongs to, counted from the first leaf.
extern "C" __global__ void btree_search(const unsigned *__restrict__ keys, const unsigned *__restrict__ queries,
                                        unsigned *leaf, unsigned levels)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x, query = queries[i];
    unsigned node = 0, path = 0;
    for (unsigned level = 0; level < levels; level++) {
        const unsigned *key = keys + node * FANOUT;
        unsigned child = 0;
        while (child < FANOUT - 1 && key[child] <= query)
            child++;
        node = FANOUT * node + child + 1;
        path = FANOUT * path + child;
    }
    leaf[i] = path;
}

// The first place in a sorted table at which a key is not below.
extern "C" __global__ void binary_search(const unsigned *__restrict__ table, const unsigned *__restrict__ queries,
                                         unsigned *place, unsigned size)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x, query = queries[i];
    unsigned low = 0, high = size;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (table[middle] < query)
            low = middle + 1;
        else
            high = middle;
    }
    place[i] = low;
}

__device__ unsigned hash(unsigned key)
{
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return key ^ key >> 16;
}

// Open addressing. A slot is a key and its value in 64 bits, free while the key is NOTHING. Keys are distinct.
extern "C" __global__ void hash_insert(const unsigned *__restrict__ keys, unsigned long long *slots, unsigned mask)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x, key = keys[i];
    const unsigned long long entry = (unsigned long long)i << 32 | key;
    for (unsigned at = hash(key) & mask;; at = (at + 1) & mask)
        if (atomicCAS(&slots[at], ~0ull, entry) == ~0ull)
            break;
}

extern "C" __global__ void hash_lookup(const unsigned *__restrict__ keys, const unsigned long long *__restrict__ slots,
                                       unsigned *value, unsigned mask)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x, key = keys[i];
    unsigned found = NOTHING;
    for (unsigned at = hash(key) & mask;; at = (at + 1) & mask) {
        const unsigned long long entry = slots[at];
        if ((unsigned)entry == key)
            found = entry >> 32;
        if ((unsigned)entry == key || entry == ~0ull)
            break;
    }
    value[i] = found;
}
