// Type rules of the ops that serving needs beside attention. Their constraints are numbered here,
// in the order of the checks:
//
//   dequantize_kv     c1 codes [.., KvH, D] of i32 or i64, rank 2 or more
//                     c2 scales f32 [KvH] or [1]   c3 kv_quant_dtype is int8 or int4
//                     c4 the result is f32 or bf16, of the codes' shape
//   nvfp4_matmul      c1 x [R, K] of f32 or bf16, K a multiple of 64
//                     c2 codes ui8 [T, K/64, 512]   c3 scales ui8 [T, K/64, 64]
//                     c4 scale2 f32 [N], T = ceil(N/16)
//   causal_conv1d     c1 x f32 [B, T, C]   c2 weight f32 [K, C], 1 <= K <= 64
//                     c3 state f32 [S, K-1, C], S > 0   c4 slots and positions i32 [B, T]
//   gated_delta_rule  c1 q, k f32 [B, T, Hk, Dk]   c2 v f32 [B, T, Hv, Dv], Hk divides Hv
//                     c3 g, beta f32 [B, T, Hv]   c4 state f32 [S, Hv, Dk, Dv], S > 0
//                     c5 slots and positions i32 [B, T]
//   moe_experts       c1 x [R, H] of f32 or bf16   c2 router logits f32 [R, E]
//                     c3 gate_up [E, 2I, H] of f32, bf16 or f16, or with scales i8 or f8E4M3FN
//                     c4 down [E, H, I] of its element type   c5 scales f32 [E, 2I] and [E, H]
//                     c6 1 <= top_k <= E
#include "ir/rule.h"

static bool is(tl_type t, tl_dtype d, uint32_t rank, const int64_t *dims) {
  if (t.dtype != d || t.rank != rank) return false;
  for (uint32_t i = 0; i < rank; i++)
    if (!tl_dim_agrees(t.dims[i], dims[i])) return false;
  return true;
}
#define IS(t, d, rank, ...) is((t), (d), (rank), (const int64_t[]){__VA_ARGS__})

tl_status tl_infer_dequantize_kv(tl_rule *r) {
  tl_type codes = tl_rule_in(r, 0), scales = tl_rule_in(r, 1);
  tl_str kind = tl_op_str(r->op, TL_A_DEQUANTIZE_KV_kv_quant_dtype);
  TL_RULE(r, (codes.dtype == TL_DTYPE_S32 || codes.dtype == TL_DTYPE_S64) && codes.rank >= 2, "c1",
          "wants codes [.., KvH, D] of i32 or i64, got %s", tl_rule_type(r, codes));
  TL_RULE(r,
          IS(scales, TL_DTYPE_F32, 1, codes.dims[codes.rank - 2]) || IS(scales, TL_DTYPE_F32, 1, 1),
          "c2", "wants scales of f32, one a key head (%s) or one for all, got %s",
          tl_rule_dim(r, codes.dims[codes.rank - 2]), tl_rule_type(r, scales));
  TL_RULE(r, tl_str_is(kind, "int8") || tl_str_is(kind, "int4"), "c3",
          "kv_quant_dtype " TL_STR_FMT " is not int8 or int4%s", TL_STR_ARG(kind),
          tl_str_starts(kind, TL_STR("fp8"))
              ? ": fp8 caches hold values, not codes, and are converted"
              : "");
  tl_type t = codes;
  t.dtype = TL_DTYPE_F32;
  if (r->n_declared == 1) {
    TL_RULE(r, r->declared[0].dtype == TL_DTYPE_F32 || r->declared[0].dtype == TL_DTYPE_BF16, "c4",
            "the result is f32 or bf16, not %s", tl_rule_type(r, r->declared[0]));
    t.dtype = r->declared[0].dtype;
  }
  return tl_rule_give1(r, t, "c4");
}

