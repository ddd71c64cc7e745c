/* The whole memory system under mock SMs: every request comes back, whatever the topology and the number of threads;
 * and how much the L2 gives each GPU. */
#include "mem/network.h"

#include "base/hash.h"
#include "base/team.h"
#include "mem/mem.h"
#include "tests/unit.h"

enum { SMS = 256, UNDER_WAY = 384 };

/* An SM that keeps so many lines under way, sends a request a cycle and takes replies at the width of its port. */
struct mock_sm {
    struct request out[512];
    uint32_t count, waiting, sent, received;
    uint64_t port_free;           /* of replies, in bytes times cycles */
    uint64_t back[UNDER_WAY * 2]; /* cycles at which a place becomes free again; ring */
    uint32_t head, tail;
    uint64_t digest;
};

struct rig {
    struct config config;
    struct mem *mem;
    struct team *team;
    struct mock_sm sm[SMS];
    uint64_t now, end, lines, number;
    uint32_t under_way;
};

static void ignore(void *self, const struct request *request)
{
    (void)self;
    (void)request;
}

static struct rig *rig_new(const char *gpu, unsigned threads)
{
    struct status status = {0};
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    if (!config_load(&rig->config, gpu, &status))
        fail_msg("%s", status.text);
    rig->under_way = UNDER_WAY;
    rig->lines = rig->config.l2.size / PORT_LINE / 4;
    rig->team = team_create(threads);
    return rig;
}

static void rig_set(struct rig *rig, const char *assignment)
{
    struct status status = {0};
    if (!config_set(&rig->config, assignment, &status))
        fail_msg("%s", status.text);
}

static void rig_start(struct rig *rig)
{
    struct status status = {0};
    rig->mem = config_check(&rig->config, &status)
                   ? mem_create(&rig->config, (struct memory_effects){rig, ignore}, &status)
                   : NULL;
    if (!rig->mem)
        fail_msg("%s", status.text);
}

static void rig_free(struct rig *rig)
{
    mem_destroy(rig->mem);
    team_destroy(rig->team);
    free(rig);
}

static bool deliver(void *self, const struct reply *reply)
{
    struct rig *rig = self;
    struct mock_sm *sm = &rig->sm[reply->sm];
    uint64_t width = rig->config.noc.reply_bytes, at = reply->arrival * width;
    sm->port_free = (at > sm->port_free ? at : sm->port_free) + rig->config.noc.header_bytes + PORT_LINE;
    sm->back[sm->tail++ % (UNDER_WAY * 2)] = sm->port_free / width;
    sm->digest = hash_mix(sm->digest ^ reply->arrival ^ reply->line << 20);
    sm->received++;
    return true;
}

static void run_deliver(void *context, unsigned g)
{
    struct rig *rig = context;
    struct network *network = mem_network(rig->mem);
    assert_true(
        gpc_deliver(&network->gpc[g], &network->model, rig->end, (struct gpc_sink){.self = rig, .deliver = deliver}));
}

/* Scattered lines of the footprint. */
static void run_sm(void *context, unsigned s)
{
    struct rig *rig = context;
    struct mock_sm *sm = &rig->sm[s];
    for (uint64_t cycle = rig->now; cycle < rig->end; cycle++) {
        for (; sm->head != sm->tail && sm->back[sm->head % (UNDER_WAY * 2)] <= cycle; sm->head++)
            sm->waiting--;
        if (sm->waiting >= rig->under_way || sm->sent >= rig->number)
            continue;
        uint64_t line = hash_mix((uint64_t)sm->sent * SMS + s) % rig->lines;
        sm->out[sm->count++] = (struct request){
            .arrival = cycle, .line = line * PORT_LINE, .sm = (uint16_t)s, .sectors = 15, .kind = REQUEST_LOAD};
        sm->waiting++;
        sm->sent++;
    }
}

static void run_collect(void *context, unsigned g)
{
    struct rig *rig = context;
    struct network *network = mem_network(rig->mem);
    for (uint32_t s = 0; s < rig->config.gpu.sms; s++) {
        if (network->model.noc->topology.gpc[s] != g)
            continue;
        assert_true(gpc_send(&network->gpc[g], &network->model, rig->sm[s].out, rig->sm[s].count));
        rig->sm[s].count = 0;
    }
    assert_true(gpc_depart(&network->gpc[g], &network->model, rig->end));
}

static void run_group(void *context, unsigned g)
{
    struct rig *rig = context;
    mem_run(rig->mem, g, rig->end);
}

