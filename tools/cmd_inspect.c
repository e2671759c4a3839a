// tlaloc inspect: what lies in a checkpoint, an artifact or a module, as text for people and grep.
#include "cli.h"

#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "open.h"
#include "shlo/shlo.h"

static void print_dims(const uint64_t *dims, uint32_t rank) {
  printf("[");
  for (uint32_t d = 0; d < rank; d++)
    printf("%s%llu", d ? ", " : "", (unsigned long long)dims[d]);
  printf("]");
}

static void print_value(const tl_gguf_value *v) {
  switch (v->type) {
  case TL_GGUF_STRING: {
    tl_buf quoted = {0};
    tl_json_quote(&quoted, tl_str_sub(v->s, 0, 100));
    printf("%s%s", quoted.ptr ? quoted.ptr : "", v->s.len > 100 ? " …" : "");
    tl_buf_deinit(&quoted);
    break;
  }
  case TL_GGUF_ARRAY:
    printf("%zu x %s", v->len, tl_gguf_type_name(v->item));
    break;
  case TL_GGUF_BOOL:
    printf("%s", v->b ? "true" : "false");
    break;
  case TL_GGUF_F32:
  case TL_GGUF_F64:
    printf("%g", v->f);
    break;
  case TL_GGUF_I8:
  case TL_GGUF_I16:
  case TL_GGUF_I32:
  case TL_GGUF_I64:
    printf("%lld", (long long)v->i);
    break;
  default:
    printf("%llu", (unsigned long long)v->u);
  }
}

static tl_status inspect_gguf(const char *path) {
  tl_gguf *g;
  TL_TRY(tl_gguf_open(path, &g));
  printf("GGUF version %u, %zu metadata keys, %zu tensors, %.1f MB\n", g->version, g->n_entries,
         g->n_tensors, (double)g->map.size * 1e-6);
  for (size_t i = 0; i < g->n_entries; i++) {
    printf("  %-44.*s ", TL_STR_ARG(g->entries[i].key));
    print_value(&g->entries[i].value);
    printf("\n");
  }
  for (size_t i = 0; i < g->n_tensors; i++) {
    const tl_gguf_tensor *t = &g->tensors[i];
    printf("  %-44.*s %-6s ", TL_STR_ARG(t->name), tl_stored_get(t->stored)->name);
    print_dims(t->dims, t->rank);
    printf("\n");
  }
  tl_gguf_destroy(g);
  return TL_OK;
}

static tl_status inspect_checkpoint(const char *path) {
  tl_checkpoint *c;
  TL_TRY(tl_checkpoint_open(path, &c));
  const tl_model_config *m = &c->config;
  printf("%s, %s: %u layers, hidden %u, %u heads / %u kv heads x %u, mlp %u, vocab %u, context %u, "
         "head %s\n",
         m->name, tl_family_get(m->family)->architecture, m->n_layers, m->hidden, m->n_heads,
         m->n_kv_heads, m->head_dim, m->intermediate, m->vocab, m->max_positions,
         m->tied ? "tied" : "its own");
  for (size_t i = 0; i < c->n_weights; i++) {
    const tl_weight *w = &c->weights[i];
    printf("  %-48.*s %-6s [%llu, %llu]\n", TL_STR_ARG(w->name), tl_format_get(w->format)->name,
           (unsigned long long)w->rows, (unsigned long long)w->k);
  }
  tl_checkpoint_release(c);
  return TL_OK;
}

static tl_status inspect_artifact(const tl_cli *cli, const char *path) {
  tl_artifact *a;
  tl_buf type = {0};
  TL_TRY(tl_artifact_open(path, &a));
  printf("%s\nmodel  %s\nhash   %s\n%u layers, hidden %u, %u heads / %u kv heads x %u, vocab %u, "
         "context %u\n"
         "KV     %u pages x %u tokens, %s, %llu bytes\n",
         a->schema, a->model_name, a->model_hash, a->n_layers, a->hidden, a->n_heads, a->n_kv_heads,
         a->head_dim, a->vocab, a->context, a->num_blocks, a->block_size,
         tl_dtype_get(a->kv_dtype)->mlir, (unsigned long long)tl_artifact_kv_size(a));
  for (size_t i = 0; i < a->n_entries; i++)
    printf("  %-24s %s\n", a->entries[i].id, a->entries[i].body_path);
  for (size_t i = 0; i < a->n_slots; i++) {
    tl_buf_clear(&type);
    tl_type_print(&type, a->slots[i].stored);
    printf("  %-24s %-28s %s\n", a->slots[i].name, type.ptr ? type.ptr : "",
           a->slots[i].path ? a->slots[i].path : "made by prepare");
  }
  tl_buf_deinit(&type);
  tl_status st = cli->verify ? tl_artifact_verify_weights(a) : TL_OK;
  if (!st && cli->verify) printf("every weight has its SHA-256\n");
  tl_artifact_release(a);
  return st;
}

