#include "disk.h"
#include <stdatomic.h>
#include <stdlib.h>

static atomic_uint_fast64_t disk_numbers;

void simulated_disk_count_no_memory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// SplitMix64: small, and the same on every machine.
uint64_t next_random(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// Life

simulated_disk *simulated_disk_make(uint64_t seed) {
    if (sqlite3_initialize() != SQLITE_OK) return NULL;
    simulated_disk *disk = calloc(1, sizeof(simulated_disk));
    if (!disk) return NULL;
    disk->mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE);
    disk->references = 1;
    disk->sql_random = seed;
    disk->vfs_random = ~seed;
    sqlite3_snprintf(
        sizeof(disk->name), disk->name, "moorage-%llu",
        (unsigned long long)atomic_fetch_add(&disk_numbers, 1));
    vfs_fill(disk);
    if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) {
        sqlite3_mutex_free(disk->mutex);
        free(disk);
        return NULL;
    }
    return disk;
}

void disk_retain(simulated_disk *disk) { disk->references++; }

static void destroy(simulated_disk *disk) {
    directory_clear(disk);
    while (disk->entries) {
        entry *next = disk->entries->next;
        free(disk->entries);
        disk->entries = next;
    }
    simulated_disk_heal(disk);
    sqlite3_mutex_free(disk->mutex);
    free(disk);
}

void disk_release(void *argument) {
    simulated_disk *disk = argument;
    sqlite3_mutex_enter(disk->mutex);
    bool is_last = --disk->references == 0;
    sqlite3_mutex_leave(disk->mutex);
    if (is_last) destroy(disk);
}

void simulated_disk_release(simulated_disk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    disk_release(disk);
}

const char *simulated_disk_name(simulated_disk *disk) { return disk->name; }

// Random numbers in SQL

static void sql_random(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count, (void)values;
    simulated_disk *disk = sqlite3_user_data(context);
    sqlite3_mutex_enter(disk->mutex);
    uint64_t number = next_random(&disk->sql_random);
    sqlite3_mutex_leave(disk->mutex);
    // As SQLite does: abs() of it must not overflow.
    if (number == (UINT64_C(1) << 63)) number++;
    sqlite3_result_int64(context, (sqlite3_int64)number);
}

static void sql_random_blob(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    simulated_disk *disk = sqlite3_user_data(context);
    sqlite3_int64 wanted = sqlite3_value_int64(values[0]);
    size_t length = wanted < 1 ? 1 : (size_t)wanted;
    int limit = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
    uint8_t *bytes = length > (size_t)limit ? NULL : sqlite3_malloc64(length);
    if (!bytes) {
        sqlite3_result_error_toobig(context);
        return;
    }
    sqlite3_mutex_enter(disk->mutex);
    for (size_t index = 0; index < length; index++) {
        bytes[index] = (uint8_t)(next_random(&disk->sql_random) >> 56);
    }
    sqlite3_mutex_leave(disk->mutex);
    sqlite3_result_blob64(context, bytes, length, sqlite3_free);
}

int simulated_disk_adopt(simulated_disk *disk, void *argument) {
    sqlite3 *connection = argument;
    sqlite3_vfs *used = NULL;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_VFS_POINTER, &used);
    if (code != SQLITE_OK || used != &disk->vfs) return SQLITE_MISUSE;
    const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
    void (*const functions[])(sqlite3_context *, int, sqlite3_value **) = {
        sql_random, sql_random_blob};
    static const char *const names[] = {"random", "randomblob"};
    for (int arguments = 0; arguments < 2 && code == SQLITE_OK; arguments++) {
        sqlite3_mutex_enter(disk->mutex);
        disk_retain(disk);
        sqlite3_mutex_leave(disk->mutex);
        // SQLite lets go of the disk when the connection is closed, and when this fails.
        code = sqlite3_create_function_v2(
            connection, names[arguments], arguments, flags, disk, functions[arguments], NULL, NULL,
            disk_release);
    }
    return code;
}

// Clock

int64_t simulated_disk_clock(simulated_disk *disk) {
    sqlite3_mutex_enter(disk->mutex);
    int64_t clock = disk->clock;
    sqlite3_mutex_leave(disk->mutex);
    return clock;
}

void simulated_disk_set_clock(simulated_disk *disk, int64_t milliseconds) {
    sqlite3_mutex_enter(disk->mutex);
    disk->clock = milliseconds;
    sqlite3_mutex_leave(disk->mutex);
}

// Failures

static bool add_rule(
    simulated_disk *disk, uint32_t kinds, int64_t number, int code, bool lasts, bool cuts_power
) {
    rule *made = calloc(1, sizeof(rule));
    if (!made) return false;
    *made = (rule){
        .kinds = kinds, .remaining = number, .code = code, .lasts = lasts,
        .cuts_power = cuts_power};
    sqlite3_mutex_enter(disk->mutex);
    made->next = disk->rules;
    disk->rules = made;
    sqlite3_mutex_leave(disk->mutex);
    return true;
}

bool simulated_disk_fail(
    simulated_disk *disk, uint32_t kinds, int64_t number, int code, bool lasts
) {
    return add_rule(disk, kinds, number, code, lasts, false);
}

bool simulated_disk_cut_power(simulated_disk *disk, uint32_t kinds, int64_t number) {
    return add_rule(disk, kinds, number, SQLITE_IOERR, false, true);
}

void simulated_disk_heal(simulated_disk *disk) {
    sqlite3_mutex_enter(disk->mutex);
    while (disk->rules) {
        rule *next = disk->rules->next;
        free(disk->rules);
        disk->rules = next;
    }
    sqlite3_mutex_leave(disk->mutex);
}

void simulated_disk_pause(simulated_disk *disk, bool is_paused) {
    sqlite3_mutex_enter(disk->mutex);
    disk->is_paused = is_paused;
    sqlite3_mutex_leave(disk->mutex);
}

int64_t simulated_disk_calls(simulated_disk *disk, int kind) {
    if (kind < 0 || kind >= SIMULATED_CALL_KINDS) return 0;
    sqlite3_mutex_enter(disk->mutex);
    int64_t count = disk->calls[kind];
    sqlite3_mutex_leave(disk->mutex);
    return count;
}

int count_call(simulated_disk *disk, int kind, bool *cuts) {
    if (disk->is_off) return SQLITE_IOERR;
    if (disk->is_paused) return SQLITE_OK;
    disk->calls[kind]++;
    int code = SQLITE_OK;
    for (rule **place = &disk->rules; *place;) {
        rule *one = *place;
        bool is_meant = (one->kinds >> kind) & 1;
        if (is_meant && one->remaining > 0) one->remaining--;
        if (!is_meant || one->remaining > 0) {
            place = &one->next;
            continue;
        }
        code = one->code;
        if (one->cuts_power) disk->is_off = *cuts = true;
        if (one->lasts) {
            place = &one->next;
        } else {
            *place = one->next;
            free(one);
        }
    }
    return code;
}
