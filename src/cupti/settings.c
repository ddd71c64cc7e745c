/* Attributes, clocks and switches of the activity interface. */
#include <string.h>

#include "cupti/state.h"

/* The versions whose documented records ours are. */
#ifdef CUPTI_TWELVE
enum { API_VERSION = 28 };
#else
enum { API_VERSION = 130202 };
#endif

CUPTI_API(cuptiGetVersion, uint32_t *version)
{
    if (!version)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *version = API_VERSION;
    return CUPTI_SUCCESS;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* CUpti_ActivityAttribute. All describe buffers on the device or per thread. Subcore has no such buffers, so the values
 * are kept and have no effect. */
static const struct {
    size_t bytes, usual;
} attributes[ATTRIBUTES] = {
    {sizeof(size_t), 3200000}, {sizeof(size_t), 8388608}, {sizeof(size_t), 250}, {sizeof(size_t), 25000},
    {sizeof(size_t), 250},     {sizeof(uint8_t), 0},      {sizeof(size_t), 3},   {sizeof(size_t), 3},
    {sizeof(uint8_t), 0},      {sizeof(uint8_t), 1},
};

static enum cupti_result check_attribute(int attribute, const size_t *size, const void *value)
{
    if (!size || !value || attribute < 0 || attribute >= ATTRIBUTES)
        return CUPTI_ERROR_INVALID_PARAMETER;
    return *size < attributes[attribute].bytes ? CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT : CUPTI_SUCCESS;
}

/* Values are kept as differences from the usual ones, so that the state begins with zeros. */
CUPTI_API(cuptiActivitySetAttribute, int attribute, size_t *size, void *value)
{
    struct cupti *cupti = cupti_state();
    enum cupti_result result = check_attribute(attribute, size, value);
    if (result != CUPTI_SUCCESS)
        return result;
    size_t given = 0;
    memcpy(&given, value, attributes[attribute].bytes);
    pthread_mutex_lock(&cupti->lock);
    cupti->attributes[attribute] = given - attributes[attribute].usual;
    pthread_mutex_unlock(&cupti->lock);
    return CUPTI_SUCCESS;
}

CUPTI_API(cuptiActivityGetAttribute, int attribute, size_t *size, void *value)
{
    struct cupti *cupti = cupti_state();
    enum cupti_result result = check_attribute(attribute, size, value);
    if (result != CUPTI_SUCCESS)
        return result;
    pthread_mutex_lock(&cupti->lock);
    size_t kept = cupti->attributes[attribute] + attributes[attribute].usual;
    pthread_mutex_unlock(&cupti->lock);
    memcpy(value, &kept, attributes[attribute].bytes);
    *size = attributes[attribute].bytes;
    return CUPTI_SUCCESS;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

CUPTI_API(cuptiActivityRegisterTimestampCallback, clock_function function)
{
    struct cupti *cupti = cupti_state();
    if (!function)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&cupti->lock);
    bool changes = function != cupti->clock.function;
    if (changes && cupti->pending.settled < cupti->pending.used)
        clock_measure(&cupti->clock);
    if (changes)
        cupti_settle(&cupti->clock, &cupti->pending);
    clock_register(&cupti->clock, function);
    pthread_mutex_unlock(&cupti->lock);
    return CUPTI_SUCCESS;
}

CUPTI_API(cuptiGetTimestamp, uint64_t *time)
{
    struct cupti *cupti = cupti_state();
    if (!time)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&cupti->lock);
    clock_function function = cupti->clock.function;
    pthread_mutex_unlock(&cupti->lock);
    *time = function ? function() : subcore_profile_time();
    return CUPTI_SUCCESS;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* CUpti_ActivityThreadIdType */
enum { THREADS_USUAL, THREADS_SYSTEM };

CUPTI_API(cuptiSetThreadIdType, int type)
{
    struct cupti *cupti = cupti_state();
    if (type != THREADS_USUAL && type != THREADS_SYSTEM)
        return CUPTI_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&cupti->lock);
    cupti->system_threads = type == THREADS_SYSTEM;
    pthread_mutex_unlock(&cupti->lock);
    return CUPTI_SUCCESS;
}

CUPTI_API(cuptiGetThreadIdType, int *type)
{
    struct cupti *cupti = cupti_state();
    if (!type)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&cupti->lock);
    *type = cupti->system_threads ? THREADS_SYSTEM : THREADS_USUAL;
    pthread_mutex_unlock(&cupti->lock);
    return CUPTI_SUCCESS;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Restores the state before the first call; undelivered records are lost. */
CUPTI_API(cuptiFinalize, void)
{
    struct cupti *cupti = cupti_state();
    pthread_mutex_lock(&cupti->lock);
    memset(cupti->kinds, 0, sizeof cupti->kinds);
    memset(cupti->functions, 0, sizeof cupti->functions);
    cupti->subscriber = (struct subscriber){0};
    cupti->pending.used = cupti->pending.settled = 0;
    cupti->clock = (struct clock){0};
    cupti_listen(cupti);
    pthread_mutex_unlock(&cupti->lock);
    cupti_deliver(cupti, DELIVER_END);
    return CUPTI_SUCCESS;
}
