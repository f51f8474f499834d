#ifndef C_SIMULATED_DISK_H
#define C_SIMULATED_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A disk for SQLite in memory: a VFS with files, locks, clock and randomness of its own, whose calls
/// fail and whose power goes when it is told so. For tests alone.
///
/// Every function may be called from any thread. Names of files are compared byte by byte; there are
/// no folders.
typedef struct simulated_disk simulated_disk;

/// What SQLite asks of a disk; each kind is counted for itself.
enum simulated_call {
    SIMULATED_OPEN = 0,
    SIMULATED_READ = 1,
    SIMULATED_WRITE = 2,
    SIMULATED_TRUNCATE = 3,
    SIMULATED_SYNC = 4,
    SIMULATED_LOCK = 5,
    SIMULATED_DELETE = 6,
    SIMULATED_SHARED_MEMORY = 7,
    SIMULATED_CALL_KINDS = 8
};

// Life

/// Lets SQLite no longer count its memory, in the whole process, if it is called before SQLite's
/// first use. All threads wait for each other at that count: two of them ran histories in 7.5 s,
/// and in 4.5 s without it.
void simulated_disk_count_no_memory(void);

/// Registers a new disk with SQLite; `NULL` when there is no memory.
simulated_disk *simulated_disk_make(uint64_t seed);

/// Takes the disk off SQLite's list. It lives on until the last connection to it is closed.
void simulated_disk_release(simulated_disk *disk);

/// The name for `vfs=` in a URI.
const char *simulated_disk_name(simulated_disk *disk);

/// Gives a connection the disk's `random()` and `randomblob()`: SQLite's own have one seed in the
/// whole process. Keeps the disk alive while the connection is open.
///
/// Returns a result code; SQLITE_MISUSE when the connection is not on this disk.
int simulated_disk_adopt(simulated_disk *disk, void *connection);

// Clock

/// Milliseconds since 1970.
int64_t simulated_disk_clock(simulated_disk *disk);
void simulated_disk_set_clock(simulated_disk *disk, int64_t milliseconds);

// Failures

/// Lets the `number`th call from now on (the first is 1) among the kinds of the mask fail with the
/// result code; also all after it when it lasts. False when there is no memory.
bool simulated_disk_fail(
    simulated_disk *disk, uint32_t kinds, int64_t number, int code, bool lasts);

/// The power goes at that call: a write may still reach the disk in part, a sync does not happen, and
/// every call fails from then on until `simulated_disk_crash`.
bool simulated_disk_cut_power(simulated_disk *disk, uint32_t kinds, int64_t number);

/// Nothing fails any more. A power cut that has happened stays.
void simulated_disk_heal(simulated_disk *disk);

/// While it is paused, calls are not counted and do not fail, as long as there is power.
void simulated_disk_pause(simulated_disk *disk, bool is_paused);

/// How many calls of a kind there were since the disk was made.
int64_t simulated_disk_calls(simulated_disk *disk, int kind);

/// Ends the power: of what was not synced, a random part is kept. Files that are open return
/// SQLITE_IOERR for ever after. False when there is no memory.
bool simulated_disk_crash(simulated_disk *disk, uint64_t seed);

// Files

/// How many files there are.
int64_t simulated_disk_file_count(simulated_disk *disk);

/// Looks at each file, in the order of their names. The bytes are valid during the call alone.
void simulated_disk_each_file(
    simulated_disk *disk, void *context,
    void (*visit)(void *context, const char *name, const uint8_t *bytes, size_t count));

/// Takes all files away. Files that are open return SQLITE_IOERR for ever after.
void simulated_disk_erase(simulated_disk *disk);

/// Makes or replaces a file that nobody has open, safely on the disk. False when there is no memory.
bool simulated_disk_put(
    simulated_disk *disk, const char *name, const uint8_t *bytes, size_t count);

/// Changes bits of one byte where it lies. False when there is no such byte.
bool simulated_disk_flip(simulated_disk *disk, const char *name, int64_t offset, uint8_t bits);

#endif
