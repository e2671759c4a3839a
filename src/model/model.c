#include "model/model.h"

#include "base/half.h"
#include "ckpt/quant.h"
#include "ckpt/quantize.h"

// A model's slots: which weight goes where, in which format and type, and how its bytes reach
// prepare.

// The type of stored bytes: dense elements, or rows of opaque blocks.
static tl_type stored_type(tl_arena *a, const tl_weight *w, tl_format format, size_t row_size) {
  const int64_t rows = (int64_t)w->rows, k = (int64_t)w->k;
  tl_dtype dense = format == TL_FORMAT_F32   ? TL_DTYPE_F32
                   : format == TL_FORMAT_F16 ? TL_DTYPE_F16
                                             : TL_DTYPE_BF16;
  if (tl_role_get(w->role)->rank == 1) return TL_TYPE(a, dense, k);
  if (tl_format_get(format)->code_bits) return TL_TYPE(a, TL_DTYPE_U8, rows, (int64_t)row_size);
  return TL_TYPE(a, dense, rows, k);
}

// Whether the options quantise this weight: every matrix but the table, or the head, as they say.
static bool is_quantised(const tl_model *m, const tl_weight *w) {
  const bool tied = m->config.tied;
  if (tl_role_get(w->role)->rank == 1) return false;
  if (w->role == TL_ROLE_EMBED) return tied && m->options.head != TL_HEAD_KEEP;
  return w->role != TL_ROLE_HEAD || m->options.head == TL_HEAD_QUANTIZE;
}

static tl_format run_format(const tl_model *m, const tl_weight *w) {
  const bool head = w->role == TL_ROLE_EMBED || w->role == TL_ROLE_HEAD;
  switch (m->options.weights) {
  case TL_WEIGHTS_F32:
    return TL_FORMAT_F32;
  case TL_WEIGHTS_BF16:
    return tl_role_get(w->role)->rank == 1 ? w->format : TL_FORMAT_BF16;
  case TL_WEIGHTS_INT8:
    return is_quantised(m, w) ? TL_FORMAT_INT8 : w->format;
  case TL_WEIGHTS_FP8:
    return is_quantised(m, w) ? TL_FORMAT_FP8 : w->format;
  case TL_WEIGHTS_INT4: // the head's errors reach every logit, and 8 bits are what others give it
    return !is_quantised(m, w) ? w->format : head ? TL_FORMAT_INT8 : TL_FORMAT_Q4_0;
  default:
    return w->format;
  }
}

static tl_status check_formats(const tl_model *m, const tl_weight *w, tl_format f) {
  const tl_format_info *from = tl_format_get(w->format), *to = tl_format_get(f);
  if (f != w->format && to->code_bits && from->code_bits)
    return TL_ERROR(UNIMPLEMENTED,
                    "weights: %s is stored as %s already, and is not quantised again", w->name.ptr,
                    from->name);
  if (m->options.compute == TL_COMPUTE_FAST && to->code_bits && !tl_format_is_integer(f))
    return TL_ERROR(UNIMPLEMENTED,
                    "compute: %s is %s, and fast has products of integers only; wanted exact",
                    w->name.ptr, to->name);
  return TL_OK;
}

