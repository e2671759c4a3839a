// Running plans: frames of cells, one step an op.
//
// A cell is a tensor and a counted reference to its bytes. An op gets its operands' tensors and
// fresh memory for its results; afterwards the slots that die are released. So a model's
// intermediates take what the widest moment needs, and an op that begins as a copy of its operand
// (a cache update, a reshape) takes the operand's memory when nobody else wants it. Callers' inputs
// are borrowed and never written.
#include "ref/ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/decompose.h"
#include "ir/dim.h"
#include "ir/ptr_map.h"
#include "ref/eval.h"
#include "ref/lanes.h"
#include "ref/plan.h"

enum { MAX_DEPTH = 400 }; // of calls and regions, against C's stack

struct tl_ref_frame {
  tl_ref_cell *cells; // [n]
  uint32_t n;
};

typedef struct func_plan {
  tl_ref_block body;
  uint32_t n_slots;
} func_plan;

struct tl_ref_machine {
  tl_ref_mode mode;
  tl_arena *plans;
  tl_arena *scratch;
  tl_ptr_map funcs;   // const tl_func * -> func_plan *
  tl_module *bodies;  // decompositions, made when first wanted
  tl_ptr_map body_of; // const tl_op * -> tl_func * in `bodies`
  size_t steps, max_steps;
  uint32_t depth;
  bool located; // the error carries its op's place already
  tl_ref_context context;
  tl_ref_draws draws; // where the context brings none
};

