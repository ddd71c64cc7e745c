#include "probe/fit.h"

void fit_add(struct fit *fit, double x, double y)
{
    fit->points++;
    fit->x += x;
    fit->y += y;
    fit->xx += x * x;
    fit->xy += x * y;
}

struct fit_line fit_line(const struct fit *fit)
{
    enum { FEW = 4 };
    double n = (double)fit->points, spread = n * fit->xx - fit->x * fit->x;
    if (fit->points >= FEW && spread > 1e-6 * n * fit->xx) {
        double slope = (n * fit->xy - fit->x * fit->y) / spread;
        if (slope > 0)
            return (struct fit_line){(fit->y - slope * fit->x) / n, slope};
    }
    return (struct fit_line){0, fit->y / fit->x};
}
