#include "unit.h"

#include <fnmatch.h>
#include <stddef.h>

const char *measure_unit(const char *quantity)
{
    /* The first that fits. Any other quantity is a latency or an interval. */
    static const struct {
        const char *pattern, *unit;
    } units[] = {
        {"chase.knee.*", "KiB"},
        {"icache.knee.*", "KiB"},
        {"launch.alone", "us"},
        {"launch.next", "us"},
        {"constant.knee.*", "bytes"},
        {"tlb.reach", "MiB"},
        {"tlb.reach.gpc", "GiB"},
        {"bandwidth.l1.*", "B/cycle/SM"},
        {"bandwidth.shared.*", "B/cycle/SM"},
        {"tma.sm", "B/cycle/SM"},
        {"tma.all", "B/cycle"},
        {"bandwidth.l2.*", "B/cycle"},
        {"bandwidth.dram.*", "GB/s"},
        {"little.*.half", "KiB"},
        {"atomics.shared.rate.*", "per cycle"},
        {"atomics.*.lanes.*", "per cycle"},
        {"throughput.*", "per cycle"},
        {"double.rate.*", "per cycle"},
        {"mma.rate.*", "FMA/cycle/SM"},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (fnmatch(units[i].pattern, quantity, 0) == 0)
            return units[i].unit;
    return "cycles";
}
