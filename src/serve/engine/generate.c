#include "base/clock.h"
#include "serve/engine/private.h"

// One request from prompt to last token.

static bool is_stop(const tl_artifact *a, int32_t id) {
  for (uint32_t i = 0; i < a->n_stops; i++)
    if (a->stops[i] == id) return true;
  return false;
}

// Ids that stand for what the engine cannot take in (an image, say) may not stand in a prompt.
static tl_status check_prompt(const tl_artifact *a, const tl_request *request) {
  if (request->n_prompt == 0) return TL_ERROR(INVALID_ARGUMENT, "an empty prompt");
  if (request->n_prompt > a->context)
    return TL_ERROR(OUT_OF_RANGE, "the prompt has %zu tokens; the context is %u", request->n_prompt,
                    a->context);
  for (size_t i = 0; a->n_refused && i < request->n_prompt; i++)
    for (size_t k = 0; k < a->n_refused; k++)
      if (request->prompt[i] == a->refused[k])
        return TL_ERROR(INVALID_ARGUMENT, "token %zu of the prompt is %d, which this model refuses",
                        i, request->prompt[i]);
  return TL_OK;
}

tl_status tl_sequence_run(tl_sequence *s, const float **out_logits) {
  const uint32_t most = tl_engine_max_step(s->engine);
  tl_step_item item = {.sequence = s};
  while (s->n_cached < s->n_tokens) {
    item.n = TL_MIN(most, s->n_tokens - s->n_cached);
    item.wants_logits = s->n_cached + item.n == s->n_tokens;
    TL_TRY(tl_engine_step(s->engine, &item, 1));
  }
  *out_logits = item.logits;
  return TL_OK;
}

tl_status tl_engine_generate(tl_engine *e, tl_sequence *s, const tl_request *request,
                             tl_ids *out_ids, tl_result *out_result) {
  const tl_artifact *a = e->artifact;
  TL_TRY(tl_sampling_check(&request->sampling));
  TL_TRY(check_prompt(a, request));
  // What the sequence holds of the prompt stays; its last token is run anyhow, for the logits.
  uint32_t same = 0;
  while (same < s->n_cached && same + 1 < request->n_prompt &&
         s->tokens[same] == request->prompt[same])
    same++;
  tl_sequence_truncate(s, same);
  TL_TRY(tl_sequence_append(s, request->prompt + same, request->n_prompt - same));
  tl_result r = {.n_prompt = request->n_prompt, .n_reused = same, .finish = TL_FINISH_LENGTH};
  const uint32_t room = a->context - s->n_tokens;
  const uint32_t max_new =
      request->max_new ? TL_MIN(request->max_new, room + 1) : room + 1; // the last needs no place
  if (!tl_ids_reserve(out_ids, max_new)) return TL_OOM();
  uint64_t start = tl_now_ns(), first = start;
  while (r.n_generated < max_new) {
    const float *logits;
    TL_TRY(tl_sequence_run(s, &logits));
    int32_t id;
    TL_TRY(tl_sample(&request->sampling, logits, a->vocab, s->n_tokens, e->candidates, &id));
    if (r.n_generated++ == 0) first = tl_now_ns();
    tl_ids_push(out_ids, id);
    const bool stop = !request->ignore_stops && is_stop(a, id), last = r.n_generated == max_new;
    if (s->n_tokens < a->context) TL_TRY(tl_sequence_append(s, &id, 1));
    const bool go_on = !request->on_token || request->on_token(request->arg, id);
    if (stop || !go_on) {
      r.finish = stop ? TL_FINISH_STOP : TL_FINISH_CANCELLED;
      break;
    }
    if (last) break;
  }
  r.prefill_ns = first - start;
  r.decode_ns = tl_now_ns() - first;
  *out_result = r;
  return TL_OK;
}
