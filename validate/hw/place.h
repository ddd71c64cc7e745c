/* Names and places: the name of a GPU here, and where the cubins lie. */
#ifndef SUBCORE_VALIDATE_HW_PLACE_H
#define SUBCORE_VALIDATE_HW_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* "NVIDIA GeForce RTX 5080" is rtx-5080: the name that `subcore gpus` lists, for the GPUs that it lists. */
void place_name(const char *product, char *name, size_t size);

/* The folder validate/: `given`, or when that is NULL the one that the program lies in or beside, or the one in or
 * around the current folder. */
bool place_folder(const char *given, char *folder, size_t size);

#endif
