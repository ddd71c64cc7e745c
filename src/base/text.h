/* Names and words from files on their way to a terminal, which control characters would make obey. */
#ifndef SUBCORE_BASE_TEXT_H
#define SUBCORE_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Returns the length of the well-formed UTF-8 sequence at `s`, or 0. */
size_t text_utf8(const unsigned char *s);

/* Replaces each control character, and each byte that is not UTF-8, by '?'. Characters of `keep` stay, such as the line
 * breaks in a message of several lines. */
void text_make_printable(char *text, const char *keep);

/* Copies as much as fits, and makes the copy printable. Returns `to`. */
char *text_printable(char *to, size_t size, const char *from);

/* Prints a text, or `length` bytes of one, as text_make_printable would leave it. */
void text_print(FILE *out, const char *text);
void text_print_part(FILE *out, const char *text, size_t length, const char *keep);

#endif
