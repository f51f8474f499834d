#include "disk.h"
#include <stdlib.h>

// SQLite's five levels: any number of sharers, one of them reserved, who waits as pending until it is
// alone and exclusive.

static bool is_others(const disk_file *holder, const disk_file *file) {
    return holder && holder != file;
}

static int lock_node(disk_file *file, int level) {
    node *node = file->node;
    if (file->lock == SQLITE_LOCK_NONE) {
        if (node->pending || node->exclusive) return SQLITE_BUSY;
        node->sharers++;
        file->lock = SQLITE_LOCK_SHARED;
    }
    if (level == SQLITE_LOCK_RESERVED) {
        if (node->reserved || node->pending || node->exclusive) return SQLITE_BUSY;
        node->reserved = file;
        file->lock = SQLITE_LOCK_RESERVED;
    }
    if (level == SQLITE_LOCK_EXCLUSIVE) {
        if (is_others(node->pending, file) || is_others(node->reserved, file)) return SQLITE_BUSY;
        node->pending = file;
        file->lock = SQLITE_LOCK_PENDING;
        // Who reads may finish; nobody new comes in.
        if (node->sharers > 1) return SQLITE_BUSY;
        node->exclusive = file;
        file->lock = SQLITE_LOCK_EXCLUSIVE;
    }
    return SQLITE_OK;
}

int file_lock(sqlite3_file *base, int level) {
    disk_file *file = (disk_file *)base;
    bool cuts = false;
    int code = file_enter(file, SIMULATED_LOCK, &cuts);
    if (code == SQLITE_OK && file->lock < level) code = lock_node(file, level);
    sqlite3_mutex_leave(file->disk->mutex);
    return code;
}

int file_unlock(sqlite3_file *base, int level) {
    disk_file *file = (disk_file *)base;
    sqlite3_mutex_enter(file->disk->mutex);
    node *node = file->node;
    if (file->lock > level) {
        if (node->exclusive == file) node->exclusive = NULL;
        if (node->pending == file) node->pending = NULL;
        if (node->reserved == file) node->reserved = NULL;
        if (level == SQLITE_LOCK_NONE) node->sharers--;
        file->lock = level;
    }
    sqlite3_mutex_leave(file->disk->mutex);
    return SQLITE_OK;
}

int file_check_reserved(sqlite3_file *base, int *result) {
    disk_file *file = (disk_file *)base;
    bool cuts = false;
    int code = file_enter(file, SIMULATED_LOCK, &cuts);
    *result = code == SQLITE_OK && file->node->reserved != NULL;
    sqlite3_mutex_leave(file->disk->mutex);
    return code;
}

// Shared memory

static int add_regions(shared_memory *memory, int count, int size) {
    void **regions = realloc(memory->regions, (size_t)count * sizeof(void *));
    if (!regions) return SQLITE_NOMEM;
    memory->regions = regions;
    while (memory->count < count) {
        void *region = calloc(1, (size_t)size);
        if (!region) return SQLITE_NOMEM;
        regions[memory->count++] = region;
    }
    return SQLITE_OK;
}

int memory_map(sqlite3_file *base, int region, int size, int extends, void volatile **result) {
    disk_file *file = (disk_file *)base;
    bool cuts = false;
    int code = file_enter(file, SIMULATED_SHARED_MEMORY, &cuts);
    *result = NULL;
    if (code == SQLITE_OK) {
        shared_memory *memory = &file->node->memory;
        if (!file->has_memory) {
            file->has_memory = true;
            memory->users++;
        }
        if (region >= memory->count && extends) code = add_regions(memory, region + 1, size);
        if (code == SQLITE_OK && region < memory->count) *result = memory->regions[region];
    }
    sqlite3_mutex_leave(file->disk->mutex);
    return code;
}

static void unlock_memory(disk_file *file, uint32_t locks) {
    shared_memory *memory = &file->node->memory;
    for (int index = 0; index < SHARED_MEMORY_LOCKS; index++) {
        uint32_t bit = UINT32_C(1) << index;
        if (file->shared & locks & bit) memory->sharers[index]--;
        if (file->owned & locks & bit) memory->owners[index] = NULL;
    }
    file->shared &= ~locks;
    file->owned &= ~locks;
}

static int lock_memory(disk_file *file, int offset, int count, bool is_shared) {
    shared_memory *memory = &file->node->memory;
    for (int index = offset; index < offset + count; index++) {
        int mine = (file->shared >> index) & 1;
        if (is_others(memory->owners[index], file)) return SQLITE_BUSY;
        if (!is_shared && memory->sharers[index] > mine) return SQLITE_BUSY;
    }
    for (int index = offset; index < offset + count; index++) {
        uint32_t bit = UINT32_C(1) << index;
        if (!is_shared) {
            memory->owners[index] = file;
            file->owned |= bit;
        } else if (!(file->shared & bit)) {
            memory->sharers[index]++;
            file->shared |= bit;
        }
    }
    return SQLITE_OK;
}

int memory_lock(sqlite3_file *base, int offset, int count, int flags) {
    disk_file *file = (disk_file *)base;
    if (flags & SQLITE_SHM_UNLOCK) {
        sqlite3_mutex_enter(file->disk->mutex);
        unlock_memory(file, ((UINT32_C(1) << count) - 1) << offset);
        sqlite3_mutex_leave(file->disk->mutex);
        return SQLITE_OK;
    }
    bool cuts = false;
    int code = file_enter(file, SIMULATED_LOCK, &cuts);
    if (code == SQLITE_OK) code = lock_memory(file, offset, count, flags & SQLITE_SHM_SHARED);
    sqlite3_mutex_leave(file->disk->mutex);
    return code;
}

void memory_barrier(sqlite3_file *base) {
    // Entering and leaving a mutex orders memory.
    disk_file *file = (disk_file *)base;
    sqlite3_mutex_enter(file->disk->mutex);
    sqlite3_mutex_leave(file->disk->mutex);
}

int memory_unmap(sqlite3_file *base, int deletes) {
    // The index is made anew from the log by whoever comes next; it lives no longer than its users.
    (void)deletes;
    disk_file *file = (disk_file *)base;
    sqlite3_mutex_enter(file->disk->mutex);
    shared_memory *memory = &file->node->memory;
    if (file->has_memory) {
        unlock_memory(file, ~UINT32_C(0));
        file->has_memory = false;
        if (--memory->users == 0) {
            for (int index = 0; index < memory->count; index++) free(memory->regions[index]);
            free(memory->regions);
            memory->regions = NULL;
            memory->count = 0;
        }
    }
    sqlite3_mutex_leave(file->disk->mutex);
    return SQLITE_OK;
}
