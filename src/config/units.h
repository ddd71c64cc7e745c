/* Values with units, such as "12MiB" and "2 GHz", in assignments. Private to this folder. */
#ifndef SUBCORE_CONFIG_UNITS_H
#define SUBCORE_CONFIG_UNITS_H

#include <stdbool.h>
#include <stddef.h>

enum { UNITS_VALUE = 64 };

/* Writes the value in `unit` (options.def) as a plain number: values without a unit, and all that is no number with a
 * unit of the same kind, stay as they are. */
void units_convert(const char *value, const char *unit, char *out, size_t size);

/* Writes the units that may stand behind a number in this unit, as ", or with kB, MB". Nothing where only the unit
 * itself may. */
void units_list(const char *unit, char *out, size_t size);

/* A name by which people look for a key, and the key as "section.key" (NULL: it is none). */
const char *alias_key(const char *name, size_t length);

#endif
