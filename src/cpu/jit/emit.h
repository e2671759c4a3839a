// What the files of the emitter share: a nest on its way to LLVM IR.
#ifndef TL_CPU_JIT_EMIT_H
#define TL_CPU_JIT_EMIT_H

#include <llvm-c/Core.h>

#include "cpu/jit_region.h"

typedef struct emitter {
  const jit_shape *s;
  const loop_nest *n;
  LLVMContextRef cx;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMValueRef fn, call; // the function and its argument
  LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr;
  LLVMBasicBlockRef entry;  // allocas go here
  LLVMBasicBlockRef before; // of the present loop of vectors, the block that enters it; or NULL

  // Where emission is.
  uint32_t lanes;    // of the instructions that are emitted now: 1 or s->lanes
  LLVMValueRef mask; // of the lanes that exist; NULL: all
  LLVMValueRef *at;  // [n_places] address (or index) at the indices so far
  LLVMValueRef *val; // [n_insts] values so far
  LLVMValueRef extent[JIT_LEVELS];
  LLVMValueRef *stride;    // [n_places][JIT_LEVELS]; NULL where it stands still
  LLVMValueRef buffers[4]; // of calls: a, b, c, z; NULL until there is one
  bool *still;             // [n_insts] that do not change along the level of vectors
  bool masks;              // the last elements are done under a mask, else one by one
  bool fixed;              // of a region: extents and strides are constants
  bool avx512;
  bool hoists; // what stands still is made a vector before a loop of vectors
  bool narrow; // what stands still along the vectors is one element

  // Of a region.
  const jit_region *region;
  LLVMValueRef *buf;     // [n_bufs] where each buffer is
  LLVMValueRef *outside; // [n_bufs] where those lie that are in the function's memory
  LLVMValueRef matrix[REGION_MATRICES];
  LLVMValueRef *registers; // a reduction's states, where they are no slots; NULL
  LLVMValueRef shared;     // memory of large slots, used by one nest after the other; NULL
  size_t shared_used;

  // A reduction's state: a slot a component (DOT: total, chain), of one element, a vector or a
  // block.
  LLVMValueRef *state;
  LLVMValueRef term;         // slot that counts terms
  LLVMValueRef block;        // results in the present block
  LLVMValueRef place;        // in a block; NULL: the slots are no blocks
  struct together *together; // rows that are reduced side by side (emit.c)
  struct emit_flat *flat;    // rows that share vectors (flat.c)
  const char *failed;        // why; NULL: it goes well
} emitter;

static inline uint32_t emit_vector_level(const jit_shape *s) {
  return s->mode == JIT_ROWS || s->mode == JIT_SERIAL ? 2 : 0;
}

// value.c: types and single operations, of e->lanes elements.
LLVMTypeRef emit_scalar_type(const emitter *e, tl_reg r);
LLVMTypeRef emit_wide(const emitter *e, LLVMTypeRef t); // a vector of e->lanes, or t
static inline LLVMTypeRef emit_type(const emitter *e, tl_reg r) {
  return emit_wide(e, emit_scalar_type(e, r));
}
static inline LLVMValueRef emit_i64(const emitter *e, uint64_t n) {
  return LLVMConstInt(e->i64, n, false);
}
static inline bool emit_is_vector(LLVMValueRef v) {
  return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}
LLVMValueRef emit_splat(const emitter *e, LLVMValueRef scalar); // as wide as emission is
LLVMValueRef emit_iota(emitter *e, LLVMTypeRef scalar);         // 0, 1, 2 ...
LLVMValueRef emit_int(const emitter *e, LLVMTypeRef scalar, uint64_t bits);
LLVMValueRef emit_bits(const emitter *e, tl_reg r, uint64_t bits); // a constant by its bytes
LLVMValueRef emit_f32(const emitter *e, float x);
// An intrinsic over operands, overloaded by `types`.
LLVMValueRef emit_intrinsic(emitter *e, const char *name, LLVMTypeRef *types, uint32_t n_types,
                            LLVMValueRef *args, uint32_t n_args);