static void rig_run(struct rig *rig, uint64_t until)
{
    uint32_t gpcs = mem_network(rig->mem)->gpcs;
    while (rig->now < until) {
        rig->end = rig->now + mem_quantum(rig->mem);
        team_run(rig->team, gpcs, run_deliver, rig);
        team_run(rig->team, rig->config.gpu.sms, run_sm, rig);
        team_run(rig->team, gpcs, run_collect, rig);
        assert_true(mem_exchange_requests(rig->mem));
        team_run(rig->team, mem_groups(rig->mem), run_group, rig);
        assert_true(mem_exchange_replies(rig->mem));
        rig->now = rig->end;
    }
}

/* Lines that SMs have got by now. */
static uint64_t done(const struct rig *rig)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < rig->config.gpu.sms; s++)
        sum += rig->sm[s].sent - rig->sm[s].waiting;
    return sum;
}

/* Every line once, so that it is in the L2. */
static void warm(struct rig *rig)
{
    for (uint64_t line = 0; line < rig->lines; line++) {
        const struct request request = {
            .arrival = rig->now + 1000, .line = line * PORT_LINE, .sectors = 15, .client = PORT_NOBODY};
        for (uint16_t twice = 0; twice < 2; twice++) {
            struct request r = request;
            r.sm = (uint16_t)(twice * 2 * (rig->config.gpu.sms > 2));
            assert_true(mem_accept(rig->mem, &r));
        }
    }
    rig->number = 0;
    rig_run(rig, 400000);
    assert_true(mem_idle(rig->mem));
}

/* Bytes a cycle that all SMs together read from the L2. */
static double read_rate(const char *gpu)
{
    struct rig *rig = rig_new(gpu, 1);
    rig->lines = 16384;
    rig_start(rig);
    warm(rig);
    rig->number = UINT64_MAX;
    uint64_t from = rig->now + 2000, before;
    rig_run(rig, from);
    before = done(rig);
    from = rig->now;
    rig_run(rig, from + 3000);
    double rate = (double)(done(rig) - before) * PORT_LINE / (double)(rig->now - from);
    rig_free(rig);
    return rate;
}

/* GPU, and the numbers measured on it or on the nearest kin, in bytes a cycle. Two numbers where sources differ. */
static void each_gpu_reads_its_l2_as_fast_as_was_measured(void **state)
{
    (void)state;
    const struct {
        const char *gpu;
        double least, most;
    } rates[] = {
        {"rtx-2080-ti", 760, 760}, /* TU102 */
        {"a100", 2008, 3830},      /* Luo et al., 2025; gpu-benches, in the near half */
        {"rtx-a6000", 1402, 1402}, /* gpu-benches, A40 */
        {"rtx-3090", 620, 1402},   /* Chips and Cheese; as A40 */
        {"rtx-4090", 1698, 1984},  /* Luo et al., 2025; Chips and Cheese */
        {"l40", 2088, 2289},       /* gpu-benches */
        {"h100-pcie", 3942, 4672}, /* Luo et al.; gpu-benches */
        {"h200", 3869, 5202},      /* validate/data/h200-micro.csv; gpu-benches */
        {"b200", 10687, 13542},    /* Chips and Cheese; B300 */
        {"rtx-5090", 3614, 3614},  /* Chips and Cheese */
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double rate = read_rate(rates[i].gpu);
        if (rate < 0.96 * rates[i].least || rate > 1.04 * rates[i].most)
            fail_msg("%s reads %.0f bytes a cycle", rates[i].gpu, rate);
    }
}

static uint64_t digest_of(const char *gpcs, unsigned sms, unsigned threads)
{
    char text[96];
    struct rig *rig = rig_new("a100", threads);
    snprintf(text, sizeof text, "gpu.sms=%u", sms);
    rig_set(rig, text);
    snprintf(text, sizeof text, "gpu.gpcs=%s", gpcs);
    rig_set(rig, text);
    rig->number = 200;
    rig_start(rig);
    rig_run(rig, 60000);
    uint64_t digest = 0;
    for (unsigned s = 0; s < sms; s++) {
        assert_int_equal(rig->sm[s].received, 200);
        digest = hash_mix(digest ^ rig->sm[s].digest);
    }
    assert_true(mem_idle(rig->mem));
    assert_int_equal(network_replies(mem_network(rig->mem)), 0);
    rig_free(rig);
    return digest;
}

static void every_request_of_any_topology_is_answered_once_and_threads_do_not_matter(void **state)
{
    (void)state;
    const struct {
        const char *gpcs;
        unsigned sms;
    } part[] = {{"2", 1},         {"2", 2}, {"", 7}, {"16 2 2", 20}, {"16 16 16 16 16 14 14", 108},
                {"16 16 14", 33}, {"", 256}};
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        uint64_t one = digest_of(part[i].gpcs, part[i].sms, 1);
        assert_int_equal(digest_of(part[i].gpcs, part[i].sms, 3), one);
    }
}

UNIT_TESTS(UNIT(every_request_of_any_topology_is_answered_once_and_threads_do_not_matter),
           UNIT(each_gpu_reads_its_l2_as_fast_as_was_measured))
