#include <string.h>

#include "runtime/abi/api_device.h"
#include "runtime/runtime.h"

static void read_attributes(struct cudaDeviceProp *prop, int device)
{
#define NUMBER(field, attribute) memcpy(&prop->field, &(int){runtime_attribute(attribute, device)}, sizeof(int));
#define SIZE(field, attribute) prop->field = (size_t)runtime_attribute(attribute, device);
#define NEWER(field, attribute) NUMBER(field, attribute)
#include "runtime/properties.def"
#undef NEWER
#undef NUMBER
#undef SIZE
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    RUNTIME_CALL;
    cudaError_t error = prop == NULL ? cudaErrorInvalidValue : runtime_check_device(device);
    if (error != cudaSuccess)
        return runtime_done(error);
    memset(prop, 0, sizeof *prop);
    CUresult result = cuDeviceGetName(prop->name, sizeof prop->name, device);
    if (result == CUDA_SUCCESS)
        result = cuDeviceGetUuid_v2(&prop->uuid, device);
    if (result == CUDA_SUCCESS)
        result = cuDeviceTotalMem_v2(&prop->totalGlobalMem, device);
    /* A luid names a device to Windows: elsewhere it stays zero. */
    if (result == CUDA_SUCCESS)
        read_attributes(prop, device);
    return runtime_answer(result);
}
