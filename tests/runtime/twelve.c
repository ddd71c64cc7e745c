/* libcudart.so.12: the differences from CUDA 13. Prototypes are those of CUDA 12. */
#include "runtime/abi/error.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/memory.h"
#include "tests/unit.h"

cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
cudaError_t cudaPointerGetAttributes(void *attributes, const void *pointer);
cudaError_t cudaMalloc(void **pointer, size_t size);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream);
cudaError_t cudaMemAdvise(const void *pointer, size_t count, int advice, int device);
cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *indices, size_t number,
                                 size_t *failed, cudaStream_t stream);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                  size_t count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
cudaError_t cudaThreadSynchronize(void);

static void environment(void)
{
    setenv("SUBCORE_GPU", "rtx-a6000", 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
}

/* Places of fields in the documented struct, which has 1032 bytes. */
enum { SIZE = 1032, CLOCK = 348, MAJOR = 360, MINOR = 364, COUNT = 388, RESERVED = 780 };

static int number(const unsigned char *properties, size_t at)
{
    int value;
    memcpy(&value, properties + at, sizeof value);
    return value;
}

static void properties_have_the_layout_of_cuda_12(void **state)
{
    (void)state;
    environment();
    int version = 0;
    unsigned char properties[SIZE + 1];
    memset(properties, 0xa5, sizeof properties);
    assert_int_equal(cudaRuntimeGetVersion(&version), cudaSuccess);
    assert_int_equal(version, 12090);
    assert_int_equal(cudaGetDeviceProperties_v2(properties, 0), cudaSuccess);
    assert_string_equal((char *)properties, "NVIDIA RTX A6000");
    assert_int_equal(number(properties, CLOCK), 1800000);
    assert_int_equal(number(properties, MAJOR), 8);
    assert_int_equal(number(properties, MINOR), 6);
    assert_int_equal(number(properties, COUNT), 84);
    for (size_t i = RESERVED; i < SIZE; i++)
        assert_int_equal(properties[i], 0);
    assert_int_equal(properties[SIZE], 0xa5);
    assert_int_equal(cudaGetDeviceProperties_v2(NULL, 0), cudaErrorInvalidValue);
    assert_int_equal(cudaGetDeviceProperties_v2(properties, 1), cudaErrorInvalidDevice);
}

static void attributes_of_pointers_are_24_bytes(void **state)
{
    (void)state;
    environment();
    unsigned char attributes[25];
    void *memory;
    memset(attributes, 0xa5, sizeof attributes);
    assert_int_equal(cudaMalloc(&memory, 64), cudaSuccess);
    assert_int_equal(cudaPointerGetAttributes(attributes, memory), cudaSuccess);
    assert_int_equal(number(attributes, 0), cudaMemoryTypeDevice);
    assert_memory_equal(attributes + 8, &memory, sizeof memory);
    assert_int_equal(attributes[24], 0xa5);
    assert_int_equal(cudaPointerGetAttributes(NULL, memory), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(memory), cudaSuccess);
}

static void managed_memory_goes_to_a_device_by_its_number(void **state)
{
    (void)state;
    environment();
    void *memory;
    assert_int_equal(cudaMallocManaged(&memory, 4096, 1), cudaSuccess);
    assert_int_equal(cudaMemAdvise(memory, 4096, cudaMemAdviseSetPreferredLocation, 0), cudaSuccess);
    assert_int_equal(cudaMemAdvise(memory, 4096, cudaMemAdviseSetPreferredLocation, -1), cudaSuccess);
    assert_int_equal(cudaMemPrefetchAsync(memory, 4096, 0, NULL), cudaSuccess);
    assert_int_equal(cudaMemPrefetchAsync(memory, 4096, -1, NULL), cudaSuccess);
    assert_int_not_equal(cudaMemPrefetchAsync(memory, 4096, 7, NULL), cudaSuccess);
    assert_int_equal(cudaThreadSynchronize(), cudaSuccess);
    assert_int_equal(cudaFree(memory), cudaSuccess);
}

static void a_batch_of_copies_tells_that_it_failed(void **state)
{
    (void)state;
    environment();
    size_t failed = 5;
    assert_int_not_equal(cudaMemcpyBatchAsync(NULL, NULL, NULL, 1, NULL, NULL, 1, &failed, NULL), cudaSuccess);
    assert_true(failed == SIZE_MAX);
}

static void edges_have_no_data(void **state)
{
    (void)state;
    environment();
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2], from, to;
    size_t count = 1;
    assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cudaGraphAddEmptyNode(&nodes[i], graph, NULL, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1), cudaSuccess);
    assert_int_equal(cudaGraphGetEdges(graph, &from, &to, &count), cudaSuccess);
    assert_int_equal(count, 1);
    assert_ptr_equal(from, nodes[0]);
    assert_ptr_equal(to, nodes[1]);
}

UNIT_TESTS(UNIT(properties_have_the_layout_of_cuda_12), UNIT(attributes_of_pointers_are_24_bytes),
           UNIT(managed_memory_goes_to_a_device_by_its_number), UNIT(a_batch_of_copies_tells_that_it_failed),
           UNIT(edges_have_no_data))