static tl_status (*const table[TL_OP_COUNT])(tl_ref_call *) = {
#define TL_OP(id, mnemonic, n_in, n_out, regions, traits, rule, syntax) \
  [TL_OP_##id] = ref_eval_##id,
#include "ir/ops.def"
#undef TL_OP
};

static const bool decomposed[TL_OP_COUNT] = {
#define TL_DECOMPOSED(id) [TL_OP_##id] = true,
#include "ref/decomposed.def"
};

// Whether the op's meaning is run from its decomposition: by its row, or because what it has of its
// own is of reals alone (lu).
static bool runs_body(const tl_op *op) {
  bool is_complex =
      op->n_operands > 0 && tl_dtype_get(op->operands[0]->type.dtype)->kind == TL_KIND_COMPLEX;
  return decomposed[op->code] || (is_complex && op->code == TL_OP_LU);
}

// --- cells ---

tl_status tl_ref_cell_make(tl_type type, tl_ref_cell *out_cell) {
  size_t size, total;
  if (type.rank > TL_MAX_RANK || !tl_type_size(type, &size) ||
      !TL_ADD_OK(size, sizeof(tl_ref_buf), &total))
    return TL_ERROR(INVALID_ARGUMENT, "a tensor's shape is not concrete or too large");
  tl_ref_buf *buf = malloc(total);
  if (buf == NULL) return TL_OOM();
  buf->refs = 1;
  buf->size = size;
  *out_cell = (tl_ref_cell){{type, buf->bytes}, buf};
  return TL_OK;
}

void tl_ref_release(tl_ref_cell *cell) {
  if (cell->buf != NULL && --cell->buf->refs == 0) free(cell->buf);
  *cell = (tl_ref_cell){0};
}

static void release_all(tl_ref_cell *cells, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    tl_ref_release(&cells[i]);
}

static tl_ref_cell retain(const tl_ref_cell *cell) {
  if (cell->buf != NULL) cell->buf->refs++;
  return *cell;
}

static tl_ref_cell *operand_cell(const tl_ref_call *c, uint32_t i) { // NULL outside of a frame
  return c->frame == NULL ? NULL : &c->frame->cells[c->step->operands[i]];
}

void tl_ref_start_from(tl_ref_call *c, uint32_t i) {
  tl_ref_cell *out = &c->out[0], *from = operand_cell(c, i);
  size_t size;
  if (!tl_type_size(out->t.type, &size) || size == 0) return;
  if (from != NULL && c->step->dies[i] && from->buf != NULL && from->buf->refs == 1 &&
      out->buf != NULL && from->buf->size == size) {
    tl_ref_buf *buf = from->buf;
    from->buf = out->buf; // released with the slot
    out->buf = buf;
    from->t.data = from->buf->bytes;
    out->t.data = buf->bytes;
    return;
  }
  if (out->t.data != c->in[i].data) memcpy(out->t.data, c->in[i].data, size); // may be donated
}

tl_status tl_ref_take(tl_ref_call *c, uint32_t i, tl_ref_cell *out_cell) {
  tl_ref_cell *from = operand_cell(c, i);
  if (from == NULL) {
    *out_cell = (tl_ref_cell){c->in[i], NULL};
  } else if (c->step->dies[i]) {
    *out_cell = *from;
    *from = (tl_ref_cell){0};
  } else {
    *out_cell = retain(from);
  }
  return TL_OK;
}

tl_status tl_ref_give(tl_ref_call *c, uint32_t i, tl_ref_cell cell) {
  tl_ref_cell *out = &c->out[i];
  if (out->t.data != NULL && !tl_type_eq(out->t.type, cell.t.type)) {
    tl_ref_release(&cell);
    return TL_ERROR(INVALID_ARGUMENT, "%s: result %u has another type than its op declares",
                    tl_op_get(c->op->code)->mnemonic, i);
  }
  if (out->t.data != NULL && out->buf == NULL) { // the memory of a caller of tl_ref_eval_op
    size_t size;
    if (tl_type_size(cell.t.type, &size) && size > 0) memcpy(out->t.data, cell.t.data, size);
    tl_ref_release(&cell);
    return TL_OK;
  }
  tl_ref_release(out);
  *out = cell;
  return TL_OK;
}

// --- steps ---

static tl_type run_type(const tl_ref_machine *m, tl_type declared) {
  declared.dtype = tl_ref_dtype(m->mode, declared.dtype);
  return declared;
}

static tl_status at_op(tl_ref_machine *m, const tl_op *op, tl_status st) {
  if (m->located || op->loc.line == 0) return st;
  m->located = true;
  return tl_status_note(st, "%s:%u:%u", op->loc.file ? op->loc.file : "module", op->loc.line,
                        op->loc.col);
}

static tl_status run_step(tl_ref_machine *m, tl_ref_frame *f, const tl_ref_step *s,
                          tl_ref_cell *returns) {
  const tl_op *op = s->op;
  if (m->max_steps != 0 && m->steps >= m->max_steps)
    return TL_ERROR(RESOURCE_EXHAUSTED, "the program ran more than %zu ops", m->max_steps);
  m->steps++;
  tl_status st = TL_OK;
  tl_arena_point mark = tl_arena_mark(m->scratch);
  bool ends = (tl_op_get(op->code)->traits & TL_TERM) != 0;
  tl_tensor *in = TL_NEW(m->scratch, tl_tensor, op->n_operands);
  tl_ref_cell *out = ends ? returns : TL_NEW(m->scratch, tl_ref_cell, op->n_results);
  if (in == NULL || (out == NULL && !ends)) {
    st = TL_OOM();
    goto done;
  }
  for (uint32_t i = 0; i < op->n_operands; i++) {
    in[i] = f->cells[s->operands[i]].t;
    size_t size;
    if (in[i].data == NULL && (!tl_type_size(in[i].type, &size) || size != 0)) {
      st = TL_ERROR(INVALID_ARGUMENT, "%s: operand %u is not defined before its use",
                    tl_op_get(op->code)->mnemonic, i);
      goto done;
    }
  }
  for (uint32_t i = 0; i < op->n_results; i++)
    TL_TRY_GOTO(done, st, tl_ref_cell_make(run_type(m, op->results[i]->type), &out[i]));
  tl_ref_call call = {op, in, out, m->scratch, m->mode, m, f, s};
  TL_TRY_GOTO(done, st, table[op->code](&call));
  for (uint32_t i = 0; i < op->n_results; i++) {
    f->cells[s->result + i] = out[i];
    out[i] = (tl_ref_cell){0};
  }
  for (uint32_t i = 0; i < s->n_release; i++)
    tl_ref_release(&f->cells[s->release[i]]);
done:
  if (out != NULL && !ends) release_all(out, op->n_results);
  tl_arena_rewind(m->scratch, mark);
  return st == TL_OK ? TL_OK : at_op(m, op, st);
}

// `args` are consumed. On failure what the block left in its frame is the frame's owner's to
// release.
static tl_status run_block(tl_ref_machine *m, tl_ref_frame *f, const tl_ref_block *b,
                           tl_ref_cell *args, uint32_t n_args, tl_ref_cell *results,
                           uint32_t n_results) {
  tl_status st = TL_OK;
  if (++m->depth > MAX_DEPTH) {
    st = TL_ERROR(RESOURCE_EXHAUSTED, "calls and regions nest deeper than %d", MAX_DEPTH);
    goto done;
  }
  const tl_op *last = b->ir->last;
  if (n_args != b->ir->n_args || last == NULL || last->code != TL_OP_RETURN ||
      last->n_operands != n_results) {
    st = TL_ERROR(INVALID_ARGUMENT,
                  "a region or function takes %u and returns %u values where %u and %u are wanted",
                  b->ir->n_args, last == NULL ? 0 : last->n_operands, n_args, n_results);
    goto done;
  }
  for (uint32_t i = 0; i < n_args; i++) {
    if (!tl_type_eq(args[i].t.type, run_type(m, b->ir->args[i]->type))) {
      st = TL_ERROR(INVALID_ARGUMENT,
                    "argument %u of a region or function has another type than it declares", i);
      goto done;
    }
    tl_ref_release(&f->cells[b->arg + i]);
    f->cells[b->arg + i] = args[i];
    args[i] = (tl_ref_cell){0};
  }
  for (uint32_t i = 0; i < b->n_release; i++)
    tl_ref_release(&f->cells[b->release[i]]);
  for (uint32_t i = 0; i < n_results; i++)
    results[i] = (tl_ref_cell){0};
  for (size_t i = 0; i < b->n_steps && st == TL_OK; i++)
    st = run_step(m, f, &b->steps[i], results);
  if (st != TL_OK) release_all(results, n_results);
done:
  release_all(args, n_args);
  m->depth--;
  return st;
}

static tl_status run_body(tl_ref_call *c, uint32_t r, tl_ref_cell *args, uint32_t n_args,
                          tl_ref_cell *results, uint32_t n_results) {
  const tl_ref_bodies *bodies = c->machine->context.bodies;
  tl_arena_point mark = tl_arena_mark(c->scratch);
  tl_tensor *tensors = TL_NEW(c->scratch, tl_tensor, n_args);
  for (uint32_t i = 0; i < n_args && tensors != NULL; i++)
    tensors[i] = args[i].t;
  for (uint32_t i = 0; i < n_results; i++)
    results[i] = (tl_ref_cell){0};
  tl_status st = tensors == NULL
                     ? TL_OOM()
                     : bodies->run(bodies->self, r, tensors, n_args, results, n_results);
  release_all(args, n_args);
  tl_arena_rewind(c->scratch, mark);
  return st;
}

tl_status tl_ref_run_region(tl_ref_call *c, uint32_t r, tl_ref_cell *args, uint32_t n_args,
                            tl_ref_cell *results, uint32_t n_results) {
  const tl_ref_bodies *bodies = c->machine->context.bodies;
  if (bodies != NULL && bodies->op == c->op && r < 32 && (bodies->regions >> r & 1) != 0)
    return run_body(c, r, args, n_args, results, n_results);
  if (c->step == NULL || r >= c->op->n_regions) {
    release_all(args, n_args);
    return TL_ERROR(INTERNAL, "%s: region %u is not there", tl_op_get(c->op->code)->mnemonic, r);
  }
  return run_block(c->machine, c->frame, &c->step->regions[r], args, n_args, results, n_results);
}

static tl_status func_plan_of(tl_ref_machine *m, const tl_func *fn, const func_plan **out) {
  func_plan *plan = tl_ptr_map_find(&m->funcs, fn);
  if (plan == NULL) {
    plan = TL_NEW(m->plans, func_plan, 1);
    if (plan == NULL) return TL_OOM();
    TL_TRY_NOTE(tl_ref_plan_block(fn->body, m->plans, &plan->body, &plan->n_slots),
                "function @" TL_STR_FMT, TL_STR_ARG(fn->name));
    if (!tl_ptr_map_put(&m->funcs, fn, (uintptr_t)plan)) return TL_OOM();
  }
  *out = plan;
  return TL_OK;
}

static tl_status run_func(tl_ref_machine *m, const tl_func *fn, tl_ref_cell *args, uint32_t n_args,
                          tl_ref_cell *results, uint32_t n_results) {
  tl_status st = TL_OK;
  const func_plan *plan = NULL;
  tl_ref_frame f = {0};
  TL_TRY_GOTO(done, st, func_plan_of(m, fn, &plan));
  f.cells = calloc(TL_MAX(plan->n_slots, 1u), sizeof *f.cells);
  if (f.cells == NULL) {
    st = TL_OOM();
    goto done;
  }
  f.n = plan->n_slots;
  st = run_block(m, &f, &plan->body, args, n_args, results, n_results);
done:
  release_all(args, n_args);
  release_all(f.cells, f.n);
  free(f.cells);
  return st;
}

tl_status tl_ref_run_func(tl_ref_call *c, const tl_func *fn, tl_ref_cell *args, uint32_t n_args,
                          tl_ref_cell *results, uint32_t n_results) {
  return run_func(c->machine, fn, args, n_args, results, n_results);
}

static tl_status body_of(tl_ref_machine *m, const tl_op *op, tl_func **out) {
  *out = tl_ptr_map_find(&m->body_of, op);
  if (*out != NULL) return TL_OK;
  if (m->bodies == NULL) m->bodies = tl_module_create();
  if (m->bodies == NULL) return TL_OOM();
  char name[16];
  snprintf(name, sizeof name, "b%u", m->bodies->n_funcs);
  TL_TRY(tl_decompose_func(m->bodies, op, name, out));
  return tl_ptr_map_put(&m->body_of, op, (uintptr_t)*out) ? TL_OK : TL_OOM();
}

tl_status tl_ref_run_decomposed(tl_ref_call *c) {
  uint32_t n_args = c->op->n_operands, n = c->op->n_results;
  tl_ref_cell *args = TL_NEW(c->scratch, tl_ref_cell, n_args),
              *results = TL_NEW(c->scratch, tl_ref_cell, n);
  if (args == NULL || results == NULL) return TL_OOM();
  tl_func *fn;
  tl_status st;
  TL_TRY_GOTO(done, st, body_of(c->machine, c->op, &fn));
  for (uint32_t i = 0; i < n_args; i++)
    TL_TRY_GOTO(done, st, tl_ref_take(c, i, &args[i]));
  TL_TRY_GOTO(done, st, run_func(c->machine, fn, args, n_args, results, n));
  for (uint32_t i = 0; i < n; i++) {
    tl_ref_cell cell = results[i];
    results[i] = (tl_ref_cell){0};
    cell.t.type.dims = c->op->results[i]->type.dims; // the body's module goes with the machine
    TL_TRY_GOTO(done, st, tl_ref_give(c, i, cell));
  }
done:
  release_all(args, n_args);
  release_all(results, n);
  return st;
}

static void machine_deinit(tl_ref_machine *m) {
  tl_ptr_map_deinit(&m->funcs);
  tl_ptr_map_deinit(&m->body_of);
  tl_module_destroy(m->bodies);
  tl_arena_destroy(m->plans);
}

static tl_status machine_init(tl_ref_machine *m, tl_ref_mode mode, size_t max_steps) {
  *m = (tl_ref_machine){.mode = mode, .max_steps = max_steps};
  m->plans = tl_arena_create();
  return m->plans == NULL ? TL_OOM() : TL_OK;
}

const tl_ref_context *tl_ref_context_of(const tl_ref_call *c) { return &c->machine->context; }

tl_key tl_ref_next_draw(const tl_ref_call *c) {
  tl_ref_draws *d = c->machine->context.draws ? c->machine->context.draws : &c->machine->draws;
  const uint64_t n = d->n++;
  tl_key key;
  tl_threefry2x32(d->key, (uint32_t[]){(uint32_t)(n >> 32), (uint32_t)n}, key.word);
  return key;
}

// ---- in another process ----
//
// A machine of its own, so that nothing but the arguments' bytes is shared, and those are only
// read. Results are cells of the caller's; who gives a borrowed one gives a copy.

static tl_status own_cell(tl_ref_cell *cell) {
  size_t size;
  tl_ref_cell copy;
  if (cell->buf != NULL || !tl_type_size(cell->t.type, &size)) return TL_OK;
  TL_TRY(tl_ref_cell_make(cell->t.type, &copy));
  if (size > 0) memcpy(copy.t.data, cell->t.data, size);
  *cell = copy;
  return TL_OK;
}

tl_status tl_ref_run_apart(const tl_ref_call *c, const tl_ref_context *context, const tl_func *fn,
                           uint32_t region, const tl_tensor *args, uint32_t n_args,
                           tl_ref_cell *results, uint32_t n_results) {
  tl_ref_machine m;
  tl_status st = machine_init(&m, c->mode, c->machine->max_steps);
  if (st != TL_OK) return st;
  m.context = *context;
  m.depth = c->machine->depth;
  m.scratch = tl_arena_create();
  tl_ref_cell *cells = TL_NEW(m.plans, tl_ref_cell, n_args + 1);
  tl_ref_frame f = {0};
  if (m.scratch == NULL || cells == NULL) {
    st = TL_OOM();
    goto done;
  }
  for (uint32_t i = 0; i < n_args; i++)
    cells[i] = (tl_ref_cell){args[i], NULL};
  if (fn != NULL) {
    st = run_func(&m, fn, cells, n_args, results, n_results);
  } else {
    f.n = c->frame->n;
    f.cells = calloc(TL_MAX(f.n, 1u), sizeof *f.cells);
    st = f.cells == NULL
             ? TL_OOM()
             : run_block(&m, &f, &c->step->regions[region], cells, n_args, results, n_results);
  }
  for (uint32_t i = 0; i < n_results && st == TL_OK; i++)
    st = own_cell(&results[i]);
  if (st != TL_OK) release_all(results, n_results);
done:
  if (f.cells != NULL) release_all(f.cells, f.n);
  free(f.cells);
  tl_arena_destroy(m.scratch);
  machine_deinit(&m);
  return st;
}

tl_status tl_ref_cell_scalar(const tl_tensor *t, size_t at, tl_dtype d, tl_ref_cell *out_cell) {
  tl_lanes lanes;
  TL_TRY(tl_ref_cell_make(tl_type_scalar(d), out_cell));
  tl_lanes_load(&lanes, t->type.dtype, t->data, at, 1);
  tl_lanes_kind kind = tl_lanes_convert(&lanes, tl_lanes_kind_of(t->type.dtype), d, 1);
  tl_lanes_store(&lanes, kind, d, out_cell->t.data, 0, 1);
  return TL_OK;
}

tl_region_kind tl_ref_region_kind(const tl_block *b, tl_opcode *out_op) {
  const tl_op *op = b->first;
  if (b->n_args != 2 || op == NULL) return TL_REGION_OTHER;
  if (op->code == TL_OP_RETURN)
    return op->n_operands == 1 && op->operands[0] == b->args[1] ? TL_REGION_SECOND
                                                                : TL_REGION_OTHER;
  const tl_op *end = op->next;
  const tl_op_info *info = tl_op_get(op->code);
  if (end == NULL || end->code != TL_OP_RETURN || end->n_operands != 1 || op->n_results != 1 ||
      end->operands[0] != op->results[0] || op->n_operands != 2 || info->n_in != 2 ||
      !(info->traits & TL_ELEMWISE) || op->code == TL_OP_COMPARE)
    return TL_REGION_OTHER;
  bool straight = op->operands[0] == b->args[0] && op->operands[1] == b->args[1];
  bool crossed = op->operands[0] == b->args[1] && op->operands[1] == b->args[0];
  if (!straight && !(crossed && (info->traits & TL_COMMUTES))) return TL_REGION_OTHER;
  *out_op = op->code;
  return TL_REGION_OP;
}

// --- entries ---

// The parameter as a cell: borrowed, or widened.
static tl_status bind_input(const tl_ref_machine *m, const tl_func *fn, uint32_t i,
                            const tl_tensor *in, tl_ref_cell *out) {
  tl_type want = fn->body->args[i]->type, run = run_type(m, want);
  if (!tl_type_eq(in->type, want) && !tl_type_eq(in->type, run)) {
    tl_buf text = {0};
    tl_type_print(&text, in->type);
    tl_buf_cstr(&text, ", it wants ");
    tl_type_print(&text, want);
    tl_str name = fn->args != NULL ? fn->args[i].name : (tl_str){0};
    tl_status st =
        TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT ": parameter %u%s" TL_STR_FMT "%s is given %s",
                 TL_STR_ARG(fn->name), i, name.len ? " (" : "", TL_STR_ARG(name),
                 name.len ? ")" : "", text.ptr ? text.ptr : "another type");
    tl_buf_deinit(&text);
    return st;
  }
  size_t count;
  if (run.rank > TL_MAX_RANK || !tl_type_count(run, &count))
    return TL_ERROR(INVALID_ARGUMENT, "parameter %u: its shape is not concrete", i);
  if (count > 0 && in->data == NULL)
    return TL_ERROR(INVALID_ARGUMENT, "parameter %u has no data", i);
  if (in->type.dtype == run.dtype && in->data != NULL) {
    *out = (tl_ref_cell){{run, in->data}, NULL};
    return TL_OK;
  }
  TL_TRY(tl_ref_cell_make(run, out));
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load_as(&lanes, tl_lanes_kind_of(run.dtype), in->type.dtype, in->data, at, n);
    tl_lanes_store(&lanes, tl_lanes_kind_of(run.dtype), run.dtype, out->t.data, at, n);
  }
  return TL_OK;
}

