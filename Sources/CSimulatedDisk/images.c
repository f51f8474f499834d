#include "disk.h"
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

static bool image_reserve(image *image, size_t count) {
    if (count <= image->capacity) return true;
    size_t capacity = image->capacity ? image->capacity : 4096;
    while (capacity < count) capacity *= 2;
    uint8_t *bytes = realloc(image->bytes, capacity);
    if (!bytes) return false;
    image->bytes = bytes;
    image->capacity = capacity;
    return true;
}

bool image_write(image *image, int64_t offset, const uint8_t *bytes, size_t count) {
    size_t start = (size_t)offset;
    if (!image_reserve(image, start + count)) return false;
    // A gap reads as zeros.
    if (start > image->count) memset(image->bytes + image->count, 0, start - image->count);
    if (count) memcpy(image->bytes + start, bytes, count);
    if (start + count > image->count) image->count = start + count;
    return true;
}

bool image_truncate(image *image, int64_t size) {
    if ((size_t)size > image->count) return image_write(image, size, NULL, 0);
    image->count = (size_t)size;
    return true;
}

bool image_copy(image *to, const image *from) {
    to->count = 0;
    return from->count == 0 || image_write(to, 0, from->bytes, from->count);
}

/// The sectors of a write that reached the disk.
static bool keep_sectors(node *node, const unsynced *change, uint64_t *random) {
    size_t done = 0;
    while (done < change->count) {
        size_t position = (size_t)change->offset + done;
        size_t count = SECTOR - position % SECTOR;
        if (count > change->count - done) count = change->count - done;
        if (next_random(random) & 1) {
            if (!image_write(&node->durable, (int64_t)position, change->bytes + done, count)) {
                return false;
            }
        }
        done += count;
    }
    return true;
}

bool node_keep_part(node *node, uint64_t *random) {
    int64_t changes = 0;
    for (unsynced *one = node->first; one; one = one->next) changes++;
    // Half of the crashes cut the order of the writes, and tear the last one; the others lose sectors
    // anywhere, as a disk does that reorders.
    bool in_order = next_random(random) & 1;
    int64_t whole = changes ? (int64_t)(next_random(random) % (uint64_t)(changes + 1)) : 0;
    int64_t index = 0;
    for (unsynced *one = node->first; one; one = one->next, index++) {
        if (in_order && index > whole) break;
        if (one->truncates) {
            bool is_kept = in_order ? index < whole : next_random(random) & 1;
            if (is_kept && !image_truncate(&node->durable, one->offset)) return false;
        } else if (in_order && index < whole) {
            if (!image_write(&node->durable, one->offset, one->bytes, one->count)) return false;
        } else if (!keep_sectors(node, one, random)) {
            return false;
        }
    }
    return true;
}
