#include "cpu/loop.h"

#include <inttypes.h>

bool loop_reg_of(tl_dtype d, tl_reg *out) {
  switch (d) {
#define SAME(id)        \
  case TL_DTYPE_##id:   \
    *out = TL_REG_##id; \
    return true;
    SAME(I1)
    SAME(S8)
    SAME(S16)
    SAME(S32)
    SAME(S64)
    SAME(U8)
    SAME(U16)
    SAME(U32)
    SAME(U64)
    SAME(F32)
    SAME(F64)
#undef SAME
  case TL_DTYPE_S2:
  case TL_DTYPE_S4:
    *out = TL_REG_S8;
    return true;
  case TL_DTYPE_U2:
  case TL_DTYPE_U4:
    *out = TL_REG_U8;
    return true;
  case TL_DTYPE_BF16:
  case TL_DTYPE_F16:
#define TL_MINIFLOAT(id, ...) case TL_DTYPE_##id:
#include "base/minifloats.def"
#undef TL_MINIFLOAT
    *out = TL_REG_F32;
    return true;
  default:
    return false;
  }
}

bool loop_minifloat(tl_dtype d, tl_minifloat *out) {
  switch (d) {
#define TL_MINIFLOAT(id, ...) \
  case TL_DTYPE_##id:         \
    *out = TL_MINIFLOAT_##id; \
    return true;
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  default:
    return false;
  }
}

bool loop_moves(tl_dtype d, tl_dtype *out_as, tl_reg *out) {
  *out_as = d;
  if (loop_reg_of(d, out)) return true;
  switch (tl_dtype_get(d)->size) {
  case 1:
    *out_as = TL_DTYPE_U8;
    break;
  case 2:
    *out_as = TL_DTYPE_U16;
    break;
  case 4:
    *out_as = TL_DTYPE_U32;
    break;
  case 8:
    *out_as = TL_DTYPE_U64;
    break;
  default:
    return false;
  }
  return loop_reg_of(*out_as, out);
}

size_t loop_reg_size(tl_reg r) {
  static const uint8_t sizes[] = {
#define X(id, type, name) sizeof(type),
      TL_REGS(X)
#undef X
  };
  return sizes[r];
}

const char *loop_reg_name(tl_reg r) {
  static const char *const names[] = {
#define X(id, type, name) name,
      TL_REGS(X)
#undef X
  };
  return names[r];
}

const char *loop_scalar_name(tl_scalar s) {
  static const char *const names[] = {
#define TL_SCALAR(id, name, in, types) name,
#include "cpu/kernels/scalars.def"
#undef TL_SCALAR
  };
  return names[s];
}

static uint32_t scalar_arity(tl_scalar s) {
  static const uint8_t arity[] = {
#define TL_SCALAR(id, name, in, types) in,
#include "cpu/kernels/scalars.def"
#undef TL_SCALAR
  };
  return arity[s];
}

// --- text ---

static void print_map(const loop_nest *n, const loop_map *m, tl_buf *out) {
  bool any = false;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    if (m->stride[d] == 0) continue;
    const bool minus = m->stride[d] < 0;
    const uint64_t size = minus ? 0 - (uint64_t)m->stride[d] : (uint64_t)m->stride[d];
    tl_buf_cstr(out, any ? minus ? " - " : " + " : minus ? "-" : "");
    if (size != 1) tl_buf_printf(out, "%" PRIu64 "*", size);
    tl_buf_printf(out, "d%u", d);
    any = true;
  }
  if (m->offset != 0 || !any)
    tl_buf_printf(out, "%s%" PRId64, !any ? "" : m->offset >= 0 ? " + " : " ", m->offset);
}

static void print_place(const loop_nest *n, const loop_inst *i, uint16_t dynamic, tl_buf *out) {
  const loop_array *a = &n->arrays[i->array];
  tl_buf_printf(out, "%s%u[", a->out ? "out" : "in", i->array);
  print_map(n, &n->maps[i->map], out);
  if (dynamic != LOOP_NONE) tl_buf_printf(out, " + %%%u", dynamic);
  tl_buf_char(out, ']');
}

