#include <stdlib.h>

#include "config/config.h"

enum { KIB = 1024, MOST_KIB = 1024 };

unsigned config_carveouts(const struct config_sm *sm, uint32_t bytes[CONFIG_CARVEOUTS])
{
    const char *at = sm->carveouts;
    unsigned count = 0;
    while (*at) {
        if (*at < '0' || *at > '9' || count == CONFIG_CARVEOUTS)
            return 0;
        char *end;
        unsigned long kib = strtoul(at, &end, 10);
        if (kib > MOST_KIB || (*end != ' ' && *end != '\0') || (count && kib * KIB <= bytes[count - 1]))
            return 0;
        bytes[count++] = (uint32_t)kib * KIB;
        at = *end ? end + 1 : end;
    }
    return count;
}

uint32_t config_l1_bytes(const struct config *config, uint32_t carveout)
{
    uint32_t left = config->sm.unified > carveout ? config->sm.unified - carveout : 0;
    return (uint32_t)((double)left * config->l1.usable);
}
