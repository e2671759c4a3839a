// Manifests: what is read of each schema version, that writing gives the same text again, and one
// damaged manifest for each refusal.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include "artifact/manifest.h"

#define DIR "tests/artifact/"
enum { V1, V2, V6, BASES };
static const char *const files[] = {DIR "v1.json", DIR "v2.json", DIR "v6.json"};
static tl_buf bases[BASES];

static int load(void **state) {
  (void)state;
  for (size_t i = 0; i < BASES; i++)
    assert_ok(tl_file_read(files[i], 1 << 20, &bases[i]));
  return 0;
}

static int unload(void **state) {
  (void)state;
  for (size_t i = 0; i < BASES; i++)
    tl_buf_deinit(&bases[i]);
  return 0;
}

static void version_1(void **state) {
  (void)state;
  tl_artifact *a;
  assert_ok(tl_manifest_read(tl_buf_view(&bases[V1]), "m.json", &a));
  assert_int_equal(a->n_entries, 1);
  assert_string_equal(a->entries[0].id, "decode_b1_c8");
  assert_int_equal(a->n_slots, 0);
  assert_true(a->priv->wire->embedded);
  assert_int_equal(a->context, 8);
  assert_int_equal(a->max_batch, 1);
  tl_artifact_release(a);
}

static void version_2(void **state) {
  (void)state;
  static const char *const ids[] = {"decode_b1_c8", "decode_b2_c8", "prefill_b1_c8_t4",
                                    "prefill_b1_c8"};
  tl_artifact *a;
  assert_ok(tl_manifest_read(tl_buf_view(&bases[V2]), "m.json", &a));
  assert_int_equal(a->n_entries, TL_COUNT(ids));
  for (size_t i = 0; i < TL_COUNT(ids); i++)
    assert_string_equal(a->entries[i].id, ids[i]);
  assert_int_equal(a->max_batch, 2);
  assert_int_equal(a->n_refused, 2);
  assert_int_equal(a->refused[0], 3);
  assert_int_equal(a->refused[1], 7);
  assert_int_equal(a->n_slots, 2);
  assert_string_equal(a->slots[1].name, "qProj0");
  assert_true(tl_type_eq(a->slots[1].stored, a->slots[1].prepared));
  assert_int_equal(a->slots[1].stored.dtype, TL_DTYPE_BF16);
  assert_int_equal(a->slots[1].size, 256);
  assert_int_equal(a->priv->wire->entries[0].n_pairs, 2);
  assert_int_equal(a->priv->wire->entries[0].pairs[1][0], 6);
  tl_artifact_release(a);
}

static void version_6(void **state) {
  (void)state;
  static const char *const ids[] = {"prepare", "step_t1_s2_r1", "step_t2_s2_r2", "decode_b1_c8",
                                    "prefill_b1_c8"};
  tl_artifact *a;
  assert_ok(tl_manifest_read(tl_buf_view(&bases[V6]), "m.json", &a));
  assert_int_equal(a->n_entries, TL_COUNT(ids));
  for (size_t i = 0; i < TL_COUNT(ids); i++)
    assert_string_equal(a->entries[i].id, ids[i]);
  assert_string_equal(a->model_name, "tiny");
  assert_int_equal(a->context, 16);
  assert_int_equal(a->max_batch, 2);
  assert_true(a->stacked_pool);
  assert_int_equal(a->n_stops, 2);
  assert_int_equal(a->stops[1], 9);
  assert_int_equal(a->n_slots, 4);
  assert_string_equal(a->slots[0].format, "q4_1");
  assert_int_equal(a->slots[0].stored.dims[1], 20);
  assert_int_equal(a->slots[0].prepared.dims[1], 320);
  assert_string_equal(a->slots[2].path, "/models/tiny.gguf");
  assert_int_equal(a->slots[2].offset, 4096);
  assert_false(a->slots[2].constant);
  assert_true(a->slots[3].constant);
  assert_int_equal(a->entries[2].R, 2);
  assert_int_equal(a->entries[2].n_inputs, 6);
  assert_string_equal(a->priv->wire->tokenizer_files[0].name, "tokenizer.json");
  tl_artifact_release(a);
}

