// ADBench's D-LSTM: the loss of an LSTM whose weights are diagonal, over a sequence of characters.
//
//   main     [2l, 4b]   of l layers: weights of the gates forget, keep, out and change, then biases
//   extra    [3, b]     the weight of what comes in, weight and bias of what goes out
//   state    [2l, b]    h and c of each layer at the start
//   sequence [n, b]     characters, in bits
#include "objectives.h"

enum { MAX_LAYERS = 16, FORGET = 0, KEEP, OUT, CHANGE };

typedef struct weights {
  int64_t n_layers;
  tl_expr w[MAX_LAYERS][4], bias[MAX_LAYERS][4]; // [b]
  tl_expr in, out, out_bias;                     // [b]
} weights;

static tl_expr gate(const weights *p, int64_t layer, int which, tl_expr x) {
  return tl_add(tl_mul(x, p->w[layer][which]), p->bias[layer][which]);
}

// Carries h and c of every layer and the sum so far; reads a character and the one that follows.
static void step(tl_trace *t, const tl_expr *s, tl_expr *next, void *arg) {
  (void)t;
  const weights *p = arg;
  tl_expr total = s[2 * p->n_layers], now = s[2 * p->n_layers + 1], then = s[2 * p->n_layers + 2];
  tl_expr x = tl_mul(now, p->in);
  for (int64_t l = 0; l < p->n_layers; l++) {
    tl_expr h = s[2 * l], c = s[2 * l + 1];
    c = tl_add(tl_mul(c, tl_sigmoid(gate(p, l, FORGET, x))),
               tl_mul(tl_sigmoid(gate(p, l, KEEP, h)), tl_tanh(gate(p, l, CHANGE, h))));
    x = tl_mul(tl_sigmoid(gate(p, l, OUT, x)), tl_tanh(c));
    next[2 * l] = x;
    next[2 * l + 1] = c;
  }
  tl_expr y = tl_add(tl_mul(x, p->out), p->out_bias);
  tl_expr log_sum = tl_log(tl_add(tl_sum(tl_exp(y)), 2));
  next[2 * p->n_layers] = tl_add(total, tl_sum(tl_mul(then, tl_sub(y, log_sum))));
}

tl_status lstm(tl_trace *t, const tl_expr *in, tl_expr *out) {
  tl_expr main = in[0], extra = in[1], state = in[2], sequence = in[3];
  weights p = {.n_layers = tl_size(main, 0) / 2};
  int64_t n = tl_size(sequence, 0), b = tl_size(sequence, 1), l2 = 2 * p.n_layers;
  tl_expr init[2 * MAX_LAYERS + 1], last[2 * MAX_LAYERS + 1];
  if (p.n_layers > MAX_LAYERS) return NULL;
  for (int64_t l = 0; l < p.n_layers; l++)
    for (int g = 0; g < 4; g++) {
      p.w[l][g] = tl_slice(tl_pick(main, 0, 2 * l), 0, g * b, (g + 1) * b, 1);
      p.bias[l][g] = tl_slice(tl_pick(main, 0, 2 * l + 1), 0, g * b, (g + 1) * b, 1);
    }
  p.in = tl_pick(extra, 0, 0);
  p.out = tl_pick(extra, 0, 1);
  p.out_bias = tl_pick(extra, 0, 2);
  for (int64_t i = 0; i < l2; i++)
    init[i] = tl_pick(state, 0, i);
  init[l2] = tl_full(t, 0, "f64");
  tl_expr xs[2] = {tl_slice(sequence, 0, 0, n - 1, 1), tl_slice(sequence, 0, 1, n, 1)};
  tl_scan(step, &p, init, (uint32_t)l2 + 1, xs, 2, NULL, last, NULL, 0);
  *out = tl_div(tl_neg(last[l2]), (double)((n - 1) * b));
  return NULL;
}
