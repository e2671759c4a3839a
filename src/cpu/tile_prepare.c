// Makes a program of a nest: walks with neighbouring dims merged, rows or columns, what a kernel
// reduces as it lies, and slots for registers (tile.c says what they are).
#include "cpu/tile_program.h"

static size_t product(const int64_t *extent, uint32_t from, uint32_t to) {
  size_t n = 1;
  for (uint32_t d = from; d < to; d++)
    n *= (size_t)extent[d];
  return n;
}

static bool make_walk(const loop_nest *n, const loop_map *m, uint32_t from, uint32_t to,
                      tl_arena *arena, tile_walk *w) {
  w->extent = TL_NEW(arena, size_t, to - from + 1);
  w->stride = TL_NEW(arena, int64_t, to - from + 1);
  if (!w->extent || !w->stride) return false;
  for (uint32_t d = from; d < to; d++) {
    const int64_t extent = n->extent[d], stride = m->stride[d];
    if (extent == 1) continue;
    const uint32_t last = w->rank - 1;
    if (w->rank && w->stride[last] == stride * extent) {
      w->extent[last] *= (size_t)extent;
      w->stride[last] = stride;
    } else {
      w->extent[w->rank] = (size_t)extent;
      w->stride[w->rank++] = stride;
    }
  }
  if (w->rank == 1 && w->stride[0] == 0) w->rank = 0;
  return true;
}

static bool as_f32(tl_dtype d) { // held so, and something narrower in memory
  tl_reg r;
  return d != TL_DTYPE_F32 && loop_reg_of(d, &r) && r == TL_REG_F32;
}
static uint32_t inner_stride_is_one(const tile_walk *w) {
  return w->rank > 0 && w->stride[w->rank - 1] == 1;
}

// Registers: a slot each for what the head holds and the reduction keeps, shared ones for the rest.
static bool give_slots(tile_program *p, tl_arena *arena) {
  const loop_nest *n = p->nest;
  uint32_t *last = TL_NEW(arena, uint32_t, n->n_insts + 1); // position of the last use, + 1
  uint16_t *slot_of = TL_NEW(arena, uint16_t, n->n_insts + 1);
  uint32_t *freed = TL_NEW(arena, uint32_t, n->n_insts + 2 * n->n_states + LANES + 4);
  if (!last || !slot_of || !freed) return false;
  const uint32_t end = p->begin[LOOP_TAIL + 1];
  for (uint32_t at = 0; at < end; at++)
    for (int k = 0; k < loop_n_args(p->insts[at].i); k++)
      if (p->insts[at].i->arg[k] != LOOP_NONE) last[p->insts[at].i->arg[k]] = at + 1;
  for (int k = 0; k < 2; k++)
    if (n->term[k] != LOOP_NONE) last[n->term[k]] = end + 1;
  for (uint32_t s = 0; n->reduce == LOOP_FOLD && s < n->n_states; s++)
    last[n->next[s]] = last[n->init[s]] = end + 1;
  uint16_t slots = 0;
  p->state = slots, slots = (uint16_t)(slots + TL_MAX(n->n_states, 2u)); // DOT: total, chain
  p->spare = slots, slots = (uint16_t)(slots + n->n_states);
  p->lanes = slots;
  if (n->reduce == LOOP_SUM)
    slots = (uint16_t)(slots + LANES * SUM_COLUMNS / TILE * (p->bare ? 2 : 1));
  uint32_t n_free = 0;
  for (uint32_t at = 0; at < end; at++) {
    tile_inst *t = &p->insts[at];
    if (t->i->kind == LOOP_STORE) continue;
    if (t->i->kind == LOOP_STATE || t->i->kind == LOOP_RESULT) {
      t->slot = slot_of[t->number] = (uint16_t)(p->state + t->i->index);
      continue;
    }
    // An operand that dies here may be overwritten: scalars go element by element.
    const bool in_place = t->i->kind == LOOP_SCALAR && t->i->op != TL_SCALAR_CONVERT &&
                          loop_reg_size(t->i->from) == loop_reg_size(t->i->type) &&
                          t->i->op != TL_SCALAR_SELECT;
    for (int k = 0; in_place && k < 3 && t->slot == 0; k++) {
      const uint16_t a = t->i->arg[k];
      if (a == LOOP_NONE || last[a] != at + 1) continue;
      const loop_inst *x = &n->insts[a];
      if (x->section == LOOP_HEAD || x->kind == LOOP_STATE || x->kind == LOOP_RESULT) continue;
      t->slot = slot_of[a];
      last[a] = 0; // not freed below
    }
    if (t->slot == 0) t->slot = n_free ? (uint16_t)freed[--n_free] : slots++;
    slot_of[t->number] = t->slot;
    for (int k = 0; k < loop_n_args(t->i); k++) {
      const uint16_t a = t->i->arg[k];
      if (a == LOOP_NONE || last[a] != at + 1) continue;
      last[a] = 0;
      const loop_inst *x = &n->insts[a];
      if (x->section != LOOP_HEAD && x->kind != LOOP_STATE && x->kind != LOOP_RESULT)
        freed[n_free++] = slot_of[a];
    }
  }
  p->n_slots = slots;
  return true;
}

