#include "validate/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate/csv.h"
#include "validate/svg.h"

const char *const accuracy_points[] = {
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    NULL,
};

const char *comparison_kind_name(enum comparison_kind kind)
{
    static const char *const name[COMPARISON_KINDS] = {"measurement", "experiment", "kernel"};
    return name[kind];
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void range_text(const struct comparison_row *row, char *text, size_t size)
{
    if (row->low == row->high)
        snprintf(text, size, "%.6g", row->low);
    else
        snprintf(text, size, "%.6g..%.6g", row->low, row->high);
}

void accuracy_rows(const struct comparison *c, FILE *out)
{
    size_t measured = 0, fit = 0;
    fprintf(out, "%9s  %-40s %14s %14s %-12s %s\n", "error", "quantity", "measured", "predicted", "unit", "verdict");
    for (size_t i = 0; i < c->count; i++) {
        const struct comparison_row *row = &c->row[i];
        char range[48];
        if (isnan(row->low))
            continue;
        measured++;
        fit += row->error == 0;
        if (row->error == 0)
            continue;
        range_text(row, range, sizeof range);
        fprintf(out, "%+8.1f%%  %-40s %14s %14.6g %-12s %s\n", row->error, row->quantity, range, row->predicted,
                row->unit, reference_verdict_name(row->verdict));
    }
    fprintf(out, "%zu of %zu numbers equal the measured one, or are within its range.\n", fit, measured);
}

static bool summary_line(const struct comparison *c, enum comparison_kind kind, const char *heading, FILE *out)
{
    struct accuracy a;
    if (!comparison_accuracy(c, kind, comparison_cycles, &a))
        return false;
    if (a.rows == 0)
        return true;
    fprintf(out, "%-16s %6u %8.2f%% %+8.2f%% %8.2f%% %8.2f%% %7u (%3.0f%%)", heading, a.rows, a.mape, a.bias, a.median,
            a.p90, a.within5, 100.0 * a.within5 / a.rows);
    if (isnan(a.correlation))
        fprintf(out, " %11s", "-");
    else
        fprintf(out, " %11.4f", a.correlation);
    fprintf(out, "  %+.1f%% %s\n", a.worst->error, a.worst->quantity);
    return true;
}

static void summary_points(const struct comparison *c, FILE *out)
{
    for (size_t i = 0; accuracy_points[i]; i++) {
        unsigned rows;
        double points = comparison_points(c, accuracy_points[i], &rows);
        if (rows)
            fprintf(out, "%s: off by %.1f points in the mean of %u launches\n", accuracy_points[i], points, rows);
    }
    unsigned launches;
    double stalls = comparison_stalls(c, &launches);
    if (launches)
        fprintf(out, "stall reasons: %.1f %% of the stalled warp-cycles under another reason, mean of %u launches\n",
                stalls, launches);
}

bool accuracy_summary(const struct comparison *c, FILE *out)
{
    fprintf(out, "%-16s %6s %9s %9s %9s %9s %14s %11s  %s\n", "", "rows", "MAPE", "bias", "median", "90 %",
            "within 5 %", "correlation", "worst");
    bool ok = summary_line(c, COMPARISON_MEASUREMENT, "measurements", out) &&
              summary_line(c, COMPARISON_EXPERIMENT, "experiments", out) &&
              summary_line(c, COMPARISON_KERNEL, "kernels, cycles", out);
    summary_points(c, out);
    return ok;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

void accuracy_csv_heading(FILE *out)
{
    fputs("gpu,kind,quantity,unit,predicted,low,high,error_percent,verdict,source,open\n", out);
}

void accuracy_csv(const struct comparison *c, const char *gpu, FILE *out)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct comparison_row *row = &c->row[i];
        csv_field(gpu, out);
        csv_next_text(comparison_kind_name(row->kind), out);
        csv_next_text(row->quantity, out);
        csv_next_text(row->unit, out);
        csv_next_number(row->predicted, out);
        csv_next_number(row->low, out);
        csv_next_number(row->high, out);
        csv_next_number(row->error, out);
        csv_next_text(reference_verdict_name(row->verdict), out);
        csv_next_text(row->source, out);
        csv_next_text(row->open, out);
        fputc('\n', out);
    }
}

/* ---- picture ----------------------------------------------------------------------------------------------------- */

enum { WIDTH = 1040, HEIGHT = 480, TOP = 60, BOTTOM = 420, MIDDLE = 520 };

static const char *const colours[COMPARISON_KINDS] = {"#1f5fa8", "#2b8a57", "#c2571a"};

