#include "disk.h"
#include <stdlib.h>
#include <string.h>

node *node_make(void) {
    node *made = calloc(1, sizeof(node));
    if (made) made->references = 1;
    return made;
}

static void forget_unsynced(node *node) {
    while (node->first) {
        unsynced *next = node->first->next;
        free(node->first);
        node->first = next;
    }
    node->last = NULL;
}

void node_release(node *node) {
    if (!node || --node->references > 0) return;
    forget_unsynced(node);
    free(node->written.bytes);
    free(node->durable.bytes);
    for (int index = 0; index < node->memory.count; index++) free(node->memory.regions[index]);
    free(node->memory.regions);
    free(node);
}

static bool remember(
    node *node, bool truncates, int64_t offset, const uint8_t *bytes, size_t count
) {
    unsynced *change = malloc(sizeof(unsynced) + count);
    if (!change) return false;
    change->next = NULL;
    change->truncates = truncates;
    change->offset = offset;
    change->count = count;
    if (count) memcpy(change->bytes, bytes, count);
    if (node->last) node->last->next = change;
    else node->first = change;
    node->last = change;
    return true;
}

bool node_write(node *node, int64_t offset, const uint8_t *bytes, size_t count) {
    return remember(node, false, offset, bytes, count)
        && image_write(&node->written, offset, bytes, count);
}

bool node_truncate(node *node, int64_t size) {
    return remember(node, true, size, NULL, 0) && image_truncate(&node->written, size);
}

bool node_sync(node *node) {
    for (unsynced *one = node->first; one; one = one->next) {
        bool is_done = one->truncates
            ? image_truncate(&node->durable, one->offset)
            : image_write(&node->durable, one->offset, one->bytes, one->count);
        if (!is_done) return false;
    }
    forget_unsynced(node);
    return true;
}
