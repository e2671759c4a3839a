#include "ir/composite.h"

static const char *const policies[TL_CHECKPOINT_COUNT] = {
#define TL_CHECKPOINT_NAME(id, name) [TL_CHECKPOINT_##id] = name,
    TL_CHECKPOINT_POLICIES(TL_CHECKPOINT_NAME)
#undef TL_CHECKPOINT_NAME
};

const char *tl_checkpoint_policy_names(void) { return "nothing, dots or everything"; }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static tl_str trimmed(tl_str s) {
  while (s.len > 0 && is_space(s.ptr[0]))
    s = tl_str_sub(s, 1, s.len);
  while (s.len > 0 && is_space(s.ptr[s.len - 1]))
    s.len--;
  return s;
}

// Behind the string that begins at `at`.
static size_t behind_string(tl_str s, size_t at) {
  for (at++; at < s.len && s.ptr[at] != '"'; at++)
    if (s.ptr[at] == '\\') at++;
  return TL_MIN(at + 1, s.len);
}

// The end of the part that begins at `from`: the comma, the `=` or the closing bracket behind it.
static size_t part_end(tl_str s, size_t from, char also) {
  size_t depth = 0, at = from;
  while (at < s.len) {
    const char c = s.ptr[at];
    if (c == '"') {
      at = behind_string(s, at);
      continue;
    }
    const bool closes = c == '}' || c == ']' || c == ')' || c == '>';
    if (depth == 0 && (c == ',' || c == also || closes)) break;
    if (c == '-' && at + 1 < s.len && s.ptr[at + 1] == '>')
      at++; // an arrow closes nothing
    else if (c == '{' || c == '[' || c == '(' || c == '<')
      depth++;
    else if (closes)
      depth--;
    at++;
  }
  return at;
}

tl_str tl_dict_value(tl_str dict, const char *key) {
  tl_str s = trimmed(dict);
  if (s.len < 2 || s.ptr[0] != '{') return (tl_str){0};
  for (size_t at = 1; at < s.len;) {
    const size_t name_end = part_end(s, at, '=');
    tl_str name = trimmed(tl_str_sub(s, at, name_end));
    if (name.len >= 2 && name.ptr[0] == '"') name = tl_str_sub(name, 1, name.len - 1);
    const bool has_value = name_end < s.len && s.ptr[name_end] == '=';
    const size_t end = has_value ? part_end(s, name_end + 1, ',') : name_end;
    if (has_value && tl_str_is(name, key)) return trimmed(tl_str_sub(s, name_end + 1, end));
    at = end + 1;
  }
  return (tl_str){0};
}

bool tl_composite_is_checkpoint(const tl_op *op) {
  return op->code == TL_OP_COMPOSITE &&
         tl_str_is(tl_op_str(op, TL_A_COMPOSITE_name), "tlaloc.checkpoint");
}

bool tl_composite_policy(const tl_op *op, tl_checkpoint_policy *out, tl_str *out_given) {
  tl_str given = tl_dict_value(tl_op_str(op, TL_A_COMPOSITE_composite_attributes), "policy");
  if (out_given != NULL) *out_given = given;
  *out = TL_CHECKPOINT_NOTHING;
  if (given.len == 0) return true;
  if (given.len < 2 || given.ptr[0] != '"') return false;
  const tl_str name = tl_str_sub(given, 1, given.len - 1);
  for (int i = 0; i < TL_CHECKPOINT_COUNT; i++)
    if (tl_str_is(name, policies[i])) {
      *out = (tl_checkpoint_policy)i;
      return true;
    }
  return false;
}