static tl_status fill_slot(tl_model *m, const tl_weight *w, tl_model_slot *slot) {
  const tl_role_info *role = tl_role_get(w->role);
  slot->weight = w;
  slot->format = run_format(m, w);
  slot->name = role->layered ? tl_arena_printf(m->arena, "%s%u", role->slot, w->layer)
                             : tl_arena_printf(m->arena, "%s", role->slot);
  const tl_format_info *f = tl_format_get(slot->format);
  size_t row_size;
  TL_TRY(check_formats(m, w, slot->format));
  if (role->rank == 1 && f->code_bits)
    return TL_ERROR(UNIMPLEMENTED, "%s: a norm stored as %s; wanted f32, f16 or bf16", w->name.ptr,
                    f->name);
  if (!tl_format_row_size(slot->format, w->k, &row_size))
    return TL_ERROR(INVALID_ARGUMENT, "%s: rows of %llu elements do not fit blocks of %u (%s)",
                    w->name.ptr, (unsigned long long)w->k, f->block, f->name);
  slot->stored = stored_type(m->arena, w, slot->format, row_size);
  if (role->rank == 1) {
    slot->prepared = TL_TYPE(m->arena, TL_DTYPE_F32, (int64_t)w->k);
  } else {
    // The type of pack_weights' result is the op's own rule; ask it in a module of its own.
    tl_module *scratch = tl_module_create();
    if (!scratch) return TL_OOM();
    tl_builder b = tl_func_begin(scratch, "main", false);
    tl_value packed = tlo_pack_weights(&b, tl_func_arg(&b, slot->stored), slot->format,
                                       (int64_t)w->rows, (int64_t)w->k);
    tl_type t = tl_value_type(packed);
    if (packed) slot->prepared = tl_type_of(m->arena, t.dtype, t.dims, t.rank);
    tlo_return(&b, &packed, 1);
    tl_status st = tl_builder_finish(&b);
    tl_module_destroy(scratch);
    if (st) return tl_status_note(st, "%s", w->name.ptr);
  }
  if (!slot->name || !slot->stored.dims || !slot->prepared.dims) return TL_OOM();
  return TL_OK;
}

enum { MAX_BLOCK_SIZE = 1 << 16, LEAST_CONTEXT = 64, MOST_CONTEXT = 2048 };

// Pools as large as a sequence may ever need are slow to begin with: the pages of a layer that hold
// a few tokens are pages of 2 MiB. Few lengths, so that what was compiled for one is found again.
static uint32_t default_context(uint64_t reach) {
  uint32_t context = reach ? LEAST_CONTEXT : MOST_CONTEXT;
  while (context < MOST_CONTEXT && context < reach)
    context *= 2;
  return context;
}

// Fills in the defaults. Slots and block numbers of the stacked pool are i32, which bounds them
// all.
static tl_status check_options(tl_model *m) {
  tl_model_options *o = &m->options;
  const tl_model_config *c = &m->config;
  if (o->block_size == 0) o->block_size = 16;
  if (o->max_batch == 0) o->max_batch = 1;
  if (o->context == 0) o->context = TL_MIN(c->max_positions, default_context(o->reach));
  if (o->context > c->max_positions)
    return TL_ERROR(INVALID_ARGUMENT, "context: %u tokens asked for, the model was made for %u",
                    o->context, c->max_positions);
  if (o->block_size > MAX_BLOCK_SIZE)
    return TL_ERROR(INVALID_ARGUMENT, "block-size: %u tokens a page; at most %d are allowed",
                    o->block_size, MAX_BLOCK_SIZE);
  m->pages = (uint32_t)(((uint64_t)o->context + o->block_size - 1) / o->block_size);
  if (o->num_blocks == 0) {
    const uint64_t wanted = (uint64_t)o->max_batch * m->pages + 1;
    if (wanted > INT32_MAX)
      return TL_ERROR(INVALID_ARGUMENT,
                      "max-batch: %u sequences of %u pages are more than i32 counts", o->max_batch,
                      m->pages);
    o->num_blocks = (uint32_t)wanted;
  }
  if (o->num_blocks < 2)
    return TL_ERROR(INVALID_ARGUMENT, "num-blocks: %u; page 0 is scratch, so at least 2 are needed",
                    o->num_blocks);
  uint64_t positions = 2;
  if (!TL_MUL_OK(positions, (uint64_t)c->n_layers, &positions) ||
      !TL_MUL_OK(positions, (uint64_t)o->num_blocks, &positions) ||
      !TL_MUL_OK(positions, (uint64_t)o->block_size, &positions) || positions > INT32_MAX)
    return TL_ERROR(INVALID_ARGUMENT,
                    "num-blocks: %u pages of %u tokens in %u layers are more slots than i32 counts",
                    o->num_blocks, o->block_size, c->n_layers);
  return TL_OK;
}