// Reading what was written gives what was read.
static void written_again(void **state) {
  (void)state;
  for (size_t i = 0; i < BASES; i++) {
    tl_artifact *a, *b;
    tl_buf first = {0}, second = {0};
    assert_ok(tl_manifest_read(tl_buf_view(&bases[i]), "m.json", &a));
    // What only others write is not written.
    assert_ok(tl_manifest_write(a, &first));
    assert_ok(tl_manifest_read(tl_buf_view(&first), "again.json", &b));
    assert_ok(tl_manifest_write(b, &second));
    assert_str(tl_buf_view(&first), tl_buf_view(&second));
    assert_null(strpbrk(first.ptr, " \n"));
    tl_buf_deinit(&first);
    tl_buf_deinit(&second);
    tl_artifact_release(a);
    tl_artifact_release(b);
  }
}

// One row: in a base, the first `from` becomes `to`, and this is what is said of it.
static const struct {
  int base;
  const char *from, *to, *refusal;
} damaged[] = {
    // The document and its version.
    {V2, "{", "[", "m.json:"},
    {V2, "\"modelName\"", "\"modelHash\": \"x\", \"modelName\"", "modelHash"}, // a key twice
    {V2, "serving-v2", "serving-v9", "schemaVersion: \"tlaloc-serving-v9\" is not one we know"},
    {V2, "serving-v2", "serving-v3", "sliding-window"},
    {V2, "serving-v2", "serving-v4", "linear-attention"},
    {V2, "serving-v2", "serving-v5", "speculative"},
    {V2, "tlaloc-serving-v2", "tlaloc-bounded-v1", "the bounded reader takes it"},
    {V2, "\"schemaVersion\"", "\"schema\"", "schemaVersion"},
    {V2, "\"modelName\": \"tiny\"", "\"modelName\": \"  \"", "modelName: is blank"},
    {V2, "\"hf-llama:tiny:L1:h32:v10\"", "\"\"", "modelHash: is blank"},
    {V2, "\"modelName\"", "\"colour\": 1, \"modelName\"", "unknown key \"colour\""},
    {V2, "\"bucketLadder\"", "\"bucketLader\"", "unknown key \"bucketLader\", did you mean"},
    {V2, "\"entries\"", "\"tokenizer\": null, \"entries\"", "unknown key \"tokenizer\""},
    {V6, "\"tokenizer\": {", "\"tokeniser\": {", "unknown key \"tokeniser\""},
    // The model.
    {V2, "\"numBlocks\": 5", "\"numBlocks\": 1", "model: numBlocks: 1; page 0 is scratch"},
    {V2, "\"numBlocks\": 5", "\"numBlocks\": 5.0", "numBlocks: wanted an integer"},
    {V2, "\"numBlocks\": 5", "\"numBlocks\": 2147483647", "more slots than i32 counts"},
    {V2, "\"numLayers\": 1,", "\"numLayers\": 0,", "numLayers"},
    {V2, "\"numLayers\": 1,", "", "numLayers"},
    {V2, "\"numKvHeads\": 1", "\"numKvHeads\": 3", "numHeads: 2 is not a multiple"},
    {V2, "\"kvQuant\": null", "\"kvQuant\": {\"dtype\": \"int8\"}", "kvQuant: quantized KV pools"},
    {V2, "\"kvDtype\": \"f32\"", "\"kvDtype\": \"f8e4m3fn\"", "kvDtype: \"f8e4m3fn\""},
    {V2, "\"dtype\": \"f32\",\n", "\"dtype\": \"f16\",\n", "dtype: \"f16\", wanted \"f32\""},
    {V2, "\"kvPoolDims\": [5, 4", "\"kvPoolDims\": [5, 5", "kvPoolDims: wanted [5,4,1,2]"},
    {V2, "[\"numBlocks\", \"blockSize\"", "[\"blockSize\", \"numBlocks\"", "kvPoolAxisOrder"},
    {V2, "\"refusedTokens\"", "\"windowedKv\": {}, \"refusedTokens\"",
     "windowedKv: a manifest with it is a tlaloc-serving-v3, this one says v2"},
    {V2, "\"refusedTokens\"", "\"linearState\": {}, \"refusedTokens\"", "tlaloc-serving-v4"},
    {V2, "\"refusedTokens\"", "\"mtpDraftTokens\": 2, \"refusedTokens\"", "tlaloc-serving-v5"},
    {V2, "\"refusedTokens\"", "\"cudaKernels\": true, \"refusedTokens\"", "only CUDA has"},
    {V2, "\"id\": 3", "\"id\": 10", "id: 10 lies outside the vocabulary of 10 tokens"},
    {V2, "\"id\": 3", "\"id\": 7", "token 7 is refused twice"},
    {V2, "\"refusedTokens\"", "\"context\": 8, \"refusedTokens\"", "unknown key \"context\""},
    {V6, "\"compute\": \"exact\"", "\"compute\": \"quick\"", "compute: \"quick\""},
    {V6, "\"stopIds\": [2, 9]", "\"stopIds\": [2, 10]", "stopIds[1]: 10"},
    {V6, "\"stopIds\": [2, 9]", "\"stopIds\": [2, 2]", "stopIds: 2 twice"},
    {V6, "\"context\": 16", "\"context\": 15", "context: 15 is not a multiple of blockSize"},
    {V6, "[10, 4, 1, 2]", "[9, 4, 1, 2]", "stackedKvPoolDims: wanted [10,4,1,2]"},
    // The ladder.
    {V2, "\"batch\": [1, 2]", "\"batch\": []", "bucketLadder: batch: is empty"},
    {V2, "\"batch\": [1, 2]", "\"batch\": [2, 1]", "batch[1]: 1 does not ascend"},
    {V2, "\"batch\": [1, 2]", "\"batch\": [1, 4]", "batch: 2 is not on the bucketLadder"},
    {V2, "\"context\": [8]", "\"context\": [16]", "context: 8 is not on the bucketLadder"},
    {V2, "\"context\": [8]", "\"context\": [8, 9]", "context[1]: 9 is not a multiple"},
    {V2, "{\"blockSize\": 4", "{\"blockSize\": 2", "bucketLadder: blockSize: 2, the model says 4"},
    {V6, "\"tokens\": [1, 2]", "\"tokens\": [1]", "tokens: 2 is not on the bucketLadder"},
    // The weights.
    {V2, "\"format\": \"staged\"", "\"format\": \"safetensors\"", "safetensors"},
    {V2, "\"format\": \"staged\"", "\"format\": \"zip\"", "format: \"zip\", wanted"},
    {V2, "\"format\": \"staged\"", "\"format\": \"embedded\"", "embedded: wanted true"},
    {V6, "\"format\": \"staged\"", "\"format\": \"packed\"", "a prepare entry for packed weights"},
    {V2, "\"path\": \"weights\"", "\"path\": null", "weights: path"},
    {V1, "\"path\": null", "\"path\": \"weights\"", "path: embedded weights have none"},
    {V1, "\"table\": [", "\"table\": [{}", "table: embedded weights have none"},
    {V2, "weights/0000", "../weights/0000", "path: \"../weights"},
    {V2, "weights/0000", "/weights/0000", "leads out of the directory"},
    {V6, "weights/0000", "../weights/0000", "leads out of the directory"},
    {V2, "\"name\": \"qProj0\", \"path\"", "\"name\": \"embedTokens\", \"path\"", "twice"},
    {V2, "\"name\": \"qProj0\", \"path\"", "\"name\": \"kProj0\", \"path\"",
     "weights.table has no \"qProj0\""},
    {V2, "\"byteLength\": 256", "\"byteLength\": 255", "byteLength: 255, dtype and dims make 256"},
    {V2, "\"dims\": [32, 4]", "\"dims\": [4, 32]", "inputs[8] (qProj0): bf16 [32,4], wanted bf16"},
    {V2, "\"dtype\": \"bf16\", \"dims\"", "\"dtype\": \"e2m1\", \"dims\"", "\"e2m1\" is not one"},
    {V2, "\"sha256\": \"", "\"sha256\": \"G", "no SHA-256"},
    {V2, "\"sha256\"", "\"offset\": 0, \"sha256\"", "unknown key \"offset\""},
    {V6, "\"offset\": 0", "\"offset\": -1", "offset"},
    {V6, "\"offset\": 4096", "\"offset\": 9223372036854775807", "offset"},
    {V6, "\"format\": \"q4_1\"", "\"format\": \"q9\"", "format: \"q9\" is not one we know"},
    {V6, "\"format\": \"q4_1\"", "\"format\": \"q8_0\"", "whole blocks of 34"},
    {V6, "\"format\": \"q4_1\"", "\"format\": \"f32\"", "f32 elements cannot have dtype ui8"},
    // The tokenizer.
    {V6, "{\"path\": \"tokenizer\"", "{\"path\": \"/tokenizer\"", "leads out of the directory"},
    {V6, "\"name\": \"tokenizer.json\"", "\"name\": \"../x\"", "leads out of the directory"},
    // Entries.
    {V2, "\"kind\": \"decode\"", "\"kind\": \"encode\"", "kind: \"encode\", wanted decode or"},
    {V2, "\"kind\": \"decode\"", "\"kind\": \"step\"", "kind: \"step\", wanted decode or prefill"},
    {V1, "\"kind\": \"decode\"", "\"kind\": \"prefill\"", "has decode alone"},
    {V2, "\"entryPoint\": \"main\"", "\"entryPoint\": \"f\"", "entryPoint: \"f\", wanted \"main\""},
    {V2, "\"bodyPath\": \"bodies/", "\"bodyPath\": \"../", "decode_b1_c8: bodyPath"},
    {V2, "\"bodyPath\": \"", "\"bodyPath\": \"/", "leads out of the directory"},
    {V2, "\"programPath\": \"programs/", "\"programPath\": \"a/../../", "programPath"},
    {V2, "\"cacheKey\": \"tlaloc", "\"cacheKey\": \"\", \"x\": \"tlaloc", "unknown key \"x\""},
    {V2, "\"batch\": 2,", "\"batch\": 1,", "decode_b1_c8"},
    {V2, "\"tokensPerSeq\": 1", "\"tokensPerSeq\": 2", "tokensPerSeq: 2 does not fit a decode"},
    {V2, "\"tokensPerSeq\": 8", "\"tokensPerSeq\": 9", "tokensPerSeq: 9 does not fit a prefill"},
    {V2, "\"maxBlocksPerSeq\": 2", "\"maxBlocksPerSeq\": 1", "maxBlocksPerSeq: 1 is too small"},
    {V6, "\"maxBlocksPerSeq\": 4", "\"maxBlocksPerSeq\": 5", "maxBlocksPerSeq: 5 is too many"},
    {V6, "\"sequences\": 2", "\"sequences\": 3", "sequences: 3, the model's maxBatch is 2"},
    {V6, "\"rows\": 1,", "\"rows\": 2,", "rows: 2 of 1 tokens"},
    {V1, "\"entries\": [", "\"entries\": [], \"was\": [", "unknown key \"was\""},
    // Their signatures.
    {V2, "\"role\": \"TOKEN_IDS\"", "\"role\": \"TOKENS\"", "role: \"TOKENS\" is not one we know"},
    {V2, "\"role\": \"TOKEN_IDS\"", "\"role\": \"STATE_SLOTS\"", "belongs to tlaloc-serving-v4"},
    {V2, "\"role\": \"TOKEN_IDS\"", "\"role\": \"STEP_INTS\"", "belongs to tlaloc-serving-v6"},
    {V2, "\"role\": \"POSITIONS\"", "\"role\": \"TOKEN_IDS\"", "role TOKEN_IDS twice, at 0 and 1"},
    {V2, "\"role\": \"POSITIONS\"", "\"role\": \"WEIGHT\"", "role POSITIONS is missing"},
    {V2, "[1, 2], \"axisNames\"", "[1, 3], \"axisNames\"",
     "decode_b1_c8: inputs[2] (blockTables): i32 [1,3], wanted i32 [1,2]"},
    {V2, "\"dims\": [1, 1, 10]", "\"dims\": [1, 1, 11]",
     "outputs[0] (logits): f32 [1,1,11], wanted"},
    {V2, "\"dims\": [1, 1, 10]", "\"dims\": [1, 1, 0]", "dims[2]: 0"},
    {V2, "\"dims\": [1, 1, 10]", "\"dims\": [9223372036854775807, 2]", "memory can hold"},
    {V2, "\"dims\": [1, 1, 10], \"axisNames\": []", "\"dims\": [1, 1, 10], \"axisNames\": [\"b\"]",
     "axisNames: 1 names for 3 axes"},
    {V2, "\"keyCache0\", \"role\": \"KV_POOL_IN\"", "\"keyCache0\", \"role\": \"WEIGHT\"",
     "inputs: 1 pools, wanted 2 for 1 layers"},
    {V1, "\"KV_POOL_OUT\"", "\"WEIGHT\"", "outputs: 1 pools"},
    {V2, "[5, 4, 1, 2], \"axisNames\"", "[5, 4, 2, 1], \"axisNames\"",
     "inputs[5] (keyCache0): f32 [5,4,2,1], wanted f32 [5,4,1,2]"},
    {V2, "\"name\": \"valueCache0Out\"", "\"name\": \"keyCache1Out\"",
     "\"keyCache1Out\", wanted \"valueCache0Out\""},
    {V2, "\"name\": \"positions\"", "\"name\": \"tokenIds\"", "is that of inputs[0] already"},
    {V2, "[[5, 1], [6, 2]]", "[[5, 1]]", "donationPairs: 1, wanted one for each of 2 pools"},
    {V2, "[[5, 1], [6, 2]]", "[[5, 2], [6, 1]]", "donationPairs[0]: [5,2], wanted [5,1]"},
    {V2, "[[5, 1], [6, 2]]", "[[5, 1], [9, 2]]", "there is no such input, wanted 0 to 8"},
    {V2, "[[5, 1], [6, 2]]", "[[5, 1], [6, 3]]", "there is no such output, wanted 0 to 2"},
    {V2, "[[5, 1], [6, 2]]", "[[5, 1], [0, 2]]", "donationPairs[1]"},
    {V2, "[[5, 1], [6, 2]]", "[[5, 1], [6]]", "wanted [input, output]"},
    // v6: prepare and step.
    {V6, "\"dims\": [13]", "\"dims\": [14]", "inputs[0] (ints): i32 [14], wanted i32 [13]"},
    {V6, "{\"name\": \"ropeCos\", \"role\": \"WEIGHT\"", "{\"name\": \"cos\", \"role\": \"WEIGHT\"",
     "weights.table has no \"cos\""},
    {V6, "\"kind\": \"prepare\"", "\"kind\": \"decode\"", "entries[0]"},
    {V6, "\"role\": \"PREPARED_WEIGHT\"", "\"role\": \"WEIGHT\"", "wanted PREPARED_WEIGHT"},
    {V6, "\"name\": \"qProj0\", \"role\": \"PREPARED_WEIGHT\"",
     "\"name\": \"kProj0\", \"role\": \"PREPARED_WEIGHT\"", "where weights.table has \"qProj0\""},
    {V6, "\"type\": {\"dtype\": \"f16\", \"dims\": [32]",
     "\"type\": {\"dtype\": \"f32\", \"dims\": [32]",
     "prepare: inputs[1] (inputNorm0): f32 [32], wanted f16 [32]"},
    {V6, "\"dims\": [1, 16, 16, 2]", "\"dims\": [1, 16, 16, 3]",
     "(qProj0): bf16 [1,16,16,2], wanted"},
};

