// Options and what follows from them, and the modules of every tiny checkpoint: that they verify,
// what they donate, how prepare orders rows and computes its tables.
#include "base/test.h"

#include <math.h>

#include "base/half.h"
#include "ckpt/quant.h"
#include "ckpt/quantize.h"
#include "model/model.h"
#include "ref/ref.h"

static const char *const paths[] = {"tests/model/tiny-llama-untied", "tests/model/tiny-qwen3-tied",
                                    "tests/model/tiny-qwen3-untied"};

static tl_model *open_model(const char *path, const tl_model_options *o) {
  tl_checkpoint *checkpoint = NULL;
  tl_model *m = NULL;
  assert_ok(tl_checkpoint_open(path, &checkpoint));
  assert_ok(tl_model_create(checkpoint, o, &m));
  tl_checkpoint_release(checkpoint);
  return m;
}

// --- options ---

static void options_that_cannot_be_are_refused_by_name(void **state) {
  (void)state;
  static const struct {
    tl_model_options o;
    const char *says;
  } rows[] = {
      {{.context = 129}, "context: 129 tokens asked for, the model was made for 128"},
      {{.num_blocks = 1}, "num-blocks: 1; page 0 is scratch"},
      {{.num_blocks = 40000000}, "num-blocks: 40000000 pages of 16 tokens in 2 layers"},
      {{.num_blocks = 1u << 31, .block_size = 1 << 16}, "num-blocks: 2147483648 pages"},
      {{.num_blocks = UINT32_MAX}, "num-blocks: 4294967295 pages"},
      {{.max_batch = UINT32_MAX}, "max-batch: 4294967295 sequences of 8 pages"},
      {{.max_batch = 10000000, .block_size = 128}, "num-blocks: 10000001 pages of 128 tokens"},
      {{.block_size = UINT32_MAX}, "block-size: 4294967295 tokens a page"},
      {{.block_size = 65537}, "block-size: 65537 tokens a page; at most 65536"},
      {{.weights = TL_WEIGHTS_INT8},
       "q_proj.weight: rows of 48 elements do not fit blocks of 32 (int8)"},
      {{.weights = TL_WEIGHTS_FP8}, "rows of 48 elements do not fit blocks of 32 (fp8)"},
      {{.weights = TL_WEIGHTS_INT4}, "rows of 48 elements do not fit blocks of 32 (q4_0)"},
  };
  tl_checkpoint *checkpoint = NULL;
  assert_ok(tl_checkpoint_open(paths[0], &checkpoint));
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_model *m = NULL;
    assert_status(tl_model_create(checkpoint, &rows[i].o, &m), TL_STATUS_INVALID_ARGUMENT,
                  rows[i].says);
    assert_null(m);
  }
  tl_checkpoint_release(checkpoint);
}

static void contexts_are_whole_pages(void **state) {
  (void)state;
  static const struct {
    uint32_t context, block_size, max_batch; // asked for
    uint32_t pages, num_blocks;
  } rows[] = {{0, 0, 0, 8, 9},       {128, 16, 1, 8, 9}, {33, 16, 1, 3, 4},
              {32, 16, 1, 2, 3},     {1, 16, 1, 1, 2},   {100, 7, 3, 15, 46},
              {128, 1, 2, 128, 257}, {5, 128, 1, 1, 2},  {128, 65536, 1, 1, 2}};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_model *m = open_model(paths[0], &(tl_model_options){.context = rows[i].context,
                                                           .block_size = rows[i].block_size,
                                                           .max_batch = rows[i].max_batch});
    assert_int_equal(m->pages, rows[i].pages);
    assert_int_equal(m->options.num_blocks, rows[i].num_blocks);
    assert_int_equal(tl_model_step_ints(m, 5, 3, 2), 4 * 5 + 3 * rows[i].pages + 2);
    const tl_type cos = m->slots[m->n_stored].prepared; // a row for every place in the pages
    assert_int_equal(cos.dims[0], rows[i].pages * m->options.block_size);
    tl_model_destroy(m);
  }
  tl_model_destroy(NULL);
}

// A sequence whose end is known has a context of a power of two, unless one is asked for.
static void contexts_reach_as_far_as_is_known(void **state) {
  (void)state;
  static const struct {
    uint32_t context;
    uint64_t reach;
    uint32_t want;
  } rows[] = {{0, 0, 128},   {0, 1, 64},           {0, 64, 64},   {0, 65, 128},
              {0, 129, 128}, {0, UINT64_MAX, 128}, {32, 100, 32}, {100, 1, 100}};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_model *m = open_model(
        paths[0], &(tl_model_options){.context = rows[i].context, .reach = rows[i].reach});
    assert_int_equal(m->options.context, rows[i].want);
    tl_model_destroy(m);
  }
}

