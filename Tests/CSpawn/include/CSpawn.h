// What the C library offers for starting programs, and its Swift module does not show.
#ifndef CSPAWN_H
#define CSPAWN_H

#include <spawn.h>

/// The program begins in a folder.
int spawn_add_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// The program has no files from a number on. Where the system closes them by a flag: nothing.
int spawn_add_close_from(posix_spawn_file_actions_t *actions, int first);

#endif
