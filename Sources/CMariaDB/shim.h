#pragma once
#include <mysql.h>
#include <mysqld_error.h>
#include <errmsg.h>
#include <string.h>

// MYSQL_BIND has a union and is laid out by the library's version: it is filled here.

// A parameter: one value, or with an array size set on the statement a column of them (then `buffer` is an
// array of numbers, or of pointers with their lengths).
static inline void moorage_bind_parameter(
    MYSQL_BIND *bind, enum enum_field_types type, void *buffer, unsigned long *lengths,
    char *indicators) {
  memset(bind, 0, sizeof(*bind));
  bind->buffer_type = type;
  bind->buffer = buffer;
  bind->length = lengths;
  // Arrays read the one, single values the other; 1 is NULL to both.
  bind->u.indicator = indicators;
  bind->is_null = (my_bool *)indicators;
}

// A column of a result.
static inline void moorage_bind_result(
    MYSQL_BIND *bind, enum enum_field_types type, void *buffer, unsigned long capacity,
    unsigned long *length, my_bool *is_null) {
  memset(bind, 0, sizeof(*bind));
  bind->buffer_type = type;
  bind->buffer = buffer;
  bind->buffer_length = capacity;
  bind->length = length;
  bind->is_null = is_null;
}
