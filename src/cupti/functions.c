#include "cupti/functions.h"

#include <stdlib.h>
#include <string.h>

struct function {
    const char *name;
    uint32_t number;
};

#define FUNCTION(name, number) {#name, number},

static const struct function driver_functions[] = {
#include "cupti/driver_functions.def"
};

static const struct function runtime_functions[] = {
#include "cupti/runtime_functions.def"
};

#undef FUNCTION

static const struct function *functions_of(enum profile_api api, size_t *count)
{
    bool driver = api == PROFILE_DRIVER;
    *count = driver ? sizeof driver_functions / sizeof driver_functions[0]
                    : sizeof runtime_functions / sizeof runtime_functions[0];
    return driver ? driver_functions : runtime_functions;
}

static int compare(const void *name, const void *row) { return strcmp(name, ((const struct function *)row)->name); }

uint32_t function_number(enum profile_api api, const char *name)
{
    size_t count;
    const struct function *functions = functions_of(api, &count);
    const struct function *found = bsearch(name, functions, count, sizeof *functions, compare);
    return found ? found->number : 0;
}

const char *function_name(enum profile_api api, uint32_t number)
{
    size_t count;
    const struct function *functions = functions_of(api, &count);
    for (size_t i = 0; i < count; i++)
        if (functions[i].number == number)
            return functions[i].name;
    return NULL;
}
