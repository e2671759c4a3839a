#!/usr/bin/env python3
"""Records what tokenizers and transformers say about texts, into tests/tok/.

    python tests/oracle/tok_goldens.py [--smollm2 FILE.gguf] [--qwen3 DIR]

Writes
    tests/tok/tiny/byte_level.json, metaspace.json   two tokenizers trained here, small enough to keep
    tests/tok/tiny/goldens.json    variants of those two and the ids and texts they give
    tests/tok/smollm2.json         ids under SmolLM2's tokenizer (from the GGUF's metadata)
    tests/tok/qwen3.json           ids and prompts under Qwen3's tokenizer and template

The last two need the files and are left alone without them. Nothing random: seeds are fixed.
"""
import argparse
import json
import os
import random
import tempfile

import tokenizers
import transformers
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers,
                        trainers)

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "tok")
VERSIONS = {"tokenizers": tokenizers.__version__, "transformers": transformers.__version__}

TEXTS = [
    "",
    " ",
    "a",
    "Hello, world!",
    "Hello world",
    " Hello  world ",
    "The quick brown fox jumps over the lazy dog.",
    "I'm sure you're right; they've said it'll do, didn't they? We'd know. IT'S DON'T",
    "line one\nline two\r\nline three\n\n\nline six",
    "\t\tindented\twith tabs\t",
    "   \n  \n x  y   z    \n",
    "trailing spaces   ",
    "\n",
    "\n\n\n\n",
    "123",
    "1234567890 12 345.678,90 1e-5 0x1F 3½ Ⅷ ²",
    "٣٤٥ १२३ 一二三",
    "a1b22c333",
    "def f(x):\n    return x ** 2  # square\n",
    "for (int i = 0; i < n; ++i) { a[i] += b[i] * c[i]; }\n\treturn -1;",
    "SELECT * FROM t WHERE name='O''Brien' AND id>=10;",
    "<html><body class=\"x\">&amp;</body></html>",
    "https://example.org/path?q=1&r=%20#frag me@mail.example",
    "$E = mc^2$ and \\frac{a}{b}",
    "C'est l'été à la plage, où l'œuvre naïve coûte 5 €.",
    "Größe, Straße, ÄÖÜ, ẞ",
    "El niño comió piñas. ¿Qué? ¡Sí!",
    "Привет, мир! Как дела?",
    "Γειά σου Κόσμε",
    "שלום עולם",
    "مرحبا بالعالم، كيف الحال؟",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
    "こんにちは世界。カタカナと漢字",
    "你好，世界！我们在学习中文。",
    "안녕하세요 세계",
    "Xin chào thế giới",
    "ქართული ენა, Հայերեն, አማርኛ",
    "𐍈 𝕬𝖑𝖕𝖍𝖆 𝟘𝟙𝟚",
    "emoji 😀😃 👍🏽 🇫🇷 👨‍👩‍👧‍👦 ❤️ ☃",
    "e\u0301 vs \u00e9, \uac00 vs \u1100\u1161, \ufb01 \u2460 \uff21",
    "zero\u200bwidth\u200djoin\ufeffbom\u00ad soft",
    "nbsp\u00a0here\u2003em\u3000wide\u2028line\u0085nel",
    "\u180e mongolian \u180evowel",
    "control \x01\x02\x7f\x1b[0m",
    "replacement \ufffd char, private \ue000, last \U0010ffff",
    "<|im_start|>user\nhi<|im_end|>\n",
    "<|im_start|><|im_end|><|endoftext|>",
    "text<|endoftext|>more<|endoftext|>",
    "<|im_start|",
    "<|im_start|> <|im_start |>",
    "<s>hi</s>",
    "<s> hi </s> there",
    "<think>\nok\n</think>",
    "▁already▁marked ▁ ",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    " " * 70 + "x",
    "abcabcabcabcabcabc" * 6,
    "Wort" * 30 + "😀" * 20,
    "don't Don'T DON'T 'tis 's 'S ''s",
    "a.b,c;d:e!f?g(h)i[j]k{l}m<n>o/p\\q|r@s#t$u%v^w&x*y-z_",
    "the-final--countdown ---",
    "mixed 中文 and English 123 тест\tend",
]

