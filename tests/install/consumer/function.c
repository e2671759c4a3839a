// A stranger's program: a function of tensors, traced and run.
#include <stdio.h>
#include <tlaloc/tlaloc.h>

int main(void) {
  tl_trace *t = tl_trace_begin("f");
  tl_expr x = tl_input(t, "f32[3]"), y = tl_add(tl_mul(x, 2), 1);
  tl_program *f = NULL;
  float in[3] = {1, 2, 3}, out[3];
  tl_status st = tl_trace_end(t, &y, 1, &f);
  if (!st) st = tl_program_run(f, &(tl_array)TL_ARRAY(in), 1, &(tl_array)TL_ARRAY(out), 1);
  if (st) return fprintf(stderr, "%s\n", tl_status_message(st)), 1;
  tl_program_release(f);
  printf("%g %g %g\n", (double)out[0], (double)out[1], (double)out[2]);
  return out[0] != 3 || out[1] != 5 || out[2] != 7;
}
