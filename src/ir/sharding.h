// Where values lie: meshes of devices, shardings over their axes (Shardy's attributes), and the
// groups that collectives split a grid of processes into.
//
// A mesh names a grid of devices: device (or partition) number = row-major place of its
// coordinates, or device_ids at that place. A sharding splits each dim of a tensor over some axes,
// the first the slowest. An axis may be split further: "x":(2)4 is the middle part of x = 2 × 4 ×
// rest.
#ifndef TL_IR_SHARDING_H
#define TL_IR_SHARDING_H

#include "base/arena.h"
#include "base/str.h"

typedef struct tl_module tl_module;

typedef struct tl_axis {
  tl_str name;
  int64_t size;
} tl_axis;

typedef struct tl_mesh tl_mesh;
struct tl_mesh {
  tl_str name; // without @; empty for one written in place
  const tl_axis *axes;
  uint32_t n_axes;
  const int64_t *device_ids; // [n_ids]
  uint32_t n_ids;            // 0: device i is at place i
  bool stablehlo;            // carries stablehlo.mesh as well, which says the same
  tl_mesh *next;
};

typedef struct tl_axis_ref {
  tl_str name;
  int64_t pre, size; // of a part of the axis; size 0: the whole axis
} tl_axis_ref;

typedef struct tl_axis_refs {
  const tl_axis_ref *ptr;
  uint32_t len;
} tl_axis_refs;

typedef struct tl_dim_sharding {
  tl_axis_refs axes;
  bool open;        // may be split further: {"x", ?}
  int64_t priority; // p0, p1, …; -1: none is given
} tl_dim_sharding;

typedef struct tl_sharding {
  tl_str mesh;
  const tl_dim_sharding *dims; // [rank]
  uint32_t rank;
  tl_axis_refs replicated, unreduced;
} tl_sharding;

typedef struct tl_shardings {
  const tl_sharding *ptr;
  uint32_t len;
} tl_shardings;

typedef struct tl_names {
  const tl_str *ptr;
  uint32_t len;
  uint32_t n_columns; // of a list of lists; else 0
} tl_names;

// replica_groups: ids written out, or every group of devices that differ in some axes of a mesh
// alone.
typedef struct tl_groups {
  const int64_t *ids; // [n][size]; -1 fills up a short group
  uint32_t n, size;
  tl_axis_refs axes;   // of a mesh, when one of the next two is there: ids is NULL then
  tl_str mesh;         // by name
  const tl_mesh *here; // written in place
} tl_groups;

enum { TL_MAX_DEVICES = 1024, TL_MAX_AXES = 16 }; // of one mesh or grid

const tl_mesh *tl_mesh_find(const tl_module *m, tl_str name); // NULL when absent
// Devices of a mesh: 1 without axes; 0 when there are more than TL_MAX_DEVICES.
int64_t tl_mesh_size(const tl_mesh *mesh);
// The number of devices that an axis or a part of one has; 0 when the mesh has no such.
int64_t tl_axis_ref_size(const tl_mesh *mesh, const tl_axis_ref *ref);
// The product over refs, 0 as above. Only those named in `only` count when it is not NULL.
int64_t tl_axis_refs_size(const tl_mesh *mesh, tl_axis_refs refs, const tl_names *only);
// The number that the device at `place` (row-major in the mesh) has along refs: mixed radix, the
// first the slowest. Every ref is one of the mesh's.
int64_t tl_axis_refs_index(const tl_mesh *mesh, tl_axis_refs refs, const tl_names *only,
                           int64_t place);
bool tl_names_has(const tl_names *names, tl_str name);
// The device at a place of the mesh.
static inline int64_t tl_mesh_device(const tl_mesh *mesh, int64_t place) {
  return mesh->n_ids == 0 ? place : mesh->device_ids[place];
}

// The groups written out, in `arena`; those of a mesh are found in m. NULL: the mesh or an axis is
// not there, or memory.
const tl_groups *tl_groups_resolve(const tl_module *m, const tl_groups *groups, tl_arena *arena);

bool tl_sharding_eq(const tl_sharding *a, const tl_sharding *b); // NULL is allowed
bool tl_shardings_eq(const tl_shardings *a, const tl_shardings *b);
bool tl_names_eq(const tl_names *a, const tl_names *b);
bool tl_groups_eq(const tl_groups *a, const tl_groups *b);
bool tl_mesh_eq(const tl_mesh *a, const tl_mesh *b);

// Copies that own all that they refer to, in `arena`; NULL when memory is gone, or for NULL.
const tl_sharding *tl_sharding_copy(tl_arena *arena, const tl_sharding *s);
const tl_shardings *tl_shardings_copy(tl_arena *arena, const tl_shardings *s);
const tl_names *tl_names_copy(tl_arena *arena, const tl_names *n);
const tl_groups *tl_groups_copy(tl_arena *arena, const tl_groups *g);
tl_mesh *tl_mesh_copy(tl_arena *arena, const tl_mesh *m); // next is NULL

#endif
