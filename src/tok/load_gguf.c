// A tokenizer from the metadata of a GGUF file.
//
//     tokenizer.ggml.model   "gpt2": byte-level BPE; others are refused
//     tokenizer.ggml.pre     how text is cut into words: gguf_pre.def
//     tokenizer.ggml.tokens, .merges, .token_type
//     tokenizer.ggml.{bos,eos,eot,eom,unknown,padding,separator,cls,mask}_token_id
//     tokenizer.ggml.add_bos_token, .add_eos_token
//     tokenizer.chat_template
//
// The words are copied: the file may be unmapped while the tokenizer lives on.
#include "base/json.h"
#include "tok/gguf_pre.h"
#include "tok/tokenizer_impl.h"

#define TL_PRE_BYTES(regex)                                                   \
  "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true," \
  "\"use_regex\":" regex "}"
#define TL_PRE_SEQUENCE(first) \
  "{\"type\":\"Sequence\",\"pretokenizers\":[" first "," TL_PRE_BYTES("false") "]}"
#define TL_PRE_SPLIT(pattern)                                             \
  TL_PRE_SEQUENCE("{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern \
                  "\"},\"behavior\":\"Isolated\",\"invert\":false}")
#define TL_PRE_SHARED_HEAD "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|"
#define TL_PRE_SHARED_TAIL \
  "| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"

#define TL_PRE_GPT2 TL_PRE_BYTES("true")
#define TL_PRE_SMOLLM                                                                          \
  "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\",\"individual_digits\":true}" \
  "," TL_PRE_BYTES("true") "]}"
#define TL_PRE_LLAMA3 TL_PRE_SPLIT(TL_PRE_SHARED_HEAD "\\\\p{N}{1,3}" TL_PRE_SHARED_TAIL)
#define TL_PRE_QWEN2 TL_PRE_SPLIT(TL_PRE_SHARED_HEAD "\\\\p{N}" TL_PRE_SHARED_TAIL)

static const tl_gguf_pre pres[] = {
#define TL_GGUF_PRE(name, normalizer, pretokenizer, ignore_merges, add_bos) \
  {name, normalizer, pretokenizer, ignore_merges, add_bos},
#include "tok/gguf_pre.def"
#undef TL_GGUF_PRE
};

static const tl_gguf_pre *find_row(tl_str name) {
  for (size_t i = 0; i < TL_COUNT(pres); i++)
    if (tl_str_is(name, pres[i].name)) return &pres[i];
  return NULL;
}

static void print_names(tl_buf *out) {
  for (size_t i = 0; i < TL_COUNT(pres); i++)
    tl_buf_printf(out, "%s%s", i == 0 ? "" : ", ", pres[i].name);
}

enum { TYPE_NORMAL = 1, TYPE_UNKNOWN = 2, TYPE_CONTROL = 3, TYPE_USER_DEFINED = 4 };

typedef struct loader {
  tl_tokenizer *tok;
  const tl_gguf *gguf;
} loader;

static tl_status add_words(loader *l) {
  const tl_str *tokens;
  size_t n, size = 0;
  TL_TRY(tl_gguf_strings(l->gguf, "tokenizer.ggml.tokens", &tokens, &n));
  if (n > (size_t)TL_VOCAB_MAX_ID + 1)
    return TL_ERROR(INVALID_ARGUMENT, "tokenizer.ggml.tokens: %zu tokens, at most %d", n,
                    TL_VOCAB_MAX_ID + 1);
  for (size_t i = 0; i < n; i++)
    if (!TL_ADD_OK(size, tokens[i].len, &size)) return TL_OOM();
  char *texts = tl_arena_alloc(l->tok->arena, size + 1, 1);
  if (texts == NULL || !tl_vocab_reserve(&l->tok->bpe.vocab, n)) return TL_OOM();
  for (size_t i = 0; i < n; i++) {
    if (tokens[i].len > 0) memcpy(texts, tokens[i].ptr, tokens[i].len);
    tl_str text = {texts, tokens[i].len};
    texts += tokens[i].len;
    if (!tl_utf8_valid(text))
      return TL_ERROR(INVALID_ARGUMENT, "tokenizer.ggml.tokens: token %zu is not UTF-8", i);
    TL_TRY_NOTE(tl_vocab_add(&l->tok->bpe.vocab, text, (int32_t)i), "tokenizer.ggml.tokens");
  }
  return TL_OK;
}

