#include "sm/legacy/load_store_parts.h"
#include "sm/memory/cache_policy.h"

static struct access *access_of(const struct legacy_load_store *u, uint16_t token)
{
    return &u->to.lsu->table.access[token];
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

bool legacy_network_takes(const struct legacy_load_store *u, uint64_t now)
{
    return port_takes(u->to.port) <= now && port_room(u->to.port, 1);
}

static enum request_kind kind_of(const struct access *a)
{
    if (a->code->memory == ISA_MEM_STORE)
        return REQUEST_STORE;
    if (legacy_is_atomic(a->code))
        return a->returns ? REQUEST_ATOMIC : REQUEST_REDUCTION;
    return REQUEST_LOAD;
}

void legacy_send(struct legacy_load_store *u, uint16_t request, uint64_t now)
{
    uint16_t token = request_token(request);
    const struct access *a = access_of(u, token);
    const struct line_access *line = &a->line[request % 32];
    enum request_kind kind = kind_of(a);
    bool fills = kind == REQUEST_LOAD && !legacy_past_l1(a);
    enum request_policy policy = cache_policy_of(a->cache_policy, line->line, (enum request_policy)a->code->policy);
    port_send(u->to.port, PORT_DATA,
              (struct request){.arrival = now,
                               .line = line->line,
                               .lanes = line->lanes,
                               .partial = line->partial,
                               .token = fills ? LSU_NO_TOKEN : token,
                               .sectors = line->sectors,
                               .kind = (uint8_t)kind,
                               .effect = a->deferred,
                               .operations = line->operations,
                               .bytes = kind == REQUEST_LOAD ? 0 : line->bytes,
                               .policy = (uint8_t)policy,
                               .fetch = a->code->fetch});
}

/* ---- the L1 ------------------------------------------------------------------------------------------------------ */

/* Local memory that had to leave the L1. */
static void write_victim(struct legacy_load_store *u, uint64_t now)
{
    const struct legacy_victim *v = &u->l1.victim;
    if (!v->sectors)
        return;
    u->to.n->l1_sectors_written_back += popcount4(v->sectors);
    port_send(u->to.port, PORT_DATA,
              (struct request){.arrival = now,
                               .line = v->line,
                               .token = LSU_NO_TOKEN,
                               .sectors = v->sectors,
                               .kind = REQUEST_STORE,
                               .bytes = (uint8_t)(PORT_SECTOR * popcount4(v->sectors))});
}

static void count_load(struct sm_counters *n, bool local, enum legacy_l1_answer answer)
{
    bool hit = answer == LEGACY_L1_HIT || answer == LEGACY_L1_MERGED;
    n->l1_sectors_load_hit += hit;
    n->l1_sectors_load_pending += answer == LEGACY_L1_MERGED;
    n->l1_sectors_local_load_hit += hit && local;
}

static enum legacy_l1_answer load(struct legacy_load_store *u, uint16_t request, bool room, uint64_t now)
{
    const struct access *a = access_of(u, request_token(request));
    bool local = a->space == ISA_SPACE_LOCAL;
    const struct line_access *line = &a->line[request % 32];
    enum legacy_l1_answer answer = legacy_l1_load(&u->l1, legacy_sector(line), request, local, room);
    if (answer == LEGACY_L1_FULL)
        return answer;
    write_victim(u, now);
    count_load(u->to.n, local, answer);
    if (answer == LEGACY_L1_MISS)
        gates_missed(u->to.gates, a->slot, line->line);
    return answer;
}

/* A store is written through whether its sector is there or not. */
static enum legacy_l1_answer store(struct legacy_load_store *u, uint16_t request, bool room, uint64_t now)
{
    const struct access *a = access_of(u, request_token(request));
    const struct line_access *line = &a->line[request % 32];
    bool local = a->space == ISA_SPACE_LOCAL, stays = local && u->to.config->legacy.l1_write_back;
    if (!stays && !room)
        return LEGACY_L1_FULL;
    enum legacy_l1_answer answer = legacy_l1_store(&u->l1, legacy_sector(line), !line->partial, local);
    if (answer == LEGACY_L1_FULL)
        return answer;
    write_victim(u, now);
    u->to.n->l1_sectors_store_hit += answer == LEGACY_L1_HIT;
    return stays && u->l1.ways ? LEGACY_L1_HIT : LEGACY_L1_MISS;
}

enum legacy_l1_answer legacy_look_up(struct legacy_load_store *u, uint16_t request, bool room, uint64_t now)
{
    bool stores = access_of(u, request_token(request))->code->memory == ISA_MEM_STORE;
    enum legacy_l1_answer answer = stores ? store(u, request, room, now) : load(u, request, room, now);
    u->to.n->l1_tags += answer != LEGACY_L1_FULL;
    return answer;
}
