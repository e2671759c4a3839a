// The inside of the Jinja engine: tokens, tree, values, and the run that evaluates them.
//
//     source ─ jinja_lex ─► tokens ─ jinja_parse ─► tree ─ jinja_eval ─► text
//                                                            │
//                      jinja_filters, jinja_methods, jinja_value, jinja_text
#ifndef TL_TOK_JINJA_IMPL_H
#define TL_TOK_JINJA_IMPL_H

#include "base/map.h"
#include "tok/jinja.h"

enum {
  TL_JINJA_MAX_SOURCE = 1 << 20, // bytes of a template
  TL_JINJA_MAX_NESTING = 100,    // of brackets and blocks in the text
  TL_JINJA_MAX_DEPTH = 250,      // of evaluation: chains of operators, macros calling macros
  TL_JINJA_MAX_PARAMS = 6,
};

// ---- Tokens ----

typedef enum {
  TL_JT_DATA, // text outside tags
  TL_JT_VAR_BEGIN,
  TL_JT_VAR_END,
  TL_JT_BLOCK_BEGIN,
  TL_JT_BLOCK_END,
  TL_JT_NAME,
  TL_JT_STRING,
  TL_JT_INT,
  TL_JT_FLOAT,
  TL_JT_OP, // `text` is the operator
  TL_JT_END,
} tl_jt_kind;

typedef struct tl_jt {
  tl_jt_kind kind;
  uint32_t at, len; // in the source
  tl_str text;      // DATA, NAME, STRING (unescaped), OP
  int64_t i;        // INT
  double f;         // FLOAT
} tl_jt;

// ---- The tree ----

typedef enum {
  // expressions
  TL_JN_CONST,
  TL_JN_NAME,
  TL_JN_LIST, // also tuples
  TL_JN_DICT,
  TL_JN_ATTR,
  TL_JN_ITEM,
  TL_JN_SLICE, // only as the index of an ITEM
  TL_JN_CALL,
  TL_JN_FILTER,
  TL_JN_TEST,
  TL_JN_NOT,
  TL_JN_NEG,
  TL_JN_POS,
  TL_JN_BINARY,
  TL_JN_AND,
  TL_JN_OR,
  TL_JN_COMPARE,
  TL_JN_COND,
  // statements
  TL_JN_DATA,
  TL_JN_PRINT,
  TL_JN_IF,
  TL_JN_FOR,
  TL_JN_SET,
  TL_JN_SET_BLOCK,
  TL_JN_MACRO,
  TL_JN_CALL_BLOCK,
  TL_JN_FILTER_BLOCK,
  TL_JN_WITH,
  TL_JN_SCOPE, // {% generation %}: its body, in a scope of its own
  TL_JN_BREAK,
  TL_JN_CONTINUE,
} tl_jn_kind;

typedef enum {
  TL_JO_ADD,
  TL_JO_SUB,
  TL_JO_MUL,
  TL_JO_DIV,
  TL_JO_FLOORDIV,
  TL_JO_MOD,
  TL_JO_POW,
  TL_JO_CONCAT,
  TL_JO_EQ,
  TL_JO_NE,
  TL_JO_LT,
  TL_JO_LE,
  TL_JO_GT,
  TL_JO_GE,
  TL_JO_IN,
  TL_JO_NOT_IN,
} tl_jo;

typedef struct tl_jn tl_jn;

typedef struct tl_jn_list {
  tl_jn **items;
  uint32_t len, cap;
} tl_jn_list;

typedef struct tl_jv {
  uint8_t kind; // tl_jv_kind
  bool tuple;   // LIST: prints as one
  bool lazy;    // LIST: Python has a generator here: true even when empty, without a length
  union {
    bool b;
    int64_t i;
    double f;
    tl_str s; // STR; UNDEFINED: what was undefined, as a sentence for messages
    struct tl_jv_list *list;
    struct tl_jv_dict *dict; // DICT, NAMESPACE
    struct tl_jv_loop *loop;
    struct tl_jv_macro *macro;
    struct tl_jv_bound *bound;              // METHOD
    const struct tl_jinja_builtin *builtin; // FUNCTION
  };
} tl_jv;

struct tl_jn {
  tl_jn_kind kind;
  uint32_t at, len; // in the source
  union {
    tl_jv value; // CONST
    struct {     // NAME; MACRO, SET_BLOCK (their name)
      tl_str name;
      uint32_t id;
    };
    tl_jo op; // BINARY
  };
  tl_jn *a, *b, *c; // children: see the parser, which makes each kind in one place
  tl_jn_list list;  // items, arguments, targets, body …
  tl_jn_list body, other;
  tl_str *names; // CALL, FILTER, TEST: name of each argument, ptr NULL = positional
  tl_jo *ops;    // COMPARE: one for each item of `list`
  const struct tl_jinja_builtin *builtin; // FILTER, TEST
};