static void replace_first(const tl_buf *base, const char *from, const char *to, tl_buf *out) {
  const size_t at = tl_str_find(tl_buf_view(base), tl_str_of(from));
  if (at == (size_t)-1) fail_msg("the base has no %s", from);
  tl_buf_clear(out);
  tl_buf_add(out, base->ptr, at);
  tl_buf_cstr(out, to);
  tl_buf_str(out, tl_str_sub(tl_buf_view(base), at + strlen(from), base->len));
}

static void refusals(void **state) {
  (void)state;
  tl_buf text = {0};
  size_t wrong = 0;
  for (size_t i = 0; i < TL_COUNT(damaged); i++) {
    tl_artifact *a = NULL;
    replace_first(&bases[damaged[i].base], damaged[i].from, damaged[i].to, &text);
    tl_status st = tl_manifest_read(tl_buf_view(&text), "m.json", &a);
    const char *message = tl_status_message(st);
    if (!st || !strstr(message, damaged[i].refusal) || !strstr(message, "m.json")) {
      print_error("%s -> %s\n  said   %s\n  wanted %s\n", damaged[i].from, damaged[i].to, message,
                  damaged[i].refusal);
      wrong++;
    }
    assert_null(strchr(message, '\n'));
    assert_null(a);
    tl_status_drop(st);
  }
  tl_buf_deinit(&text);
  assert_int_equal(wrong, 0);
}

