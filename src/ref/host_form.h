// The form that an op has in <tlaloc/host.h>: what the maker of its calls and the printer of C
// share.
#ifndef TL_REF_HOST_FORM_H
#define TL_REF_HOST_FORM_H

#include "ir/ir.h"

typedef enum {
  TL_HOST_CALL,    // tlh_<name>
  TL_HOST_PRINTED, // C of its own
  TL_HOST_REFUSED, // `reason` says why
} tl_host_kind;

typedef struct tl_host_form {
  tl_host_kind kind;
  const char *reason;
  char name[48];  // "dot_general": the op's id in small letters
  bool typed;     // takes the result's type, before its operands
  bool as_struct; // attributes go in a struct tlh_<name>_attrs
} tl_host_form;

tl_host_form tl_host_form_of(tl_opcode code);

// TLH_LT. False: the kind is no enumeration, or has no such value.
bool tl_host_put_enum(tl_buf *out, tl_attr_kind kind, int64_t value);

// Whether a region of two arguments may be this op: TLH_BY(TLH_<ID>).
bool tl_host_combines(tl_opcode code);

#endif
