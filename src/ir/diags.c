// Diagnostics with names.
#include "ir/diags.h"

#include <stdlib.h>

static const tl_diag_info rows[TL_DIAG_COUNT] = {
#define TL_DIAG(id, name, alias, status) [TL_DIAG_##id] = {name, alias, TL_STATUS_##status},
#include "ir/diags.def"
#undef TL_DIAG
};

const tl_diag_info *tl_diag_get(tl_diag_id id) { return &rows[id]; }

tl_status tl_diag_error(tl_diags *diags, tl_diag_id id, tl_loc loc, const char *fmt, ...) {
  tl_buf text = {0};
  va_list args;
  va_start(args, fmt);
  tl_buf_vprintf(&text, fmt, args);
  va_end(args);
  tl_buf_printf(&text, " [tlaloc-%s]", rows[id].name);
  tl_status st;
  if (text.oom) {
    if (diags != NULL) diags->oom = true;
    st = TL_OOM();
  } else {
    if (diags != NULL) tl_diags_add(diags, TL_DIAG_ERROR, loc, "%s", text.ptr);
    tl_buf place = {0};
    tl_loc_print(&place, loc);
    st = place.oom ? TL_OOM()
                   : tl_status_make(rows[id].status, "%s%s", place.ptr ? place.ptr : "", text.ptr);
    tl_buf_deinit(&place);
  }
  tl_buf_deinit(&text);
  return st;
}

bool tl_diag_of_message(tl_str message, tl_diag_id *out) {
  static const char open[] = "[tlaloc-";
  for (size_t at = message.len; at-- > 0;) {
    tl_str rest = tl_str_sub(message, at, message.len);
    if (!tl_str_starts(rest, tl_str_of(open))) continue;
    rest = tl_str_sub(rest, sizeof open - 1, rest.len);
    size_t end = tl_str_find(rest, TL_STR("]"));
    if (end == (size_t)-1) return false;
    for (size_t i = 0; i < TL_DIAG_COUNT; i++)
      if (tl_str_is(tl_str_sub(rest, 0, end), rows[i].name)) {
        *out = (tl_diag_id)i;
        return true;
      }
    return false;
  }
  return false;
}