// Rows that need more than one replacement.
static void more_refusals(void **state) {
  (void)state;
  tl_artifact *a = NULL;
  tl_buf one = {0}, two = {0};
  // No decode entry.
  replace_first(&bases[V1], "serving-v1", "serving-v2", &one);
  replace_first(&one, "\"kind\": \"decode\"", "\"kind\": \"prefill\"", &two);
  assert_status(tl_manifest_read(tl_buf_view(&two), "m.json", &a), TL_STATUS_INVALID_ARGUMENT,
                "m.json: entries: no decode entry");
  // No pools at all.
  replace_first(&bases[V1], "\"keyCache0\", \"role\": \"KV_POOL_IN\"",
                "\"keyCache0\", \"role\": \"WEIGHT\"", &one);
  replace_first(&one, "\"KV_POOL_IN\"", "\"WEIGHT\"", &two);
  assert_status(tl_manifest_read(tl_buf_view(&two), "m.json", &a), TL_STATUS_INVALID_ARGUMENT,
                "inputs: no pools");
  // Two entries that bind different weights: the second decode asks for another.
  const char *second = strstr(bases[V2].ptr, "\"batch\": 2,");
  assert_non_null(second);
  tl_buf tail = {0};
  tl_buf_cstr(&tail, second);
  tl_buf_clear(&one);
  tl_buf_add(&one, bases[V2].ptr, (size_t)(second - bases[V2].ptr));
  replace_first(&tail, "\"name\": \"embedTokens\"", "\"name\": \"other\"", &two);
  tl_buf_str(&one, tl_buf_view(&two));
  assert_status(tl_manifest_read(tl_buf_view(&one), "m.json", &a), TL_STATUS_INVALID_ARGUMENT,
                "decode_b2_c8: inputs[7]: weights.table has no \"other\"");
  // A path that no system has.
  tl_buf_clear(&tail);
  tl_buf_cstr(&tail, "\"bodyPath\": \"");
  for (size_t i = 0; i < 4000; i++)
    tl_buf_char(&tail, 'x');
  replace_first(&bases[V2], "\"bodyPath\": \"", tail.ptr, &one);
  assert_status(tl_manifest_read(tl_buf_view(&one), "m.json", &a), TL_STATUS_INVALID_ARGUMENT,
                "bytes, at most 4000 are read");
  tl_buf_deinit(&tail);
  tl_buf_deinit(&one);
  tl_buf_deinit(&two);
}