static tl_status inspect_module(const char *path) {
  tl_buf text = {0}, type = {0};
  tl_diags diags = {0};
  tl_module *m = NULL;
  size_t n_funcs = 0;
  tl_status st = tl_file_read(path, (size_t)1 << 32, &text);
  if (!st) st = tl_shlo_parse(tl_buf_view(&text), path, &diags, &m);
  for (const tl_func *f = st ? NULL : m->first; f; f = f->next)
    n_funcs++;
  if (!st) printf("StableHLO module, %zu function%s\n", n_funcs, n_funcs == 1 ? "" : "s");
  for (const tl_func *f = st ? NULL : m->first; f; f = f->next) {
    uint32_t ops = 0;
    for (const tl_op *op = f->body->first; op; op = op->next)
      ops++;
    printf("  @%.*s%s (", TL_STR_ARG(f->name), f->is_private ? " private" : "");
    for (uint32_t i = 0; i < f->body->n_args + f->n_results; i++) {
      tl_buf_clear(&type);
      tl_type_print(&type, i < f->body->n_args ? f->body->args[i]->type
                                               : f->result_types[i - f->body->n_args]);
      printf("%s%s", i == f->body->n_args ? ") -> (" : i ? ", " : "", type.ptr ? type.ptr : "");
    }
    printf("), %u op%s\n", ops, ops == 1 ? "" : "s");
  }
  tl_module_destroy(m);
  tl_diags_deinit(&diags);
  tl_buf_deinit(&text);
  tl_buf_deinit(&type);
  return st;
}

static tl_status inspect_safetensors(const char *path) {
  tl_safetensors *s;
  TL_TRY(tl_safetensors_open(path, &s));
  printf("safetensors, %zu tensors\n", s->n_tensors);
  for (size_t i = 0; i < s->n_tensors; i++) {
    printf("  %-56.*s %-6s ", TL_STR_ARG(s->tensors[i].name),
           tl_stored_get(s->tensors[i].dtype)->name);
    print_dims(s->tensors[i].dims, s->tensors[i].rank);
    printf("\n");
  }
  tl_safetensors_destroy(s);
  return TL_OK;
}

static tl_status inspect(const tl_cli *cli, const char *path) {
  const tl_str name = tl_str_of(path);
  if (!tl_path_exists(path)) return TL_ERROR(NOT_FOUND, "%s: no such file or directory", path);
  if (tl_path_is_dir(path)) {
    const char *manifest = tl_path_join(cli->arena, path, "tlaloc-serving.json");
    if (!manifest) return TL_OOM();
    if (tl_path_exists(manifest)) return inspect_artifact(cli, path);
    if (cli->verify)
      return TL_ERROR(INVALID_ARGUMENT, "--verify: %s is a checkpoint, which has no digests", path);
    return inspect_checkpoint(path);
  }
  if (cli->verify) return TL_ERROR(INVALID_ARGUMENT, "--verify: %s is no artifact directory", path);
  if (tl_str_ends(name, TL_STR(".mlir"))) return inspect_module(path);
  if (tl_str_ends(name, TL_STR(".safetensors"))) return inspect_safetensors(path);
  tl_file_map map;
  TL_TRY(tl_file_map_open(path, &map));
  const bool gguf = map.size >= 4 && memcmp(map.data, "GGUF", 4) == 0;
  tl_file_map_close(&map);
  if (!gguf)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: does not begin with \"GGUF\", and its name ends neither in .safetensors "
                    "nor in .mlir",
                    path);
  return inspect_gguf(path);
}

int tl_cmd_inspect(const tl_cli *cli) { return tl_cli_fail(inspect(cli, cli->args[0])); }
