/* The key that a mistyped one is closest to, for messages. Private to this folder. */
#ifndef SUBCORE_CONFIG_NEAR_H
#define SUBCORE_CONFIG_NEAR_H

enum { NEAR_TEXT = 160 };

/* Writes ", did you mean l2.size?" for a key that does not exist, or nothing where no key is close. `section` is empty
 * where none was given, and may not exist either. */
void near_key(const char *section, const char *key, char out[NEAR_TEXT]);

/* Writes ", did you mean [l2]?", or nothing. */
void near_section(const char *section, char out[NEAR_TEXT]);

/* Writes ", did you mean sm_86?", of the architectures and GPUs that a file can inherit from, or nothing. */
void near_layer(const char *name, char out[NEAR_TEXT]);

#endif
