/* Reader of JSON (RFC 8259): a text becomes a tree of values. Texts and numbers stay as they were written, so that a
 * second writing gives the same bytes. */
#ifndef SUBCORE_BASE_JSON_TREE_H
#define SUBCORE_BASE_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

/* Levels of objects and arrays in a document. Deeper ones are refused. */
enum { JSON_TREE_DEPTH = 64 };

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_slice {
    const char *at;
    size_t length;
};

struct json_value {
    enum json_kind kind;
    struct json_slice text; /* as written: of a string the text between its quotation marks; empty of arrays, objects */
    struct json_slice key;  /* of an object's member, as written between the quotation marks */
    struct json_value *first, *next; /* of an array or object its first; of an element or member the one behind it */
    uint32_t count;                  /* elements or members */
};

struct json_tree {
    struct arena storage;
    struct json_value *root;
};

/* Reads a document; the tree borrows `text`. Returns false if the text is no JSON document: the status names `path`,
 * line and column then, and the tree is empty. */
bool json_tree_read(struct json_tree *tree, const char *text, size_t size, const char *path, struct status *status);
void json_tree_free(struct json_tree *tree);

/* Returns the member of an object with this key, the first of several (NULL: there is none, or `object` is NULL or no
 * object). Keys with escapes are not found. */
const struct json_value *json_tree_member(const struct json_value *object, const char *key);
/* The same through objects of objects: "cycles/elapsed". */
const struct json_value *json_tree_path(const struct json_value *object, const char *path);

/* Returns the number, or 0 if it is none. Integers above 2^53 are rounded. */
double json_tree_number(const struct json_value *value);
/* Copies a string, its escapes resolved, cut at `size` bytes with the zero. Empty if it is none. Returns whether all
 * of it is there. */
bool json_tree_string(const struct json_value *value, char *out, size_t size);
bool json_slice_is(struct json_slice slice, const char *text);

#endif
