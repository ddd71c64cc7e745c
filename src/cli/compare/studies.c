#include "cli/compare/studies.h"

static const struct study studies[] = {
    {
        .name = "prefetcher",
        .title = "instruction prefetcher",
        .text = "Lines that the stream buffer of each sub-core fetches ahead of a miss of its L0 instruction cache;\n"
                "perfect: every fetch hits. The study of the MICRO 2025 paper that takes 8 lines to be the hardware's.",
        .variant =
            {
                {"8", {"icache.stream_buffer=8"}},
                {"off", {"icache.stream_buffer=0"}},
                {"1", {"icache.stream_buffer=1"}},
                {"2", {"icache.stream_buffer=2"}},
                {"4", {"icache.stream_buffer=4"}},
                {"16", {"icache.stream_buffer=16"}},
                {"32", {"icache.stream_buffer=32"}},
                {"perfect", {"icache.perfect=true"}},
            },
    },
    {
        .name = "register-file",
        .title = "register file ports and register-file cache",
        .text = "Read ports of each of the two banks, with and without the register-file cache; ideal: reads never\n"
                "conflict. The study of the MICRO 2025 paper that takes one port and the cache to be the hardware's.",
        .variant =
            {
                {"1 port", {"core.read_ports=1", "core.rfc=true"}},
                {"1 without RFC", {"core.read_ports=1", "core.rfc=false"}},
                {"2 ports", {"core.read_ports=2", "core.rfc=true"}},
                {"2 without RFC", {"core.read_ports=2", "core.rfc=false"}},
                {"ideal", {"core.ideal_ports=true"}},
            },
    },
    {
        .name = "dependence",
        .title = "control bits or a scoreboard",
        .text =
            "The compiler's stall counts and dependence counters, or a scoreboard that counts so many readers of a\n"
            "register (all: also those of fixed latency); 'subcore area' gives the storage. A study of the MICRO 2025 "
            "paper.",
        .variant =
            {
                {"control bits", {"core.dependence=control-bits"}},
                {"1", {"core.dependence=scoreboard", "core.scoreboard_consumers=1"}},
                {"3", {"core.dependence=scoreboard", "core.scoreboard_consumers=3"}},
                {"7", {"core.dependence=scoreboard", "core.scoreboard_consumers=7"}},
                {"15", {"core.dependence=scoreboard", "core.scoreboard_consumers=15"}},
                {"31", {"core.dependence=scoreboard", "core.scoreboard_consumers=31"}},
                {"63", {"core.dependence=scoreboard", "core.scoreboard_consumers=63"}},
                {"unlimited", {"core.dependence=scoreboard", "core.scoreboard_consumers=0"}},
                {"1 all",
                 {"core.dependence=scoreboard", "core.scoreboard_consumers=1", "core.scoreboard_counts_fixed=true"}},
                {"63 all",
                 {"core.dependence=scoreboard", "core.scoreboard_consumers=63", "core.scoreboard_counts_fixed=true"}},
            },
    },
    {
        .name = "scheduler",
        .title = "choice among the warps of a sub-core",
        .text =
            "Greedy then youngest with renewed ages, as GA10x has it here, and without, as the MICRO 2025 paper has\n"
            "it; greedy in turns, as GA100 and GH100 have it; greedy then oldest; loose round robin.",
        .variant =
            {
                {"CGGTY renewed", {"core.scheduler=cggty-renewed"}},
                {"CGGTY", {"core.scheduler=cggty"}},
                {"CGGRR", {"core.scheduler=cggrr"}},
                {"GTO", {"core.scheduler=gto"}},
                {"LRR", {"core.scheduler=lrr"}},
            },
    },
    {
        .name = "core-models",
        .title = "the modern core or the legacy one",
        .text =
            "The core that the MICRO 2025 paper dissected, or that of GPGPU-Sim 4 and Accel-Sim: operand collectors,\n"
            "a scoreboard, no control bits (docs/legacy-core.md). Its schedulers: loose round robin, as tested\n"
            "configurations have it; greedy then oldest. Dual: a warp issues up to two instructions in a cycle.",
        .variant =
            {
                {"modern", {"core.model=modern"}},
                {"legacy", {"core.model=legacy", "core.scheduler=lrr"}},
                {"legacy GTO", {"core.model=legacy", "core.scheduler=gto"}},
                {"legacy dual", {"core.model=legacy", "core.scheduler=lrr", "legacy.issue_width=2"}},
            },
    },
};

const struct study *study_at(size_t index)
{
    return index < sizeof studies / sizeof studies[0] ? &studies[index] : NULL;
}
