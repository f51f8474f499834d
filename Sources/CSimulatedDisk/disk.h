#ifndef SIMULATED_DISK_INTERNAL_H
#define SIMULATED_DISK_INTERNAL_H

#include "CSimulatedDisk.h"
#include <sqlite3.h>

typedef struct disk_file disk_file;

/// The bytes of a file.
typedef struct image {
    uint8_t *bytes;
    size_t count, capacity;
} image;

/// A write or a truncation that no sync has made safe yet.
typedef struct unsynced {
    struct unsynced *next;
    bool truncates;
    int64_t offset;
    size_t count;
    uint8_t bytes[];
} unsynced;

enum { SHARED_MEMORY_LOCKS = SQLITE_SHM_NLOCK };

/// The WAL index, which connections share.
typedef struct shared_memory {
    void **regions;
    int count;
    int users;
    int sharers[SHARED_MEMORY_LOCKS];
    disk_file *owners[SHARED_MEMORY_LOCKS];
} shared_memory;

/// What a name stands for; it lives as long as a name, a handle or an unsynced change of the
/// directory refers to it.
typedef struct node {
    int references;
    image written;  // what programs read
    image durable;  // what a crash cannot take
    unsynced *first, *last;
    // SQLite's locks on a file.
    int sharers;
    disk_file *reserved, *pending, *exclusive;
    shared_memory memory;
} node;

/// A name in the directory, sorted; `NULL` where there is no file.
typedef struct entry {
    struct entry *next;
    node *written, *durable;
    char name[];
} entry;

/// A file that was made (or deleted, `node` is `NULL`) since the directory was synced.
typedef struct directory_change {
    struct directory_change *next;
    entry *entry;
    node *node;
} directory_change;

/// A call that is to fail.
typedef struct rule {
    struct rule *next;
    uint32_t kinds;
    int64_t remaining;
    int code;
    bool lasts, cuts_power;
} rule;

struct simulated_disk {
    sqlite3_vfs vfs;
    char name[32];
    sqlite3_mutex *mutex;
    int references;
    int64_t clock;
    int64_t slept;  // microseconds that do not make a millisecond yet
    uint64_t sql_random, vfs_random;
    int64_t calls[SIMULATED_CALL_KINDS];
    rule *rules;
    bool is_off, is_paused;
    int64_t generation;  // of the handles that are still good
    entry *entries;
    directory_change *first_change, *last_change;
};

/// A file that SQLite has open.
struct disk_file {
    sqlite3_file base;
    simulated_disk *disk;
    node *node;
    entry *entry;  // NULL for a temporary file
    int64_t generation;
    int lock;
    bool deletes_on_close, has_memory;
    uint32_t shared, owned;  // locks on the shared memory
};

// Everything below is called with the disk's mutex held.

void disk_retain(simulated_disk *disk);

/// Takes the mutex itself: a destructor for SQLite.
void disk_release(void *disk);

uint64_t next_random(uint64_t *state);

/// Counts a call; `SQLITE_OK`, or the code with which it fails. `*cuts` says that the power goes now.
int count_call(simulated_disk *disk, int kind, bool *cuts);

// images.c
bool image_write(image *image, int64_t offset, const uint8_t *bytes, size_t count);
bool image_truncate(image *image, int64_t size);
bool image_copy(image *to, const image *from);

/// Keeps a random part of what was not synced, as a disk does that loses its power.
bool node_keep_part(node *node, uint64_t *random);

// nodes.c
node *node_make(void);
void node_release(node *node);
bool node_write(node *node, int64_t offset, const uint8_t *bytes, size_t count);
bool node_truncate(node *node, int64_t size);
bool node_sync(node *node);

// directory.c
entry *directory_find(simulated_disk *disk, const char *name);
entry *directory_add(simulated_disk *disk, const char *name);
bool directory_change_to(simulated_disk *disk, entry *entry, node *node);
void directory_sync(simulated_disk *disk, entry *only);
void directory_clear(simulated_disk *disk);

// locks.c
int file_lock(sqlite3_file *file, int level);
int file_unlock(sqlite3_file *file, int level);
int file_check_reserved(sqlite3_file *file, int *result);
int memory_map(sqlite3_file *file, int region, int size, int extends, void volatile **result);
int memory_lock(sqlite3_file *file, int offset, int count, int flags);
void memory_barrier(sqlite3_file *file);
int memory_unmap(sqlite3_file *file, int deletes);

// file.c
extern const sqlite3_io_methods file_methods;

/// Enters the disk's mutex for a call of this kind. Returns `SQLITE_OK`, or why the call fails.
int file_enter(disk_file *file, int kind, bool *cuts);

// vfs.c
void vfs_fill(simulated_disk *disk);

#endif