static void print_inst(const loop_nest *n, uint32_t at, tl_buf *out) {
  const loop_inst *i = &n->insts[at];
  tl_buf_cstr(out, "  ");
  if (i->kind != LOOP_STORE) tl_buf_printf(out, "%%%u = ", at);
  switch (i->kind) {
  case LOOP_CONST:
    tl_buf_printf(out, "const %s 0x%" PRIx64, loop_reg_name(i->type), i->bits);
    break;
  case LOOP_INDEX:
    tl_buf_cstr(out, "index ");
    print_map(n, &n->maps[i->map], out);
    break;
  case LOOP_LOAD:
    tl_buf_printf(out, "load %s ", tl_dtype_get(n->arrays[i->array].dtype)->mlir);
    print_place(n, i, i->arg[0], out);
    break;
  case LOOP_STORE:
    tl_buf_printf(out, "store %s ", tl_dtype_get(n->arrays[i->array].dtype)->mlir);
    print_place(n, i, i->arg[1], out);
    tl_buf_printf(out, ", %%%u", i->arg[0]);
    break;
  case LOOP_SCALAR:
  case LOOP_REF:
    tl_buf_printf(out, "%s%s", i->kind == LOOP_REF ? "ref." : "",
                  i->kind == LOOP_REF ? tl_op_get((tl_opcode)i->op)->mnemonic
                                      : loop_scalar_name((tl_scalar)i->op));
    if (i->from != i->type) tl_buf_printf(out, " %s ->", loop_reg_name(i->from));
    tl_buf_printf(out, " %s", loop_reg_name(i->type));
    for (int k = 0; k < 3 && i->arg[k] != LOOP_NONE; k++)
      tl_buf_printf(out, "%s%%%u", k ? ", " : " ", i->arg[k]);
    break;
  case LOOP_COMPLEX:
    tl_buf_printf(out, "complex.%s %s", tl_op_get((tl_opcode)i->op)->mnemonic,
                  loop_reg_name(i->type));
    for (int k = 0; k < LOOP_MAX_ARGS && i->arg[k] != LOOP_NONE; k++)
      tl_buf_printf(out, "%s%%%u", k ? ", " : " ", i->arg[k]);
    break;
  case LOOP_IMAG:
    tl_buf_printf(out, "imag %s %%%u", loop_reg_name(i->type), i->arg[0]);
    break;
  case LOOP_ROUND:
    tl_buf_printf(out, "round %s -> %s %%%u", loop_reg_name(i->from),
                  tl_dtype_get((tl_dtype)i->op)->mlir, i->arg[0]);
    break;
  case LOOP_NARROW:
    tl_buf_printf(out, "narrow %s e%u m%u %%%u", tl_dtype_get((tl_dtype)i->op)->mlir,
                  (unsigned)(i->bits >> 32), (unsigned)(uint32_t)i->bits, i->arg[0]);
    break;
  case LOOP_STATE:
    tl_buf_printf(out, "state %s %u", loop_reg_name(i->type), i->index);
    break;
  case LOOP_RESULT:
    tl_buf_printf(out, "result %s %u", loop_reg_name(i->type), i->index);
    break;
  }
  tl_buf_char(out, '\n');
}

static void print_extents(const loop_nest *n, uint32_t from, uint32_t to, tl_buf *out) {
  tl_buf_char(out, '[');
  for (uint32_t d = from; d < to; d++)
    tl_buf_printf(out, "%s%" PRId64, d > from ? " x " : "", n->extent[d]);
  tl_buf_char(out, ']');
}

void loop_print(const loop_nest *n, tl_buf *out) {
  static const char *const sections[] = {"head", "body", "combine", "tail"};
  tl_buf_cstr(out, "nest kept ");
  print_extents(n, 0, n->n_kept, out);
  if (n->reduce != LOOP_EACH) {
    tl_buf_cstr(out, " reduced ");
    print_extents(n, n->n_kept, n->n_dims, out);
  }
  if (n->reduce == LOOP_SUM) tl_buf_printf(out, " sum %%%u", n->term[0]);
  if (n->reduce == LOOP_DOT) tl_buf_printf(out, " dot %%%u %%%u", n->term[0], n->term[1]);
  if (n->reduce == LOOP_FOLD) {
    tl_buf_cstr(out, n->free_order ? " fold in any order" : " fold");
    for (uint32_t s = 0; s < n->n_states; s++)
      tl_buf_printf(out, " (%%%u: %%%u)", n->init[s], n->next[s]);
  }
  tl_buf_char(out, '\n');
  for (int section = LOOP_HEAD; section <= LOOP_TAIL; section++) {
    bool any = false;
    for (uint32_t i = 0; i < n->n_insts; i++) {
      if (n->insts[i].section != (loop_section)section) continue;
      if (!any) tl_buf_printf(out, "%s:\n", sections[section]);
      any = true;
      print_inst(n, i, out);
    }
  }
}

// --- rules ---

// Whether an instruction of section `at` may use one of section `from`.
static bool sees(loop_section at, loop_section from) {
  if (from == LOOP_HEAD) return true;
  if (at == LOOP_COMBINE) return from == LOOP_BODY || from == LOOP_COMBINE;
  return at == from;
}

static bool map_fits(const loop_nest *n, const loop_inst *i, bool dynamic) {
  if (i->map >= n->n_maps || i->array >= n->n_arrays) return false;
  if (dynamic) return true;
  const loop_map *m = &n->maps[i->map];
  int64_t low = m->offset, high = m->offset;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    int64_t reach;
    if (n->extent[d] == 0) return true; // never runs
    if (!TL_MUL_OK(m->stride[d], n->extent[d] - 1, &reach)) return false;
    if (reach < 0 ? !TL_ADD_OK(low, reach, &low) : !TL_ADD_OK(high, reach, &high)) return false;
    if (m->stride[d] != 0 && d >= n->n_kept && i->section != LOOP_BODY) return false;
    if (m->stride[d] != 0 && i->section == LOOP_HEAD) return false;
  }
  return low >= 0 && (uint64_t)high < n->arrays[i->array].count;
}

