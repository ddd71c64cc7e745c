/* Where SMs and slices are: SM -> TPC -> GPC -> L2 partition, and how far a GPC is from a slice.
 *
 *   gpu.gpcs = "6 4", two SMs a TPC:     GPC 0: TPC {0,1} {4,5} {8,9}     GPC 1: TPC {2,3} {6,7}
 *
 * SM numbers are dealt to the GPCs a TPC at a time, in turn, as long as a GPC has room. A GPU with fewer SMs than the
 * text has room for lacks the last of them. The rule is assumed. It agrees with a group of SMs that share an L2 TLB on
 * an A30, {0, 1, 32, 33, 48, 49} ("TunneLs for bootlegging", CCS 2023). GPC g belongs to L2 partition
 * g * partitions / GPCs, and slice s to s * partitions / slices.
 *
 * Floor plan, for each partition: messages pass through a hub. The GPCs stand at growing distances from it, a GPC in
 * the middle of them having the first number, because published means were taken on few SMs. The slices stand in a row
 * with the hub in its middle. The way is the GPC's and the slice's, half of the spread each:
 *
 *   latency(gpc, slice) = noc.latency + near(gpc) * spread / 2 + near(slice) * spread / 2,   0 <= near <= 1
 *
 * On an L40 such a sum explains 87 % of the variance (arXiv 2606.22588). V100: 175 to 248 cycles over all pairs,
 * 7.5 to 13.9 of standard deviation over the slices as one GPC sees them ("Uncovering real GPU NoC characteristics",
 * MICRO 2024). Here a spread of 36 gives 73 and 10.7. Not modelled: Hopper's CPCs, the place of a TPC in its GPC. */
#ifndef SUBCORE_MEM_TOPOLOGY_H
#define SUBCORE_MEM_TOPOLOGY_H

#include <stdint.h>

#include "config/config.h"
#include "config/gpcs.h"

enum { TOPOLOGY_SMS = 256, TOPOLOGY_SLICES = 512 };

struct topology {
    uint32_t sms, gpcs, tpcs, slices, partitions;
    uint16_t latency;             /* the smallest, one way, in cycles */
    uint16_t peer_latency;        /* between SMs of a GPC, no less */
    uint8_t gpc[TOPOLOGY_SMS];    /* of an SM */
    uint8_t tpc[TOPOLOGY_SMS];    /* of an SM, counted within its GPC */
    uint8_t place[TOPOLOGY_SMS];  /* of an SM, counted within its TPC */
    uint32_t gpc_tpcs[GPCS_MOST]; /* TPCs of a GPC */
    uint16_t gpc_way[GPCS_MOST];  /* cycles beyond the smallest latency */
    uint16_t slice_way[TOPOLOGY_SLICES];
};

/* `config` has passed config_check. */
void topology_init(struct topology *topology, const struct config *config, uint32_t partitions);
/* Fills in the SMs, TPCs and GPCs alone. The rest stays 0. */
void topology_place_sms(struct topology *topology, const struct config *config);

uint32_t topology_gpc_partition(const struct topology *topology, uint32_t gpc);

/* Cycles one way between an SM's GPC and a slice, never less than `topology->latency`. */
static inline uint32_t topology_latency(const struct topology *topology, uint32_t sm, uint32_t slice)
{
    return 0u + topology->latency + topology->gpc_way[topology->gpc[sm]] + topology->slice_way[slice];
}

#endif
