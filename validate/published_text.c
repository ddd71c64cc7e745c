/* Results of published kernels as text and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate/csv.h"
#include "validate/published_results.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_names(const char *const *name, unsigned count, FILE *out)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s %s", i ? "," : "", name[i]);
    fputs("\n", out);
}

/* The meaning of the numbers, and the columns that are none. */
static void print_kind(const struct published_results *results, FILE *out)
{
    const struct published *table = results->table;
    const char *none[PUBLISHED_COLUMNS];
    unsigned count = 0;
    for (unsigned i = 0; i < table->counters; i++)
        if (!results->unit[i])
            none[count++] = table->counter[i];
    if (table->ignores) {
        fputs("Columns that are not read:", out);
        print_names(table->ignored, table->ignores, out);
    }
    if (count) {
        fputs("Counters that the simulator has no number for:", out);
        print_names(none, count, out);
    }
    if (results->part)
        fprintf(out, "Of each GPU %u SM%s simulated, with all of its L2 and device memory.\n", results->part,
                results->part == 1 ? " is" : "s are");
    fprintf(out,
            "Of grids of more than 4 waves the first %" PRIu32 " and the first %" PRIu32
            " are run, both with the CTAs behind\nthe last whole wave, and the launch is projected from them.\n"
            "Errors are signed; p: points of a percentage.\n\n",
            1 + results->waves, 1 + 2 * results->waves);
}

static void print_counters(const struct published_results *results, const struct published_result *r, FILE *out)
{
    for (unsigned i = 0; i < results->table->counters; i++) {
        double error = published_counter_error(results, r, i);
        if (!isnan(error))
            fprintf(out, "%10s %+8.1f%s  %s\n", "", error, published_counter_points(results, i) ? "p" : "%",
                    results->table->counter[i]);
    }
}

static void print_row(const struct published_results *results, const struct published_result *r, FILE *out)
{
    const struct published_row *row = r->row;
    if (isnan(r->error))
        fprintf(out, "%9s  %14s", "-", "-");
    else
        fprintf(out, "%+8.1f%%  %14.0f", r->error, published_cycles(row));
    fprintf(out, " %14.0f %9u  line %u: %s, %s, %s%s%s\n", r->predicted, r->registers, row->line, row->set, row->gpu,
            row->kernel, *row->parameters ? ", " : "", row->parameters);
    print_counters(results, r, out);
}

static void print_apart(const struct published_results *results, enum published_state state, const char *heading,
                        FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < results->count; i++) {
        const struct published_result *r = results->row[i];
        if (r->state != state)
            continue;
        if (first)
            fprintf(out, "\n%s\n", heading);
        first = false;
        fprintf(out, "  line %u: %s, %s, %s%s%s: %s\n", r->row->line, r->row->set, r->row->gpu, r->row->kernel,
                *r->row->parameters ? ", " : "", r->row->parameters, r->why);
    }
}

static void number(double value, const char *format, int width, FILE *out)
{
    if (isnan(value)) {
        fprintf(out, " %*s", width, "-");
        return;
    }
    char text[32];
    snprintf(text, sizeof text, format, value);
    fprintf(out, " %*s", width, text);
}

static void print_bases(const struct published_group *g, FILE *out)
{
    bool first = true;
    for (enum published_basis basis = 0; basis < PUBLISHED_BASES; basis++) {
        if (g->basis[basis])
            fprintf(out, "%s%s of %zu", first ? "  measured: " : ", ", published_basis_name(basis), g->basis[basis]);
        first &= g->basis[basis] == 0;
    }
    if (!first)
        fputc('\n', out);
}