static void release_buf(void *buf) {
  tl_ref_cell cell = {.buf = buf};
  tl_ref_release(&cell);
}

// The caller's own memory: the cell's bytes tied to the arena, or a copy where they are shared or
// borrowed.
static tl_status deliver(tl_ref_cell *cell, tl_arena *arena, tl_tensor *out) {
  if (cell->buf != NULL && cell->buf->refs == 1) {
    if (!tl_arena_own(arena, cell->buf, release_buf)) return TL_OOM();
    *out = cell->t;
    *cell = (tl_ref_cell){0};
    return TL_OK;
  }
  size_t size;
  if (!tl_type_size(cell->t.type, &size)) return TL_ERROR(INTERNAL, "a result without a size");
  void *data = tl_arena_alloc(arena, size, 16);
  if (data == NULL) return TL_OOM();
  if (size > 0) memcpy(data, cell->t.data, size);
  *out = (tl_tensor){cell->t.type, data};
  return TL_OK;
}

tl_status tl_ref_run(const tl_func *fn, tl_ref_mode mode, const tl_tensor *inputs, size_t n_inputs,
                     tl_arena *arena, tl_tensor *out_outputs, size_t max_steps) {
  return tl_ref_run_in(NULL, fn, mode, inputs, n_inputs, arena, out_outputs, max_steps);
}

