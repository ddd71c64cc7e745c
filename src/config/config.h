/* A GPU's configuration: every parameter of options.def as a field, filled from defaults, then a GPU's file, then
 * --set options, each checked for name, type and range. Immutable once the model runs. */
#ifndef SUBCORE_CONFIG_CONFIG_H
#define SUBCORE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/status.h"
#include "config/options.def"

enum { CONFIG_TEXT = 64 };

/* enum config_<set> and config_<set>_text(), the word of a value. */
#define CONFIG_SET_VALUE(constant, ...) CONFIG_##constant,
#define CONFIG_SET(set, WORDS)                                                                                         \
    enum config_##set{WORDS(CONFIG_SET_VALUE)};                                                                        \
    const char *config_##set##_text(enum config_##set value);
CONFIG_SETS(CONFIG_SET)

#define CONFIG_FIELD_UINT(field, unit, low, high, value, sentence) uint32_t field;
#define CONFIG_FIELD_REAL(field, unit, low, high, value, sentence) double field;
#define CONFIG_FIELD_BOOL(field, value, sentence) bool field;
#define CONFIG_FIELD_TEXT(field, value, sentence) char field[CONFIG_TEXT];
#define CONFIG_FIELD_ENUM(field, set, value, sentence) enum config_##set field;
#define CONFIG_FIELDS CONFIG_FIELD_UINT, CONFIG_FIELD_REAL, CONFIG_FIELD_BOOL, CONFIG_FIELD_TEXT, CONFIG_FIELD_ENUM
#define CONFIG_EXPAND(LIST, ...) LIST(__VA_ARGS__)
#define CONFIG_STRUCT(section, LIST)                                                                                   \
    struct config_##section {                                                                                          \
        CONFIG_EXPAND(LIST, CONFIG_FIELDS)                                                                             \
    };

CONFIG_STRUCT(gpu, CONFIG_GPU)
CONFIG_STRUCT(sm, CONFIG_SM)
CONFIG_STRUCT(core, CONFIG_CORE)
CONFIG_STRUCT(legacy, CONFIG_LEGACY)
CONFIG_STRUCT(icache, CONFIG_ICACHE)
CONFIG_STRUCT(constant, CONFIG_CONSTANT)
CONFIG_STRUCT(l15, CONFIG_L15)
CONFIG_STRUCT(lsu, CONFIG_LSU)
CONFIG_STRUCT(tex, CONFIG_TEX)
CONFIG_STRUCT(tma, CONFIG_TMA)
CONFIG_STRUCT(shared, CONFIG_SHARED)
CONFIG_STRUCT(mbarrier, CONFIG_MBARRIER)
CONFIG_STRUCT(tmem, CONFIG_TMEM)
CONFIG_STRUCT(tcgen05, CONFIG_TCGEN05)
CONFIG_STRUCT(l1, CONFIG_L1)
CONFIG_STRUCT(tlb, CONFIG_TLB)
CONFIG_STRUCT(noc, CONFIG_NOC)
CONFIG_STRUCT(l2, CONFIG_L2)
CONFIG_STRUCT(dram, CONFIG_DRAM)
CONFIG_STRUCT(standard, CONFIG_STANDARD)
CONFIG_STRUCT(launch, CONFIG_LAUNCH)
CONFIG_STRUCT(host, CONFIG_HOST)
CONFIG_STRUCT(run, CONFIG_RUN)

struct config {
#define CONFIG_MEMBER(section) struct config_##section section;
    CONFIG_SECTIONS(CONFIG_MEMBER)
#undef CONFIG_MEMBER
};

void config_defaults(struct config *config);

/* Names of the GPUs whose files are embedded in the binary, in alphabetical order. */
size_t config_gpu_count(void);
const char *config_gpu_name(size_t index);
/* The configurations of other simulators, which are no products; NULL past the end. */
const char *config_baseline_name(size_t index);

/* `gpu` is an embedded name ("rtx-a6000") or, when it holds a '/' or ends in ".toml", the path of a file. Starts from
 * the defaults. Unknown sections and keys, wrong types and values out of range are errors that name file and line.
 * Unknown GPUs are errors that list the known ones. */
bool config_load(struct config *config, const char *gpu, struct status *status);

/* One "section.key=value" as --set takes it. */
bool config_set(struct config *config, const char *assignment, struct status *status);

/* Relations between keys that no single range can express (an L2 that does not divide into its slices and ways,
 * shared memory larger than the unified array). Called by config_load; call again after config_set. */
bool config_check(const struct config *config, struct status *status);

enum { CONFIG_DRAM_BURST = 2 }; /* command clocks of a burst */
/* Returns the time of a DRAM command clock, in nanoseconds: a burst moves a sector. */
double config_dram_clock(const struct config *config);

/* The sizes of sm.carveouts, in bytes and ascending. Returns how many, 0 when the text is no such list. */
enum { CONFIG_CARVEOUTS = 16 };
unsigned config_carveouts(const struct config_sm *sm, uint32_t bytes[CONFIG_CARVEOUTS]);

/* The L1's part beside a carve-out of so many bytes. */
uint32_t config_l1_bytes(const struct config *config, uint32_t carveout);

/* The complete effective configuration as a file that config_load reads back to the same values, each line with unit
 * and sentence. Lines from an embedded file keep the source comment that stands behind the value there. */
void config_print(const struct config *config, const char *gpu, FILE *out);
void config_json(const struct config *config, struct json *json, const char *key);

/* Digest of all values, for reports. */
uint64_t config_hash(const struct config *config);

#endif