tl_status tl_infer_nvfp4_matmul(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), codes = tl_rule_in(r, 1), scales = tl_rule_in(r, 2),
          scale2 = tl_rule_in(r, 3);
  TL_RULE(r,
          (x.dtype == TL_DTYPE_F32 || x.dtype == TL_DTYPE_BF16) && x.rank == 2 && x.dims[1] > 0 &&
              x.dims[1] % 64 == 0,
          "c1", "wants x [R, K] of f32 or bf16, K a multiple of 64, got %s", tl_rule_type(r, x));
  const int64_t groups = x.dims[1] / 64;
  TL_RULE(
      r,
      codes.rank == 3 && codes.dims[0] > 0 && IS(codes, TL_DTYPE_U8, 3, codes.dims[0], groups, 512),
      "c2", "wants codes ui8 [T, %lld, 512], got %s", (long long)groups, tl_rule_type(r, codes));
  TL_RULE(r, IS(scales, TL_DTYPE_U8, 3, codes.dims[0], groups, 64), "c3",
          "wants scales ui8 [%lld, %lld, 64], got %s", (long long)codes.dims[0], (long long)groups,
          tl_rule_type(r, scales));
  TL_RULE(r,
          scale2.rank == 1 && scale2.dtype == TL_DTYPE_F32 &&
              scale2.dims[0] > 16 * (codes.dims[0] - 1) && scale2.dims[0] <= 16 * codes.dims[0],
          "c4", "wants scale2 f32 [N] with ceil(N/16) = %lld, got %s", (long long)codes.dims[0],
          tl_rule_type(r, scale2));
  return tl_rule_give_dims(r, TL_DTYPE_F32, (const int64_t[]){x.dims[0], scale2.dims[0]}, 2, "c4");
}

static tl_status slots_fit(tl_rule *r, uint32_t first, int64_t B, int64_t T, const char *label) {
  for (uint32_t i = first; i < r->op->n_operands; i++)
    TL_RULE(r, IS(tl_rule_in(r, i), TL_DTYPE_S32, 2, B, T), label,
            "wants slots and positions i32 [%s, %s], got %s", tl_rule_dim(r, B), tl_rule_dim(r, T),
            tl_rule_type(r, tl_rule_in(r, i)));
  TL_RULE(r, r->op->n_operands - first == 2 || r->op->n_operands - first == 3, label,
          "wants token_slots, positions and perhaps write_slots, got %u of them",
          r->op->n_operands - first);
  return TL_OK;
}

tl_status tl_infer_causal_conv1d(tl_rule *r) {
  TL_RULE(r, r->op->n_operands >= 3, "c4", "wants 5 or 6 operands, got %u", r->op->n_operands);
  tl_type x = tl_rule_in(r, 0), w = tl_rule_in(r, 1), state = tl_rule_in(r, 2);
  TL_RULE(r, x.rank == 3 && x.dtype == TL_DTYPE_F32, "c1", "wants x f32 [B, T, C], got %s",
          tl_rule_type(r, x));
  TL_RULE(r,
          w.rank == 2 && w.dtype == TL_DTYPE_F32 && w.dims[0] >= 1 && w.dims[0] <= 64 &&
              tl_dim_agrees(w.dims[1], x.dims[2]),
          "c2", "wants weight f32 [K, %s] with K from 1 to 64, got %s", tl_rule_dim(r, x.dims[2]),
          tl_rule_type(r, w));
  TL_RULE(r,
          state.rank == 3 && state.dims[0] != 0 &&
              IS(state, TL_DTYPE_F32, 3, state.dims[0], w.dims[0] - 1, x.dims[2]),
          "c3", "wants state f32 [S, %lld, %s] with S > 0, got %s", (long long)w.dims[0] - 1,
          tl_rule_dim(r, x.dims[2]), tl_rule_type(r, state));
  TL_TRY(slots_fit(r, 3, x.dims[0], x.dims[1], "c4"));
  return tl_rule_give(r, (const tl_type[]){x, state}, 2, "c1");
}

tl_status tl_infer_gated_delta_rule(tl_rule *r) {
  TL_RULE(r, r->op->n_operands >= 6, "c5", "wants 8 or 9 operands, got %u", r->op->n_operands);
  tl_type q = tl_rule_in(r, 0), k = tl_rule_in(r, 1), v = tl_rule_in(r, 2),
          state = tl_rule_in(r, 5);
  TL_RULE(r, q.rank == 4 && q.dtype == TL_DTYPE_F32 && tl_type_agrees(q, k), "c1",
          "wants q and k f32 [B, T, Hk, Dk], got %s and %s", tl_rule_type(r, q),
          tl_rule_type(r, k));
  TL_RULE(r,
          v.rank == 4 && v.dtype == TL_DTYPE_F32 && tl_dim_agrees(v.dims[0], q.dims[0]) &&
              tl_dim_agrees(v.dims[1], q.dims[1]) && q.dims[2] > 0 && v.dims[2] >= 0 &&
              v.dims[2] % q.dims[2] == 0,
          "c2", "wants v f32 [%s, %s, Hv, Dv], Hv a multiple of %s, got %s",
          tl_rule_dim(r, q.dims[0]), tl_rule_dim(r, q.dims[1]), tl_rule_dim(r, q.dims[2]),
          tl_rule_type(r, v));
  for (uint32_t i = 3; i < 5; i++)
    TL_RULE(r, IS(tl_rule_in(r, i), TL_DTYPE_F32, 3, v.dims[0], v.dims[1], v.dims[2]), "c3",
            "wants g and beta f32 [%s, %s, %s], got %s", tl_rule_dim(r, v.dims[0]),
            tl_rule_dim(r, v.dims[1]), tl_rule_dim(r, v.dims[2]),
            tl_rule_type(r, tl_rule_in(r, i)));
  TL_RULE(r,
          state.rank == 4 && state.dims[0] != 0 &&
              IS(state, TL_DTYPE_F32, 4, state.dims[0], v.dims[2], q.dims[3], v.dims[3]),
          "c4", "wants state f32 [S, %s, %s, %s] with S > 0, got %s", tl_rule_dim(r, v.dims[2]),
          tl_rule_dim(r, q.dims[3]), tl_rule_dim(r, v.dims[3]), tl_rule_type(r, state));
  TL_TRY(slots_fit(r, 6, v.dims[0], v.dims[1], "c5"));
  return tl_rule_give(r, (const tl_type[]){v, state}, 2, "c2");
}

