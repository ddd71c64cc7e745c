#include "sm/front/l15.h"

#include "base/bits.h"

bool l15_init(struct l15 *c, const struct config_l15 *config, struct arena *arena)
{
    c->config = config;
    return tags_init(&c->tags, config->sets, config->ways, config->replacement == CONFIG_CODE_REPLACEMENT_RANDOM,
                     arena);
}

void l15_begin(struct l15 *c, bool keep)
{
    if (keep)
        tags_keep(&c->tags, L15_CONSTANTS / c->config->line);
    else
        tags_clear(&c->tags);
}

static void put(struct l15 *c, uint64_t from, uint64_t end)
{
    uint64_t lines = (uint64_t)c->config->sets * c->config->ways, last = (end + c->config->line - 1) / c->config->line;
    for (uint64_t line = from / c->config->line; line < last && lines > 0; line++, lines--)
        if (!tags_has(&c->tags, line))
            tags_insert(&c->tags, line, c->config->gpc_cache ? TAGS_AHEAD : 0);
}

void l15_preload(struct l15 *c, uint32_t window, uint32_t parameters)
{
    const struct code_window *w = &c->to.code->window[window];
    uint64_t first = L15_CONSTANTS + ((uint64_t)l15_bank((uint8_t)window, 0) << 16);
    put(c, w->base * UINT64_C(16), w->end * UINT64_C(16));
    put(c, first, first + parameters);
}

bool l15_has(const struct l15 *c, uint64_t address) { return tags_has(&c->tags, address / c->config->line); }

/* Returns the window that has the code or the constants at this address. */
static uint32_t window_of(const struct l15 *c, uint64_t address)
{
    if (address >= L15_CONSTANTS)
        return (uint32_t)((address - L15_CONSTANTS) >> L15_WINDOW_SHIFT);
    uint32_t window = 0;
    for (uint32_t i = 1; i < c->to.code->windows; i++) {
        const struct code_window *w = &c->to.code->window[i];
        if (w->base * UINT64_C(16) <= address && address < w->end * UINT64_C(16))
            window = i;
    }
    return window;
}

/* Returns the offset from an address of the window to its place in the L2. */
static uint64_t displacement(const struct l15 *c, uint32_t window, bool constants)
{
    const struct code_window *w = &c->to.code->window[window];
    return w->address - (constants ? (uint64_t)window << L15_WINDOW_SHIFT : w->base * UINT64_C(16));
}

/* Code, up to the end of its last line, or constants. */
static bool has(const struct l15 *c, uint32_t window, uint64_t device, bool *constants)
{
    const struct code_window *w = &c->to.code->window[window];
    uint64_t at = device - w->address, code = (w->end - w->base) * UINT64_C(16) + c->config->line;
    *constants = at >= L15_CONSTANTS;
    return *constants ? at - L15_CONSTANTS < UINT64_C(1) << L15_WINDOW_SHIFT : at < code;
}

/* The kernel's code and constants have their own device addresses, which no allocation has. */
static void ask(struct l15 *c, uint64_t address, enum request_destination destination, uint64_t now, bool ahead)
{
    uint32_t window = window_of(c, address);
    uint64_t device = address + displacement(c, window, address >= L15_CONSTANTS);
    uint32_t line = c->config->line < PORT_LINE ? c->config->line : PORT_LINE;
    unsigned first = (unsigned)(device % PORT_LINE / PORT_SECTOR);
    port_send(c->to.port, PORT_CODE,
              (struct request){.arrival = now,
                               .line = device - device % PORT_LINE,
                               .sectors = (uint8_t)(((1u << line / PORT_SECTOR) - 1) << first),
                               .kind = REQUEST_LOAD,
                               .ahead = ahead,
                               .destination = (uint8_t)destination});
    c->to.n->l15_misses += destination == DESTINATION_SLICE;
}

static uint64_t request(struct l15 *c, uint64_t address, uint64_t now, bool ahead)
{
    uint64_t line = address / c->config->line;
    uint64_t there = tags_lookup(&c->tags, line);
    if (there == TAGS_MISS || there == TAGS_AHEAD) {
        ask(c, line * c->config->line, there == TAGS_AHEAD ? DESTINATION_GPC : DESTINATION_SLICE, now, ahead);
        there = TAGS_COMING;
        tags_insert(&c->tags, line, there);
    }
    return there > now ? there : now;
}

uint64_t l15_request(struct l15 *c, uint64_t address, uint64_t now) { return request(c, address, now, false); }

uint64_t l15_prefetch(struct l15 *c, uint64_t address, uint64_t now) { return request(c, address, now, true); }

bool l15_fill(struct l15 *c, uint32_t window, const struct reply *reply, uint64_t now, uint64_t *address)
{
    uint64_t first = reply->line + PORT_SECTOR * lowest_bit32(reply->sectors);
    bool constants;
    if (!has(c, window, first, &constants))
        return false;
    *address = first - displacement(c, window, constants);
    tags_arrive(&c->tags, *address / c->config->line, now);
    return true;
}

void l15_archive(struct archive *a, struct l15 *c)
{
    archive_keep(a, &c->config);
    archive_keep(a, &c->to);
    tags_archive(a, &c->tags);
}