LLVMValueRef emit_unary(emitter *e, const char *name, LLVMValueRef x); // an intrinsic of x's type
LLVMValueRef emit_fma(emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
LLVMValueRef emit_cast(const emitter *e, LLVMValueRef x, LLVMTypeRef scalar); // of the same bits
LLVMValueRef emit_select(const emitter *e, LLVMValueRef c, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef emit_round_bf16(emitter *e, LLVMValueRef x); // an f32's bits as those of a bf16, i32
LLVMValueRef emit_slot(emitter *e, LLVMTypeRef type, size_t count); // memory of the function

// scalars.c: a row of scalars.def; NULL where it has no form here.
LLVMValueRef emit_scalar(emitter *e, tl_scalar op, tl_reg type, tl_reg from, LLVMValueRef a,
                         LLVMValueRef b, LLVMValueRef c);

// math.c: the functions of cpu/kernels/v16_math.h.
LLVMValueRef emit_exp(emitter *e, LLVMValueRef x);
LLVMValueRef emit_log(emitter *e, LLVMValueRef x);
LLVMValueRef emit_tanh(emitter *e, LLVMValueRef x);
LLVMValueRef emit_logistic(emitter *e, LLVMValueRef x);

// math_f64.c: the functions of scalars.def in f64, and those of f32 that are these, rounded; NULL
// for other rows. Sines of large arguments (an i1 says whether there is one) are not among them.
LLVMValueRef emit_elementary(emitter *e, tl_scalar op, tl_reg r, LLVMValueRef a, LLVMValueRef b);
bool emit_turns(tl_scalar op); // is a function of an angle
LLVMValueRef emit_turns_far(emitter *e, tl_reg r, LLVMValueRef x);

// memory.c: an address, what lies there, and the instructions that read and write it.
LLVMValueRef emit_offset(emitter *e, LLVMValueRef p, LLVMValueRef bytes);
LLVMValueRef emit_element(emitter *e, LLVMValueRef p, LLVMValueRef i, uint32_t size);
LLVMTypeRef emit_memory_type(emitter *e, tl_reg r); // a register's, in memory
LLVMValueRef emit_from_memory(emitter *e, tl_reg r, LLVMValueRef x);
LLVMValueRef emit_to_memory(emitter *e, tl_reg r, LLVMValueRef x);
uint32_t emit_reg_size(const emitter *e, tl_reg r); // bytes of it in memory
LLVMValueRef emit_load(emitter *e, LLVMTypeRef type, LLVMValueRef p, uint32_t align);
void emit_store(emitter *e, LLVMValueRef x, LLVMValueRef p, uint32_t align);
LLVMValueRef emit_masked_load(emitter *e, LLVMTypeRef scalar, LLVMValueRef base, uint32_t align,
                              LLVMValueRef mask);
bool emit_picks_at_once(const emitter *e, uint32_t size); // gathers are one instruction
LLVMValueRef emit_load_inst(emitter *e, uint32_t at, const loop_inst *i);
void emit_store_inst(emitter *e, uint32_t at, const loop_inst *i);
LLVMValueRef emit_index_inst(emitter *e, uint32_t at);
// By the library: instruction `number` over operands and a result that go through memory.
LLVMValueRef emit_apply(emitter *e, uint32_t number, LLVMValueRef *args, const tl_reg *regs,
                        uint32_t n_args, LLVMTypeRef result);

// emit.c: the whole function of a nest; and what region.c and straight.c take of it.
void emit_nest(emitter *e);
void emit_fixed_nest(emitter *e, const region_step *s); // of a region, where its builder is
typedef enum { EMIT_STILL, EMIT_MOVING, EMIT_ALL } emit_which;
void emit_section(emitter *e, loop_section section, emit_which which);
LLVMValueRef emit_get(emitter *e, uint16_t inst); // its value, as wide as emission is

enum { EMIT_NO_LEVEL = JIT_LEVELS };
typedef struct emit_loop {
  LLVMBasicBlockRef head, exit; // head NULL: it runs at most once; exit NULL: exactly once
  LLVMValueRef i, next, to;     // the variable; its step; its end
  LLVMValueRef *at;             // addresses outside
  uint32_t lanes;
  LLVMValueRef mask;
} emit_loop;
emit_loop emit_begin(emitter *e, uint32_t level, LLVMValueRef from, LLVMValueRef to, uint64_t step);
void emit_end(emitter *e, emit_loop *l);

// straight.c: nests of a region whose states are in registers. A tiny one element by element; and
// the innermost kept level of one of the others, by vectors.
void emit_straight(emitter *e);
void emit_each_of_constant(emitter *e, uint32_t level, uint64_t n, uint32_t lanes,
                           void (*f)(emitter *e, LLVMValueRef i));
bool emit_has_registers(const jit_shape *s);
void emit_in_registers(emitter *e);

// flat.c: JIT_FLAT. What an access along its vectors gives; a value as wide as they are.
void emit_flat(emitter *e);
LLVMValueRef emit_flat_load(emitter *e, uint32_t place, LLVMTypeRef scalar, LLVMValueRef base);
LLVMValueRef emit_flat_index(emitter *e, uint32_t place);
LLVMValueRef emit_flat_address(emitter *e, LLVMValueRef base, uint32_t size); // of a store
LLVMValueRef emit_flat_get(emitter *e, uint16_t inst);
void emit_inst(emitter *e, uint32_t inst); // where emission is

// region.c: a whole loop of the plan.
void emit_region(emitter *e);

// object.c: text and constants of an object file as one relocated piece. False with a reason where
// it needs anything from outside.
bool object_to_code(const uint8_t *bytes, size_t size, jit_compiled *out, char *why,
                    size_t why_size);

#endif
