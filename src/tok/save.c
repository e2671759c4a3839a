// Writing a tokenizer as a Hugging Face directory.
//
// One that came from such a directory is written as its files were, byte for byte. One from GGUF
// metadata becomes a tokenizer.json of the same pipeline (tokenizer_class PreTrainedTokenizerFast,
// the class for which transformers, and we, keep what the file says), in a fixed order: words and
// added tokens by id, merges by rank.
#include "base/file.h"
#include "base/json.h"
#include "tok/gguf_pre.h"
#include "tok/tokenizer_impl.h"

static tl_status write_file(const char *dir, const char *name, tl_str bytes) {
  tl_arena *a = tl_arena_create();
  char *path = a == NULL ? NULL : tl_path_join(a, dir, name);
  tl_status st = path == NULL ? TL_OOM() : tl_file_write(path, bytes.ptr, bytes.len);
  tl_arena_destroy(a);
  return st;
}

static const char *truth(bool b) { return b ? "true" : "false"; }

static void print_added(const tl_tokenizer *tok, tl_buf *out) {
  tl_buf_cstr(out, "  \"added_tokens\": [");
  for (size_t i = 0; i < tok->n_added; i++) {
    const tl_added *a = &tok->added[i];
    tl_buf_printf(out, "%s\n    {\"id\": %d, \"content\": ", i == 0 ? "" : ",", a->id);
    tl_json_quote(out, a->content);
    tl_buf_printf(out,
                  ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, "
                  "\"normalized\": %s, \"special\": %s}",
                  truth(a->normalized), truth(a->special));
  }
  tl_buf_cstr(out, tok->n_added > 0 ? "\n  ],\n" : "],\n");
}

static void print_template(const tl_tokenizer *tok, tl_buf *out) {
  if (tok->n_before + tok->n_after == 0) {
    tl_buf_cstr(out, "  \"post_processor\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, "
                     "\"trim_offsets\": false, \"use_regex\": true},\n");
    return;
  }
  tl_buf_cstr(out, "  \"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [");
  // `pair` is asked for by the library that reads such files; a pair is the two one by one.
  for (int pair = 0; pair < 2; pair++) {
    if (pair) tl_buf_cstr(out, "], \"pair\": [");
    for (int part = 0; part <= pair; part++) {
      if (part) tl_buf_cstr(out, ", ");
      for (size_t i = 0; i < tok->n_before; i++) {
        tl_buf_cstr(out, "{\"SpecialToken\": {\"id\": ");
        tl_json_quote(out, tl_tokenizer_token_of(tok, tok->before[i]));
        tl_buf_printf(out, ", \"type_id\": %d}}, ", part);
      }
      tl_buf_printf(out, "{\"Sequence\": {\"id\": \"%c\", \"type_id\": %d}}", "AB"[part], part);
      for (size_t i = 0; i < tok->n_after; i++) {
        tl_buf_cstr(out, ", {\"SpecialToken\": {\"id\": ");
        tl_json_quote(out, tl_tokenizer_token_of(tok, tok->after[i]));
        tl_buf_printf(out, ", \"type_id\": %d}}", part);
      }
    }
  }
  tl_buf_cstr(out, "], \"special_tokens\": {");
  bool first = true;
  for (size_t i = 0; i < tok->n_before + tok->n_after; i++) {
    int32_t id = i < tok->n_before ? tok->before[i] : tok->after[i - tok->n_before];
    if (i == tok->n_before && tok->n_before > 0 && id == tok->before[0]) continue; // bos is eos
    if (!first) tl_buf_cstr(out, ", ");
    first = false;
    tl_str text = tl_tokenizer_token_of(tok, id);
    tl_json_quote(out, text);
    tl_buf_cstr(out, ": {\"id\": ");
    tl_json_quote(out, text);
    tl_buf_printf(out, ", \"ids\": [%d], \"tokens\": [", id);
    tl_json_quote(out, text);
    tl_buf_cstr(out, "]}");
  }
  tl_buf_cstr(out, "}},\n");
}

// The merges by rank. The table keeps ids, so the texts come from the words. A pair that was listed
// twice is there once, at its later rank; the order of the others is what counts.
static tl_status print_merges(const tl_tokenizer *tok, tl_buf *out) {
  const tl_bpe *bpe = &tok->bpe;
  tl_arena *a = tl_arena_create();
  const tl_bpe_merge **by_rank = a == NULL ? NULL : TL_NEW(a, const tl_bpe_merge *, bpe->n_merges);
  if (by_rank == NULL && bpe->n_merges > 0) {
    tl_arena_destroy(a);
    return TL_OOM();
  }
  for (size_t i = 0; bpe->n_merges > 0 && i <= bpe->mask; i++)
    if (bpe->merges[i].key != 0) by_rank[bpe->merges[i].rank] = &bpe->merges[i];
  bool first = true;
  tl_buf pair = {0};
  for (size_t i = 0; i < bpe->n_merges; i++) {
    if (by_rank[i] == NULL) continue;
    uint64_t key = by_rank[i]->key - 1;
    tl_buf_clear(&pair);
    tl_buf_str(&pair, tl_vocab_token(&bpe->vocab, (int32_t)(key >> 32)));
    tl_buf_char(&pair, ' ');
    tl_buf_str(&pair, tl_vocab_token(&bpe->vocab, (int32_t)(uint32_t)key));
    tl_buf_cstr(out, first ? "\n      " : ",\n      ");
    tl_json_quote(out, tl_buf_view(&pair));
    first = false;
  }
  bool oom = pair.oom;
  tl_buf_deinit(&pair);
  tl_arena_destroy(a);
  return oom ? TL_OOM() : TL_OK;
}

