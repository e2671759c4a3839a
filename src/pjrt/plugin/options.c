// A reader of the protocol buffer wire format, for a few numbers: field 3
// (executable_build_options) holds fields 4 (num_replicas), 5 (num_partitions), 6
// (use_spmd_partitioning) and 9 (device_assignment, whose field 3, once a partition, holds field 1,
// its replicas' devices, packed or not). Frameworks send a kilobyte, mostly
// debugging flags of their own compiler, which is skipped by its lengths. The bytes come from
// outside.
#include "pjrt/plugin/options.h"

typedef struct reader {
  const uint8_t *at, *end, *start;
} reader;

static tl_status cut(const reader *r) {
  return TL_ERROR(INVALID_ARGUMENT, "compile options: damaged at byte %zu of %zu",
                  (size_t)(r->at - r->start), (size_t)(r->end - r->start));
}

static bool varint(reader *r, uint64_t *out) {
  *out = 0;
  for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

typedef struct field {
  uint64_t number, value; // value: of a varint
  reader body;            // of a message or text
  unsigned kind;          // 0 varint, 1 eight bytes, 2 with a length, 5 four bytes
} field;

static bool next_field(reader *r, field *f) {
  uint64_t tag, size = 0;
  if (!varint(r, &tag)) return false;
  f->number = tag >> 3;
  f->kind = (unsigned)(tag & 7);
  if (f->kind == 0) return varint(r, &f->value);
  if (f->kind == 1)
    size = 8;
  else if (f->kind == 5)
    size = 4;
  else if (f->kind != 2 || !varint(r, &size))
    return false;
  if (size > (uint64_t)(r->end - r->at)) return false;
  f->body = (reader){r->at, r->at + size, r->start};
  r->at += size;
  return true;
}

static bool add_device(tlp_compile_options *out, uint64_t id) {
  if (out->n_devices == TLP_MAX_ASSIGNED) return false;
  out->devices[out->n_devices++] = (int64_t)id;
  return true;
}

// ComputationDevice: the devices of one partition's replicas.
static bool read_computation(reader r, tlp_compile_options *out) {
  field f;
  while (r.at < r.end) {
    if (!next_field(&r, &f)) return false;
    if (f.number != 1) continue;
    if (f.kind == 0 && !add_device(out, f.value)) return false;
    while (f.kind == 2 && f.body.at < f.body.end) {
      uint64_t id;
      if (!varint(&f.body, &id) || !add_device(out, id)) return false;
    }
  }
  return true;
}

static bool read_assignment(reader r, tlp_compile_options *out) {
  field f;
  while (r.at < r.end) {
    if (!next_field(&r, &f)) return false;
    if (f.number == 3 && f.kind == 2 && !read_computation(f.body, out)) return false;
  }
  return true;
}

tl_status tlp_options_read(tl_str bytes, tlp_compile_options *out) {
  const uint8_t *start = (const uint8_t *)bytes.ptr;
  reader r = {start, start + bytes.len, start};
  field f, g;
  *out = (tlp_compile_options){0};
  while (r.at < r.end) {
    if (!next_field(&r, &f)) return cut(&r);
    if (f.number != 3 || f.kind != 2) continue;
    while (f.body.at < f.body.end) {
      if (!next_field(&f.body, &g)) return cut(&f.body);
      if (g.number == 9 && g.kind == 2) {
        out->n_devices = 0;
        if (!read_assignment(g.body, out))
          return TL_ERROR(
              INVALID_ARGUMENT,
              "compile options: a damaged device assignment, or of more than %d devices",
              TLP_MAX_ASSIGNED);
      }
      if (g.kind != 0) continue;
      if (g.number == 6) out->spmd = g.value != 0;
      if (g.number == 4) out->num_replicas = (int64_t)g.value;
      if (g.number == 5) out->num_partitions = (int64_t)g.value;
    }
  }
  return TL_OK;
}
