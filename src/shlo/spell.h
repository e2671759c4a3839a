// How single things are written: symbols, strings, numbers, literals.
#ifndef TL_SHLO_SPELL_H
#define TL_SHLO_SPELL_H

#include "ir/ir.h"

void tl_spell_symbol(tl_buf *out, tl_str name); // @name, or @"a name" where it must be quoted
void tl_spell_string(tl_buf *out, tl_str text); // quoted and escaped
// The text of a quoted string token (quotes included), escapes undone, in the arena. False: a bad
// escape.
bool tl_spell_unquote(tl_arena *a, tl_str quoted, tl_str *out, bool *out_oom);

void tl_spell_i64(tl_buf *out, int64_t v);
void tl_spell_list(tl_buf *out, tl_i64s list, const char *open, const char *close); // [1, 2]
void tl_spell_f64_attr(
    tl_buf *out, double v); // 1.000000e-05: at least six decimals, more where the value needs them
// One element of a tensor. Floats: the shortest decimal that reads back to the same bits, at least
// two digits, plain for 1e-3 <= |x| < 1e7 and d.dE<exp> elsewhere; infinities and NaN as their
// bits, 0x7F800000.
void tl_spell_element(tl_buf *out, tl_dtype dtype, const void *element);
// digits[.digits][e[+-]digits], without a sign: the nearest f64, an infinity where it is too large.
// False: no number.
bool tl_spell_to_f64(tl_str text, double *out);
// <lhs_precision_type = bf16, …> of a tl_dot_algorithm but NONE. dot_algorithm.c
void tl_spell_dot_algorithm(tl_buf *out, int64_t algorithm);
// dense<…>, without the type. hex: literals over 16 elements as their bytes.
void tl_spell_literal(tl_buf *out, const tl_literal *l, bool hex);

void tl_spell_pairs(tl_buf *out, tl_i64s list);       // [[1, 2], [3, 4]]
void tl_spell_pairs_dense(tl_buf *out, tl_i64s list); // dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
void tl_spell_bools(tl_buf *out, tl_i64s list);       // array<i1: true, false>

// spell_sharding.c
void tl_spell_sharding(tl_buf *out, const tl_sharding *s);   // <@mesh, [{"x"}, {?}p1]>
void tl_spell_shardings(tl_buf *out, const tl_shardings *s); // [<…>, <…>]
void tl_spell_axes(tl_buf *out, const tl_names *axes);       // {"x", "y"}
void tl_spell_programs(tl_buf *out, const tl_names *names);  // [[@a], [@b]]
void tl_spell_groups(tl_buf *out, const tl_groups *g);       // replica_groups
void tl_spell_mesh(tl_buf *out, const tl_mesh *mesh);        // <["x"=2]> {stablehlo.mesh = …}

#endif