/* Whether the row is drawn, and where its measured value lies. */
static bool drawn(const struct comparison_row *row)
{
    const char *metric = comparison_metric(row->quantity);
    return !isnan(row->error) && (row->kind != COMPARISON_KERNEL || (metric && strcmp(metric, comparison_cycles) == 0));
}

static double measured(const struct comparison_row *row) { return (row->low + row->high) / 2; }

static void dot(FILE *out, double x, double y, enum comparison_kind kind, const struct comparison_row *row)
{
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\" fill-opacity=\"0.8\"><title>", x, y,
            colours[kind]);
    svg_escape(out, row->quantity);
    fprintf(out, ": %.6g, predicted %.6g, %+.1f %%</title></circle>\n", measured(row), row->predicted, row->error);
}

static int by_error(const void *a, const void *b)
{
    const struct comparison_row *x = *(const struct comparison_row *const *)a;
    const struct comparison_row *y = *(const struct comparison_row *const *)b;
    return (fabs(x->error) > fabs(y->error)) - (fabs(x->error) < fabs(y->error));
}

static void draw_errors(const struct comparison_row **row, size_t count, FILE *out)
{
    struct svg_axis x = svg_axis(80, MIDDLE - 40, false), y = svg_axis(BOTTOM, TOP, false);
    svg_widen(&x, 0);
    svg_widen(&x, count > 1 ? (double)(count - 1) : 1);
    svg_widen(&y, 0);
    svg_widen(&y, 5);
    svg_widen(&y, count ? fabs(row[count - 1]->error) * 1.05 : 0);
    svg_grid(out, &y, false, 80, MIDDLE - 40, " %");
    svg_line(out, 80, svg_at(&y, 5), MIDDLE - 40, svg_at(&y, 5), "stroke=\"#b8860b\" stroke-dasharray=\"5 4\"");
    for (size_t i = 0; i < count; i++)
        dot(out, svg_at(&x, (double)i), svg_at(&y, fabs(row[i]->error)), row[i]->kind, row[i]);
    svg_text(out, (80 + MIDDLE - 40) / 2.0, HEIGHT - 24, "middle", "", "rows, by their absolute error");
}

static void draw_scatter(const struct comparison_row **row, size_t count, FILE *out)
{
    struct svg_axis x = svg_axis(MIDDLE + 70, WIDTH - 30, true), y = svg_axis(BOTTOM, TOP, true);
    for (size_t i = 0; i < count; i++) {
        svg_widen(&x, measured(row[i]));
        svg_widen(&x, row[i]->predicted);
    }
    if (!(x.high > x.low))
        return;
    x.low -= 0.1;
    x.high += 0.1;
    y.low = x.low;
    y.high = x.high;
    svg_grid(out, &x, true, BOTTOM, TOP, "");
    svg_grid(out, &y, false, MIDDLE + 70, WIDTH - 30, "");
    svg_line(out, x.from, y.from, x.to, y.to, "stroke=\"#b8860b\" stroke-dasharray=\"5 4\"");
    for (size_t i = 0; i < count; i++)
        if (svg_drawable(&x, measured(row[i])) && svg_drawable(&y, row[i]->predicted))
            dot(out, svg_at(&x, measured(row[i])), svg_at(&y, row[i]->predicted), row[i]->kind, row[i]);
    svg_text(out, (MIDDLE + 70 + WIDTH - 30) / 2.0, HEIGHT - 24, "middle", "", "measured; upwards: predicted");
}

bool accuracy_svg(const struct comparison *c, const char *gpu, FILE *out)
{
    const struct comparison_row **row = malloc((c->count + 1) * sizeof(const struct comparison_row *));
    size_t count = 0;
    if (!row)
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (drawn(&c->row[i]))
            row[count++] = &c->row[i];
    qsort(row, count, sizeof *row, by_error);
    char title[128];
    snprintf(title, sizeof title, "%.64s: how far the simulator is from hardware, %zu rows", gpu, count);
    svg_begin(out, WIDTH, HEIGHT);
    svg_text(out, 80, 26, "start", " font-size=\"15\" font-weight=\"600\"", title);
    for (enum comparison_kind kind = COMPARISON_MEASUREMENT; kind < COMPARISON_KINDS; kind++) {
        char style[48];
        snprintf(style, sizeof style, " fill=\"%s\" font-weight=\"600\"", colours[kind]);
        svg_text(out, 80 + 110 * (double)kind, 46, "start", style, comparison_kind_name(kind));
    }
    draw_errors(row, count, out);
    draw_scatter(row, count, out);
    svg_end(out);
    free(row);
    return true;
}
