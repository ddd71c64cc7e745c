#include <math.h>
#include <stdio.h>

#include "report/metrics.h"
#include "report/report.h"
#include "report/verdict.h"

enum { DIGITS = 10 };

static void write_dim(struct json *json, const char *key, const uint32_t dim[3])
{
    json_array(json, key);
    for (int i = 0; i < 3; i++)
        json_uint(json, NULL, dim[i]);
    json_end(json);
}

static void write_gpu(const struct kernel_result *r, struct json *json)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016jx", (uintmax_t)r->config_hash);
    json_object(json, "gpu");
    json_string(json, "name", r->gpu);
    json_uint(json, "architecture", r->architecture);
    json_uint(json, "code_architecture", r->code_architecture);
    json_uint(json, "sms", r->sms);
    json_number(json, "clock_mhz", r->clock_mhz, DIGITS);
    json_number(json, "dram_peak_gbs", r->dram_peak_gbs, DIGITS);
    json_string(json, "config_hash", hash);
    json_end(json);
}

static void write_launch(const struct kernel_result *r, struct json *json)
{
    json_object(json, "launch");
    write_dim(json, "grid", r->grid);
    write_dim(json, "block", r->block);
    if (result_has_clusters(r))
        write_dim(json, "cluster", r->cluster);
    json_uint(json, "registers", r->registers);
    json_uint(json, "static_shared", r->static_shared);
    json_uint(json, "dynamic_shared", r->dynamic_shared);
    json_uint(json, "local_bytes", r->local_bytes);
    json_uint(json, "ctas", r->ctas);
    json_uint(json, "ctas_done", r->ctas_done);
    json_end(json);
}

static const char *limit_key(unsigned limit)
{
    static const char *const keys[LIMIT_COUNT] = {"ctas", "warps", "registers", "shared_memory"};
    return limit < LIMIT_COUNT ? keys[limit] : "none";
}

static void write_occupancy(const struct occupancy *o, struct json *json)
{
    json_object(json, "occupancy");
    json_uint(json, "ctas_per_sm", o->ctas_per_sm);
    json_uint(json, "warps_per_cta", o->warps_per_cta);
    json_uint(json, "warps_per_sm", o->warps_per_sm);
    json_uint(json, "max_warps_per_sm", o->max_warps_per_sm);
    json_string(json, "limit", limit_key(o->limit));
    json_object(json, "limits");
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        json_uint(json, limit_key(i), o->ctas[i]);
    json_end(json);
    json_uint(json, "registers_per_warp", o->registers_per_warp);
    json_uint(json, "shared_per_cta", o->shared_per_cta);
    json_uint(json, "carveout", o->carveout);
    json_end(json);
}

static void write_cycles(const struct kernel_result *r, struct json *json)
{
    json_object(json, "cycles");
    json_uint(json, "elapsed", r->cycles);
    json_uint(json, "launch", r->launch_cycles);
    json_uint(json, "sm_active_min", r->sm_active_min);
    json_uint(json, "sm_active_max", r->sm_active_max);
    json_uint(json, "sms_used", r->sms_used);
    json_end(json);
}

static void write_metrics(const struct measured *m, struct json *json)
{
    json_object(json, "metrics");
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        json_number(json, metric_info((enum metric)i)->name, metric_value(m, (enum metric)i), DIGITS);
    json_end(json);
}

static void write_stalls(const struct kernel_result *r, struct json *json)
{
    json_object(json, "stalls");
    for (unsigned i = 0; i < STALL_COUNT; i++) {
        enum stall_reason reason = (enum stall_reason)i;
        char metric[96];
        snprintf(metric, sizeof metric, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                 stall_name(reason));
        json_object(json, stall_name(reason));
        json_uint(json, "warp_cycles", r->sm.stall[i]);
        json_number(json, "percent", metric_stall_percent(r, reason), DIGITS);
        json_number(json, metric, metric_stall_per_issue(r, reason), DIGITS);
        json_end(json);
    }
    json_end(json);
}

static void write_events(const struct kernel_result *r, enum cycle_class class, struct json *json)
{
    json_object(json, "events");
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        if (cycle_event_class((enum cycle_event)i) == class)
            json_uint(json, cycle_event_name((enum cycle_event)i), r->sm.cycle[i]);
    json_end(json);
}

static void write_schedulers(const struct kernel_result *r, struct json *json)
{
    uint64_t all = metric_scheduler_cycles(r);
    json_object(json, "schedulers");
    for (unsigned i = 0; i < CYCLE_CLASS_COUNT; i++) {
        enum cycle_class class = (enum cycle_class)i;
        uint64_t cycles = cycle_class_sum(r->sm.cycle, class);
        json_object(json, cycle_class_name(class));
        json_uint(json, "cycles", cycles);
        json_number(json, "percent", all ? 100 * (double)cycles / (double)all : 0, DIGITS);
        write_events(r, class, json);
        json_end(json);
    }
    json_end(json);
}

