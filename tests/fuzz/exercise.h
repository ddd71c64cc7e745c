/* Everything that the reader of cubins offers, called on bytes that may be anything. */
#ifndef SUBCORE_TESTS_FUZZ_EXERCISE_H
#define SUBCORE_TESTS_FUZZ_EXERCISE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

/* Aborts with a sentence when a promise of cubin.h is broken: a failure without a message, a view outside the image. */
void exercise(const uint8_t *data, size_t size);

/* Decodes, prints and takes apart one instruction word. Architectures without tables are passed over. */
void exercise_word(unsigned sm, struct word128 word, uint32_t pc);

/* Reads the bytes of a .debug_line section alone. Returns the number of files in its tables. */
size_t exercise_lines(const uint8_t *data, size_t size);

#endif
