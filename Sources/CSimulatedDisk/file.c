#include "disk.h"
#include <string.h>

int file_enter(disk_file *file, int kind, bool *cuts) {
    sqlite3_mutex_enter(file->disk->mutex);
    if (file->generation != file->disk->generation) return SQLITE_IOERR;
    return count_call(file->disk, kind, cuts);
}

static int leave(disk_file *file, int code) {
    sqlite3_mutex_leave(file->disk->mutex);
    return code;
}

static int file_close(sqlite3_file *base) {
    disk_file *file = (disk_file *)base;
    simulated_disk *disk = file->disk;
    file_unlock(base, SQLITE_LOCK_NONE);
    memory_unmap(base, 0);
    sqlite3_mutex_enter(disk->mutex);
    entry *entry = file->entry;
    if (file->deletes_on_close && entry && entry->written == file->node) {
        directory_change_to(disk, entry, NULL);
    }
    node_release(file->node);
    sqlite3_mutex_leave(disk->mutex);
    file->base.pMethods = NULL;
    disk_release(disk);
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    disk_file *file = (disk_file *)base;
    bool cuts = false;
    int code = file_enter(file, SIMULATED_READ, &cuts);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return leave(file, code);
    image *image = &file->node->written;
    size_t start = (size_t)offset;
    size_t there = start < image->count ? image->count - start : 0;
    if (code == SQLITE_IOERR_SHORT_READ && there > (size_t)count / 2) there = (size_t)count / 2;
    if (there > (size_t)count) there = (size_t)count;
    if (there) memcpy(buffer, image->bytes + start, there);
    if (there == (size_t)count) return leave(file, SQLITE_OK);
    // SQLite relies on zeros beyond the end.
    memset((uint8_t *)buffer + there, 0, (size_t)count - there);
    return leave(file, SQLITE_IOERR_SHORT_READ);
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    disk_file *file = (disk_file *)base;
    bool cuts = false;
    int code = file_enter(file, SIMULATED_WRITE, &cuts);
    if (file->generation != file->disk->generation || (file->disk->is_off && !cuts)) {
        return leave(file, code);
    }
    // A write that fails may have begun. One that the power interrupts is torn by the crash.
    size_t done = code == SQLITE_OK || cuts ? (size_t)count : (size_t)count / 2;
    if (!node_write(file->node, offset, bytes, done)) return leave(file, SQLITE_NOMEM);
    return leave(file, code);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    disk_file *file = (disk_file *)base;
    bool cuts = false;
    int code = file_enter(file, SIMULATED_TRUNCATE, &cuts);
    if (code == SQLITE_OK && !node_truncate(file->node, size)) code = SQLITE_NOMEM;
    return leave(file, code);
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    disk_file *file = (disk_file *)base;
    bool cuts = false;
    int code = file_enter(file, SIMULATED_SYNC, &cuts);
    if (code == SQLITE_OK && !node_sync(file->node)) code = SQLITE_NOMEM;
    // A file that is safe under no name would not be safe.
    bool has_name = file->entry && file->entry->written == file->node;
    if (code == SQLITE_OK && has_name) directory_sync(file->disk, file->entry);
    return leave(file, code);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    disk_file *file = (disk_file *)base;
    sqlite3_mutex_enter(file->disk->mutex);
    *size = (sqlite3_int64)file->node->written.count;
    bool is_good = file->generation == file->disk->generation && !file->disk->is_off;
    return leave(file, is_good ? SQLITE_OK : SQLITE_IOERR_FSTAT);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
    (void)base;
    return 512;
}

static int device_characteristics(sqlite3_file *base) {
    // A torn write leaves what is beside it alone: SQLite assumes as much of today's devices.
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = memory_map,
    .xShmLock = memory_lock,
    .xShmBarrier = memory_barrier,
    .xShmUnmap = memory_unmap,
};
