/* Messages between an SM and the memory system: the only types that sm and mem share.
 *
 *   SM --request--> [NoC] --> L2 slice --> DRAM        arrival: cycle at which the message is at the other end.
 *   SM <--reply---- [NoC] <--                          A message sent in one quantum arrives in a later one.
 *
 * A request names one 128-byte line and the 32-byte sectors of it that it wants or writes. */
#ifndef SUBCORE_PORT_MESSAGE_H
#define SUBCORE_PORT_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { PORT_LINE = 128, PORT_SECTOR = 32, PORT_SECTORS = 4 };

/* Clients: the unit of the SM that a request is of, and to which its reply goes. */
enum port_client {
    PORT_DATA,    /* global_path: accesses of warps to global and local memory */
    PORT_CODE,    /* l15: lines of instructions and constants */
    PORT_CLUSTER, /* cluster_barriers, to their peers on other SMs */
    PORT_REMOTE,  /* remote_path: accesses of warps to the shared memory of other SMs, and the answers */
    PORT_ENGINE,  /* the first number for engines that move data by themselves */
    PORT_CLIENTS = 8,
    PORT_NOBODY = 0xff /* no unit waits for the reply, and it reaches no SM */
};

enum request_kind {
    REQUEST_LOAD,      /* sectors are read. The reply carries them */
    REQUEST_STORE,     /* sectors are written in whole or in part. The reply is an acknowledgement */
    REQUEST_REDUCTION, /* read, changed and written at the slice; acknowledgement */
    REQUEST_ATOMIC,    /* the same, and the reply carries the old values */
    REQUEST_ANSWER     /* of an SM to another's request: its data, or an acknowledgement */
};

/* Where a request goes. A GPC takes messages between its own SMs. */
enum request_destination {
    DESTINATION_SLICE, /* the L2 slice of the line */
    DESTINATION_SM,    /* request.to, an SM of the same GPC */
    DESTINATION_GPC    /* the GPC's cache of code and parameters, which has the line (mem/gcc.h) */
};

/* The program's hint on how long the line will be of use (eviction priorities of the PTX ISA). */
enum request_policy { POLICY_NORMAL, POLICY_EVICT_FIRST, POLICY_EVICT_LAST, POLICY_NO_ALLOCATE };

struct request {
    uint64_t arrival; /* cycle at which it has left the SM's port; behind the network, cycle at the slice */
    uint64_t line;    /* device address, a multiple of PORT_LINE (DESTINATION_SM: as the client likes) */
    uint32_t lanes;   /* lanes of the access that fall into this line */
    uint32_t partial; /* stores: bit s: sector s is written in part only (DESTINATION_SM: bytes of the answer) */
    uint16_t sm;
    uint16_t token;     /* names the access within the client */
    uint8_t client;     /* enum port_client */
    uint8_t sectors;    /* bit mask, never 0 */
    uint8_t kind;       /* enum request_kind */
    bool effect : 1;    /* the slice must make the access take effect (see struct memory_effects) */
    bool translate : 1; /* the SM's TLB did not have the page */
    bool alone : 1;     /* a load that joins no other, and no other joins (mem/lrc.h) */
    bool ahead : 1; /* of code that no instruction waits for yet: others of the GPC do not wait for it (mem/gcc.h) */
    uint8_t bytes;  /* payload of data that travels with the request: 0 for loads; up to 128 */
    uint8_t policy; /* enum request_policy */
    uint8_t fetch;  /* sectors that a miss should bring, aligned: 1, 2, 4 (a line), 8 (two lines) (0: as configured) */
    uint8_t destination; /* enum request_destination */
    uint8_t operations;  /* of the slice's atomic unit, on all sectors (0: one for each sector). DESTINATION_SM: passes
                            through the banks of its shared memory */
    uint16_t to;         /* DESTINATION_SM: the SM */
};
_Static_assert(sizeof(struct request) == 40, "queues of the memory system copy requests: growth costs host time");

/* Returns the bytes of data that travel with a request. `whole`: a slice gets whole sectors, with a mask of the
 * written bytes. */
static inline uint32_t request_data(const struct request *request, bool whole)
{
    bool sectors = whole && request->bytes > 0 && request->destination == DESTINATION_SLICE;
    return sectors ? PORT_SECTOR * (uint32_t)__builtin_popcount(request->sectors) : request->bytes;
}

struct reply {
    uint64_t arrival; /* cycle at the GPC; behind it, cycle at the SM's port, without the delay there */
    uint64_t line;
    uint16_t sm;
    uint16_t token; /* of the request, as are client and kind */
    uint8_t client;
    uint8_t sectors;
    uint8_t kind;
};
_Static_assert(sizeof(struct reply) == 24, "queues of the memory system copy replies: growth costs host time");

#endif
