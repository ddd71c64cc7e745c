#include "cli/command.h"

int main(int argc, char **argv) { return command_main(argc - 1, argv + 1); }
