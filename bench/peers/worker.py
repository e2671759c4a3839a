#!/usr/bin/env python3
"""A peer of compare.py that has no command line of its own: worker.py openvino|vllm|torch|ort MODEL_DIR THREADS GEN. It says
"ready", then answers a line of work ("prefill N", "decode DEPTH", "decode 8x32") with tokens a second, or "-" for what it
does not do. Prompts are new each time, since some peers keep prefixes; what the prompt takes is measured and taken off
decoding."""
import os, random, sys, time

kind, folder, threads, gen = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
CONTEXT, SEQUENCES = 4096 + 512, 8


def with_openvino():
    import numpy as np
    import openvino
    import openvino_genai
    # A mapped file of weights would stay in 4 KiB pages.
    pipe = openvino_genai.LLMPipeline(folder, "CPU", INFERENCE_NUM_THREADS=threads, ENABLE_MMAP=False)

    def generate(prompts, n):
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens = config.min_new_tokens = n
        config.ignore_eos, config.do_sample = True, False
        ids = np.array(prompts, np.int64)
        pipe.generate(openvino_genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(np.ones_like(ids))), config)
    return generate


def with_vllm():
    settings = {"VLLM_CPU_KVCACHE_SPACE": "2", "VLLM_CPU_OMP_THREADS_BIND": f"0-{threads - 1}", "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
                "OMP_NUM_THREADS": str(threads), "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
    os.environ.update(settings)
    import vllm
    model = vllm.LLM(folder, dtype="bfloat16", max_model_len=CONTEXT, enable_prefix_caching=False, max_num_seqs=SEQUENCES, skip_tokenizer_init=True)

    def generate(prompts, n):
        how = vllm.SamplingParams(temperature=0, max_tokens=n, min_tokens=n, ignore_eos=True, detokenize=False)
        model.generate([{"prompt_token_ids": p} for p in prompts], how, use_tqdm=False)
    return generate


def with_torch():
    import torch
    import transformers
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    model.generation_config.eos_token_id = None
    for p in model.parameters():  # a mapped file of weights would stay in 4 KiB pages
        p.data = p.data.clone()

    def generate(prompts, n):
        ids = torch.tensor(prompts)
        with torch.inference_mode():
            model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=n, min_new_tokens=n, do_sample=False, pad_token_id=0)
    return generate


def with_ort():
    import json
    import numpy as np
    import onnxruntime_genai as og
    config = og.Config(folder)
    config.overlay(json.dumps({"model": {"decoder": {"session_options": {"intra_op_num_threads": threads}}}}))
    model = og.Model(config)

    def generate(prompts, n):
        length, how = len(prompts[0]) + n, og.GeneratorParams(model)
        how.set_search_options(max_length=length, min_length=length, batch_size=len(prompts), do_sample=False)
        generator = og.Generator(model, how)
        generator.append_tokens(np.array(prompts if len(prompts) > 1 else prompts[0], np.int32))
        for _ in range(n):
            generator.generate_next_token()
    return generate


def seconds(generate, prompts, n):
    start = time.perf_counter()
    generate(prompts, n)
    return time.perf_counter() - start


def main():
    numbers = random.Random()

    def prompts(count, length):
        return [[numbers.randrange(1000, 40000) for _ in range(length)] for _ in range(count)]
    out = os.fdopen(os.dup(1), "w")  # libraries print what they like
    os.dup2(2, 1)
    generate = {"openvino": with_openvino, "vllm": with_vllm, "torch": with_torch, "ort": with_ort}[kind]()
    generate(prompts(1, 32), 4)
    print("ready", file=out, flush=True)
    for line in sys.stdin:
        what, _, size = line.strip().partition(" ")
        if what == "prefill":
            rate = int(size) / seconds(generate, prompts(1, int(size)), 1)
        elif what == "decode":
            count, depth = (SEQUENCES, 32) if size == "8x32" else (1, int(size))
            before = seconds(generate, prompts(count, depth), 1)
            rate = count * gen / (seconds(generate, prompts(count, depth), gen + 1) - before)
        else:
            rate = None
        print("-" if rate is None else f"{rate:.5g}", file=out, flush=True)


if __name__ == "__main__":
    main()
