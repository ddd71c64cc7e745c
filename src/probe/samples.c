#include "probe/samples.h"

#include <stdlib.h>

bool sample_series_reset(struct sample_series *series)
{
    sample_series_free(series);
    series->period = series->first_period;
    series->sample = calloc(series->most, sizeof *series->sample);
    return series->sample != NULL;
}

void sample_series_free(struct sample_series *series)
{
    free(series->sample);
    series->sample = NULL;
    series->count = 0;
}

struct sample *sample_series_next(struct sample_series *series)
{
    if (series->count == series->most) {
        series->count /= 2;
        for (uint32_t i = 0; i < series->count; i++)
            series->sample[i] = series->sample[2 * i + 1];
        series->period *= 2;
    }
    return &series->sample[series->count++];
}
