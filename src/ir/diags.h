// Diagnostics with names (diags.def): one way to say them, to a list and as a status at once.
#ifndef TL_IR_DIAGS_H
#define TL_IR_DIAGS_H

#include "base/diag.h"

typedef enum {
#define TL_DIAG(id, name, alias, status) TL_DIAG_##id,
#include "ir/diags.def"
#undef TL_DIAG
  TL_DIAG_COUNT
} tl_diag_id;

typedef struct tl_diag_info {
  const char *name;  // "axis-mismatch"; printed as [tlaloc-axis-mismatch]
  const char *alias; // "NAMED_INDEX_MISMATCH", or ""
  tl_status_code status;
} tl_diag_info;

const tl_diag_info *tl_diag_get(tl_diag_id id);

// Adds the error to `diags` (NULL is allowed) and returns it as a status of the row's code:
// "loss.c:14: message [tlaloc-axis-mismatch]". Of several the caller keeps the first.
tl_status tl_diag_error(tl_diags *diags, tl_diag_id id, tl_loc loc, const char *fmt, ...)
    TL_PRINTF(4, 5) TL_MUST_USE;
// Which row a message was made of: the last bracket says it. False where it names none.
bool tl_diag_of_message(tl_str message, tl_diag_id *out);

#endif