static void write_pipes(const struct measured *m, struct json *json)
{
    const struct sm_counters *s = &m->result->sm;
    json_object(json, "pipes");
    for (unsigned i = 0; i < ISA_PIPE_COUNT; i++) {
        enum isa_pipe pipe = (enum isa_pipe)i;
        json_object(json, isa_pipe_name(pipe));
        json_uint(json, "inst", s->pipe_inst[i]);
        json_uint(json, "cycles", s->pipe_cycles[i]);
        json_number(json, "percent", metric_pipe_percent(m, pipe), DIGITS);
        json_end(json);
    }
    json_end(json);
}

static void write_counters(const struct kernel_result *r, struct json *json)
{
    const struct counter_info *info;
    json_object(json, "counters");
    json_object(json, "sm");
    for (unsigned i = 0; (info = sm_counter_info(i)) != NULL; i++)
        json_uint(json, info->name, sm_counter_value(&r->sm, i));
    json_end(json);
    json_object(json, "mem");
    for (unsigned i = 0; (info = mem_counter_info(i)) != NULL; i++)
        json_uint(json, info->name, mem_counter_value(&r->mem, i));
    json_end(json);
    json_end(json);
}

static void write_host(const struct kernel_result *r, struct json *json)
{
    double seconds = r->host_seconds > 0 ? r->host_seconds : 1e-9;
    json_object(json, "host");
    json_number(json, "seconds", r->host_seconds, DIGITS);
    json_uint(json, "threads", r->threads);
    json_number(json, "warp_instructions_per_second", (double)r->warp_instructions / seconds, DIGITS);
    if (r->detailed)
        json_number(json, "cycles_per_second", (double)r->cycles / seconds, DIGITS);
    json_end(json);
}

/* Only of a launch beside which others were in flight. */
static void write_overlap(const struct kernel_result *r, struct json *json)
{
    if (r->overlapped == 0)
        return;
    json_object(json, "overlap");
    json_uint(json, "kernels", r->overlapped);
    json_uint(json, "begin_cycle", r->begin_cycle);
    json_uint(json, "queued_cycles", r->queued_cycles);
    json_end(json);
}

static void write_hybrid(const struct hybrid_result *h, struct json *json)
{
    const struct hybrid_counts *n = &h->counts;
    json_object(json, "hybrid");
    json_string(json, "formulas", h->paper ? "paper" : "own");
    json_uint(json, "sms", h->sms);
    json_number(json, "seen", h->seen, DIGITS);
    json_number(json, "imbalance", h->imbalance, DIGITS);
    json_number(json, "sm_cycles", h->compute, DIGITS);
    json_number(json, "l2_cycles", h->l2, DIGITS);
    json_number(json, "memory_cycles", h->memory, DIGITS);
    json_number(json, "atomic_cycles", h->atomics, DIGITS);
    json_uint(json, "l1_load_sectors", n->l1_loads);
    json_uint(json, "l1_load_hit_sectors", n->l1_hits);
    json_uint(json, "l2_load_sectors", n->l2_loads);
    json_uint(json, "l2_load_hit_sectors", n->l2_load_hits);
    json_uint(json, "l2_sectors", n->l2_sectors);
    json_uint(json, "l2_hit_sectors", n->l2_hits);
    json_uint(json, "memory_read_sectors", n->memory_reads);
    json_uint(json, "memory_write_sectors", n->memory_writes);
    json_end(json);
}

/* Only of a launch that a limit has ended. */
static void write_stop(const struct kernel_result *r, struct json *json)
{
    if (r->stop == STOP_NONE)
        return;
    json_object(json, "stopped");
    json_string(json, "by", result_stop_name(r->stop));
    json_uint(json, "at_cycle", r->cycles);
    json_bool(json, "rest_executed", r->rest_executed);
    json_uint(json, "rest_instructions", r->rest_instructions);
    if (result_estimated_cycles(r)) {
        if (r->stop == STOP_STABLE_IPC)
            json_number(json, "stable_ipc", r->stable_ipc, DIGITS);
        json_uint(json, "estimated_cycles", result_estimated_cycles(r));
    }
    if (r->stop == STOP_SAMPLED) {
        json_number(json, "half_width_cycles", isfinite(r->estimate.error) ? r->estimate.error : NAN, DIGITS);
        json_number(json, "confidence", 0.95, DIGITS);
    }
    if (r->stop == STOP_HYBRID)
        write_hybrid(&r->hybrid, json);
    json_end(json);
}

void report_json(const struct kernel_result *result, const struct config *config, struct json *json, const char *key)
{
    struct measured measured = {result, config};
    json_object(json, key);
    json_string(json, "kernel", result->kernel);
    json_string(json, "module", result->module);
    json_bool(json, "detailed", result->detailed);
    json_bool(json, "complete", result->complete);
    write_stop(result, json);
    write_overlap(result, json);
    write_gpu(result, json);
    write_launch(result, json);
    json_uint(json, "warp_instructions", result->warp_instructions);
    json_uint(json, "thread_instructions", result->thread_instructions);
    verdict_json(&measured, json, "verdict");
    if (result->detailed) {
        write_occupancy(&result->occupancy, json);
        write_cycles(result, json);
        write_metrics(&measured, json);
        write_stalls(result, json);
        write_schedulers(result, json);
        write_pipes(&measured, json);
        write_counters(result, json);
    }
    write_host(result, json);
    json_end(json);
}
