/* kernelslist.g: launches and copies, in order. */
#ifndef SUBCORE_ACCELSIM_LIST_H
#define SUBCORE_ACCELSIM_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct list_command {
    char *file;              /* of a launch: path of the kernel's file, owned (NULL: a copy from the host) */
    uint64_t address, bytes; /* of the copy */
};

struct list {
    struct list_command *command;
    uint32_t count, launches;
    uint32_t ignored; /* lines that say nothing to a simulator, or nothing that is known */
};

/* A kernel's file alone is a list of one. On failure *out is empty. */
bool list_read(struct list *out, const char *path, struct status *status);
void list_free(struct list *list);

#endif