static tl_status add_merges(loader *l) {
  const tl_str *merges;
  size_t n;
  TL_TRY(tl_gguf_strings(l->gguf, "tokenizer.ggml.merges", &merges, &n));
  if (!tl_bpe_reserve(&l->tok->bpe, n)) return TL_OOM();
  for (size_t i = 0; i < n; i++) {
    const char *space = merges[i].len == 0 ? NULL : memchr(merges[i].ptr, ' ', merges[i].len);
    size_t cut = space == NULL ? 0 : (size_t)(space - merges[i].ptr);
    // Byte-level tokens have no spaces of their own.
    if (space == NULL || memchr(space + 1, ' ', merges[i].len - cut - 1) != NULL)
      return TL_ERROR(INVALID_ARGUMENT,
                      "tokenizer.ggml.merges: merge %zu wants two tokens with one space, found "
                      "\"" TL_STR_FMT "\"",
                      i, TL_STR_ARG(merges[i]));
    TL_TRY_NOTE(tl_bpe_add_merge(&l->tok->bpe, tl_str_sub(merges[i], 0, cut),
                                 tl_str_sub(merges[i], cut + 1, merges[i].len)),
                "tokenizer.ggml.merges");
  }
  return TL_OK;
}

static tl_status add_added(loader *l) {
  const tl_gguf_value *types;
  size_t n = l->tok->bpe.vocab.len;
  if (tl_gguf_find(l->gguf, "tokenizer.ggml.token_type") == NULL) return TL_OK;
  TL_TRY(tl_gguf_ints(l->gguf, "tokenizer.ggml.token_type", &types));
  if (types->len != n)
    return TL_ERROR(INVALID_ARGUMENT, "tokenizer.ggml.token_type: %zu types for %zu tokens",
                    types->len, n);
  for (size_t i = 0; i < n; i++) {
    int64_t type = tl_gguf_item_i64(types, i);
    if (type != TYPE_CONTROL && type != TYPE_USER_DEFINED) continue;
    tl_added added = {
        .content = l->tok->bpe.vocab.tokens[i], .id = (int32_t)i, .special = type == TYPE_CONTROL};
    TL_TRY_NOTE(tl_tokenizer_add_token(l->tok, added), "tokenizer.ggml.token_type");
  }
  return TL_OK;
}

// An id under `key`; -1 where the key is absent.
static tl_status token_id(const loader *l, const char *key, int64_t *out) {
  int64_t n = (int64_t)l->tok->bpe.vocab.len;
  return tl_gguf_i64_or(l->gguf, key, 0, n > 0 ? n - 1 : 0, -1, out);
}

static tl_status name_tokens(loader *l) {
  static const struct {
    const char *key, *name;
  } named[] = {
      {"tokenizer.ggml.bos_token_id", "bos_token"},
      {"tokenizer.ggml.eos_token_id", "eos_token"},
      {"tokenizer.ggml.unknown_token_id", "unk_token"},
      {"tokenizer.ggml.seperator_token_id", "sep_token"}, // spelled so in the files
      {"tokenizer.ggml.padding_token_id", "pad_token"},
      {"tokenizer.ggml.cls_token_id", "cls_token"},
      {"tokenizer.ggml.mask_token_id", "mask_token"},
  };
  static const char *const stops[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                      "tokenizer.ggml.eom_token_id"};
  for (size_t i = 0; i < TL_COUNT(named); i++) {
    int64_t id;
    TL_TRY(token_id(l, named[i].key, &id));
    if (id < 0) continue;
    tl_str text = tl_vocab_token(&l->tok->bpe.vocab, (int32_t)id);
    tl_added *added = tl_tokenizer_added_of(l->tok, text);
    if (added != NULL)
      added->special = true;
    else
      TL_TRY_NOTE(tl_tokenizer_add_token(
                      l->tok, (tl_added){.content = text, .id = (int32_t)id, .special = true}),
                  "%s", named[i].key);
    TL_TRY_NOTE(tl_tokenizer_name_token(l->tok, named[i].name, (int32_t)id), "%s", named[i].key);
  }
  for (size_t i = 0; i < TL_COUNT(stops); i++) {
    int64_t id;
    TL_TRY(token_id(l, stops[i], &id));
    if (id >= 0) TL_TRY(tl_tokenizer_add_stop(l->tok, (int32_t)id));
  }
  return TL_OK;
}