static void sizes_that_cannot_be_are_refused(void **state) {
  (void)state;
  tl_model *m = open_model(paths[0], &(tl_model_options){.context = 64});
  tl_module *module = NULL;
  assert_status(tl_model_step(m, 0, 1, 1, &module), TL_STATUS_INVALID_ARGUMENT, "0 tokens");
  assert_status(tl_model_step(m, 1, 0, 1, &module), TL_STATUS_INVALID_ARGUMENT, "0 sequences");
  assert_status(tl_model_step(m, 1, 1, 0, &module), TL_STATUS_INVALID_ARGUMENT, "0 rows");
  assert_status(tl_model_decode(m, 1, 0, &module), TL_STATUS_INVALID_ARGUMENT, "contexts: 0");
  assert_status(tl_model_decode(m, 1, 40, &module), TL_STATUS_INVALID_ARGUMENT, "contexts: 40");
  assert_status(tl_model_decode(m, 1, 80, &module), TL_STATUS_INVALID_ARGUMENT, "contexts: 80");
  assert_status(tl_model_decode(m, 0, 64, &module), TL_STATUS_INVALID_ARGUMENT, "0 x 1 tokens");
  assert_status(tl_model_prefill(m, 1, 64, 1, &module), TL_STATUS_INVALID_ARGUMENT,
                "prefill-chunk: 1");
  assert_status(tl_model_prefill(m, 1, 32, 33, &module), TL_STATUS_INVALID_ARGUMENT,
                "1 x 33 tokens in a context of 32");
  assert_null(module);
  tl_model_destroy(m);
}

// --- modules ---

static void verified(tl_status st, tl_module **module) {
  assert_ok(st);
  tl_diags diags = {0};
  tl_status bad = tl_module_verify(*module, &diags);
  if (bad) {
    tl_buf text = {0};
    tl_diags_print(&diags, &text, false);
    print_error("%s", text.ptr ? text.ptr : "");
    tl_buf_deinit(&text);
  }
  assert_ok(bad);
  tl_diags_deinit(&diags);
}

static void every_module_verifies(void **state) {
  (void)state;
  for (size_t p = 0; p < TL_COUNT(paths); p++)
    for (int mode = 0; mode <= TL_WEIGHTS_BF16; mode++)
      for (int kv_bf16 = 0; kv_bf16 < 2; kv_bf16++) {
        tl_model *m =
            open_model(paths[p], &(tl_model_options){.weights = (tl_weights_mode)mode,
                                                     .kv = kv_bf16 ? TL_KV_BF16 : TL_KV_F32,
                                                     .context = 48,
                                                     .max_batch = 3});
        const uint32_t layers = m->config.n_layers;
        tl_module *module = NULL;
        verified(tl_model_prepare(m, &module), &module);
        assert_int_equal(module->first->body->n_args, m->n_stored);
        assert_int_equal(module->first->n_results, m->n_slots);
        for (size_t i = 0; i < m->n_slots; i++)
          assert_true(tl_type_eq(module->first->result_types[i], m->slots[i].prepared));
        tl_module_destroy(module);

        static const uint32_t sizes[][3] = {{1, 1, 1}, {7, 3, 2}, {16, 1, 16}};
        for (size_t i = 0; i < TL_COUNT(sizes); i++) {
          const uint32_t T = sizes[i][0], S = sizes[i][1], R = sizes[i][2];
          verified(tl_model_step(m, T, S, R, &module), &module);
          const tl_func *fn = module->first;
          assert_int_equal(fn->body->n_args, 2 + m->n_slots);
          assert_int_equal(fn->body->args[0]->type.dims[0], tl_model_step_ints(m, T, S, R));
          assert_int_equal(fn->args[1].alias_output, 1);
          assert_int_equal(fn->body->args[1]->type.dims[0], 2 * layers * m->options.num_blocks);
          assert_int_equal(fn->body->args[1]->type.dtype, kv_bf16 ? TL_DTYPE_BF16 : TL_DTYPE_F32);
          assert_int_equal(fn->result_types[0].dims[0], R);
          assert_int_equal(fn->result_types[0].dims[1], m->config.vocab);
          tl_module_destroy(module);
        }
        for (uint32_t T = 1; T <= 9; T += 8) { // decode, prefill
          verified(T == 1 ? tl_model_decode(m, 2, 32, &module)
                          : tl_model_prefill(m, 2, 32, T, &module),
                   &module);
          const tl_func *fn = module->first;
          assert_int_equal(fn->body->n_args, 5 + 2 * layers + m->n_slots);
          assert_int_equal(fn->n_results, 1 + 2 * layers);
          for (uint32_t i = 0; i < 2 * layers; i++)
            assert_int_equal(fn->args[5 + i].alias_output, 1 + i);
          assert_int_equal(fn->result_types[0].rank, 3);
          tl_module_destroy(module);
        }
        tl_model_destroy(m);
      }
}

