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

const char *result_stop_option(enum result_stop stop)
{
    switch (stop) {
    case STOP_CYCLES: return "--until-cycles";
    case STOP_INSTRUCTIONS: return "--until-insts";
    case STOP_STABLE_IPC: return "--until-stable-ipc";
    case STOP_CTAS: return "--ctas";
    case STOP_SAMPLED: return "--fidelity sampled";
    case STOP_HYBRID: return "--fidelity hybrid";
    case STOP_NONE:
    case STOP_COUNT: break;
    }
    return "";
}

const char *result_stop_name(enum result_stop stop)
{
    switch (stop) {
    case STOP_CYCLES: return "cycles";
    case STOP_INSTRUCTIONS: return "instructions";
    case STOP_STABLE_IPC: return "stable_ipc";
    case STOP_CTAS: return "ctas";
    case STOP_SAMPLED: return "sampled";
    case STOP_HYBRID: return "hybrid";
    case STOP_NONE:
    case STOP_COUNT: break;
    }
    return "none";
}