tl_status tl_infer_moe_experts(tl_rule *r) {
  const uint32_t n = r->op->n_operands;
  const int64_t top_k = tl_op_i64(r->op, TL_A_MOE_EXPERTS_top_k);
  TL_RULE(r, n == 4 || n == 6, "c5",
          "wants x, logits, gate_up[, scale], down[, scale], got %u operands", n);
  tl_type x = tl_rule_in(r, 0), logits = tl_rule_in(r, 1), gate_up = tl_rule_in(r, 2),
          down = tl_rule_in(r, n == 6 ? 4 : 3);
  TL_RULE(r, x.rank == 2 && (x.dtype == TL_DTYPE_F32 || x.dtype == TL_DTYPE_BF16), "c1",
          "wants x [R, H] of f32 or bf16, got %s", tl_rule_type(r, x));
  TL_RULE(r, x.dims[1] >= 0, "c1", "wants a width that is a number, got %s", tl_rule_type(r, x));
  TL_RULE(r, logits.rank == 2 && IS(logits, TL_DTYPE_F32, 2, x.dims[0], logits.dims[1]), "c2",
          "wants router logits f32 [%s, E], got %s", tl_rule_dim(r, x.dims[0]),
          tl_rule_type(r, logits));
  const bool plain = gate_up.dtype == TL_DTYPE_F32 || gate_up.dtype == TL_DTYPE_BF16 ||
                     gate_up.dtype == TL_DTYPE_F16,
             coded = gate_up.dtype == TL_DTYPE_S8 || gate_up.dtype == TL_DTYPE_F8E4M3FN;
  const int64_t E = logits.dims[1];
  TL_RULE(r, E >= 0, "c2", "wants a number of experts that is known, got router logits %s",
          tl_rule_type(r, logits));
  TL_RULE(r,
          (n == 4 ? plain : coded) && gate_up.rank == 3 && tl_dim_agrees(gate_up.dims[0], E) &&
              gate_up.dims[1] >= 0 && gate_up.dims[1] % 2 == 0 &&
              tl_dim_agrees(gate_up.dims[2], x.dims[1]),
          "c3", "wants gate_up [%lld, 2I, %s] of %s, I a number, got %s", (long long)E,
          tl_rule_dim(r, x.dims[1]), n == 4 ? "f32, bf16 or f16" : "i8 or f8E4M3FN",
          tl_rule_type(r, gate_up));
  TL_RULE(r, IS(down, gate_up.dtype, 3, E, x.dims[1], gate_up.dims[1] / 2), "c4",
          "wants down [%lld, %s, %lld] of gate_up's element type, got %s", (long long)E,
          tl_rule_dim(r, x.dims[1]), (long long)gate_up.dims[1] / 2, tl_rule_type(r, down));
  if (n == 6)
    TL_RULE(r,
            IS(tl_rule_in(r, 3), TL_DTYPE_F32, 2, E, gate_up.dims[1]) &&
                IS(tl_rule_in(r, 5), TL_DTYPE_F32, 2, E, x.dims[1]),
            "c5", "wants scales f32 [E, 2I] and [E, H], got %s and %s",
            tl_rule_type(r, tl_rule_in(r, 3)), tl_rule_type(r, tl_rule_in(r, 5)));
  TL_RULE(r, top_k >= 1 && top_k <= E, "c6", "top_k %lld is not between 1 and the %lld experts",
          (long long)top_k, (long long)E);
  return tl_rule_give_dims(r, TL_DTYPE_F32, x.dims, 2, "c1");
}
