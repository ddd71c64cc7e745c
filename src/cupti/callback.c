#include "cupti/callback.h"

#include <string.h>

#include "cupti/state.h"
#include "driver/abi/api_device.h"

/* CUpti_CallbackDomain */
enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2, DOMAIN_RESOURCE = 3, DOMAINS = 9 };

/* CUpti_CallbackIdResource */
enum { CONTEXT_MADE = 1, CONTEXT_ENDS = 2 };

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

static _Thread_local uint64_t callback_note; /* of the subscriber, from the begin of a call to its end */

void callback_tell(struct cupti *cupti, const struct profile_call *call, bool ended)
{
    int domain = call->api == PROFILE_DRIVER ? DOMAIN_DRIVER : DOMAIN_RUNTIME;
    uint32_t number = function_number(call->api, call->name), result = call->result;
    pthread_mutex_lock(&cupti->lock);
    struct subscriber subscriber = cupti->subscriber;
    pthread_mutex_unlock(&cupti->lock);
    if (!ended)
        callback_note = 0;
    if (!subscriber.function || number == 0 || !bit_get(subscriber.enabled[domain], number))
        return;
    struct callback_data data = {
        .site = ended,
        .function = call->name,
        .result = ended ? &result : NULL,
        .data = &callback_note,
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

/* ---- the subscriber ---------------------------------------------------------------------------------------------- */

CUPTI_API(cuptiSubscribe, struct subscriber **subscriber,
          void (*function)(void *data, int domain, uint32_t number, const void *what), void *data)
{
    struct cupti *cupti = cupti_state();
    if (!subscriber)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&cupti->lock);
    bool taken = cupti->subscriber.function != NULL;
    if (!taken && function)
        cupti->subscriber = (struct subscriber){.function = function, .data = data};
    pthread_mutex_unlock(&cupti->lock);
    if (taken)
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    if (!function)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *subscriber = &cupti->subscriber;
    return CUPTI_SUCCESS;
}

static bool is_subscriber(const struct cupti *cupti, const struct subscriber *subscriber)
{
    return subscriber == &cupti->subscriber && subscriber->function;
}

static enum cupti_result unlocked(struct cupti *cupti, bool known)
{
    bool listens = cupti_listen(cupti);
    pthread_mutex_unlock(&cupti->lock);
    return !known    ? CUPTI_ERROR_INVALID_PARAMETER
           : listens ? CUPTI_SUCCESS
                     : CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

CUPTI_API(cuptiUnsubscribe, struct subscriber *subscriber)
{
    struct cupti *cupti = cupti_state();
    pthread_mutex_lock(&cupti->lock);
    bool known = is_subscriber(cupti, subscriber);
    if (known)
        cupti->subscriber = (struct subscriber){0};
    return unlocked(cupti, known);
}

static bool is_api(int domain) { return domain == DOMAIN_DRIVER || domain == DOMAIN_RUNTIME; }

CUPTI_API(cuptiEnableCallback, uint32_t enable, struct subscriber *subscriber, int domain, uint32_t number)
{
    struct cupti *cupti = cupti_state();
    if (domain <= 0 || domain >= DOMAINS || number == 0 || number >= FUNCTION_NUMBERS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!is_api(domain) && (domain != DOMAIN_RESOURCE || number > CONTEXT_ENDS))
        return cupti_refuse(__func__, "callbacks of other things than functions and contexts");
    pthread_mutex_lock(&cupti->lock);
    bool known = is_subscriber(cupti, subscriber);
    if (known)
        bit_put(cupti->subscriber.enabled[domain], number, enable != 0);
    return unlocked(cupti, known);
}

CUPTI_API(cuptiEnableDomain, uint32_t enable, struct subscriber *subscriber, int domain)
{
    struct cupti *cupti = cupti_state();
    if (domain <= 0 || domain >= DOMAINS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!is_api(domain))
        return cupti_refuse(__func__, "callbacks of other things than functions");
    pthread_mutex_lock(&cupti->lock);
    bool known = is_subscriber(cupti, subscriber);
    if (known)
        memset(cupti->subscriber.enabled[domain], enable ? 0xff : 0, sizeof cupti->subscriber.enabled[domain]);
    return unlocked(cupti, known);
}

CUPTI_API(cuptiGetCallbackState, uint32_t *enable, struct subscriber *subscriber, int domain, uint32_t number)
{
    struct cupti *cupti = cupti_state();
    if (!enable || !is_api(domain))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&cupti->lock);
    bool known = is_subscriber(cupti, subscriber);
    if (known)
        *enable = bit_get(cupti->subscriber.enabled[domain], number);
    pthread_mutex_unlock(&cupti->lock);
    return known ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUPTI_API(cuptiGetCallbackName, int domain, uint32_t number, const char **name)
{
    if (!name || !is_api(domain))
        return CUPTI_ERROR_INVALID_PARAMETER;
    *name = function_name(domain == DOMAIN_DRIVER ? PROFILE_DRIVER : PROFILE_RUNTIME, number);
    return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
