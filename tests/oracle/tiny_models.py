"""Tiny random checkpoints of the families we build, and what transformers answers with them.

Each lies in tests/model/<name>/ as a Hugging Face checkpoint (config.json, generation_config.json, model.safetensors)
beside golden.json: for each prompt the greedy continuation (stop ids are ignored), the logits after the prompt and after
the last step, and the least gap between the two best logits on the way, all computed in float32 on the stored weights.
The models differ where readers and graphs go wrong: a head dim that is not hidden/heads, head counts that are no powers
of two, tied and untied heads, norm gains that are not one, bf16 and f32 files, other RoPE bases.

    python tests/oracle/tiny_models.py            # make the checkpoints and the goldens
    python tests/oracle/tiny_models.py --check    # recompute the goldens from the recorded checkpoints and compare
"""

import json
import pathlib
import shutil
import sys

import torch
import transformers
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

ROOT = pathlib.Path(__file__).resolve().parent.parent / "model"
SEED = 7
STEPS = 24
LENGTHS = (1, 7, 37)

MODELS = {
    "tiny-qwen3-tied": (Qwen3ForCausalLM, torch.bfloat16, Qwen3Config(
        vocab_size=96, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=16, max_position_embeddings=128, rms_norm_eps=1e-6, tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 1000000.0}, bos_token_id=1, eos_token_id=2)),
    "tiny-qwen3-untied": (Qwen3ForCausalLM, torch.float32, Qwen3Config(
        vocab_size=64, hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=3,
        num_key_value_heads=1, head_dim=12, max_position_embeddings=96, rms_norm_eps=1e-5, tie_word_embeddings=False,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, bos_token_id=1, eos_token_id=[2, 3])),
    "tiny-llama-untied": (LlamaForCausalLM, torch.bfloat16, LlamaConfig(
        vocab_size=128, hidden_size=48, intermediate_size=80, num_hidden_layers=2, num_attention_heads=6,
        num_key_value_heads=2, max_position_embeddings=128, rms_norm_eps=1e-5, tie_word_embeddings=False,
        rope_parameters={"rope_type": "default", "rope_theta": 500000.0}, bos_token_id=1, eos_token_id=2)),
}


def make(name):
    cls, dtype, config = MODELS[name]
    torch.manual_seed(SEED)
    model = cls(config)
    with torch.no_grad():
        for key, p in model.named_parameters():
            if p.dim() == 1:  # gains
                p.copy_(1 + 0.3 * torch.randn_like(p))
            elif "embed_tokens" in key or "lm_head" in key:
                # a tied table must be small, or every token predicts itself
                p.copy_((0.15 if config.tie_word_embeddings else 1) * torch.randn_like(p))
            else:  # wide enough that attention and the MLP decide the answer
                p.copy_(1.5 * torch.randn_like(p) / p.shape[1] ** 0.5)
    out = ROOT / name
    shutil.rmtree(out, ignore_errors=True)
    model.to(dtype).save_pretrained(out)
    (out / "model.safetensors").chmod(0o644)


@torch.no_grad()
def answer(model, prompt):
    ids, gap, first = list(prompt), float("inf"), None
    for _ in range(STEPS):
        logits = model(torch.tensor([ids]), use_cache=False).logits[0, -1]
        first = logits if first is None else first
        best = torch.topk(logits, 2).values
        gap = min(gap, float(best[0] - best[1]))
        ids.append(int(logits.argmax()))
    return {"prompt": prompt, "greedy": ids[len(prompt):], "least_gap": round(gap, 6),
            "logits_first": [float(f"{v:.8g}") for v in first.tolist()],
            "logits_last": [float(f"{v:.8g}") for v in logits.tolist()]}


def golden(name):
    torch.manual_seed(SEED)
    model = MODELS[name][0].from_pretrained(ROOT / name, dtype=torch.float32, attn_implementation="eager").eval()
    vocab = model.config.vocab_size
    prompts = [torch.randint(4, vocab, (n,)).tolist() for n in LENGTHS]
    return {"torch": torch.__version__, "transformers": transformers.__version__, "seed": SEED,
            "dtype": "float32", "cases": [answer(model, p) for p in prompts]}


def write(path, value):
    # one case a line: small, and a difference shows where it is
    cases = ",\n  ".join(json.dumps(c, separators=(",", ":")) for c in value["cases"])
    head = json.dumps({k: v for k, v in value.items() if k != "cases"})
    path.write_text(f'{head[:-1]}, "cases": [\n  {cases}\n]}}\n')


def same(a, b):
    for x, y in zip(a["cases"], b["cases"], strict=True):
        if x["prompt"] != y["prompt"] or x["greedy"] != y["greedy"]:
            return False
        for key in ("logits_first", "logits_last"):
            limit = 1e-5 * max(abs(v) for v in x[key])
            if max(abs(v - w) for v, w in zip(x[key], y[key], strict=True)) > limit:
                return False
    return True


torch.set_num_threads(1)
transformers.utils.logging.disable_progress_bar()
for model_name in MODELS:
    file = ROOT / model_name / "golden.json"
    if "--check" in sys.argv[1:]:
        if not same(json.loads(file.read_text()), golden(model_name)):
            sys.exit(f"{file}: transformers {transformers.__version__} answers otherwise")
        print(f"{file}: equal")
    else:
        make(model_name)
        write(file, golden(model_name))
