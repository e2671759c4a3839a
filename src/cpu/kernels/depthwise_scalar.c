// depthwise.inc for scalar.
#include "cpu/kernels/v16_scalar.h"
#include "cpu/kernels/declare.h"
#include "cpu/kernels/depthwise.inc"
