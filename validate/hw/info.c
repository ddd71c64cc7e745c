#include <stdio.h>

#include "job.h"

static void number(const char *key, double value) { printf("%s=%.10g\n", key, value); }

static double dram_bandwidth(struct card *card)
{
    return 2e-6 * card_attribute(card, ATTRIBUTE_MEMORY_CLOCK) * card_attribute(card, ATTRIBUTE_BUS) / 8;
}

static void print_keys(struct card *card)
{
    size_t available = 0, all = 0;
    card->driver.memory_info(&available, &all);
    printf("gpu=%s\nproduct=%s\n", card->name, card->product);
    printf("driver_cuda=%d.%d\n", card->version / 1000, card->version % 1000 / 10);
    printf("compute_capability=%d.%d\n", card->major, card->minor);
    number("sms", card_attribute(card, ATTRIBUTE_SMS));
    number("clock_mhz", card->clock);
    printf("clock_is=%s\n", card->clock_is_real ? "measured" : "highest");
    number("clock_highest_mhz", card_attribute(card, ATTRIBUTE_CLOCK) / 1e3);
    number("memory_clock_highest_mhz", card_attribute(card, ATTRIBUTE_MEMORY_CLOCK) / 1e3);
    number("memory_bus_bits", card_attribute(card, ATTRIBUTE_BUS));
    number("memory_gb_s", dram_bandwidth(card));
    number("memory_bytes", (double)card->memory);
    number("memory_free_bytes", (double)available);
    number("ecc", card_attribute(card, ATTRIBUTE_ECC));
    number("l2_bytes", card_attribute(card, ATTRIBUTE_L2));
    number("threads_per_sm", card_attribute(card, ATTRIBUTE_THREADS));
    number("ctas_per_sm", card_attribute(card, ATTRIBUTE_CTAS));
    number("registers_per_sm", card_attribute(card, ATTRIBUTE_REGISTERS));
    number("shared_bytes_per_sm", card_attribute(card, ATTRIBUTE_SHARED));
    number("shared_bytes_per_cta", card_attribute(card, ATTRIBUTE_SHARED_OF_CTA));
}

static void line(const char *key, const char *value, const char *source)
{
    char left[128];
    snprintf(left, sizeof left, "%s = %s", key, value);
    printf("%-31s # device query%s%s\n", left, source[0] ? ": " : "", source);
}

static void value(const char *key, double number, const char *source)
{
    char text[64];
    snprintf(text, sizeof text, "%.10g", number);
    line(key, text, source);
}

/* The beginning of a configuration file; docs/add-your-gpu.md says how to go on. */
static void print_toml(struct card *card)
{
    size_t available = 0, all = 0;
    char name[80];
    card->driver.memory_info(&available, &all);
    snprintf(name, sizeof name, "\"%.70s\"", card->product);
    int threads = card_attribute(card, ATTRIBUTE_THREADS);
    printf("# %s, %d bits of memory at a clock of %g MHz.\n", card->product, card_attribute(card, ATTRIBUTE_BUS),
           card_attribute(card, ATTRIBUTE_MEMORY_CLOCK) / 1e3);
    printf("inherits = \"sm_%u\"\n\n[gpu]\n", card_architecture(card));
    line("name", name, "");
    value("sms", card_attribute(card, ATTRIBUTE_SMS), "");
    value("clock", card_attribute(card, ATTRIBUTE_CLOCK) / 1e3,
          "highest clock; put the clock here at which you measure");
    value("memory", (double)(available >> 20) / 1024, "cuMemGetInfo");
    printf("\n[sm]\n");
    value("warps", threads / 32, "");
    value("threads", threads, "");
    value("ctas", card_attribute(card, ATTRIBUTE_CTAS), "");
    value("registers", card_attribute(card, ATTRIBUTE_REGISTERS), "");
    value("shared", card_attribute(card, ATTRIBUTE_SHARED), "");
    value("shared_per_cta", card_attribute(card, ATTRIBUTE_SHARED_OF_CTA), "");
    value("shared_reserved", card_attribute(card, ATTRIBUTE_SHARED_RESERVED), "");
    printf("\n[l2]\n");
    value("size", card_attribute(card, ATTRIBUTE_L2), "");
    printf("\n[dram]\n");
    value("bandwidth", dram_bandwidth(card), "two transfers a clock; compare with the data sheet");
}

int job_info(const struct job *job)
{
    struct card card;
    if (!job_open(job, &card, !job->toml))
        return JOB_FAILED;
    if (job->toml) {
        print_toml(&card);
    } else {
        print_keys(&card);
        job_provenance(job, &card, stdout);
    }
    card_close(&card);
    return JOB_GOOD;
}