TRAIN = " ".join(TEXTS) + """
Once upon a time there was a small river that ran through the valley. The people who lived there told stories
about the water and the stones, and when the rain came they said that the river was singing. In the morning the
children walked to school along the bank; in the evening they came back, and the older ones carried the younger.
The water was cold and clear. There were fish in it, and birds over it, and everyone knew the name of every bend.
def main(argc, argv): return 0 for i in range(10): print(i) if x == y else None while True: pass
"""


def train_byte_level():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tok.train_from_iterator([TRAIN] * 3, trainer)
    tok.add_tokens([AddedToken("<think>", special=False, normalized=False),
                    AddedToken("</think>", special=False, normalized=False)])
    return json.loads(tok.to_str())


def train_metaspace():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    latin = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?'-"
    trainer = trainers.BpeTrainer(vocab_size=300, limit_alphabet=72, initial_alphabet=list(latin),
                                  show_progress=False)
    keep = "".join(c for c in TRAIN if c in latin + " \n")
    tok.train_from_iterator([keep] * 3, trainer)
    trained = json.loads(tok.to_str())["model"]
    words = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    words += [w for w, _ in sorted(trained["vocab"].items(), key=lambda kv: kv[1])]
    out = Tokenizer(models.BPE(vocab={w: i for i, w in enumerate(words)},
                               merges=[tuple(m) for m in trained["merges"]],
                               unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    out.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    out.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                     decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    out.add_special_tokens([AddedToken(t, special=True, normalized=False)
                            for t in ("<unk>", "<s>", "</s>")])
    out.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return json.loads(out.to_str())


GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(pattern, behavior, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": False}


def seq(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


def meta(scheme, do_split):
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": do_split}


def template(single, **special):
    parts = [{"Sequence": {"id": "A", "type_id": 0}} if p == "A" else
             {"SpecialToken": {"id": p, "type_id": 0}} for p in single]
    pair = parts + [{"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": parts, "pair": pair,
            "special_tokens": {k: {"id": k, "ids": [v], "tokens": [k]} for k, v in special.items()}}


# name, tokenizer, patch of tokenizer.json ("model" merges), tokenizer_config.json or None
VARIANTS = [
    ("byte level", "byte_level", {}, None),
    ("prefix space", "byte_level", {"pre_tokenizer": dict(BYTES, add_prefix_space=True, use_regex=True)}, None),
    ("digits alone", "byte_level",
     {"pre_tokenizer": seq({"type": "Digits", "individual_digits": True}, dict(BYTES, use_regex=True))}, None),
    ("digits together", "byte_level",
     {"pre_tokenizer": seq({"type": "Digits", "individual_digits": False}, dict(BYTES, use_regex=True))}, None),
    ("gpt-4 split", "byte_level", {"pre_tokenizer": seq(split(GPT4, "Isolated"), BYTES)}, None),
    ("removed", "byte_level", {"pre_tokenizer": seq(split(r"\s+", "Removed"), BYTES)}, None),
    ("merged with previous", "byte_level",
     {"pre_tokenizer": seq(split(r"[-.,]", "MergedWithPrevious"), BYTES)}, None),
    ("merged with next", "byte_level", {"pre_tokenizer": seq(split("-", "MergedWithNext", "String"), BYTES)}, None),
    ("lookahead", "byte_level", {"pre_tokenizer": seq(split(r"(?=[A-Z])", "Isolated"), BYTES)}, None),
    ("empty matches", "byte_level", {"pre_tokenizer": seq(split(r"a*", "Isolated"), BYTES)}, None),
    ("classes", "byte_level",
     {"pre_tokenizer": seq(split(r"\w+|[^\s\w]+|\p{Han}|\h", "Isolated"), split(r"[\s\d]", "Isolated"), BYTES)}, None),
    ("spelled before digits", "byte_level",
     {"pre_tokenizer": seq(dict(BYTES, use_regex=True), {"type": "Digits", "individual_digits": True})}, None),
    ("nfc", "byte_level", {"normalizer": {"type": "NFC"}}, None),
    ("nfkd then replace", "byte_level",
     {"normalizer": {"type": "Sequence", "normalizers": [
         {"type": "NFKD"}, {"type": "Replace", "pattern": {"String": "e"}, "content": "EE"}]}}, None),
    ("nfkc", "byte_level", {"normalizer": {"type": "NFKC"}}, None),
    ("nfd", "byte_level", {"normalizer": {"type": "NFD"}}, None),
    ("ignore merges", "byte_level", {"model": {"ignore_merges": True, "merges": []}}, None),
    ("template", "byte_level",
     {"post_processor": template(["<|im_start|>", "A", "<|im_end|>"], **{"<|im_start|>": 1, "<|im_end|>": 2})}, None),
    ("no decoder", "byte_level", {"decoder": None}, None),
    ("qwen2 class", "byte_level", {},
     {"tokenizer_class": "Qwen2TokenizerFast", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>",
      "unk_token": None, "bos_token": None, "add_bos_token": False}),
    ("gpt2 class", "byte_level", {"pre_tokenizer": seq(split(r"\s+", "Removed"), BYTES)},
     {"tokenizer_class": "GPT2Tokenizer", "eos_token": "<|endoftext|>", "bos_token": "<|endoftext|>",
      "unk_token": "<|endoftext|>", "add_bos_token": True}),
    ("explicit ends", "byte_level", {},
     {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>", "bos_token": "<|im_start|>",
      "add_bos_token": True, "add_eos_token": True}),
    ("metaspace raw", "metaspace", {}, None),
    ("metaspace always", "metaspace", {"normalizer": None, "pre_tokenizer": meta("always", True)}, None),
    ("metaspace first", "metaspace", {"normalizer": None, "pre_tokenizer": meta("first", False)}, None),
    ("metaspace never", "metaspace", {"normalizer": None, "pre_tokenizer": meta("never", True)}, None),
    ("metaspace decoder", "metaspace",
     {"normalizer": None, "pre_tokenizer": meta("always", True), "decoder": meta("always", True)}, None),
    ("unknown fused", "metaspace", {"model": {"byte_fallback": False}}, None),
    ("unknown single", "metaspace", {"model": {"byte_fallback": False, "fuse_unk": False}}, None),
    ("unknown dropped", "metaspace", {"model": {"byte_fallback": False, "unk_token": None}}, None),
    ("normalized added token", "metaspace",
     {"added_tokens": [dict(id=i, content=c, single_word=False, lstrip=False, rstrip=False,
                            normalized=(c == "</s>"), special=True)
                       for i, c in ((0, "<unk>"), (1, "<s>"), (2, "</s>"))]}, None),
    ("llama class", "metaspace", {},
     {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>",
      "legacy": False, "add_bos_token": True, "add_eos_token": False}),
    ("llama class, legacy", "metaspace", {},
     {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>",
      "legacy": True}),
    ("llama class, no prefix", "metaspace", {},
     {"tokenizer_class": "LlamaTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>",
      "add_prefix_space": False}),
    ("gemma class", "metaspace", {},
     {"tokenizer_class": "GemmaTokenizer", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>",
      "pad_token": "<unk>", "mask_token": "<unk>"}),
]


def patched(base, patch):
    out = dict(base)
    for key, value in patch.items():
        out[key] = dict(out[key], **value) if key == "model" else value
    return out


def load(data, config):
    if config is None:
        return Tokenizer.from_str(json.dumps(data)), None
    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(d, "tokenizer.json"), "w") as f:
            json.dump(data, f)
        with open(os.path.join(d, "tokenizer_config.json"), "w") as f:
            json.dump(config, f)
        name = config["tokenizer_class"].removesuffix("Fast")
        cls = {"PreTrainedTokenizer": transformers.PreTrainedTokenizerFast}.get(name) or getattr(transformers, name)
        tok = cls.from_pretrained(d)
        # Our rule, and that of transformers up to 5.17: explicit add_bos_token and add_eos_token take the place of
        # the file's post-processor. Later versions drop the two keys when there is a tokenizer.json.
        if "add_bos_token" in config or "add_eos_token" in config:
            tok.add_bos_token = config.get("add_bos_token", False)
            tok.add_eos_token = config.get("add_eos_token", False)
        return tok.backend_tokenizer, tok


def cases(tok, texts, rng, with_split=True):
    out = []
    for text in texts:
        tok.encode_special_tokens = False
        ids = tok.encode(text).ids
        c = {"text": text, "ids": ids, "plain": tok.encode(text, add_special_tokens=False).ids}
        if with_split:
            tok.encode_special_tokens = True
            c["split"] = tok.encode(text, add_special_tokens=False).ids
            tok.encode_special_tokens = False
            if c["split"] == c["plain"]:
                del c["split"]
        if c["plain"] == c["ids"]:
            del c["plain"]
        c["decoded"] = tok.decode(ids, skip_special_tokens=False)
        skipped = tok.decode(ids, skip_special_tokens=True)
        if skipped != c["decoded"]:
            c["skipped"] = skipped
        if c["decoded"] == text:
            del c["decoded"]
        out.append(c)
    n = tok.get_vocab_size()
    for _ in range(6):  # ids that no text gives: halves of characters and worse
        ids = [rng.randrange(n) for _ in range(rng.randrange(1, 24))]
        ids = [i for i in ids if "\0" not in tok.decode([i], skip_special_tokens=False)]  # not in our JSON
        out.append({"ids": ids, "decoded": tok.decode(ids, skip_special_tokens=False),
                    "skipped": tok.decode(ids, skip_special_tokens=True)})
    return out


def write(path, data):
    with open(os.path.join(OUT, path), "w") as f:
        json.dump(data, f, ensure_ascii=True, indent=None, separators=(",", ":"))
        f.write("\n")


def write_lines(path, head, key, rows):
    """One row a line, so that a change is seen in a diff."""
    with open(os.path.join(OUT, path), "w") as f:
        f.write("{" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in head.items()))
        f.write(f",\n{json.dumps(key)}: [\n")
        f.write(",\n".join(json.dumps(r, separators=(",", ":")) for r in rows))
        f.write("\n]}\n")


def tiny():
    base = {"byte_level": train_byte_level(), "metaspace": train_metaspace()}
    for name, data in base.items():
        write(f"tiny/{name}.json", data)
    rows = []
    for i, (name, which, patch, config) in enumerate(VARIANTS):
        backend, tok = load(patched(base[which], patch), config)
        # The first of each kind sees all texts; the others every third, and those that tell.
        texts = TEXTS if name in ("byte level", "metaspace raw", "llama class") else TEXTS[i % 3::3] + TEXTS[40:55]
        row = {"name": name, "tokenizer": which, "patch": patch, "config": config,
               "cases": cases(backend, texts, random.Random(i))}
        if name == "normalized added token":  # tokenizers 0.23 decodes them, and fails to skip them, as normalized
            row["encode_only"] = True
        if tok is not None:
            row["bos"] = -1 if tok.bos_token_id is None else tok.bos_token_id
            row["eos"] = -1 if tok.eos_token_id is None else tok.eos_token_id
        rows.append(row)
    write_lines("tiny/goldens.json", {"versions": VERSIONS}, "variants", rows)


def smollm2_tokenizer(path):
    """By hand: transformers' conversion of GGUF tokenizers leaves out the digits."""
    import gguf
    r = gguf.GGUFReader(path)
    get = lambda key: r.fields["tokenizer." + key].contents()
    words, merges = get("ggml.tokens"), get("ggml.merges")
    tok = Tokenizer(models.BPE(vocab={w: i for i, w in enumerate(words)},
                               merges=[tuple(m.split(" ")) for m in merges]))
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tok.decoder = decoders.ByteLevel()
    tok.add_special_tokens([AddedToken(w, special=True, normalized=False)
                            for w, t in zip(words, get("ggml.token_type")) if t == 3])
    return tok, get("chat_template")


CHATS = [
    [{"role": "user", "content": "What is the capital of France?"}],
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi\n\nthere"},
     {"role": "assistant", "content": " Hello! "}, {"role": "user", "content": "你好 😀 <|im_end|>"}],
    [{"role": "user", "content": "Add 2 and 3."},
     {"role": "assistant", "content": "<think>\nadd\n</think>\n\nIt is 5."},
     {"role": "user", "content": "And 4?"}],
]
TOOL_CHAT = [
    {"role": "system", "content": "Use tools."},
    {"role": "user", "content": "Weather in Paris & Rome?"},
    {"role": "assistant", "content": "", "tool_calls": [
        {"type": "function", "function": {"name": "weather", "arguments": {"city": "Paris", "days": 2, "x": 1.5}}},
        {"type": "function", "function": {"name": "weather", "arguments": {"city": "Rome", "ok": True, "n": None}}}]},
    {"role": "tool", "content": "{\"t\": 20}"},
    {"role": "tool", "content": "21"},
    {"role": "assistant", "reasoning_content": "Both known.", "content": "20 and 21."},
    {"role": "user", "content": "Thanks"},
]
TOOLS = [{"type": "function", "function": {
    "name": "weather", "description": "Wetter für <eine> Stadt",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                   "required": ["city"]}}}]


def chats(template, named, extra):
    from transformers.utils.chat_template_utils import render_jinja_template
    rows = []
    for messages in CHATS + [TOOL_CHAT]:
        for prompt in (True, False):
            for more in extra:
                vars = {k: v for k, v in more.items() if k != "tools"}
                tools = more.get("tools")
                text = render_jinja_template([messages], tools=tools, chat_template=template,
                                             add_generation_prompt=prompt, **named, **vars)[0][0]
                rows.append({"messages": messages, "add_generation_prompt": prompt, "tools": tools, "vars": vars,
                             "text": text})
    return rows


def smollm2(path):
    tok, template = smollm2_tokenizer(path)
    rows = cases(tok, TEXTS, random.Random(7))
    plain = [m for m in CHATS]
    head = {"versions": VERSIONS, "chats": [c for c in chats(template, {}, [{}]) if c["messages"] in plain]}
    write_lines("smollm2.json", head, "cases", rows)


def qwen3(path):
    tok = transformers.Qwen2Tokenizer.from_pretrained(path)
    rows = cases(tok.backend_tokenizer, TEXTS, random.Random(8))
    head = {"versions": VERSIONS, "bos": -1, "eos": tok.eos_token_id,
            "chats": chats(tok.chat_template, tok.special_tokens_map,
                           [{}, {"enable_thinking": False}, {"tools": TOOLS}])}
    write_lines("qwen3.json", head, "cases", rows)


def main():
    models_dir = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tlaloc", "models")
    p = argparse.ArgumentParser()
    p.add_argument("--smollm2", default=os.path.join(models_dir, "SmolLM2-135M-Instruct.Q4_1.gguf"))
    p.add_argument("--qwen3", default=os.path.join(models_dir, "qwen3"))
    args = p.parse_args()
    os.makedirs(os.path.join(OUT, "tiny"), exist_ok=True)
    tiny()
    if os.path.exists(args.smollm2):
        smollm2(args.smollm2)
    if os.path.exists(args.qwen3):
        qwen3(args.qwen3)


if __name__ == "__main__":
    main()
