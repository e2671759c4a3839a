// The tables that special.inc evaluates: TL_SPECIAL_<name>, in special_tables.def.
#ifndef TL_IR_SPECIAL_H
#define TL_IR_SPECIAL_H

#define TL_SPECIAL_TABLE(name, count, ...) extern const double TL_SPECIAL_##name[count];
#include "ir/special_tables.def"
#undef TL_SPECIAL_TABLE

#endif