// The value of a store that follows at once, and that nobody else wants, is computed in its place.
static void find_direct(tile_program *p) {
  const loop_nest *n = p->nest;
  for (uint32_t at = p->begin[LOOP_TAIL]; at + 1 < p->begin[LOOP_TAIL + 1]; at++) {
    tile_inst *t = &p->insts[at];
    const tile_inst *s = &p->insts[at + 1];
    const bool computes =
        t->i->kind == LOOP_SCALAR || t->i->kind == LOOP_REF || t->i->kind == LOOP_INDEX;
    if (!computes || s->i->kind != LOOP_STORE || s->i->arg[0] != t->number || !s->same ||
        !tile_dense(&s->kept))
      continue;
    t->direct = true;
    for (uint32_t later = at + 2; later < p->begin[LOOP_TAIL + 1]; later++)
      for (int k = 0; k < loop_n_args(p->insts[later].i); k++)
        if (p->insts[later].i->arg[k] == t->number) t->direct = false;
  }
  (void)n;
}

static bool simple_fold(const loop_nest *n) {
  if (!n->free_order || n->n_states != 1) return false;
  const loop_inst *i = &n->insts[n->next[0]];
  return i->kind == LOOP_SCALAR && i->section == LOOP_COMBINE && i->arg[1] != LOOP_NONE &&
         i->arg[2] == LOOP_NONE && n->insts[i->arg[0]].kind == LOOP_STATE &&
         n->insts[i->arg[1]].section != LOOP_COMBINE;
}

static void choose_order(tile_program *p) {
  const loop_nest *n = p->nest;
  uint32_t along_kept = 0, along_reduced = 0, bad_kept = 0, bad_reduced = 0; // bad: they jump
  for (uint32_t at = p->begin[LOOP_BODY]; at < p->begin[LOOP_COMBINE]; at++) {
    const tile_inst *t = &p->insts[at];
    if (t->i->kind != LOOP_LOAD) continue;
    along_kept += inner_stride_is_one(&t->kept);
    along_reduced += inner_stride_is_one(&t->reduced);
    bad_kept += t->kept.rank > 0 && !inner_stride_is_one(&t->kept);
    bad_reduced += t->reduced.rank > 0 && !inner_stride_is_one(&t->reduced);
  }
  const bool can = n->reduce == LOOP_SUM || (n->reduce == LOOP_FOLD && simple_fold(n));
  const bool better =
      bad_kept != bad_reduced ? bad_reduced < bad_kept : along_reduced >= along_kept;
  p->by_rows = can && p->n_reduced >= 16 && (p->n_kept < 16 || (better && p->n_reduced >= 32));
  p->columns = n->reduce == LOOP_SUM ? SUM_COLUMNS : TILE;
}

static bool bare_type(tl_dtype d, tl_reduce_from *out) {
  *out = d == TL_DTYPE_F64    ? TL_REDUCE_F64
         : d == TL_DTYPE_BF16 ? TL_REDUCE_BF16
         : d == TL_DTYPE_F16  ? TL_REDUCE_F16
                              : TL_REDUCE_F32;
  return d == TL_DTYPE_F32 || *out != TL_REDUCE_F32;
}

