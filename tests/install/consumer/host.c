// A stranger's program over <tlaloc/host.h>.
#include <stdio.h>
#include <tlaloc/host.h>

int main(void) {
  tlh *h = tlh_create();
  tlh_tensor x = {TLH_TYPE(TLH_F32, 2, 2), (const float[]){1, 2, 3, 4}};
  tlh_tensor y = tlh_dot_general(h, TLH_INFER, x, x,
                                 &(tlh_dot_general_attrs){.lhs_contracting_dimensions = TLH_LIST(1),
                                                          .rhs_contracting_dimensions = TLH_LIST(0)});
  const bool good = !tlh_error(h) && tlh_at(h, y, 3) == 22;
  printf("%s\n", good ? "the product is right" : "the product is wrong");
  tlh_destroy(h);
  return !good;
}
