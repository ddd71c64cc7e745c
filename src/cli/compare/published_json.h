/* Results of published kernels as JSON: docs/json.md. */
#ifndef SUBCORE_CLI_PUBLISHED_JSON_H
#define SUBCORE_CLI_PUBLISHED_JSON_H

#include "base/json.h"
#include "validate/published_results.h"

/* The members of the document. False: no memory. Then the document is not complete. */
bool published_json(const struct published_results *results, struct json *json);

#endif
