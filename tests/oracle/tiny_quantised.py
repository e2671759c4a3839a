"""Tiny random checkpoints whose weights are codes with scales, and what transformers answers with the numbers they stand for.

Each lies in tests/model/scaled-<kind>/ as a Hugging Face checkpoint under the names that its maker gives tensors, beside
golden.json: prompts with the logits after them, computed in float32 on the dequantised weights, and of each matrix the sum
of W[r, c] * ((31 r + 17 c) % 97) with that of the absolute values.

  fp8-tensor     ModelOpt FP8: weight_scale, and an input_scale that we do not use
  fp8-channel    compressed-tensors float-quantized: weight_scale [R, 1] in bf16
  fp8-block      DeepSeek's and Qwen's FP8: weight_scale_inv for each 128 x 128
  nvfp4-modelopt weight [R, k/2], weight_scale e4m3 for each 16, weight_scale_2
  nvfp4-packed   compressed-tensors nvfp4-pack-quantized: weight_packed, weight_scale, weight_global_scale, which divides
  int8-channel   compressed-tensors int-quantized: weight i8, weight_scale [R, 1]

    python tests/oracle/tiny_quantised.py            # make the checkpoints and the goldens
    python tests/oracle/tiny_quantised.py --check    # recompute the goldens from the recorded checkpoints and compare
"""

import json
import pathlib
import shutil
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

ROOT = pathlib.Path(__file__).resolve().parent.parent / "model"
SEED = 11
E4M3 = torch.float8_e4m3fn
E2M1 = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6, 0, -.5, -1, -1.5, -2, -3, -4, -6])
CONFIG = dict(vocab_size=48, hidden_size=32, intermediate_size=160, num_hidden_layers=1, num_attention_heads=4,
              num_key_value_heads=2, head_dim=16, max_position_embeddings=64, rms_norm_eps=1e-5, tie_word_embeddings=False,
              rope_parameters={"rope_type": "default", "rope_theta": 10000.0}, bos_token_id=1, eos_token_id=2)


def amax(w, **how):
    return w.abs().amax(**how) if how else w.abs().max()


def blocks(w):  # 128 x 128, the last ones smaller: the scale of each, and of each element
    R, k = w.shape
    s = torch.stack([torch.stack([w[r:r + 128, c:c + 128].abs().max() / 448 for c in range(0, k, 128)]) for r in range(0, R, 128)])
    return s, s.repeat_interleave(128, 0)[:R].repeat_interleave(128, 1)[:, :k]


def e2m1_codes(x):
    magnitude = (x.abs().unsqueeze(-1) - E2M1[:8]).abs().argmin(-1)
    return (magnitude + 8 * (x < 0)).to(torch.uint8)


def nvfp4(w):
    s2 = w.abs().max() / (6 * 448)
    small = (w.reshape(w.shape[0], -1, 16).abs().amax(-1) / 6 / s2).to(E4M3)
    codes = e2m1_codes(w / (small.float() * s2).repeat_interleave(16, 1))
    return codes[:, 0::2] | codes[:, 1::2] << 4, small, s2


def quantise(kind, name, w):  # name without ".weight": the tensors that store it
    if kind == "fp8-tensor":
        s = w.abs().max() / 448
        return {".weight": (w / s).to(E4M3), ".weight_scale": s, ".input_scale": torch.tensor(0.5)}
    if kind == "fp8-channel":
        s = (w.abs().amax(1, keepdim=True) / 448).to(torch.bfloat16)
        return {".weight": (w / s.float()).clamp(-448, 448).to(E4M3), ".weight_scale": s}
    if kind == "fp8-block":
        s, each = blocks(w)
        return {".weight": (w / each).to(E4M3), ".weight_scale_inv": s}
    if kind == "int8-channel":
        s = w.abs().amax(1, keepdim=True) / 127
        return {".weight": (w / s).round().to(torch.int8), ".weight_scale": s}
    codes, small, s2 = nvfp4(w)
    if kind == "nvfp4-modelopt":
        return {".weight": codes, ".weight_scale": small, ".weight_scale_2": s2, ".input_scale": torch.tensor(0.25)}
    return {".weight_packed": codes, ".weight_scale": small, ".weight_global_scale": (1 / s2).reshape(1),
            ".input_global_scale": torch.tensor([2.0])}


