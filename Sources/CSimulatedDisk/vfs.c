#include "disk.h"
#include <string.h>

/// Where SQLite's count of milliseconds has 1970.
static const int64_t julian_1970 = INT64_C(210866760000000);

static simulated_disk *disk_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int enter(simulated_disk *disk, int kind) {
    bool cuts = false;
    sqlite3_mutex_enter(disk->mutex);
    return count_call(disk, kind, &cuts);
}

// Files

static int open_named(disk_file *file, simulated_disk *disk, const char *name, int flags) {
    entry *entry = directory_find(disk, name);
    if (!entry || !entry->written) {
        if (!(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
        entry = directory_add(disk, name);
        node *node = entry ? node_make() : NULL;
        bool is_made = node && directory_change_to(disk, entry, node);
        node_release(node);
        if (!is_made) return SQLITE_NOMEM;
    }
    file->entry = entry;
    file->node = entry->written;
    file->node->references++;
    return SQLITE_OK;
}

static int vfs_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *used
) {
    simulated_disk *disk = disk_of(vfs);
    disk_file *file = (disk_file *)base;
    memset(file, 0, sizeof(disk_file));
    int code = enter(disk, SIMULATED_OPEN);
    if (code == SQLITE_OK && name) {
        code = open_named(file, disk, name, flags);
    } else if (code == SQLITE_OK) {
        file->node = node_make();
        if (!file->node) code = SQLITE_NOMEM;
    }
    if (code == SQLITE_OK) {
        file->base.pMethods = &file_methods;
        file->disk = disk;
        file->generation = disk->generation;
        file->deletes_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
        disk_retain(disk);
        if (used) *used = flags;
    }
    sqlite3_mutex_leave(disk->mutex);
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    simulated_disk *disk = disk_of(vfs);
    int code = enter(disk, SIMULATED_DELETE);
    if (code == SQLITE_OK) {
        entry *entry = directory_find(disk, name);
        if (!entry || !entry->written) {
            code = SQLITE_IOERR_DELETE_NOENT;
        } else if (!directory_change_to(disk, entry, NULL)) {
            code = SQLITE_NOMEM;
        } else if (syncs) {
            directory_sync(disk, NULL);
        }
    }
    sqlite3_mutex_leave(disk->mutex);
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    simulated_disk *disk = disk_of(vfs);
    sqlite3_mutex_enter(disk->mutex);
    entry *entry = directory_find(disk, name);
    node *node = entry ? entry->written : NULL;
    // An empty journal counts as none.
    *result = node && (flags != SQLITE_ACCESS_EXISTS || node->written.count > 0);
    int code = disk->is_off ? SQLITE_IOERR_ACCESS : SQLITE_OK;
    sqlite3_mutex_leave(disk->mutex);
    return code;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int capacity, char *result) {
    (void)vfs;
    size_t count = strlen(name) + 1;
    if (count > (size_t)capacity) return SQLITE_CANTOPEN;
    memcpy(result, name, count);
    return SQLITE_OK;
}

// Clock and randomness

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    simulated_disk *disk = disk_of(vfs);
    sqlite3_mutex_enter(disk->mutex);
    for (int index = 0; index < count; index++) {
        bytes[index] = (char)(next_random(&disk->vfs_random) >> 56);
    }
    sqlite3_mutex_leave(disk->mutex);
    return count;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    simulated_disk *disk = disk_of(vfs);
    sqlite3_mutex_enter(disk->mutex);
    disk->slept += microseconds;
    disk->clock += disk->slept / 1000;
    disk->slept %= 1000;
    sqlite3_mutex_leave(disk->mutex);
    // Whoever holds the lock may be another thread: it gets its turn.
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (real) real->xSleep(real, microseconds < 100 ? microseconds : 100);
    return microseconds;
}

static int vfs_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *result) {
    *result = julian_1970 + simulated_disk_clock(disk_of(vfs));
    return SQLITE_OK;
}

static int vfs_days(sqlite3_vfs *vfs, double *result) {
    *result = (double)(julian_1970 + simulated_disk_clock(disk_of(vfs))) / 86400000.0;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int capacity, char *message) {
    (void)vfs;
    if (capacity > 0) message[0] = 0;
    return 0;
}

// Extensions are not loaded from a disk that is not there.

static void *library_open(sqlite3_vfs *vfs, const char *name) {
    (void)vfs, (void)name;
    return NULL;
}

static void library_error(sqlite3_vfs *vfs, int capacity, char *message) {
    (void)vfs;
    sqlite3_snprintf(capacity, message, "a simulated disk holds no libraries");
}

static void (*library_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    (void)vfs, (void)library, (void)name;
    return NULL;
}

static void library_close(sqlite3_vfs *vfs, void *library) { (void)vfs, (void)library; }

void vfs_fill(simulated_disk *disk) {
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(disk_file),
        .mxPathname = 512,
        .zName = disk->name,
        .pAppData = disk,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xDlOpen = library_open,
        .xDlError = library_error,
        .xDlSym = library_symbol,
        .xDlClose = library_close,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_days,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_milliseconds,
    };
}