struct tl_jinja {
  tl_str source; // with line ends made \n
  const char *name;
  tl_jn_list body;
  tl_str *names; // [n_names] each name of the template, by id
  uint32_t n_names;
};

typedef struct tl_jparse { // one parse
  tl_arena *arena;
  tl_jinja *template;
  tl_diags *diags;
  tl_jt *tokens;
  size_t n_tokens, cap_tokens, next;
  uint32_t depth, loops;
  tl_map *names; // to ids
  uint32_t cap_names;
  bool oom;
} tl_jparse;

tl_loc tl_jinja_loc(const tl_jinja *t, uint32_t at, uint32_t len);
// Reports an error at a place of the source; always false.
bool tl_jparse_fail(tl_jparse *p, uint32_t at, uint32_t len, const char *fmt, ...) TL_PRINTF(4, 5);
bool tl_jinja_lex(tl_jparse *p);  // fills tokens; ends with TL_JT_END
bool tl_jinja_tree(tl_jparse *p); // fills template->body

// ---- Values ----

typedef enum {
  TL_JV_ABSENT, // an argument not given; never seen by templates
  TL_JV_UNDEFINED,
  TL_JV_NONE,
  TL_JV_BOOL,
  TL_JV_INT,
  TL_JV_FLOAT,
  TL_JV_STR,
  TL_JV_LIST,
  TL_JV_DICT,
  TL_JV_NAMESPACE,
  TL_JV_LOOP,
  TL_JV_MACRO,
  TL_JV_METHOD,
  TL_JV_FUNCTION,
} tl_jv_kind;

typedef struct tl_jv_list {
  tl_jv *items;
  size_t len, cap;
} tl_jv_list;

typedef struct tl_jv_dict { // in the order of insertion
  tl_jv *keys, *values;
  size_t len, cap;
} tl_jv_dict;

typedef struct tl_jv_loop {
  const tl_jv_list *items;
  size_t index;       // from 0
  tl_jv last_changed; // of loop.changed; ABSENT at first
} tl_jv_loop;

typedef struct tl_jscope tl_jscope;

typedef struct tl_jv_macro {
  const tl_jn *node; // MACRO, or CALL_BLOCK for a caller
  tl_jscope *scope;  // where it was defined
} tl_jv_macro;

typedef struct tl_jv_bound {
  tl_jv self;
  const struct tl_jinja_builtin *builtin;
} tl_jv_bound;

struct tl_jscope {
  tl_jscope *parent;
  uint32_t *ids;
  tl_jv *values;
  uint32_t len, cap;
};

typedef struct tl_jargs { // as written
  const tl_jv *items;     // the self of a filter or test is not among them
  const tl_str *names;    // ptr NULL = positional
  size_t len;
} tl_jargs;

typedef struct tl_jrun {
  const tl_jinja *template;
  tl_arena *arena;
  tl_diags *diags;
  uint64_t work;     // what is left of the budget
  size_t max_output; // of one text
  int64_t now;       // 0 = the clock
  uint32_t at, len;  // the place to blame in messages
  uint32_t depth;    // of evaluation
  tl_jscope *scope;
  tl_buf *out; // where text goes now
  enum { TL_JRUN_ON, TL_JRUN_BREAK, TL_JRUN_CONTINUE } signal;
  bool failed, oom;
} tl_jrun;

// Everything below that returns bool returns false after an error, which is then reported.

bool tl_jrun_fail(tl_jrun *r, const char *fmt, ...) TL_PRINTF(2, 3); // at r->at; always false
bool tl_jrun_oom(tl_jrun *r);                                        // always false
bool tl_jrun_charge(tl_jrun *r, uint64_t work);
void *tl_jrun_alloc(tl_jrun *r, size_t count, size_t size); // charged; NULL after reporting
#define TL_JNEW(r, type, count) ((type *)tl_jrun_alloc((r), (count), sizeof(type)))

static inline tl_jv tl_jv_none(void) { return (tl_jv){.kind = TL_JV_NONE}; }
static inline tl_jv tl_jv_bool(bool b) { return (tl_jv){.kind = TL_JV_BOOL, .b = b}; }
static inline tl_jv tl_jv_int(int64_t i) { return (tl_jv){.kind = TL_JV_INT, .i = i}; }
static inline tl_jv tl_jv_float(double f) { return (tl_jv){.kind = TL_JV_FLOAT, .f = f}; }
static inline tl_jv tl_jv_str(tl_str s) { return (tl_jv){.kind = TL_JV_STR, .s = s}; }
static inline tl_jv tl_jv_undefined(const char *why) {
  return (tl_jv){.kind = TL_JV_UNDEFINED, .s = tl_str_of(why)};
}