// Cut anywhere, and with bytes changed anywhere: an error with the file's name, or still a
// manifest, never worse.
static void damage_anywhere(void **state) {
  (void)state;
  for (size_t b = 0; b < BASES; b++) {
    for (size_t len = 0; len + 2 < bases[b].len; len += 50) {
      tl_artifact *a = NULL;
      tl_str cut = {bases[b].ptr, len};
      assert_status(tl_manifest_read(cut, "m.json", &a), TL_STATUS_INVALID_ARGUMENT, "m.json:");
      assert_null(a);
    }
    tl_buf text = {0};
    tl_buf_str(&text, tl_buf_view(&bases[b]));
    for (size_t at = 0; at < text.len; at++) {
      const char was = text.ptr[at];
      tl_artifact *a = NULL;
      text.ptr[at] = was == '1' ? '9' : was == '"' ? ' ' : (char)(was ^ 1);
      tl_status st = tl_manifest_read(tl_buf_view(&text), "m.json", &a);
      if (st) assert_non_null(strstr(tl_status_message(st), "m.json"));
      tl_status_drop(st);
      tl_artifact_release(a);
      text.ptr[at] = was;
    }
    tl_buf_deinit(&text);
  }
}

static void programs(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *refusal;
  } rows[] = {
      {"[1,2]", "[1,3]", "p.json: inputs[2] (blockTables): i32 [1,3], the manifest says i32 [1,2]"},
      {"[1,1,10]", "[1,1,9]", "p.json: outputs[0] (logits): f32 [1,1,9], the manifest says"},
      {"\"dtype\":\"i32\"", "\"dtype\":\"i64\"", "inputs[0] (tokenIds): i64 [1,1], the manifest"},
      {"\"dtype\":\"i32\"", "\"dtype\":7", "inputs[0]: wanted dtype and dims"},
      {"\"dims\":[1,1]", "\"dims\":[1,\"1\"]", "inputs[0]: wanted dtype and dims"},
      {"decode_b1_c8", "decode_b2_c8", "name: \"decode_b2_c8\", wanted \"decode_b1_c8\""},
      {"single-device", "mesh", "meshRequirement: \"mesh\""},
      {"\"bodyHash\":\"", "\"bodyHash\":\"0", "the manifest says"},
      {"\"shardingSpec\":[]", "\"shardingSpec\":[1]", "shardingSpec"},
      {"\"shardingSpec\"", "\"shape\"", "unknown key \"shape\""},
      {"{\"dtype\":\"i32\",\"dims\":[1],\"axisNames\":[]},", "", "inputs: 8 of them, the manifest"},
  };
  tl_artifact *a;
  tl_buf text = {0}, bad = {0};
  assert_ok(tl_manifest_read(tl_buf_view(&bases[V2]), "m.json", &a));
  for (size_t i = 0; i < a->n_entries; i++) {
    tl_buf_clear(&text);
    assert_ok(tl_program_write(a, i, &text));
    assert_ok(tl_program_check(a, i, tl_buf_view(&text), "p.json"));
  }
  tl_buf_clear(&text);
  assert_ok(tl_program_write(a, 0, &text));
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    replace_first(&text, rows[i].from, rows[i].to, &bad);
    tl_status st = tl_program_check(a, 0, tl_buf_view(&bad), "p.json");
    if (!st || !strstr(tl_status_message(st), rows[i].refusal))
      fail_msg("row %zu: said \"%s\", wanted \"%s\"", i, tl_status_message(st), rows[i].refusal);
    tl_status_drop(st);
  }
  tl_buf_deinit(&text);
  tl_buf_deinit(&bad);
  tl_artifact_release(a);
}

