/* The bound of a kernel, in words, with the evidence: for people that do not read counters every day. */
#ifndef SUBCORE_REPORT_VERDICT_H
#define SUBCORE_REPORT_VERDICT_H

#include "base/json.h"
#include "report/metrics.h"

enum { VERDICT_FINDINGS = 8, VERDICT_EVIDENCE = 4, VERDICT_TEXT = 240 };

struct verdict_evidence {
    char name[80]; /* of a metric (report/metrics.def), or of a JSON value as a path: "stalls/barrier/percent" */
    double value;
    const char *unit;
};

struct verdict_finding {
    const char *title;
    double share; /* percent of the quantity in `text`, 0 to 100: findings stand in the order of it */
    char text[VERDICT_TEXT], advice[VERDICT_TEXT];
    struct verdict_evidence evidence[VERDICT_EVIDENCE];
    unsigned evidence_count;
};

struct verdict {
    const char *bound; /* "compute", "memory", "latency", "parallelism" or "launch" */
    char text[VERDICT_TEXT];
    struct verdict_finding finding[VERDICT_FINDINGS];
    unsigned count;
};

/* Of a detailed result. */
void verdict_find(const struct measured *measured, struct verdict *out);
/* Writes an object; nothing of a functional result. */
void verdict_json(const struct measured *measured, struct json *json, const char *key);

#endif