tl_status tl_ref_run_in(const tl_ref_context *context, const tl_func *fn, tl_ref_mode mode,
                        const tl_tensor *inputs, size_t n_inputs, tl_arena *arena,
                        tl_tensor *out_outputs, size_t max_steps) {
  if (n_inputs != fn->body->n_args)
    return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT " has %u parameters and is given %zu",
                    TL_STR_ARG(fn->name), fn->body->n_args, n_inputs);
  if (fn->module != NULL) TL_TRY(tl_module_require_static(fn->module));
  tl_ref_machine m;
  uint32_t n_args = (uint32_t)n_inputs, n_results = fn->n_results;
  tl_ref_cell *args = NULL, *results = NULL;
  tl_status st = machine_init(&m, mode, max_steps);
  if (st != TL_OK) return st;
  tl_ref_probes *own = NULL;
  if (context != NULL) m.context = *context;
  if (m.context.probes == NULL) m.context.probes = own = tl_ref_probes_create();
  m.scratch = tl_arena_create();
  args = TL_NEW(m.plans, tl_ref_cell, n_args);
  results = TL_NEW(m.plans, tl_ref_cell, n_results);
  if (m.scratch == NULL || args == NULL || results == NULL || m.context.probes == NULL) {
    st = TL_OOM();
    goto done;
  }
  for (uint32_t i = 0; i < n_args; i++)
    TL_TRY_GOTO(done, st, bind_input(&m, fn, i, &inputs[i], &args[i]));
  TL_TRY_GOTO(done, st, run_func(&m, fn, args, n_args, results, n_results));
  for (uint32_t i = 0; i < n_results; i++)
    TL_TRY_GOTO(done, st, deliver(&results[i], arena, &out_outputs[i]));
