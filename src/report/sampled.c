#include "report/sampled.h"

#include <math.h>

#include "report/format.h"

enum { DIGITS = 10 };

bool sampled_is(const struct launches *launches) { return launches->sample.likenesses.count > 0; }

static double percent(const struct sample_total *total)
{
    return total->cycles > 0 ? 100 * total->half_width / total->cycles : 0;
}

void sampled_print(const struct launches *launches, FILE *out)
{
    const struct sample_total *t = &launches->sample.total;
    if (!sampled_is(launches))
        return;
    fprintf(out, "SAMPLED: %s of %s launches were timed, of %s kinds", format_count(t->timed).text,
            format_count(t->launches).text, format_count(t->groups).text);
    if (t->repeated > 0)
        fprintf(out, ", and %s repeat one of these", format_count(t->repeated).text);
    fprintf(out, "; all together take ~%s cycles", format_count((uint64_t)llround(t->cycles)).text);
    if (isfinite(t->half_width))
        fprintf(out, " +- %s %% (95 %%)\n", format_fixed(percent(t), 2).text);
    else
        fputs(", with an error that is not known: no two launches that are alike were timed\n", out);
}

static void json_total(const struct sample_total *t, struct json *json)
{
    json_uint(json, "launches", t->launches);
    json_uint(json, "timed_launches", t->timed);
    json_uint(json, "repeated_launches", t->repeated);
    json_uint(json, "kinds", t->groups);
    json_number(json, "cycles", t->cycles, DIGITS);
    json_number(json, "half_width_cycles", isfinite(t->half_width) ? t->half_width : NAN, DIGITS);
}

void sampled_json(const struct launches *launches, const struct config *config, struct json *json)
{
    if (!sampled_is(launches))
        return;
    const struct sample_total *all = &launches->sample.total;
    json_object(json, "sampled");
    json_total(all, json);
    json_number(json, "confidence", 0.95, DIGITS);
    json_number(json, "seconds", all->cycles / (1e6 * config->gpu.clock), DIGITS);
    json_array(json, "kernels");
    for (size_t i = 0; i < launches->kernel_count; i++) {
        const struct sample_total total = sample_sum_of(&launches->sample, launches->kernels[i].hash);
        json_object(json, NULL);
        json_string(json, "name", launches->kernels[i].name);
        json_total(&total, json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}
