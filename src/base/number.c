#include "base/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void number_format(double value, int digits, char out[NUMBER_TEXT])
{
    assert(isfinite(value) && digits >= 1 && digits <= 17);
    snprintf(out, NUMBER_TEXT, "%.*g", digits, value);
    double target = strtod(out, NULL);
    int fraction = -1; /* digits behind the first one */
    do
        snprintf(out, NUMBER_TEXT, "%.*e", ++fraction, target);
    while (strtod(out, NULL) != target);
    int exponent = atoi(strchr(out, 'e') + 1);
    if (exponent >= -5 && exponent < 15)
        snprintf(out, NUMBER_TEXT, "%.*f", fraction > exponent ? fraction - exponent : 0, target);
    else
        snprintf(out, NUMBER_TEXT, "%.*g", fraction + 1, target);
}
