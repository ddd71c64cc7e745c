/* NCCL of one rank: results of collectives, messages to itself, and the refusals. */
#include "driver/abi/api_device.h"
#include "driver/abi/api_memory.h"
#include "nccl/nccl.h"
#include "tests/unit.h"

#define GOOD(call) assert_int_equal((call), ncclSuccess)

ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int devices, const int *list);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *split, const void *config);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommCount(ncclComm_t comm, int *count);
ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error);
ncclResult_t ncclAllReduce(const void *, void *, size_t, int, int, ncclComm_t, CUstream);
ncclResult_t ncclAllGather(const void *, void *, size_t, int, ncclComm_t, CUstream);
ncclResult_t ncclBroadcast(const void *, void *, size_t, int, int, ncclComm_t, CUstream);
ncclResult_t ncclSend(const void *data, size_t count, int type, int peer, ncclComm_t comm, CUstream stream);
ncclResult_t ncclRecv(void *data, size_t count, int type, int peer, ncclComm_t comm, CUstream stream);
ncclResult_t ncclRedOpCreatePreMulSum(int *operation, void *scalar, int type, int residence, ncclComm_t comm);

enum { COUNT = 100, FLOAT = 7, HALF = 6, SUM = 0, AVERAGE = 4 };

static ncclComm_t begin(void)
{
    ncclComm_t comm;
    ncclUniqueId id;
    setenv("SUBCORE_GPU", "a100", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    GOOD(ncclGetUniqueId(&id));
    GOOD(ncclCommInitRank(&comm, 1, id, 0));
    return comm;
}

/* Device memory with numbers from `first` on. The caller frees it. */
static void *numbers(float first)
{
    CUdeviceptr device;
    float host[COUNT];
    for (int i = 0; i < COUNT; i++)
        host[i] = first + (float)i;
    assert_int_equal(cuMemAlloc_v2(&device, sizeof host), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(device, host, sizeof host), CUDA_SUCCESS);
    return (void *)(uintptr_t)device;
}

/* Expects `count` numbers from `first` on, and behind them those that begin with `rest`. */
static void expect(void *device, float first, int count, float rest)
{
    float host[COUNT];
    assert_int_equal(cuMemcpyDtoH_v2(host, (CUdeviceptr)(uintptr_t)device, sizeof host), CUDA_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        assert_true(host[i] == (i < count ? first : rest) + (float)i);
}

static void release(void *a, void *b)
{
    assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)a), CUDA_SUCCESS);
    assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)b), CUDA_SUCCESS);
}

static void the_result_of_a_collective_is_the_ranks_own_data(void **state)
{
    (void)state;
    ncclComm_t comm = begin();
    for (int way = 0; way < 4; way++) {
        void *from = numbers(1), *to = numbers(1000);
        GOOD(way == 0   ? ncclAllReduce(from, to, 60, FLOAT, SUM, comm, NULL)
             : way == 1 ? ncclAllReduce(from, to, 60, FLOAT, AVERAGE, comm, NULL)
             : way == 2 ? ncclAllGather(from, to, 60, FLOAT, comm, NULL)
                        : ncclBroadcast(from, to, 120, HALF, 0, comm, NULL));
        expect(to, 1, 60, 1000);
        expect(from, 1, COUNT, 0);
        GOOD(ncclAllReduce(to, to, COUNT, FLOAT, SUM, comm, NULL));
        expect(to, 1, 60, 1000);
        release(from, to);
    }
    GOOD(ncclCommDestroy(comm));
}

static void messages_to_itself_arrive_in_their_order(void **state)
{
    (void)state;
    ncclComm_t comm = begin();
    void *first = numbers(1), *second = numbers(500), *a = numbers(2000), *b = numbers(3000);
    GOOD(ncclSend(first, 10, FLOAT, 0, comm, NULL));
    GOOD(ncclSend(second, 20, FLOAT, 0, comm, NULL));
    assert_int_equal(ncclRecv(a, 11, FLOAT, 0, comm, NULL), ncclInvalidUsage);
    GOOD(ncclRecv(a, 10, FLOAT, 0, comm, NULL));
    GOOD(ncclRecv(b, 20, FLOAT, 0, comm, NULL));
    expect(a, 1, 10, 2000);
    expect(b, 500, 20, 3000);
    GOOD(ncclRecv(a, 30, FLOAT, 0, comm, NULL));
    GOOD(ncclSend(second, 30, FLOAT, 0, comm, NULL));
    expect(a, 500, 30, 2000);
    release(first, second);
    release(a, b);
    GOOD(ncclCommDestroy(comm));
}

static void a_communicator_tells_its_one_rank(void **state)
{
    (void)state;
    ncclComm_t comm = begin(), other;
    ncclResult_t error = ncclTimeout;
    int count = 0, rank = 7;
    GOOD(ncclCommCount(comm, &count));
    GOOD(ncclCommUserRank(comm, &rank));
    GOOD(ncclCommGetAsyncError(comm, &error));
    assert_int_equal(count, 1);
    assert_int_equal(rank, 0);
    assert_int_equal(error, ncclSuccess);
    GOOD(ncclCommSplit(comm, -1, 0, &other, NULL));
    assert_null(other);
    GOOD(ncclCommSplit(comm, 3, 0, &other, NULL));
    GOOD(ncclCommDestroy(other));
    GOOD(ncclCommDestroy(comm));
}

static void what_one_rank_cannot_do_is_refused(void **state)
{
    (void)state;
    ncclComm_t comm = begin(), other;
    ncclUniqueId id;
    int operation;
    void *data = numbers(1), *to = numbers(2);
    GOOD(ncclGetUniqueId(&id));
    assert_int_equal(ncclCommInitRank(&other, 2, id, 0), ncclInvalidUsage);
    assert_int_equal(ncclCommInitRank(&other, 1, id, 1), ncclInvalidArgument);
    assert_int_equal(ncclCommInitAll(&other, 2, NULL), ncclInvalidUsage);
    assert_int_equal(ncclAllReduce(data, to, 1, 12, SUM, comm, NULL), ncclInvalidArgument);
    assert_int_equal(ncclAllReduce(data, to, 1, FLOAT, 5, comm, NULL), ncclInvalidUsage);
    assert_int_equal(ncclBroadcast(data, to, 1, FLOAT, 1, comm, NULL), ncclInvalidArgument);
    assert_int_equal(ncclAllGather(NULL, to, 1, FLOAT, comm, NULL), ncclInvalidArgument);
    assert_int_equal(ncclSend(data, 1, FLOAT, 1, comm, NULL), ncclInvalidArgument);
    assert_int_equal(ncclRedOpCreatePreMulSum(&operation, data, FLOAT, 0, comm), ncclInvalidUsage);
    expect(to, 2, COUNT, 0);
    release(data, to);
    GOOD(ncclCommDestroy(comm));
    assert_int_equal(ncclAllGather(data, to, 0, FLOAT, NULL, NULL), ncclInvalidArgument);
}

UNIT_TESTS(UNIT(the_result_of_a_collective_is_the_ranks_own_data), UNIT(messages_to_itself_arrive_in_their_order),
           UNIT(a_communicator_tells_its_one_rank), UNIT(what_one_rank_cannot_do_is_refused))