// Weights are the checkpoint's own bytes, or converted once.
static void slot_bytes_are_the_weights(void **state) {
  (void)state;
  for (size_t p = 0; p < TL_COUNT(paths); p++)
    for (int mode = 0; mode <= TL_WEIGHTS_BF16; mode++) {
      tl_model *m = open_model(paths[p], &(tl_model_options){.weights = (tl_weights_mode)mode});
      tl_buf converted = {0};
      for (size_t i = 0; i < m->n_stored; i++) {
        const tl_model_slot *slot = &m->slots[i];
        const tl_weight *w = slot->weight;
        const uint8_t *data = NULL;
        size_t size = 0, wanted = 0;
        assert_ok(tl_model_slot_bytes(m, i, &converted, &data, &size));
        assert_true(tl_type_size(slot->stored, &wanted));
        assert_int_equal(size, wanted);
        if (slot->format == w->format) {
          assert_ptr_equal(data, w->data);
          continue;
        }
        float *row = calloc(w->k, sizeof *row);
        assert_non_null(row);
        for (uint64_t r = 0; r < w->rows; r++) {
          assert_ok(tl_quant_row_f32(w->format, w->data + r * w->row_size, w->k, row));
          for (uint64_t k = 0; k < w->k; k++) {
            const uint8_t *at = data + (r * w->k + k) * (mode == TL_WEIGHTS_F32 ? 4 : 2);
            uint16_t h = tl_bf16_of_f32(row[k]);
            assert_memory_equal(at, mode == TL_WEIGHTS_F32 ? (void *)&row[k] : (void *)&h,
                                mode == TL_WEIGHTS_F32 ? 4 : 2);
          }
        }
        free(row);
      }
      tl_buf_deinit(&converted);
      tl_model_destroy(m);
    }
}

// Which weights are quantised, and that their bytes are the quantiser's.
static void what_is_quantised(void **state) {
  (void)state;
  static const struct {
    tl_weights_mode mode;
    tl_format matrices, head;
  } rows[] = {{TL_WEIGHTS_INT8, TL_FORMAT_INT8, TL_FORMAT_INT8},
              {TL_WEIGHTS_FP8, TL_FORMAT_FP8, TL_FORMAT_FP8},
              {TL_WEIGHTS_INT4, TL_FORMAT_Q4_0, TL_FORMAT_INT8}};
  for (size_t p = 1; p < TL_COUNT(paths); p++)
    for (size_t i = 0; i < TL_COUNT(rows); i++)
      for (int head = TL_HEAD_DEFAULT; head <= TL_HEAD_KEEP; head++) {
        tl_checkpoint *checkpoint = NULL;
        tl_model *m = NULL;
        assert_ok(tl_checkpoint_open(paths[p], &checkpoint));
        tl_model_config *c = &checkpoint->config;
        const bool has_bytes = c->hidden % 32 == 0;
        if (!has_bytes) { // the config is widened to whole blocks, and no bytes are read
          c->hidden = 32, c->intermediate = 64, c->head_dim = 32;
          for (size_t s = 0; s < checkpoint->n_weights; s++) {
            tl_weight *w = (tl_weight *)(uintptr_t)&checkpoint->weights[s];
            assert_true(tl_role_shape(w->role, c, &w->rows, &w->k));
          }
        }
        assert_ok(tl_model_create(
            checkpoint, &(tl_model_options){.weights = rows[i].mode, .head = (tl_head_mode)head},
            &m));
        tl_checkpoint_release(checkpoint);
        tl_buf converted = {0};
        for (size_t s = 0; s < m->n_stored; s++) {
          const tl_model_slot *slot = &m->slots[s];
          const tl_weight *w = slot->weight;
          const bool tied = m->config.tied;
          tl_format want = rows[i].matrices;
          if (tl_role_get(w->role)->rank == 1) want = w->format;
          if (w->role == TL_ROLE_EMBED)
            want = tied && head != TL_HEAD_KEEP ? rows[i].head : w->format;
          if (w->role == TL_ROLE_HEAD) want = head == TL_HEAD_QUANTIZE ? rows[i].head : w->format;
          assert_int_equal(slot->format, want);
          if (want == w->format || !has_bytes) continue;
          const uint8_t *data = NULL;
          size_t size = 0, row_size = 0;
          assert_ok(tl_model_slot_bytes(m, s, &converted, &data, &size));
          assert_true(tl_format_row_size(want, w->k, &row_size) && size == w->rows * row_size);
          float *row = calloc(w->k, sizeof *row);
          uint8_t *codes = malloc(row_size);
          assert_true(row && codes);
          for (uint64_t r = 0; r < w->rows; r++) {
            assert_ok(tl_quant_row_f32(w->format, w->data + r * w->row_size, w->k, row));
            assert_ok(tl_quantize_row(want, row, w->k, codes));
            assert_memory_equal(data + r * row_size, codes, row_size);
          }
          free(row), free(codes);
        }
        tl_buf_deinit(&converted);
        tl_model_destroy(m);
      }
}

