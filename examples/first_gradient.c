#include <stdio.h>
#include <tlaloc/tlaloc.h>

int main(void) {
  // The loss of a linear model: mean((w x - y)^2) over a batch.
  tl_trace *t = tl_trace_begin("loss");
  tl_expr w = tl_input(t, "f64[in: 2]"), b = tl_input(t, "f64");
  tl_expr x = tl_input(t, "f64[batch: 3, in: 2]"), y = tl_input(t, "f64[batch: 3]");
  tl_expr error = tl_sub(tl_add(tl_contract(x, w, NULL), b), y);
  tl_expr loss = tl_mean(tl_square(error));

  tl_program *f = NULL, *step = NULL;
  tl_status st = tl_trace_end(t, &loss, 1, &f);
  if (!st) st = tl_program_value_and_grad(f, &(tl_derive_options){TL_WRT(0, 1)}, &step);

  double W[2] = {1, -1}, B[1] = {0.5}, X[3][2] = {{1, 2}, {3, 4}, {5, 6}}, Y[3] = {0, 1, 2};
  double value[1], dW[2], dB[1];
  tl_array in[] = {TL_ARRAY(W), TL_ARRAY(B), TL_ARRAY(X), TL_ARRAY(Y)};
  tl_array out[] = {TL_ARRAY(value), TL_ARRAY(dW), TL_ARRAY(dB)};
  if (!st) st = tl_program_run(step, in, 4, out, 3);
  if (st) return fprintf(stderr, "%s\n", tl_status_message(st)), 1;
  printf("loss %g, by w %g %g, by b %g\n", value[0], dW[0], dW[1], dB[0]);
}