static tl_status set_ends(loader *l) {
  tl_tokenizer *tok = l->tok;
  bool bos, eos;
  TL_TRY(tl_gguf_bool_or(l->gguf, "tokenizer.ggml.add_bos_token", tok->pre->add_bos, &bos));
  TL_TRY(tl_gguf_bool_or(l->gguf, "tokenizer.ggml.add_eos_token", false, &eos));
  return tl_tokenizer_wrap(tok, bos, eos);
}

static tl_status find_pre(loader *l) {
  tl_str model, pre;
  TL_TRY(tl_gguf_str(l->gguf, "tokenizer.ggml.model", &model));
  if (!tl_str_is(model, "gpt2"))
    return TL_ERROR(UNIMPLEMENTED,
                    "tokenizer.ggml.model \"" TL_STR_FMT
                    "\": only gpt2 (byte-level BPE) is supported",
                    TL_STR_ARG(model));
  if (tl_gguf_find(l->gguf, "tokenizer.ggml.pre") == NULL)
    return TL_ERROR(UNIMPLEMENTED, "tokenizer.ggml.pre is absent: the file does not say how text "
                                   "is cut into words");
  TL_TRY(tl_gguf_str(l->gguf, "tokenizer.ggml.pre", &pre));
  l->tok->pre = find_row(pre);
  if (l->tok->pre != NULL) return TL_OK;
  tl_buf names = {0};
  print_names(&names);
  tl_status st = TL_ERROR(UNIMPLEMENTED,
                          "tokenizer.ggml.pre \"" TL_STR_FMT "\" is not among those we know: %s",
                          TL_STR_ARG(pre), names.ptr != NULL ? names.ptr : "");
  tl_buf_deinit(&names);
  return st;
}

static tl_status read_all(loader *l) {
  tl_tokenizer *tok = l->tok;
  tl_str template;
  TL_TRY(find_pre(l));
  TL_TRY(add_words(l));
  TL_TRY(add_merges(l));
  TL_TRY(tl_tokenizer_add_text(tok, tok->pre->normalizer, tl_tokenizer_add_normalizer));
  TL_TRY(tl_tokenizer_add_text(tok, tok->pre->pretokenizer, tl_tokenizer_add_pretokenizer));
  TL_TRY(tl_tokenizer_add_text(tok, "{\"type\":\"ByteLevel\"}", tl_tokenizer_add_decoder));
  tok->bpe.ignore_merges = tok->pre->ignore_merges;
  TL_TRY(add_added(l));
  TL_TRY(name_tokens(l));
  TL_TRY(set_ends(l));
  TL_TRY(tl_gguf_str_or(l->gguf, "tokenizer.chat_template", (tl_str){0}, &template));
  if (template.ptr != NULL) {
    if (!tl_utf8_valid(template))
      return TL_ERROR(INVALID_ARGUMENT, "tokenizer.chat_template is not UTF-8");
    tok->chat_template = tl_str_copy(tok->arena, template);
    tok->template_name = tl_arena_printf(tok->arena, "%s: tokenizer.chat_template", tok->name);
    if (tok->chat_template.ptr == NULL || tok->template_name == NULL) return TL_OOM();
  }
  return tl_tokenizer_finish(tok);
}

tl_status tl_tokenizer_load_gguf(const tl_gguf *gguf, tl_tokenizer **out_tok) {
  if (tl_gguf_find(gguf, "tokenizer.ggml.model") == NULL)
    return TL_ERROR(NOT_FOUND, "%s: no tokenizer in the metadata", gguf->name);
  loader l = {.gguf = gguf};
  TL_TRY(tl_tokenizer_new(gguf->name, &l.tok));
  tl_status st = read_all(&l);
  if (st != TL_OK)
    tl_tokenizer_release(l.tok);
  else
    *out_tok = l.tok;
  return tl_status_note(st, "%s", gguf->name);
}
