#include "driver/state/device.h"

#include "config/config.h"
#include "tests/driver/rig.h"

static int attribute(CUdevice_attribute which)
{
    int value = -99;
    SUCCEEDS(cuDeviceGetAttribute(&value, which, 0));
    return value;
}

static void there_is_one_device(void **state)
{
    (void)state;
    int count = 0, device = 99;
    rig_init("rtx-a6000");
    SUCCEEDS(cuDeviceGetCount(&count));
    assert_int_equal(count, 1);
    SUCCEEDS(cuDeviceGet(&device, 0));
    assert_int_equal(device, 0);
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetCount(NULL));
}

static void its_name_fits_the_buffer(void **state)
{
    (void)state;
    char name[64];
    memset(name, 'x', sizeof name);
    SUCCEEDS(cuDeviceGetName(name, sizeof name, 0));
    assert_string_equal(name, "NVIDIA RTX A6000");
    SUCCEEDS(cuDeviceGetName(name, 7, 0));
    assert_string_equal(name, "NVIDIA");
    assert_int_equal(name[7], 'R'); /* of the call before: nothing is written behind the buffer */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(name, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(NULL, 10, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName(name, 10, 5));
}

static void attributes_follow_the_configuration(void **state)
{
    (void)state;
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 84);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 8);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 6);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE), 1800000);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH), 384);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), 8000000);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 6291456);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 101376);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR), 102400);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK), 1024);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 1536);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR), 16);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO), 64);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE), 0);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH), 0);
}

/* cuDeviceGetAttribute of every number: NUMA_ID and HOST_NUMA_ID are -1, no other one is negative. */
static void every_number_of_an_attribute_is_answered(void **state)
{
    (void)state;
    int value;
    for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; ++i)
        if (i != CU_DEVICE_ATTRIBUTE_NUMA_ID && i != CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID)
            assert_true(attribute((CUdevice_attribute)i) >= 0);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_NUMA_ID), -1);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)-5, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1));
}

/* Widths of the memory buses, from the product data sheets. */
static void every_gpu_has_a_plausible_memory_bus(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        int bits;
    } sheets[] = {{"a100", 5120},       {"b200", 8192},       {"h100-pcie", 5120},  {"h100-sxm", 5120},
                  {"h200", 6016},       {"l40", 384},         {"rtx-2080-ti", 352}, {"rtx-3080", 320},
                  {"rtx-3090", 384},    {"rtx-4090", 384},    {"b300", 8192},       {"rtx-5060-ti", 128},
                  {"rtx-5070-ti", 256}, {"rtx-5080", 256},    {"rtx-5090", 512},    {"rtx-a6000", 384},
                  {"t4", 256},          {"v100-sxm2", 4096},  {"gv100", 4096},      {"titan-v", 3072},
                  {"p100", 4096},       {"gtx-1080-ti", 352}, {"gtx-1080", 256},    {"gtx-1050-ti", 128}};
    assert_int_equal(config_gpu_count(), sizeof sheets / sizeof sheets[0]);
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; ++i) {
        struct device device = {.gpu = NULL};
        struct status status = {0};
        int bits = 0, kilohertz = 0;
        assert_true(config_load(&device.config, sheets[i].gpu, &status));
        assert_true(device_attribute(&device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &bits));
        assert_true(device_attribute(&device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &kilohertz));
        assert_int_equal(bits, sheets[i].bits);
        assert_int_equal((2.0 * kilohertz * bits / 8 / 1e6) + 0.5, device.config.dram.bandwidth + 0.5);
    }
}

static void properties_are_the_attributes(void **state)
{
    (void)state;
    CUdevprop p;
    int major = 0, minor = 0;
    SUCCEEDS(cuDeviceGetProperties(&p, 0));
    assert_int_equal(p.maxThreadsPerBlock, 1024);
    assert_int_equal(p.maxThreadsDim[2], 64);
    assert_int_equal(p.maxGridSize[0], 2147483647);
    assert_int_equal(p.maxGridSize[1], 65535);
    assert_int_equal(p.sharedMemPerBlock, 49152);
    assert_int_equal(p.regsPerBlock, 65536);
    assert_int_equal(p.clockRate, 1800000);
    SUCCEEDS(cuDeviceComputeCapability(&major, &minor, 0));
    assert_int_equal(major * 10 + minor, 86);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetProperties(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetProperties(&p, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(&major, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(NULL, &minor, 0));
}

static void memory_is_as_large_as_configured(void **state)
{
    (void)state;
    size_t bytes = 0;
    unsigned narrow = 0;
    SUCCEEDS(cuDeviceTotalMem_v2(&bytes, 0));
    assert_int_equal(bytes, (size_t)48 << 30);
    SUCCEEDS(cuDeviceTotalMem(&narrow, 0));
    assert_int_equal(narrow, 0xffffffffU);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceTotalMem_v2(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem_v2(&bytes, -1));
}

static void its_place_on_the_bus_can_be_told_and_found(void **state)
{
    (void)state;
    char id[16];
    CUdevice device = 99;
    SUCCEEDS(cuDeviceGetPCIBusId(id, sizeof id, 0));
    assert_string_equal(id, "0000:01:00.0");
    SUCCEEDS(cuDeviceGetByPCIBusId(&device, id));
    assert_int_equal(device, 0);
    SUCCEEDS(cuDeviceGetByPCIBusId(&device, "0:1:0"));
    SUCCEEDS(cuDeviceGetByPCIBusId(&device, "01:00.0"));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&device, "0000:02:00.0"));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&device, "02:00.0"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, ""));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, "0000:01:00.0 "));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, "a GPU"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(NULL, id));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(id, -1, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(NULL, 16, 0));
}

static void it_has_a_uuid_of_the_right_form(void **state)
{
    (void)state;
    CUuuid first, second;
    SUCCEEDS(cuDeviceGetUuid(&first, 0));
    SUCCEEDS(cuDeviceGetUuid_v2(&second, 0));
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(first.bytes[6] & 0xf0, 0x40);
    assert_int_equal(first.bytes[8] & 0xc0, 0x80);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetUuid_v2(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid_v2(&first, 3));
    unsigned mask;
    char luid[8];
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuDeviceGetLuid(luid, &mask, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetLuid(NULL, &mask, 0));
}

static void it_has_no_peer(void **state)
{
    (void)state;
    int can = 99, value = 99;
    SUCCEEDS(cuDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer(&can, 0, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceCanAccessPeer(NULL, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)99, 0, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetP2PAttribute(NULL, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    CUatomicOperation operations[2] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_CAS};
    unsigned capabilities[2] = {99, 99};
    SUCCEEDS(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
    assert_int_equal(capabilities[0] | capabilities[1], 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(capabilities, operations, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(NULL, operations, 2, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 1));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 1));
    operations[1] = CU_ATOMIC_OPERATION_MAX;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
    SUCCEEDS(cuDeviceGetExecAffinitySupport(&value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    assert_int_equal(value, 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetExecAffinitySupport(&value, CU_EXEC_AFFINITY_TYPE_MAX, 0));
}

UNIT_TESTS(UNIT(there_is_one_device), UNIT(its_name_fits_the_buffer), UNIT(attributes_follow_the_configuration),
           UNIT(every_number_of_an_attribute_is_answered), UNIT(every_gpu_has_a_plausible_memory_bus),
           UNIT(properties_are_the_attributes), UNIT(memory_is_as_large_as_configured),
           UNIT(its_place_on_the_bus_can_be_told_and_found), UNIT(it_has_a_uuid_of_the_right_form),
           UNIT(it_has_no_peer))
