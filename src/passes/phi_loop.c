// C5, and which loops of constant trip count are written out, which are closed and which stay.
//
// The choice is by the number of ops that all steps come to, which is what a derivative's size and
// the time to make it grow with:
//
//     up to FEW     written out: the same bits
//     more          closed, from CLOSED_FROM steps on, where every carried value closes
//     beyond        a loop
//
// More steps than that written out would save a gradient its stacks of states. But compilers that
// copy a cheap producer into each of its users take time and code without end for a long chain of
// scalars whose values are used twice, as XLA's on a CPU does for the gradient of forty Euler
// steps.
//
// `make bench B=phi` prints what each costs beside the others, and docs/autodiff.md has the
// figures. Effects stay in their loop, as do loops whose counter would leave its type: nobody
// counts those.
#include "passes/phi_rules.h"

#include "ir/format.h"

enum { FEW = 64, CLOSED_FROM = 16, MAX_CALLS = 32 };

bool tl_phi_is_plain(const tl_op *op) {
  return (tl_op_get(op->code)->traits & (TL_EFFECT | TL_TERM)) == 0 && op->n_regions == 0 &&
         op->code != TL_OP_CALL && op->code != TL_OP_COMPOSITE && op->code != TL_OP_RNG_UNIFORM &&
         op->code != TL_OP_RNG_NORMAL && op->code != TL_OP_OPTIMIZATION_BARRIER;
}

static size_t weigh(tl_builder *b, const tl_block *block, size_t most, uint32_t depth);

// What the op's regions and callees come to, and itself.
static size_t weigh_op(tl_builder *b, const tl_op *op, size_t most, uint32_t depth) {
  if ((tl_op_get(op->code)->traits & TL_EFFECT) != 0 || depth > MAX_CALLS) return most + 1;
  if (op->code == TL_OP_CONSTANT) return 0;
  if (op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE) {
    const tl_func *fn =
        tl_module_find(b->m, op->code == TL_OP_CALL ? tl_op_str(op, TL_A_CALL_callee)
                                                    : tl_op_str(op, TL_A_COMPOSITE_decomposition));
    return fn == NULL ? most + 1 : 1 + weigh(b, fn->body, most, depth + 1);
  }
  size_t times = 1;
  if (op->code == TL_OP_WHILE) {
    tl_loop_facts f;
    tl_loop_learn(b, op, &f);
    if (b->error != TL_OK || !f.exact || f.trips < 0) return most + 1;
    times = (size_t)f.trips;
  }
  size_t n = 0;
  for (uint32_t r = 0; r < op->n_regions && n <= most; r++)
    n += weigh(b, op->regions[r], most, depth + 1);
  return n > most || (n != 0 && times > most / n) ? most + 1 : n * times + 1;
}

static size_t weigh(tl_builder *b, const tl_block *block, size_t most, uint32_t depth) {
  size_t n = 0;
  for (const tl_op *op = block->first; op != block->last && n <= most; op = op->next)
    n += weigh_op(b, op, most, depth);
  return TL_MIN(n, most + 1);
}

size_t tl_phi_weigh(tl_builder *b, const tl_block *block, size_t most) {
  return weigh(b, block, most, 0);
}

static void unroll(tl_builder *in, const tl_loop_facts *f, tl_value *out) {
  const tl_op *op = f->op;
  tl_env e = {0};
  tl_value *next = tl_room(in, f->n);
  for (uint32_t i = 0; i < f->n; i++)
    out[i] = op->operands[i];
  for (int64_t k = 0; k < f->trips && in->error == TL_OK; k++) {
    for (uint32_t i = 0; i < f->n; i++) {
      int64_t first; // a counter is a constant in each step
      if (f->affine[i] && tl_loop_constant(NULL, op->operands[i], &first))
        out[i] = tlo_constant_i64(in, op->operands[i]->type,
                                  (int64_t)((uint64_t)first + (uint64_t)k * (uint64_t)f->step[i]));
      tl_env_put(in, &e, f->body->args[i], out[i]);
    }
    tl_clone_block(in, &e, f->body, next);
    if (in->error == TL_OK) memcpy(out, next, f->n * sizeof *out);
  }
  tl_env_deinit(&e);
}

bool tl_phi_loop(tl_builder *in, const tl_op *op, const tl_phi_options *options, tl_value *out) {
  if (op->code != TL_OP_WHILE || options->unrolled < 0) return false;
  tl_loop_facts f;
  tl_loop_learn(in, op, &f);
  if (in->error != TL_OK || !f.exact || f.trips < 0) return false;
  const size_t many = options->unrolled > 0 ? (size_t)options->unrolled : FEW;
  const size_t most = TL_MAX(many, (size_t)FEW); // of one step
  if (tl_phi_weigh(in, f.cond, most) > most) return false;
  const size_t each = f.trips == 0 ? 0 : tl_phi_weigh(in, f.body, most);
  if (each > most) return false;
  const size_t all = (size_t)f.trips > many ? many + 1 : (size_t)f.trips * each;
  if (!options->exact && all > many && f.trips >= CLOSED_FROM && tl_phi_close(in, &f, out))
    return true;
  if (all > many) return false;
  unroll(in, &f, out);
  return true;
}