tl_jv_list *tl_jv_list_new(tl_jrun *r, size_t cap); // NULL after reporting
bool tl_jv_list_push(tl_jrun *r, tl_jv_list *list, tl_jv v);
tl_jv tl_jv_of_list(tl_jv_list *list, bool tuple);
tl_jv_dict *tl_jv_dict_new(tl_jrun *r, size_t cap);
bool tl_jv_dict_set(tl_jrun *r, tl_jv_dict *d, tl_jv key, tl_jv value);
// *out is the value or NULL. Charged.
bool tl_jv_dict_find(tl_jrun *r, const tl_jv_dict *d, tl_jv key, const tl_jv **out);
bool tl_jv_of_json(tl_jrun *r, const json_t *json, tl_jv *out);

const char *tl_jv_type_name(tl_jv v); // "str", "dict" … as Python names them
bool tl_jv_truth(tl_jv v);
bool tl_jv_equal(tl_jrun *r, tl_jv a, tl_jv b, bool *out);
// -1, 0, 1; values that have no order are an error naming `op` ("<").
bool tl_jv_order(tl_jrun *r, tl_jv a, tl_jv b, const char *op, int *out);
bool tl_jv_contains(tl_jrun *r, tl_jv item, tl_jv container, bool *out);
// The items that iterating gives: a list's own, a dict's keys, a text's characters.
bool tl_jv_iterate(tl_jrun *r, tl_jv v, tl_jv_list **out);
bool tl_jv_length(tl_jrun *r, tl_jv v, int64_t *out);
// str(v), appended; the buffer is the caller's.
bool tl_jv_print(tl_jrun *r, tl_jv v, tl_buf *out);
bool tl_jv_to_str(tl_jrun *r, tl_jv v, tl_str *out); // str(v), in the arena
typedef struct tl_jv_json_style {
  int64_t indent; // -1 = on one line
  tl_str item_separator, key_separator;
  bool ascii, sort_keys;
} tl_jv_json_style;
bool tl_jv_to_json(tl_jrun *r, tl_jv v, const tl_jv_json_style *style, tl_buf *out);
// Copies a finished buffer into the arena and frees it.
bool tl_jv_take(tl_jrun *r, tl_buf *buf, tl_jv *out);

// obj.name and obj[index]; what is not there is UNDEFINED.
bool tl_jv_attr(tl_jrun *r, tl_jv obj, tl_str name, tl_jv *out);
bool tl_jv_item(tl_jrun *r, tl_jv obj, tl_jv index, tl_jv *out);
// obj[start:stop:step], each NONE where left out.
bool tl_jv_slice(tl_jrun *r, tl_jv obj, tl_jv start, tl_jv stop, tl_jv step, tl_jv *out);
bool tl_jv_binary(tl_jrun *r, tl_jo op, tl_jv a, tl_jv b, tl_jv *out);

// ---- Builtins ----

typedef bool tl_jinja_fn(tl_jrun *r, tl_jv self, const tl_jv *args, tl_jv *out);
typedef bool tl_jinja_var_fn(tl_jrun *r, tl_jv self, const tl_jargs *args, tl_jv *out);

// A filter, test, method or function. Fixed parameters are bound by place or name into args[]
// (ABSENT where not given); variadic ones come as written.
typedef struct tl_jinja_builtin {
  const char *name;
  const char *params; // "a b c"; "" = none; NULL = variadic
  uint8_t required;   // so many of them must be given
  uint8_t self_kind;  // methods: the tl_jv_kind they belong to
  tl_jinja_fn *fn;
  tl_jinja_var_fn *var_fn;
} tl_jinja_builtin;

const tl_jinja_builtin *tl_jinja_filter_find(tl_str name);
const tl_jinja_builtin *tl_jinja_test_find(tl_str name);
const tl_jinja_builtin *tl_jinja_method_find(tl_jv_kind self, tl_str name);
const tl_jinja_builtin *tl_jinja_global_find(tl_str name);
const char *tl_jinja_filter_nearest(tl_str name); // "did you mean"; NULL when none is near
const char *tl_jinja_test_nearest(tl_str name);
bool tl_jinja_builtin_call(tl_jrun *r, const tl_jinja_builtin *f, tl_jv self, const tl_jargs *args,
                           tl_jv *out);

// ---- Text ----

size_t tl_jtext_count(tl_str s);                         // characters
size_t tl_jtext_offset(tl_str s, size_t from, size_t n); // byte n characters after byte `from`
bool tl_jtext_is_space(uint32_t c);                      // as Python's str.isspace
tl_str tl_jtext_strip(tl_str s, const tl_str *chars, bool left, bool right); // NULL: white space
// Appends; how: 'u' upper, 'l' lower, 'c' capitalize, 't' Python's title, 'T' the title filter.
void tl_jtext_case(tl_str s, char how, tl_buf *out);

#endif
