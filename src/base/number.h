/* Numbers as text. */
#ifndef SUBCORE_BASE_NUMBER_H
#define SUBCORE_BASE_NUMBER_H

enum { NUMBER_TEXT = 32 };

/* The shortest decimal text that reads back as `value` rounded to `digits` (1 to 17) significant digits; without an
 * exponent from 0.00001 up to 15 digits. `value` is finite. 17 digits keep every value exactly. */
void number_format(double value, int digits, char out[NUMBER_TEXT]);

#endif