static bool print_group(const struct published_results *results, const struct published_group *g, FILE *out)
{
    fprintf(out, "\n%s, %s: %zu rows compared, %zu other code, %zu failed\n", g->set, g->gpu,
            g->rows[PUBLISHED_COMPARED], g->rows[PUBLISHED_OTHER_CODE], g->rows[PUBLISHED_FAILED]);
    print_bases(g, out);
    fprintf(out, "  %-8s %6s %9s %9s %9s %9s %9s %11s %9s %8s %8s\n", "cycles", "rows", "mean", "bias", "median",
            "90 %", "worst", "within 12 %", "Spearman", "Kendall", "regret");
    fprintf(out, "  %-8s %6zu", "", g->cycles.rows);
    number(g->cycles.mean, "%.1f%%", 9, out);
    number(g->cycles.bias, "%+.1f%%", 9, out);
    number(g->cycles.median, "%.1f%%", 9, out);
    number(g->cycles.p90, "%.1f%%", 9, out);
    number(g->cycles.worst, "%+.1f%%", 9, out);
    number(100 * g->cycles.within, "%.0f%%", 11, out);
    number(g->ranking.spearman, "%.3f", 9, out);
    number(g->ranking.kendall, "%.3f", 8, out);
    number(g->ranking.regret, "%.1f%%", 8, out);
    fputc('\n', out);
    for (unsigned i = 0; i < results->table->counters; i++) {
        struct statistics s;
        if (!published_group_counter(results, g, i, &s))
            return false;
        const char *unit = published_counter_points(results, i) ? "p" : "%";
        if (s.rows)
            fprintf(out, "  %-72s %6zu rows, mean %.1f%s, bias %+.1f%s, worst %+.1f%s\n", results->table->counter[i],
                    s.rows, s.mean, unit, s.bias, unit, s.worst, unit);
    }
    return true;
}

bool published_text(const struct published_results *results, FILE *out)
{
    size_t count;
    struct published_group *group = published_groups(results, &count);
    bool ok = group != NULL;
    print_kind(results, out);
    fprintf(out, "%9s  %14s %14s %9s\n", "error", "measured", "predicted", "registers");
    for (size_t i = 0; i < results->count; i++)
        if (results->row[i]->state == PUBLISHED_COMPARED)
            print_row(results, results->row[i], out);
    print_apart(results, PUBLISHED_OTHER_CODE, "Other code, set apart:", out);
    print_apart(results, PUBLISHED_FAILED, "Failed:", out);
    for (size_t i = 0; ok && i < count; i++)
        ok = print_group(results, &group[i], out);
    free(group);
    return ok;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void csv_line(const struct published_result *r, const char *quantity, const char *unit, const double value[3],
                     const char *error_unit, FILE *out)
{
    fprintf(out, "%u", r->row->line);
    csv_next_text(r->row->set, out);
    csv_next_text(r->row->gpu, out);
    csv_next_text(r->row->kernel, out);
    csv_next_text(r->row->parameters, out);
    csv_next_text(quantity, out);
    csv_next_text(unit, out);
    for (unsigned i = 0; i < 3; i++)
        csv_next_number(value[i], out);
    csv_next_text(error_unit, out);
    csv_next_text(published_basis_name(published_basis(r->row)), out);
    csv_next_text(published_state_name(r->state), out);
    csv_next_text(r->why, out);
    csv_next_text(r->row->source, out);
    fputc('\n', out);
}

void published_csv(const struct published_results *results, FILE *out)
{
    fputs("line,set,gpu,kernel,parameters,quantity,unit,measured,predicted,error,error_unit,basis,state,why,source\n",
          out);
    for (size_t i = 0; i < results->count; i++) {
        const struct published_result *r = results->row[i];
        csv_line(r, "cycles", "cycle", (double[]){published_cycles(r->row), r->predicted, r->error}, "%", out);
        for (unsigned c = 0; c < results->table->counters; c++) {
            double error = published_counter_error(results, r, c);
            if (!isnan(error))
                csv_line(r, results->table->counter[c], results->unit[c],
                         (double[]){r->row->counter[c], r->counter[c], error},
                         published_counter_points(results, c) ? "points" : "%", out);
        }
    }
}