CONFIGS = {
    "fp8-tensor": {"quant_method": "modelopt", "quant_algo": "FP8"},
    "fp8-channel": {"quant_method": "compressed-tensors", "format": "float-quantized", "ignore": ["lm_head"]},
    "fp8-block": {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]},
    "nvfp4-modelopt": {"quant_method": "modelopt", "quant_algo": "NVFP4"},
    "nvfp4-packed": {"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized"},
    "int8-channel": {"quant_method": "compressed-tensors", "format": "int-quantized"},
}


def numbers(tensors):  # {name.weight: what it stands for}
    out = {}
    for name, t in tensors.items():
        base, _, last = name.rpartition(".")
        if last == "weight_packed" or (last == "weight" and t.dtype == torch.uint8):
            codes = torch.stack([t & 15, t >> 4], -1).reshape(t.shape[0], -1)
            s2 = 1 / tensors[base + ".weight_global_scale"] if last == "weight_packed" else tensors[base + ".weight_scale_2"]
            w = E2M1[codes.long()] * tensors[base + ".weight_scale"].float().repeat_interleave(16, 1) * s2
        elif last != "weight":
            continue
        elif base + ".weight_scale_inv" in tensors:
            s = tensors[base + ".weight_scale_inv"]
            w = t.float() * s.repeat_interleave(128, 0)[:t.shape[0]].repeat_interleave(128, 1)[:, :t.shape[1]]
        elif base + ".weight_scale" in tensors:
            w = t.float() * tensors[base + ".weight_scale"].float()
        else:
            w = t.float()
        out[base + ".weight"] = w
    return out


def make(kind):
    torch.manual_seed(SEED)
    model = LlamaForCausalLM(LlamaConfig(**CONFIG))
    tensors = {}
    for name, p in model.state_dict().items():
        w = torch.randn_like(p)
        if p.dim() == 1 or "embed" in name or "lm_head" in name:
            tensors[name] = (1 + 0.3 * w if p.dim() == 1 else w).to(torch.bfloat16)
            continue
        w = 1.5 * w / p.shape[1] ** 0.5 * torch.linspace(0.5, 2, p.shape[0])[:, None]  # rows of other ranges
        base = name.removesuffix(".weight")
        tensors |= {base + last: t.contiguous() for last, t in quantise(kind, base, w).items()}
    out = ROOT / f"scaled-{kind}"
    shutil.rmtree(out, ignore_errors=True)
    model.config.save_pretrained(out)
    config = json.loads((out / "config.json").read_text()) | {"architectures": ["LlamaForCausalLM"], "dtype": "bfloat16"}
    config["quantization_config"] = CONFIGS[kind]
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    save_file(tensors, out / "model.safetensors")


@torch.no_grad()
def golden(kind):
    path = ROOT / f"scaled-{kind}"
    weights = numbers(load_file(path / "model.safetensors"))
    model = LlamaForCausalLM(LlamaConfig(**CONFIG)).float().eval()
    model.load_state_dict(weights)
    torch.manual_seed(SEED)
    cases = []
    for n in (1, 6, 29):
        prompt = torch.randint(3, CONFIG["vocab_size"], (n,)).tolist()
        logits = model(torch.tensor([prompt]), use_cache=False).logits[0, -1]
        cases.append({"prompt": prompt, "logits": [float(f"{v:.8g}") for v in logits.tolist()]})
    sums = {}
    for name, w in weights.items():
        if w.dim() != 2: continue
        r, c = torch.arange(w.shape[0])[:, None], torch.arange(w.shape[1])[None]
        terms = w.double() * ((31 * r + 17 * c) % 97)
        sums[name] = [float(f"{v:.12g}") for v in (terms.sum().item(), terms.abs().sum().item())]
    return {"versions": {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__}, "seed": SEED, "sums": sums, "cases": cases}


def close(a, b):
    if isinstance(a, dict): return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list): return len(a) == len(b) and all(map(close, a, b))
    return a == b if isinstance(a, int) else abs(a - b) <= 1e-5 * max(1, abs(a))


for kind in CONFIGS:
    path = ROOT / f"scaled-{kind}" / "golden.json"
    if "--check" in sys.argv[1:]:
        recorded, now = json.loads(path.read_text()), golden(kind)
        if not all(close(recorded[k], now[k]) for k in ("sums", "cases")): sys.exit(f"{path}: the installed packages give other values")
        print(f"{path}: close")
    else:
        make(kind)
        path.write_text(json.dumps(golden(kind)) + "\n")
