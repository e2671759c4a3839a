// libtlaloc_jit: the one function that the library calls (jit_shape.h). LLVM IR to an object file
// in memory to a piece of code.
//
// No vectoriser, no fast-math, no contraction: vectors are explicit, and of LLVM's passes only
// those run that make registers of slots and drop what was computed twice. What the code may use
// is named by our own detection (base/cpuinfo.h), for LLVM misnames CPUs that are newer than it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "cpu/jit/emit.h"

#define PASSES "function(mem2reg,early-cse)"
#define REGION_PASSES "function(sroa,early-cse,simplifycfg,adce)"
#define TRIPLE "x86_64-unknown-linux-gnu"
#define AVX2 "+avx2,+fma,+f16c"
#define AVX512 AVX2 ",+avx512f,+avx512bw,+avx512dq,+avx512vl"

bool tlaloc_jit_compile(uint32_t version, const jit_shape *s, const jit_region *r,
                        jit_compiled *out, char *why, size_t why_size)
    __attribute__((visibility("default")));

static void set_attribute(emitter *e, const char *key, const char *text) {
  LLVMAddAttributeAtIndex(
      e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(e->cx, key, (unsigned)strlen(key), text, (unsigned)strlen(text)));
}

static void make_function(emitter *e, bool avx512) {
  LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(e->cx), &e->ptr, 1, false);
  e->fn = LLVMAddFunction(e->module, "nest", t);
  e->call = LLVMGetParam(e->fn, 0);
  const unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  LLVMAddAttributeAtIndex(e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(e->cx, nounwind, 0));
  set_attribute(e, "prefer-vector-width", avx512 ? "512" : "256");
  set_attribute(e, "min-legal-vector-width", avx512 ? "512" : "256");
  set_attribute(e, "no-builtins", "true");
  set_attribute(e, "probe-stack", "inline-asm"); // a region's slots may be larger than a page
  e->entry = LLVMAppendBasicBlockInContext(e->cx, e->fn, "entry");
  LLVMPositionBuilderAtEnd(e->b, e->entry);
}

static void initialise(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

// --- how hard LLVM works ---
//
// Most of a compile is LLVM's machine code passes, and what is said by explicit vectors in loops
// that are already as the machine wants them needs few of them.
typedef enum {
  QUICK, // selected instruction by instruction, registers by block
  PLAIN, // `optnone`: registers are allocated well, nothing is moved or rewritten
  WHOLE, // all of the passes
} effort;

// About how many operations an instruction becomes; 0: a function that is computed in f64, which
// wants more registers than there are, so that they are worth an allocator.
static uint32_t operations(const loop_inst *i) {
  if (i->type == TL_REG_F64 || i->from == TL_REG_F64) return 0;
  if (i->kind != LOOP_SCALAR) return 1;
  switch ((tl_scalar)i->op) {
  case TL_SCALAR_BF16:
    return 7;
  case TL_SCALAR_EXP:
  case TL_SCALAR_LOG:
  case TL_SCALAR_LOGISTIC:
    return 20;
  case TL_SCALAR_TANH:
    return 40;
  default:
    return i->op == TL_SCALAR_POW || (i->op >= TL_SCALAR_EXP && i->op <= TL_SCALAR_ERF_INV) ? 0 : 1;
  }
}

// Whether registers by block are enough. What goes element by element keeps only addresses from one
// iteration to the next, but in memory these cost as much as a short iteration does: copies and
// fills wait for memory anyway, and where several vectors side by side are a long chain each it is
// long.
static bool is_quick(const jit_shape *s) {
  enum { LONG = 60 };
  bool copies = true, computes = s->lanes > s->tail;
  uint32_t many = 0;
  for (uint32_t i = 0; i < s->nest->n_insts; i++) {
    const loop_inst *x = &s->nest->insts[i];
    const uint32_t n = operations(x);
    copies &= x->kind == LOOP_STORE || x->kind == LOOP_CONST ||
              (x->kind == LOOP_LOAD && x->arg[0] == LOOP_NONE);
    computes &= n > 0;
    many += n;
  }
  for (uint32_t p = 0; p < s->n_places; p++)
    if (s->places[p].few) return false;
  return s->mode == JIT_EACH && (copies || (computes && many >= LONG));
}

static effort effort_of(const jit_shape *s) {
  if (is_quick(s)) return QUICK;
  return s->mode == JIT_EACH || s->mode == JIT_ROWS ? PLAIN : WHOLE;
}

static void allocate_only(emitter *e) {
  static const char *const names[] = {"optnone", "noinline"};
  for (size_t i = 0; i < TL_COUNT(names); i++)
    LLVMAddAttributeAtIndex(
        e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(e->cx, LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])),
                                0));
}

// Machines are kept: each knows tables that take a while to make. One is used by one thread at a
// time.
typedef struct machine {
  struct machine *next;
  LLVMTargetMachineRef of;
  bool avx512;
  LLVMCodeGenOptLevel level;
} machine;

static struct {
  pthread_mutex_t lock;
  machine *idle; // guarded by lock
} machines = {.lock = PTHREAD_MUTEX_INITIALIZER};