static void bodies(void **state) {
  (void)state;
  static const char text[] =
      "module {\n  func.func @main(%0: tensor<1x1xi32>, %1: tensor<1x1xi32>, %2: tensor<1x2xi32>, "
      "%3: tensor<1xi32>, %4: tensor<1xi32>, %5: tensor<5x4x1x2xf32>{tf.aliasing_output = 1 : i32},"
      " %6: tensor<5x4x1x2xf32>) -> (tensor<1x1x10xf32>, tensor<5x4x1x2xf32>, tensor<5x4x1x2xf32>) "
      "{\n    %7 = stablehlo.constant dense<0.0> : tensor<1x1x10xf32>\n    return %7, %5, %6 : "
      "tensor<1x1x10xf32>, tensor<5x4x1x2xf32>, tensor<5x4x1x2xf32>\n  }\n}\n";
  static const struct {
    const char *from, *to, *refusal;
  } rows[] = {
      {"%4: tensor<1xi32>", "%4: tensor<2xi32>",
       "b.mlir: @main: argument 4 (slotMapping): i32 [2], the manifest says i32 [1]"},
      {"%3: tensor<1xi32>, ", "", "b.mlir: @main has 6 arguments, the manifest has 7"},
      {"aliasing_output = 1", "aliasing_output = 2", "donationPairs has no such pair"},
      {"@main", "@f", "b.mlir: no function @main"},
      {"stablehlo.constant", "stablehlo.konstant", "b.mlir:3:"},
  };
  tl_artifact *a;
  tl_buf good = {0}, bad = {0};
  tl_buf_cstr(&good, text);
  assert_ok(tl_manifest_read(tl_buf_view(&bases[V1]), "m.json", &a));
  assert_ok(tl_body_check(a, 0, tl_buf_view(&good), "b.mlir"));
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    replace_first(&good, rows[i].from, rows[i].to, &bad);
    tl_status st = tl_body_check(a, 0, tl_buf_view(&bad), "b.mlir");
    if (!st || !strstr(tl_status_message(st), rows[i].refusal))
      fail_msg("row %zu: said \"%s\", wanted \"%s\"", i, tl_status_message(st), rows[i].refusal);
    tl_status_drop(st);
  }
  tl_buf_deinit(&good);
  tl_buf_deinit(&bad);
  tl_artifact_release(a);
}

static tl_status read_and_write(void *arg) {
  tl_artifact *a = NULL;
  tl_buf text = {0};
  tl_status st = tl_manifest_read(tl_buf_view(&bases[*(const int *)arg]), "m.json", &a);
  if (!st) st = tl_manifest_write(a, &text);
  tl_buf_deinit(&text);
  tl_artifact_release(a);
  return st;
}

static void without_memory(void **state) {
  (void)state;
  for (int base = 0; base < BASES; base++)
    tl_test_each_oom(read_and_write, &base);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_1),       cmocka_unit_test(version_2),
      cmocka_unit_test(version_6),       cmocka_unit_test(written_again),
      cmocka_unit_test(refusals),        cmocka_unit_test(more_refusals),
      cmocka_unit_test(damage_anywhere), cmocka_unit_test(programs),
      cmocka_unit_test(bodies),          cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