static tl_status print_tokenizer(const tl_tokenizer *tok, tl_buf *out) {
  tl_buf_cstr(out, "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n");
  print_added(tok, out);
  tl_buf_printf(out, "  \"normalizer\": %s,\n  \"pre_tokenizer\": %s,\n", tok->pre->normalizer,
                tok->pre->pretokenizer);
  print_template(tok, out);
  tl_buf_cstr(out, "  \"decoder\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, "
                   "\"trim_offsets\": true, \"use_regex\": true},\n");
  tl_buf_printf(out,
                "  \"model\": {\n    \"type\": \"BPE\",\n    \"dropout\": null,\n"
                "    \"unk_token\": null,\n    \"continuing_subword_prefix\": null,\n"
                "    \"end_of_word_suffix\": null,\n    \"fuse_unk\": false,\n"
                "    \"byte_fallback\": false,\n    \"ignore_merges\": %s,\n    \"vocab\": {",
                truth(tok->bpe.ignore_merges));
  bool first = true;
  for (size_t i = 0; i < tok->bpe.vocab.len; i++) {
    if (tok->bpe.vocab.tokens[i].ptr == NULL) continue;
    tl_buf_cstr(out, first ? "\n      " : ",\n      ");
    tl_json_quote(out, tok->bpe.vocab.tokens[i]);
    tl_buf_printf(out, ": %zu", i);
    first = false;
  }
  tl_buf_cstr(out, "\n    },\n    \"merges\": [");
  TL_TRY(print_merges(tok, out));
  tl_buf_cstr(out, "\n    ]\n  }\n}\n");
  return out->oom ? TL_OOM() : TL_OK;
}

static void print_config(const tl_tokenizer *tok, tl_buf *out) {
  tl_buf_cstr(out, "{\n");
  for (size_t i = 0; i < tok->n_named; i++) {
    tl_buf_printf(out, "  \"%s\": ", tok->named[i].name);
    tl_json_quote(out, tok->named[i].content);
    tl_buf_cstr(out, ",\n");
  }
  tl_buf_cstr(out, "  \"clean_up_tokenization_spaces\": false,\n"
                   "  \"tokenizer_class\": \"PreTrainedTokenizerFast\"\n}\n");
}

static void print_generation(const tl_tokenizer *tok, tl_buf *out) {
  tl_buf_cstr(out, "{\n  \"eos_token_id\": [");
  for (size_t i = 0; i < tok->n_stop; i++)
    tl_buf_printf(out, "%s%d", i == 0 ? "" : ", ", tok->stop[i]);
  tl_buf_cstr(out, "]\n}\n");
}

tl_status tl_tokenizer_save(const tl_tokenizer *tok, const char *dir) {
  if (tok->pre == NULL) {
    const tl_tokenizer_files *f = &tok->files;
    TL_TRY(write_file(dir, "tokenizer.json", f->tokenizer));
    if (f->config.ptr != NULL) TL_TRY(write_file(dir, "tokenizer_config.json", f->config));
    if (f->template.ptr != NULL) TL_TRY(write_file(dir, "chat_template.jinja", f->template));
    if (f->generation.ptr != NULL) TL_TRY(write_file(dir, "generation_config.json", f->generation));
    return TL_OK;
  }
  tl_buf out = {0};
  tl_status st;
  TL_TRY_GOTO(done, st, print_tokenizer(tok, &out));
  TL_TRY_GOTO(done, st, write_file(dir, "tokenizer.json", tl_buf_view(&out)));
  tl_buf_clear(&out);
  print_config(tok, &out);
  if (!out.oom) TL_TRY_GOTO(done, st, write_file(dir, "tokenizer_config.json", tl_buf_view(&out)));
  if (tok->chat_template.ptr != NULL)
    TL_TRY_GOTO(done, st, write_file(dir, "chat_template.jinja", tok->chat_template));
  tl_buf_clear(&out);
  print_generation(tok, &out);
  if (!out.oom) TL_TRY_GOTO(done, st, write_file(dir, "generation_config.json", tl_buf_view(&out)));
  if (out.oom) st = TL_OOM();
done:
  tl_buf_deinit(&out);
  return st;
}
