#include "cupti/callback.h"

#include "cupti/state.h"
#include "driver/abi/api_device.h"

/* CUpti_CallbackData */
struct callback_data {
    uint32_t site; /* 0: the function begins, 1: it has ended */
    const char *function;
    const void *parameters;
    void *result;
    const char *symbol;
    CUcontext context;
    uint32_t context_id;
    uint64_t *data;
    uint32_t correlation;
};

static_assert(sizeof(struct callback_data) == 72, "the size that CUPTI documents");
static_assert(offsetof(struct callback_data, correlation) == 64, "the place that CUPTI documents");

void callback_tell(struct cupti *cupti, const struct profile_call *call, bool ended)
{
    int domain = call->api == PROFILE_DRIVER ? DOMAIN_DRIVER : DOMAIN_RUNTIME;
    uint32_t number = function_number(call->api, call->name), result = call->result;
    pthread_mutex_lock(&cupti->lock);
    struct subscriber subscriber = cupti->subscriber;
    pthread_mutex_unlock(&cupti->lock);
    uint64_t *note = &cupti_thread()->note;
    if (!ended)
        *note = 0;
    if (!subscriber.function || number == 0 || !bit_get(subscriber.enabled[domain], number))
        return;
    struct callback_data data = {
        .site = ended,
        .function = call->name,
        .result = ended ? &result : NULL,
        .data = note,
        .correlation = call->correlation,
    };
    unsigned long long id = 0;
    if (cuCtxGetCurrent(&data.context) == CUDA_SUCCESS && data.context && cuCtxGetId(data.context, &id) == CUDA_SUCCESS)
        data.context_id = (uint32_t)id;
    subscriber.function(subscriber.data, domain, number, &data);
}

/* CUpti_ResourceData */
struct resource_data {
    CUcontext context;
    CUstream stream;
    void *description;
};

void callback_tell_context(struct cupti *cupti, CUcontext context, bool made)
{
    const struct resource_data data = {.context = context};
    uint32_t number = made ? CONTEXT_MADE : CONTEXT_ENDS;
    pthread_mutex_lock(&cupti->lock);
    struct subscriber subscriber = cupti->subscriber;
    pthread_mutex_unlock(&cupti->lock);
    if (subscriber.function && bit_get(subscriber.enabled[DOMAIN_RESOURCE], number))
        subscriber.function(subscriber.data, DOMAIN_RESOURCE, number, &data);
}

bool callback_any(const struct subscriber *subscriber)
{
    uint32_t found = 0;
    for (int i = 0; i < FUNCTION_NUMBERS / 32; i++)
        found |= subscriber->enabled[DOMAIN_DRIVER][i] | subscriber->enabled[DOMAIN_RUNTIME][i] |
                 subscriber->enabled[DOMAIN_RESOURCE][i];
    return subscriber->function && found != 0;
}
