#include "probe/result.h"

const char *occupancy_limit_name(enum occupancy_limit limit)
{
    switch (limit) {
    case LIMIT_CTAS: return "ctas";
    case LIMIT_WARPS: return "warps";
    case LIMIT_REGISTERS: return "registers";
    case LIMIT_SHARED: return "shared memory";
    case LIMIT_COUNT: break;
    }
    return "none";
}
