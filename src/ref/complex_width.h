// The elementwise ops of one width of complex numbers; complex.c includes this once for each.
//
//   C   the complex type; R the type of its parts; N(name) the name of this width's function; M the
//   lanes' member
//
// clang-format off

static C N(make)(R re, R im) { return (C){re, im}; }

static C N(add)(C x, C y) { return N(make)(x.re + y.re, x.im + y.im); }
static C N(subtract)(C x, C y) { return N(make)(x.re - y.re, x.im - y.im); }
static C N(multiply)(C x, C y) {
  return N(make)(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}
static C N(negate)(C x) { return N(make)(-x.re, -x.im); }

static bool N(binary)(tl_opcode op, size_t n, const tl_lanes *a, const tl_lanes *b, tl_lanes *z) {
#define ROW(id, f)                           \
  case TL_OP_##id:                           \
    for (size_t i = 0; i < n; i++)           \
      z->M[i] = N(f)(a->M[i], b->M[i]);      \
    return true;
  switch (op) {
    ROW(ADD, add)
    ROW(SUBTRACT, subtract)
    ROW(MULTIPLY, multiply)
  default:
    return false;
  }
#undef ROW
}

static bool N(unary)(tl_opcode op, size_t n, const tl_lanes *a, tl_lanes *z) {
#define ROW(id, f)                 \
  case TL_OP_##id:                 \
    for (size_t i = 0; i < n; i++) \
      z->M[i] = N(f)(a->M[i]);     \
    return true;
  switch (op) {
    ROW(NEGATE, negate)
  default:
    return false;
  }
#undef ROW
}
