// What the control groups that hold this process allow it: the least of the limits from its own
// group up to the root. Private to src/base.
#ifndef TL_BASE_CGROUP_H
#define TL_BASE_CGROUP_H

#include "base/base.h"

// A small file of the kernel's, terminated; false when there is none.
bool tl_read_small(const char *path, char *out, size_t size);

// The least of what `parse` makes of the group's `file` (control groups v2: "cpu.max") in every
// group from this process's up to the root; SIZE_MAX where none has one. `parse` returns SIZE_MAX
// for a text that sets no limit.
size_t tl_cgroup_least(const char *file, size_t (*parse)(const char *text));

#endif
