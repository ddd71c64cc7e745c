/* The work of each command kind when its turn comes. */
#ifndef SUBCORE_DRIVER_COMMANDS_H
#define SUBCORE_DRIVER_COMMANDS_H

#include "driver/queue/command.h"

extern const struct command_handler command_handlers[COMMAND_KINDS];

#endif