static const char *broken_rule(const loop_nest *n, uint32_t at) {
  const loop_inst *i = &n->insts[at];
  uint32_t wanted = 0;
  switch (i->kind) {
  case LOOP_CONST:
  case LOOP_STATE:
  case LOOP_RESULT:
    break;
  case LOOP_INDEX:
    if (i->map >= n->n_maps) return "no such map";
    break;
  case LOOP_LOAD:
  case LOOP_STORE: {
    const uint16_t dynamic = i->arg[i->kind == LOOP_STORE];
    tl_reg reg;
    wanted = i->kind == LOOP_STORE;
    if (!map_fits(n, i, dynamic != LOOP_NONE)) return "the map leaves the array";
    if (n->arrays[i->array].out != (i->kind == LOOP_STORE)) return "the array's direction";
    if (!loop_reg_of(n->arrays[i->array].dtype, &reg) || reg != i->type) return "the array's type";
    if (dynamic != LOOP_NONE && (dynamic >= at || n->insts[dynamic].type != TL_REG_S64))
      return "the offset is no s64";
    if (dynamic != LOOP_NONE && i->kind == LOOP_STORE && n->insts[dynamic].section != LOOP_HEAD)
      return "a store's offset changes";
    if (i->kind == LOOP_STORE && i->section != LOOP_TAIL) return "a store outside of the tail";
    break;
  }
  case LOOP_SCALAR:
    wanted = scalar_arity((tl_scalar)i->op);
    break;
  case LOOP_REF:
    wanted = (uint32_t)tl_op_get((tl_opcode)i->op)->n_in;
    break;
  case LOOP_COMPLEX:
    wanted = 2 * (uint32_t)tl_op_get((tl_opcode)i->op)->n_in;
    if (wanted > LOOP_MAX_ARGS) return "too many operands";
    break;
  case LOOP_IMAG:
    wanted = 1;
    if (at == 0 || i->arg[0] != at - 1 || n->insts[at - 1].kind != LOOP_COMPLEX ||
        n->insts[at - 1].section != i->section || n->insts[at - 1].type != i->type)
      return "no complex op before it";
    break;
  case LOOP_ROUND:
  case LOOP_NARROW:
    wanted = 1;
    break;
  }
  for (uint32_t k = 0; k < (uint32_t)loop_n_args(i); k++) {
    if (i->arg[k] == LOOP_NONE) {
      if (k < wanted) return "an operand is missing";
      continue;
    }
    if (i->arg[k] >= at) return "an operand comes later";
    const loop_inst *x = &n->insts[i->arg[k]];
    if (x->kind == LOOP_STORE) return "an operand is no value";
    if (!sees(i->section, x->section)) return "an operand of another section";
    if (i->kind == LOOP_SCALAR || i->kind == LOOP_REF || i->kind == LOOP_COMPLEX) {
      const bool predicate = i->kind == LOOP_SCALAR && i->op == TL_SCALAR_SELECT && k == 0;
      if (x->type != (predicate ? TL_REG_I1 : i->from)) return "an operand's type";
    }
  }
  return NULL;
}

tl_status loop_verify(const loop_nest *n) {
  if (n->n_dims > LOOP_MAX_DIMS || n->n_kept > n->n_dims)
    return TL_ERROR(INTERNAL, "loop: %u dims, %u kept", n->n_dims, n->n_kept);
  for (uint32_t at = 0; at < n->n_insts; at++) {
    const char *broken = broken_rule(n, at);
    if (broken) return TL_ERROR(INTERNAL, "loop: instruction %u: %s", at, broken);
  }
  const uint32_t terms = n->reduce == LOOP_SUM ? 1 : n->reduce == LOOP_DOT ? 2 : 0;
  for (uint32_t k = 0; k < terms; k++)
    if (n->term[k] >= n->n_insts || !sees(LOOP_BODY, n->insts[n->term[k]].section))
      return TL_ERROR(INTERNAL, "loop: term %u is none of the body", k);
  for (uint32_t s = 0; n->reduce == LOOP_FOLD && s < n->n_states; s++)
    if (n->init[s] >= n->n_insts || n->insts[n->init[s]].section != LOOP_HEAD ||
        n->next[s] >= n->n_insts || !sees(LOOP_COMBINE, n->insts[n->next[s]].section) ||
        n->insts[n->init[s]].type != n->insts[n->next[s]].type)
      return TL_ERROR(INTERNAL, "loop: state %u", s);
  return TL_OK;
}
