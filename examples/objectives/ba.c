// ADBench's bundle adjustment: how far one point of the world is seen from where one camera should
// see it. vmap makes all observations of it, jacobian of that the blocks [2, 15] of the Jacobian,
// which is zero elsewhere.
//
//   v       [15]   camera: rotation r [3], center [3], focal length, principal point [2], radial
//                  distortion [2]; then the point [3]; then the observation's weight
//   feature [2]    where it was seen
//   result  [2]
#include "objectives.h"

static tl_expr rolled(tl_expr x, int64_t by) { // [3]
  tl_expr parts[2] = {tl_slice(x, 0, by, 3, 1), tl_slice(x, 0, 0, by, 1)};
  return tl_concat(parts, 2, 0);
}
static tl_expr cross(tl_expr x, tl_expr y) {
  return tl_sub(tl_mul(rolled(x, 1), rolled(y, 2)), tl_mul(rolled(x, 2), rolled(y, 1)));
}

// d turned by the angle |r| about r: Rodrigues' formula, and what it tends to where r is 0.
static void turned(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  tl_expr r = in[0], d = in[1];
  tl_expr angle = tl_sqrt(tl_sum(tl_square(r))), u = tl_div(r, angle), c = tl_cos(angle);
  tl_expr along = tl_mul(tl_matmul(u, d), tl_sub(1.0, c));
  *out = tl_add(tl_add(tl_mul(d, c), tl_mul(cross(u, d), tl_sin(angle))), tl_mul(u, along));
}
static void turned_a_little(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  *out = tl_add(in[1], cross(in[0], in[1]));
}

tl_status ba(tl_trace *t, const tl_expr *in, tl_expr *out) {
  (void)t;
  tl_expr v = in[0], feature = in[1];
  tl_expr r = tl_slice(v, 0, 0, 3, 1), center = tl_slice(v, 0, 3, 6, 1);
  tl_expr focal = tl_pick(v, 0, 6), principal = tl_slice(v, 0, 7, 9, 1);
  tl_expr k1 = tl_pick(v, 0, 9), k2 = tl_pick(v, 0, 10);
  tl_expr x = tl_slice(v, 0, 11, 14, 1), weight = tl_pick(v, 0, 14);
  tl_expr rd[2] = {r, tl_sub(x, center)}, y;
  tl_if(tl_gt(tl_sum(tl_square(r)), 0), turned, turned_a_little, NULL, rd, 2, &y, 1);
  tl_expr q = tl_div(tl_slice(y, 0, 0, 2, 1), tl_pick(y, 0, 2));
  tl_expr s = tl_sum(tl_square(q));
  tl_expr distortion = tl_add(tl_add(1.0, tl_mul(k1, s)), tl_mul(k2, tl_square(s)));
  tl_expr seen = tl_add(tl_mul(tl_mul(q, distortion), focal), principal);
  *out = tl_mul(weight, tl_sub(seen, feature));
  return NULL;
}
