#define _GNU_SOURCE
#include "CSpawn.h"
#include "CSimulatedDisk.h"

int spawn_add_folder(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int spawn_add_close_from(posix_spawn_file_actions_t *actions, int first) {
#ifdef __linux__
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    (void)actions;
    (void)first;
    return 0;
#endif
}

// Before any test uses SQLite. No test asks how much memory it uses.
__attribute__((constructor)) static void count_no_memory(void) { simulated_disk_count_no_memory(); }
