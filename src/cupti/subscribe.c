/* The subscriber, and the callbacks that it enables. */
#include <string.h>

#include "cupti/callback.h"
#include "cupti/state.h"

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