static void what_is_not_quantised(void **state) {
  (void)state;
  tl_checkpoint *checkpoint = NULL;
  tl_model *m = NULL;
  assert_ok(tl_checkpoint_open(paths[1], &checkpoint));
  assert_status(tl_model_create(checkpoint,
                                &(tl_model_options){.weights = TL_WEIGHTS_FP8,
                                                    .head = TL_HEAD_KEEP,
                                                    .compute = TL_COMPUTE_FAST},
                                &m),
                TL_STATUS_UNIMPLEMENTED,
                "compute: model.layers.0.self_attn.q_proj.weight is fp8, and fast has products of "
                "integers only");
  tl_weight *w = (tl_weight *)(uintptr_t)tl_checkpoint_weight(checkpoint, TL_ROLE_UP,
                                                              1); // its arena is ours to change
  w->format = TL_FORMAT_Q8_0;
  assert_status(
      tl_model_create(checkpoint, &(tl_model_options){.weights = TL_WEIGHTS_INT8}, &m),
      TL_STATUS_UNIMPLEMENTED,
      "model.layers.1.mlp.up_proj.weight is stored as q8_0 already, and is not quantised again");
  assert_null(m);
  tl_checkpoint_release(checkpoint);
}

// --- prepare ---

typedef struct prepared {
  tl_module *module;
  tl_arena *arena;
  tl_tensor *in, *out; // [n_stored], [n_slots]
} prepared;

// Runs prepare by the interpreter over these stored bytes (NULL: the model's own).
static prepared prepare(const tl_model *m, size_t changed, void *bytes) {
  prepared p = {.arena = tl_arena_create()};
  assert_ok(tl_model_prepare(m, &p.module));
  p.in = TL_NEW(p.arena, tl_tensor, m->n_stored);
  p.out = TL_NEW(p.arena, tl_tensor, m->n_slots);
  tl_buf converted = {0};
  for (size_t i = 0; i < m->n_stored; i++) {
    const uint8_t *data;
    size_t size = 0;
    if (i == changed && tl_type_size(m->slots[i].stored, &size))
      data = bytes;
    else
      assert_ok(tl_model_slot_bytes(m, i, &converted, &data, &size));
    void *copy = tl_arena_alloc(p.arena, size, 64); // a file's bytes lie anywhere
    memcpy(copy, data, size);
    p.in[i] = (tl_tensor){m->slots[i].stored, copy};
  }
  tl_buf_deinit(&converted);
  assert_ok(tl_ref_run(p.module->first, TL_REF_AS_TYPED, p.in, m->n_stored, p.arena, p.out, 0));
  return p;
}

static void prepared_end(prepared *p) {
  tl_module_destroy(p->module);
  tl_arena_destroy(p->arena);
}