// Terms that are loaded and no more, and a way that lets whole runs of memory be taken.
static void find_bare(tile_program *p) {
  const loop_nest *n = p->nest;
  const uint32_t terms = p->begin[LOOP_COMBINE] - p->begin[LOOP_BODY];
  const tile_inst *t = &p->insts[p->begin[LOOP_BODY]];
  if (p->n_reduced == 0 || (n->reduce != LOOP_SUM && n->reduce != LOOP_FOLD) || terms != 1 ||
      t->i->kind != LOOP_LOAD || t->i->arg[0] != LOOP_NONE ||
      !bare_type(n->arrays[t->i->array].dtype, &p->bare_from))
    return;
  const tile_walk *w = &t->reduced;
  const bool runs = w->rank == 2 && w->stride[1] == 1 && w->extent[1] % LANES == 0;
  const tile_walk *kept = &t->kept;
  const bool wide = inner_stride_is_one(kept) && kept->extent[kept->rank - 1] >= BARE_LEAST;
  if (p->by_rows ? !tile_dense(w) && !runs : !wide) return;
  if (n->reduce == LOOP_SUM) {
    p->bare_op = TL_REDUCE_SUM;
    if (n->term[0] != t->number) return;
  } else {
    if (!simple_fold(n) || p->bare_from == TL_REDUCE_F64) return;
    const loop_inst *next = &n->insts[n->next[0]];
    p->bare_op = next->op == TL_SCALAR_MAX ? TL_REDUCE_MAX : TL_REDUCE_MIN;
    if ((next->op != TL_SCALAR_MAX && next->op != TL_SCALAR_MIN) || next->arg[1] != t->number ||
        p->begin[LOOP_TAIL] - p->begin[LOOP_COMBINE] != 2)
      return;
  }
  p->bare = true;
  p->bare_load = t;
  if (p->bare_op == TL_REDUCE_SUM && p->bare_from != TL_REDUCE_F64) p->columns = BARE_COLUMNS;
}

bool tile_bare(const tile_program *p) { return p->bare; }

const tile_program *tile_prepare(const loop_nest *nest, tl_arena *arena) {
  tile_program *p = TL_NEW(arena, tile_program, 1);
  if (!p) return NULL;
  p->nest = nest;
  p->insts = TL_NEW(arena, tile_inst, nest->n_insts + 1);
  if (!p->insts) return NULL;
  uint32_t at = 0;
  for (int section = LOOP_HEAD; section <= LOOP_TAIL; section++) {
    p->begin[section] = at;
    for (uint32_t i = 0; i < nest->n_insts; i++) {
      if (nest->insts[i].section != (loop_section)section) continue;
      tile_inst *t = &p->insts[at++];
      t->i = &nest->insts[i];
      t->number = (uint16_t)i;
      if (!tile_has_place(t->i->kind)) continue;
      const loop_map *m = &nest->maps[t->i->map];
      if (!make_walk(nest, m, 0, nest->n_kept, arena, &t->kept) ||
          !make_walk(nest, m, nest->n_kept, nest->n_dims, arena, &t->reduced))
        return NULL;
      if (t->i->kind == LOOP_INDEX) continue;
      const tl_dtype d = nest->arrays[t->i->array].dtype;
      t->size = tl_dtype_get(d)->size;
      t->same = !as_f32(d);
    }
  }
  p->begin[LOOP_TAIL + 1] = at;
  p->n_kept = product(nest->extent, 0, nest->n_kept);
  p->n_reduced = product(nest->extent, nest->n_kept, nest->n_dims);
  choose_order(p);
  find_bare(p);
  find_direct(p);
  return give_slots(p, arena) ? p : NULL;
}

size_t tile_scratch_size(const tile_program *p) {
  return tile_state_size(p) + (size_t)p->n_slots * SLOT + SLOT;
}

size_t tile_work(const tile_program *p) {
  const size_t tail = p->begin[LOOP_TAIL + 1] - p->begin[LOOP_TAIL],
               body = p->begin[LOOP_TAIL] - p->begin[LOOP_BODY] + 1;
  size_t total, inner;
  if (!TL_MUL_OK(p->n_kept, p->n_reduced, &inner) || !TL_MUL_OK(inner, body, &inner))
    return SIZE_MAX;
  if (p->nest->reduce == LOOP_EACH) inner = 0;
  return TL_MUL_OK(p->n_kept, tail, &total) && TL_ADD_OK(total, inner, &total) ? total : SIZE_MAX;
}

size_t tile_grain(const tile_program *p) { return p->by_rows ? 1 : GRAIN; }