static machine *make_machine(bool avx512, LLVMCodeGenOptLevel level, char *why, size_t why_size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  LLVMTargetRef target = NULL;
  char *message = NULL;
  pthread_once(&once, initialise);
  if (LLVMGetTargetFromTriple(TRIPLE, &target, &message)) {
    snprintf(why, why_size, "%s", message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  machine *m = malloc(sizeof *m);
  if (!m) {
    snprintf(why, why_size, "out of memory");
    return NULL;
  }
  *m = (machine){.avx512 = avx512, .level = level};
  m->of = LLVMCreateTargetMachine(target, TRIPLE, "x86-64", avx512 ? AVX512 : AVX2, level,
                                  LLVMRelocPIC, LLVMCodeModelSmall);
  if (!m->of) {
    snprintf(why, why_size, "LLVM makes no target machine for %s", TRIPLE);
    free(m);
    return NULL;
  }
  return m;
}

static machine *take_machine(bool avx512, LLVMCodeGenOptLevel level, char *why, size_t why_size) {
  pthread_mutex_lock(&machines.lock);
  machine **at = &machines.idle;
  while (*at && ((*at)->avx512 != avx512 || (*at)->level != level))
    at = &(*at)->next;
  machine *m = *at;
  if (m) *at = m->next;
  pthread_mutex_unlock(&machines.lock);
  return m ? m : make_machine(avx512, level, why, why_size);
}

static void give_machine(machine *m) {
  pthread_mutex_lock(&machines.lock);
  m->next = machines.idle;
  machines.idle = m;
  pthread_mutex_unlock(&machines.lock);
}

static bool to_object(emitter *e, LLVMTargetMachineRef target, effort how, jit_compiled *out,
                      char *why, size_t why_size) {
  char *message = NULL;
#ifdef TL_CHECKED
  if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &message)) {
    snprintf(why, why_size, "%s", message);
    LLVMDisposeMessage(message);
    return false;
  }
  LLVMDisposeMessage(message);
#endif
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(e->module, e->region ? REGION_PASSES : PASSES, target, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *text = LLVMGetErrorMessage(error);
    snprintf(why, why_size, "%s", text);
    LLVMDisposeErrorMessage(text);
    return false;
  }
  if (how == PLAIN) allocate_only(e); // after the passes, which would heed it
  LLVMMemoryBufferRef object = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(target, e->module, LLVMObjectFile, &message, &object)) {
    snprintf(why, why_size, "%s", message);
    LLVMDisposeMessage(message);
    return false;
  }
  const bool good = object_to_code((const uint8_t *)LLVMGetBufferStart(object),
                                   LLVMGetBufferSize(object), out, why, why_size);
  LLVMDisposeMemoryBuffer(object);
  return good;
}

// Room for a nest's values; of a region for its largest.
static bool make_room(emitter *e, const jit_shape *s, const jit_region *r) {
  size_t insts = 0, places = 0, bufs = r ? r->n_bufs : 0;
  for (uint32_t i = 0; i < (r ? r->n_steps : 1); i++) {
    const jit_shape *of = r ? r->steps[i].shape : s;
    if (!of) continue;
    insts = TL_MAX(insts, of->nest->n_insts);
    places = TL_MAX(places, of->n_places);
  }
  e->val = calloc(insts + 1, sizeof *e->val);
  e->still = calloc(insts + 1, sizeof *e->still);
  e->at = calloc(places + 1, sizeof *e->at);
  e->stride = calloc(places * JIT_LEVELS + 1, sizeof *e->stride);
  e->buf = calloc(bufs + 1, sizeof *e->buf);
  e->outside = calloc(bufs + 1, sizeof *e->outside);
  return e->val && e->still && e->at && e->stride && e->buf && e->outside;
}

bool tlaloc_jit_compile(uint32_t version, const jit_shape *s, const jit_region *r,
                        jit_compiled *out, char *why, size_t why_size) {
  if (version != JIT_VERSION) {
    snprintf(why, why_size, "version %d of the module, version %u wanted", JIT_VERSION, version);
    return false;
  }
  const bool avx512 = r ? r->avx512 : s->avx512;
  const effort how = r ? WHOLE : effort_of(s);
  machine *m = take_machine(avx512, how == QUICK ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault,
                            why, why_size);
  if (!m) return false;
  emitter e = {
      .s = s, .n = s ? s->nest : NULL, .region = r, .avx512 = avx512, .hoists = how != QUICK};
  bool good = make_room(&e, s, r);
  if (!good) snprintf(why, why_size, "out of memory");
  e.cx = LLVMContextCreate();
  e.module = LLVMModuleCreateWithNameInContext("nest", e.cx);
  LLVMSetTarget(e.module, TRIPLE);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(m->of);
  LLVMSetModuleDataLayout(e.module, layout);
  e.b = LLVMCreateBuilderInContext(e.cx);
  e.i1 = LLVMInt1TypeInContext(e.cx);
  e.i8 = LLVMInt8TypeInContext(e.cx);
  e.i16 = LLVMInt16TypeInContext(e.cx);
  e.i32 = LLVMInt32TypeInContext(e.cx);
  e.i64 = LLVMInt64TypeInContext(e.cx);
  e.f16 = LLVMHalfTypeInContext(e.cx);
  e.f32 = LLVMFloatTypeInContext(e.cx);
  e.f64 = LLVMDoubleTypeInContext(e.cx);
  e.ptr = LLVMPointerTypeInContext(e.cx, 0);
  if (good) {
    make_function(&e, avx512);
    if (r)
      emit_region(&e);
    else
      emit_nest(&e);
    if (e.failed) snprintf(why, why_size, "%s", e.failed);
    good = !e.failed && to_object(&e, m->of, how, out, why, why_size);
  }
  LLVMDisposeBuilder(e.b);
  LLVMDisposeTargetData(layout);
  LLVMDisposeModule(e.module);
  LLVMContextDispose(e.cx);
  give_machine(m);
  free(e.val);
  free(e.still);
  free(e.at);
  free(e.stride);
  free(e.buf);
  free(e.outside);
  return good;
}