// Rows of q and k that are stored pairwise come out as if they had been stored in the model's
// order, whatever their format: prepare's permutation is tl_weight_stored_row.
static void pairwise_rows_are_put_in_order(void **state) {
  (void)state;
  static const tl_role roles[] = {TL_ROLE_Q, TL_ROLE_K};
  for (size_t p = 0; p < TL_COUNT(paths); p++)
    for (size_t r = 0; r < TL_COUNT(roles); r++)
      for (int blocks = 0; blocks < 2; blocks++) { // dense, q8_0
        tl_checkpoint *checkpoint = NULL;
        assert_ok(tl_checkpoint_open(paths[p], &checkpoint));
        const size_t at = checkpoint->first[roles[r]];
        tl_weight *w =
            (tl_weight *)(uintptr_t)&checkpoint->weights[at]; // its arena is ours to change
        if (blocks && w->k % 32) {
          tl_checkpoint_release(checkpoint);
          continue;
        }
        if (blocks) {
          w->format = TL_FORMAT_Q8_0;
          assert_true(tl_format_row_size(w->format, w->k, &w->row_size));
          w->size = w->rows * w->row_size;
        }
        uint8_t *stored = malloc(w->size), *ordered = malloc(w->size);
        assert_true(stored && ordered);
        for (size_t i = 0; i < w->size; i++)
          stored[i] = (uint8_t)(i * 37 + i / 256 * 11 + 5) & 0x3f; // finite in every format
        tl_model *m = NULL;
        assert_ok(tl_model_create(checkpoint, NULL, &m));
        w->interleaved_rope = true;
        size_t moved = 0;
        for (uint64_t i = 0; i < w->rows; i++) {
          const uint64_t from = tl_weight_stored_row(w, m->config.head_dim, i);
          moved += from != i;
          memcpy(ordered + i * w->row_size, stored + from * w->row_size, w->row_size);
        }
        assert_true(moved > 0);
        prepared pairwise = prepare(m, at, stored);
        w->interleaved_rope = false;
        prepared plain = prepare(m, at, ordered), other = prepare(m, at, stored);
        size_t size = 0;
        assert_true(tl_type_size(m->slots[at].prepared, &size));
        assert_memory_equal(pairwise.out[at].data, plain.out[at].data, size);
        assert_memory_not_equal(pairwise.out[at].data, other.out[at].data, size); // the control
        prepared_end(&pairwise), prepared_end(&plain), prepared_end(&other);
        free(stored), free(ordered);
        tl_model_destroy(m);
        tl_checkpoint_release(checkpoint);
      }
}

// cos and sin of position * theta^(-2i/D). Computed in f64 and rounded to f32 once, so that each is
// within half an ulp of the true value, and what the angle's own rounding adds: 1e-16 of an angle
// up to 128, far below 1e-12.
static void rope_tables_are_right_to_half_an_ulp(void **state) {
  (void)state;
  for (size_t p = 0; p < TL_COUNT(paths); p++) {
    tl_model *m = open_model(paths[p], NULL);
    prepared r = prepare(m, SIZE_MAX, NULL);
    const tl_type t = m->slots[m->n_stored].prepared;
    const int64_t half = t.dims[1];
    assert_int_equal(half * 2, m->config.head_dim);
    for (int sine = 0; sine < 2; sine++) {
      const float *table = r.out[m->n_stored + (size_t)sine].data;
      for (int64_t at = 0; at < t.dims[0]; at++)
        for (int64_t i = 0; i < half; i++) {
          const long double angle = (long double)at * powl((long double)m->config.rope_theta,
                                                           -2.0L * i / m->config.head_dim);
          const long double want = sine ? sinl(angle) : cosl(angle);
          const float got = table[at * half + i];
          const long double ulp = (long double)(nextafterf(fabsf(got), INFINITY) - fabsf(got));
          assert_true(fabsl((long double)got - want) <= 0.5L * ulp + 1e-12L);
        }
    }
    prepared_end(&r);
    tl_model_destroy(m);
  }
}

static void norms_are_widened(void **state) {
  (void)state;
  tl_model *m = open_model(paths[0], NULL); // stored in bf16
  prepared r = prepare(m, SIZE_MAX, NULL);
  size_t seen = 0;
  for (size_t i = 0; i < m->n_stored; i++) {
    const tl_weight *w = m->slots[i].weight;
    if (tl_role_get(w->role)->rank != 1) continue;
    seen++;
    assert_int_equal(r.out[i].type.dtype, TL_DTYPE_F32);
    for (uint64_t k = 0; k < w->k; k++) {
      uint16_t h;
      memcpy(&h, w->data + 2 * k, 2);
      assert_true(((const float *)r.out[i].data)[k] == tl_f32_of_bf16(h));
    }
  }
  assert_int_equal(seen, 2 * m->config.n_layers + 1);
  prepared_end(&r);
  tl_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_that_cannot_be_are_refused_by_name),
                                     cmocka_unit_test(contexts_are_whole_pages),
                                     cmocka_unit_test(contexts_reach_as_far_as_is_known),
                                     cmocka_unit_test(sizes_that_cannot_be_are_refused),
                                     cmocka_unit_test(every_module_verifies),
                                     cmocka_unit_test(slot_bytes_are_the_weights),
                                     cmocka_unit_test(what_is_quantised),
                                     cmocka_unit_test(what_is_not_quantised),
                                     cmocka_unit_test(pairwise_rows_are_put_in_order),
                                     cmocka_unit_test(rope_tables_are_right_to_half_an_ulp),
                                     cmocka_unit_test(norms_are_widened)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
