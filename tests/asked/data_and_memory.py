"""The numbers of book/asked/data_and_memory.md: each function returns what must stand
in the answer with its anchor."""

import torch
from asking import computed
from safetensors.torch import save


@computed("an-attempt-has-been-made-to-start-a-new-process-before-the-current-process-has-"
          "finished-its-bootstrapping-phase-what-does-my-dataloader-want")
def _():
    return "since Python 3.14, Linux does not fork by default",    # What's new in 3.14


@computed("can-t-pickle-local-object-with-num-workers-2-which-object-is-meant")
def _():
    return "(Windows, macOS, Linux since Python 3.14)",    # What's new in 3.14


@computed("safetensorerror-error-while-deserializing-header-headertoolarge-is-my-model-"
          "too-large")
def _():
    whole = save({"weight": torch.ones(50)})
    first = 8
    header = int.from_bytes(whole[:first], "little")
    assert len(whole) == first + header + 4 * 50 and whole[first:first + 1] == b"{"
    return f"its first {first} bytes, which should say how long the header is",


@computed("cuda-error-no-kernel-image-is-available-for-execution-on-the-device-with-a-"
          "warning-about-sm-120-must-i-change-my-card")
def _():
    code = 120
    return (f"*sm_{code}* is the card's compute capability, {code / 10:.1f}",
            f"equal first digits (here {code // 10})", "such as an RTX 50")


@computed("cannot-import-name-field-from-torchtext-data-in-an-old-tutorial-which-version-"
          "of-torchtext-do-i-need")
def _():
    return ("torchtext 0.8 or older",
            "0.8.1, for example, fits PyTorch 1.7.1, which needs Python 3.9 or older",
            "Versions 0.9 to 0.11 keep the class in `torchtext.legacy.data`",
            "0.12 removed it",    # pytorch/text, issues 1274, 1691, table of versions
            "The last version, 0.18, has no", "beside PyTorch 2.4 or later")    # 2272


@computed("e050-can-t-find-model-de-core-news-sm-or-e941-can-t-find-model-en-which-spacy-"
          "model-does-my-translation-tutorial-need")
def _():
    return "ended with spaCy 3.0",    # so says the message E941


@computed("a-module-that-was-compiled-using-numpy-1-x-cannot-be-run-in-numpy-2-then-"
          "runtimeerror-numpy-is-not-available-which-of-them-do-i-change")
def _():
    return ("since version 2.3 (on Windows 2.4.1)",    # pytorch 132179 and 131668
            "PyTorch knows NumPy 2",
            "with Intel processors ended with 2.2, so NumPy must stay below 2")


@computed("importerror-cannot-import-name-adamw-from-transformers-is-torch-optim-adamw-"
          "the-same")
def _():
    ours = torch.optim.AdamW([torch.nn.Parameter(torch.ones(1))]).defaults
    assert ours["eps"] == 1e-8
    decay = f"{ours['weight_decay']}".removeprefix("0")
    return f"PyTorch's has {decay} and 1e-8",


@computed("data-did-not-match-any-variant-of-untagged-enum-modelwrapper-when-i-load-a-"
          "tokenizer-what-does-not-match")
def _():
    return "Since 0.20, for example, a merge of BPE",    # its pull request 909


@computed("huggingface-tokenizers-parallelism-has-already-been-used-disabling-parallelism-to-"
          "avoid-deadlocks-does-it-harm-my-training")
def _():
    return "we saw this with `tokenizers` 0.23.3",    # encode_batch, fork, encode_batch
