/* Comma-separated values as RFC 4180 has them, read in place: fields may be in quotation marks, which are doubled
 * inside, and may then hold commas and ends of lines. Lines that are empty or begin with '#' are left out. */
#ifndef SUBCORE_VALIDATE_CSV_H
#define SUBCORE_VALIDATE_CSV_H

#include <stdio.h>

struct csv {
    char *next;    /* text that is still to be read. It ends with a zero byte */
    unsigned line; /* of the row that was read last, from 1 */
    unsigned lines_read;
};

/* `text` is changed: the fields of rows point into it. */
struct csv csv_begin(char *text);

/* The fields of the next row, at most `most`: their number, which is larger than `most` when there were more.
 * 0: no row is left. */
unsigned csv_row(struct csv *csv, char **field, unsigned most);

/* Writes a field, in quotation marks where it needs them. */
void csv_field(const char *text, FILE *out);
/* Write a comma and a field behind it. A number that does not exist is empty. */
void csv_next_text(const char *text, FILE *out);
void csv_next_number(double value, FILE *out);

#endif