tl_status tl_model_create(tl_checkpoint *checkpoint, const tl_model_options *options,
                          tl_model **out_model) {
  tl_arena *arena = tl_arena_create();
  tl_model *m = arena ? TL_NEW(arena, tl_model, 1) : NULL;
  if (!m) {
    tl_arena_destroy(arena);
    return TL_OOM();
  }
  m->arena = arena;
  tl_checkpoint_retain(checkpoint);
  m->checkpoint = checkpoint;
  m->config = checkpoint->config;
  if (options) m->options = *options;
  tl_status st;
  TL_TRY_GOTO(fail, st, check_options(m));
  m->n_stored = checkpoint->n_weights;
  m->n_slots = m->n_stored + 2;
  m->slots = TL_NEW(arena, tl_model_slot, m->n_slots);
  if (!m->slots) {
    st = TL_OOM();
    goto fail;
  }
  for (size_t i = 0; i < m->n_stored; i++)
    TL_TRY_GOTO(fail, st, fill_slot(m, &checkpoint->weights[i], &m->slots[i]));
  const int64_t positions = (int64_t)m->pages * m->options.block_size;
  for (size_t i = 0; i < 2; i++) {
    tl_model_slot *slot = &m->slots[m->n_stored + i];
    slot->name = i ? "ropeSin" : "ropeCos";
    slot->format = TL_FORMAT_F32;
    slot->prepared = TL_TYPE(arena, TL_DTYPE_F32, positions, m->config.head_dim / 2);
    slot->stored = slot->prepared;
    if (!slot->prepared.dims) {
      st = TL_OOM();
      goto fail;
    }
  }
  *out_model = m;
  return TL_OK;
fail:
  tl_model_destroy(m);
  return st;
}

void tl_model_destroy(tl_model *m) {
  if (!m) return;
  tl_checkpoint_release(m->checkpoint);
  tl_arena_destroy(m->arena);
}

tl_status tl_model_slot_bytes(const tl_model *m, size_t i, tl_buf *converted,
                              const uint8_t **out_data, size_t *out_size) {
  const tl_model_slot *slot = &m->slots[i];
  const tl_weight *w = slot->weight;
  if (slot->format == w->format && !w->scaled) {
    *out_data = w->data;
    *out_size = w->size;
    return TL_OK;
  }
  // Row by row through f32: exact for f32, one rounding for bf16, codes of ckpt/quantize.h.
  size_t row_size, size, row_f32, total;
  if (!tl_format_row_size(slot->format, (size_t)w->k, &row_size) ||
      !TL_MUL_OK((size_t)w->rows, row_size, &size) ||
      !TL_MUL_OK((size_t)w->k, sizeof(float), &row_f32) || size > SIZE_MAX / 2 ||
      !TL_ADD_OK(row_f32, w->row_size, &row_f32) ||
      !TL_ADD_OK(tl_round_up(size, sizeof(float)), row_f32, &total))
    return TL_ERROR(INVALID_ARGUMENT, "%s: more bytes than memory can hold", w->name.ptr);
  tl_buf_clear(converted);
  if (!tl_buf_reserve(converted, total)) return TL_OOM();
  char *row = converted->ptr + tl_round_up(size, sizeof(float)); // scratch behind the result
  for (uint64_t r = 0; r < w->rows; r++) {
    char *to = converted->ptr + r * row_size;
    float *f32 = (float *)(void *)(slot->format == TL_FORMAT_F32 ? to : row);
    uint8_t *scratch = (uint8_t *)row + w->k * sizeof(float);
    if (slot->format == w->format) {
      (void)tl_weight_row(w, r, (uint8_t *)to);
      continue;
    }
    TL_TRY_NOTE(tl_quant_row_f32(w->format, tl_weight_row(w, r, scratch), w->k, f32), "%s",
                w->name.ptr);
    if (tl_format_get(slot->format)->code_bits)
      TL_TRY_NOTE(tl_quantize_row(slot->format, f32, (size_t)w->k, (uint8_t *)to), "%s: row %llu",
                  w->name.ptr, (unsigned long long)r);
    if (slot->format == TL_FORMAT_BF16)
      for (size_t k = 0; k < w->k; k++) {
        uint16_t h = tl_bf16_of_f32(f32[k]);
        memcpy(to + 2 * k, &h, 2);
      }
  }
  converted->len = size;
  *out_data = (const uint8_t *)converted->ptr;
  *out_size = size;
  return TL_OK;
}