done:
  if (args != NULL) release_all(args, n_args);
  if (results != NULL) release_all(results, n_results);
  tl_ref_probes_destroy(own);
  tl_arena_destroy(m.scratch);
  machine_deinit(&m);
  return st;
}

static tl_status check_types(const tl_op *op, const char *what, const tl_value *values,
                             const tl_tensor *tensors, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!tl_type_eq(values[i]->type, tensors[i].type) || tensors[i].type.rank > TL_MAX_RANK)
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s %u has another type than the op's",
                      tl_op_get(op->code)->mnemonic, what, i);
  return TL_OK;
}

tl_status tl_ref_eval_op(const tl_op *op, const tl_tensor *inputs, tl_tensor *outputs,
                         tl_arena *scratch) {
  return tl_ref_eval_op_in(NULL, op, inputs, outputs, scratch);
}

tl_status tl_ref_eval_op_in(const tl_ref_context *context, const tl_op *op, const tl_tensor *inputs,
                            tl_tensor *outputs, tl_arena *scratch) {
  if (tl_op_get(op->code)->traits & TL_TERM)
    return TL_ERROR(INVALID_ARGUMENT, "%s is no op", tl_op_get(op->code)->mnemonic);
  TL_TRY(check_types(op, "operand", op->operands, inputs, op->n_operands));
  TL_TRY(check_types(op, "result", op->results, outputs, op->n_results));
  tl_ref_machine m;
  tl_ref_step step = {0};
  tl_ref_frame frame = {0};
  bool needs_plan =
      op->n_regions > 0 || op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE || runs_body(op);
  tl_arena_point mark = tl_arena_mark(scratch);
  tl_status st = TL_OK;
  m = (tl_ref_machine){.mode = TL_REF_AS_TYPED, .scratch = scratch};
  if (context != NULL) m.context = *context;
  tl_ref_cell *out = TL_NEW(scratch, tl_ref_cell, op->n_results);
  if (out == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_results; i++)
    out[i].t = outputs[i];
  tl_ref_call call = {op, inputs, out, scratch, TL_REF_AS_TYPED, &m, NULL, NULL};
  if (needs_plan) { // in an arena of its own, for callees are planned in the middle of the run
    TL_TRY_GOTO(done, st, machine_init(&m, TL_REF_AS_TYPED, 0));
    m.scratch = scratch;
    if (context != NULL) m.context = *context;
    TL_TRY_GOTO(done, st, tl_ref_plan_op(op, m.plans, &step, &frame.n));
    frame.cells = TL_NEW(m.plans, tl_ref_cell, frame.n);
    if (frame.cells == NULL) {
      st = TL_OOM();
      goto done;
    }
    for (uint32_t i = 0; i < op->n_operands; i++)
      frame.cells[step.operands[i]] = (tl_ref_cell){inputs[i], NULL};
    call.frame = &frame;
    call.step = &step;
  }
  st = table[op->code](&call);
done:
  if (frame.cells != NULL) release_all(frame.cells, frame.n);
  machine_deinit(&m);
  tl_arena_rewind(scratch, mark);
  return st;
}
