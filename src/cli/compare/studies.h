/* The studies of the core: variants of the configuration, as tables. */
#ifndef SUBCORE_CLI_STUDIES_H
#define SUBCORE_CLI_STUDIES_H

#include <stddef.h>

enum { STUDY_VARIANTS = 12, STUDY_SETTINGS = 3 };

struct study_variant {
    const char *name;
    const char *set[STUDY_SETTINGS]; /* section.key=value, as --set takes them; NULL behind the last */
};

struct study {
    const char *name, *title;
    const char *text;                                   /* the variants, and the source of the question */
    const struct study_variant variant[STUDY_VARIANTS]; /* the first is the one that the others are compared with */
};

/* NULL past the end. */
const struct study *study_at(size_t index);

#endif
