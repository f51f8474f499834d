#include "disk.h"
#include <stdlib.h>
#include <string.h>

static void point(node **place, node *to) {
    if (to) to->references++;
    node_release(*place);
    *place = to;
}

entry *directory_find(simulated_disk *disk, const char *name) {
    for (entry *one = disk->entries; one; one = one->next) {
        if (strcmp(one->name, name) == 0) return one;
    }
    return NULL;
}

entry *directory_add(simulated_disk *disk, const char *name) {
    entry **place = &disk->entries;
    while (*place && strcmp((*place)->name, name) < 0) place = &(*place)->next;
    if (*place && strcmp((*place)->name, name) == 0) return *place;
    size_t count = strlen(name) + 1;
    entry *made = calloc(1, sizeof(entry) + count);
    if (!made) return NULL;
    memcpy(made->name, name, count);
    made->next = *place;
    *place = made;
    return made;
}

bool directory_change_to(simulated_disk *disk, entry *entry, node *node) {
    directory_change *change = calloc(1, sizeof(directory_change));
    if (!change) return false;
    change->entry = entry;
    point(&change->node, node);
    point(&entry->written, node);
    if (disk->last_change) disk->last_change->next = change;
    else disk->first_change = change;
    disk->last_change = change;
    return true;
}

/// Makes the directory safe: all of it, or one name, as a sync of that file does.
void directory_sync(simulated_disk *disk, entry *only) {
    directory_change **place = &disk->first_change;
    disk->last_change = NULL;
    while (*place) {
        directory_change *change = *place;
        if (only && change->entry != only) {
            disk->last_change = change;
            place = &change->next;
            continue;
        }
        point(&change->entry->durable, change->node);
        point(&change->node, NULL);
        *place = change->next;
        free(change);
    }
}

/// Forgets every name and every change of one. Handles that are open hold their nodes alone.
void directory_clear(simulated_disk *disk) {
    while (disk->first_change) {
        directory_change *next = disk->first_change->next;
        point(&disk->first_change->node, NULL);
        free(disk->first_change);
        disk->first_change = next;
    }
    disk->last_change = NULL;
    for (entry *one = disk->entries; one; one = one->next) {
        point(&one->written, NULL);
        point(&one->durable, NULL);
    }
}

// A crash

/// The file as the disk has it when the power comes back.
static bool wake(entry *entry, uint64_t *random) {
    node *lost = entry->durable;
    node *found = NULL;
    if (lost) {
        found = node_make();
        if (!found) return false;
        bool is_whole = node_keep_part(lost, random)
            && image_copy(&found->durable, &lost->durable)
            && image_copy(&found->written, &lost->durable);
        if (!is_whole) {
            node_release(found);
            return false;
        }
    }
    point(&entry->written, found);
    point(&entry->durable, found);
    node_release(found);
    return true;
}

bool simulated_disk_crash(simulated_disk *disk, uint64_t seed) {
    uint64_t random = seed;
    sqlite3_mutex_enter(disk->mutex);
    disk->generation++;
    disk->is_off = false;
    while (disk->first_change) {
        directory_change *change = disk->first_change;
        if (next_random(&random) & 1) point(&change->entry->durable, change->node);
        point(&change->node, NULL);
        disk->first_change = change->next;
        free(change);
    }
    disk->last_change = NULL;
    bool is_whole = true;
    for (entry *one = disk->entries; one; one = one->next) {
        is_whole = wake(one, &random) && is_whole;
    }
    sqlite3_mutex_leave(disk->mutex);
    return is_whole;
}

// Files from outside

int64_t simulated_disk_file_count(simulated_disk *disk) {
    int64_t count = 0;
    sqlite3_mutex_enter(disk->mutex);
    for (entry *one = disk->entries; one; one = one->next) count += one->written ? 1 : 0;
    sqlite3_mutex_leave(disk->mutex);
    return count;
}

void simulated_disk_each_file(
    simulated_disk *disk, void *context,
    void (*visit)(void *context, const char *name, const uint8_t *bytes, size_t count)
) {
    sqlite3_mutex_enter(disk->mutex);
    for (entry *one = disk->entries; one; one = one->next) {
        if (!one->written) continue;
        visit(context, one->name, one->written->written.bytes, one->written->written.count);
    }
    sqlite3_mutex_leave(disk->mutex);
}

void simulated_disk_erase(simulated_disk *disk) {
    sqlite3_mutex_enter(disk->mutex);
    disk->generation++;
    disk->is_off = false;
    directory_clear(disk);
    sqlite3_mutex_leave(disk->mutex);
}

bool simulated_disk_put(
    simulated_disk *disk, const char *name, const uint8_t *bytes, size_t count
) {
    sqlite3_mutex_enter(disk->mutex);
    entry *entry = directory_add(disk, name);
    node *node = entry ? node_make() : NULL;
    bool is_done = node && node_write(node, 0, bytes, count) && node_sync(node)
        && directory_change_to(disk, entry, node);
    if (is_done) directory_sync(disk, entry);
    node_release(node);
    sqlite3_mutex_leave(disk->mutex);
    return is_done;
}

bool simulated_disk_flip(simulated_disk *disk, const char *name, int64_t offset, uint8_t bits) {
    sqlite3_mutex_enter(disk->mutex);
    entry *entry = directory_find(disk, name);
    node *node = entry ? entry->written : NULL;
    bool is_there = node && offset >= 0 && (uint64_t)offset < node->written.count;
    if (is_there) {
        node->written.bytes[offset] ^= bits;
        if ((uint64_t)offset < node->durable.count) node->durable.bytes[offset] ^= bits;
        for (unsynced *one = node->first; one; one = one->next) {
            int64_t index = offset - one->offset;
            if (index >= 0 && (uint64_t)index < one->count) one->bytes[index] ^= bits;
        }
    }
    sqlite3_mutex_leave(disk->mutex);
    return is_there;
}
