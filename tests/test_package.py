"""What every public function of the package keeps: its arguments unchanged, and its
results on their device."""

import ast
import copy
import importlib
import inspect
import re

import pytest
import shapes
import torch
from book_checks import FLOORS, QUOTED, on_the_map
from books import ROOT, dotted

from softdict.linear_attention import linear_attention
from softdict.training import Settings

EXAMPLES = {    # arguments for functions whose docstring gives no shapes
    "is_same": ("dog", "cat"),
    "exact_lookup": ("dog", ["dog", "cat"], [2.0, 3.0]),
    "wsd": (3, 10, 1e-3),
    "up_to_end": ([5, 3, 6],),
    "causal_mask": (3,),
    "normalised": (-3.0, 4, 0.6),
    "cosine_decay": (3, 10, 1e-3),
    "inverse_sqrt": (3, 10, 1e-3),
    "rate_at": (3, Settings(warmup=10)),
}
SIZES = {    # tensors beside numbers, or of whole numbers
    "repeats": (torch.tensor([[4, 5, 4]]), 2, 9),
    "padding_mask": (torch.tensor([1, 3]), 4), "top_state": (torch.ones(1, 2, 3),),
    "without": (torch.ones(2, 5), 0, 2),
    "token_loss": (torch.ones(2, 3, 5), torch.full((2, 3), 4)),
    "attention": (torch.ones(2, 3, 4), torch.ones(2, 5, 4), torch.ones(2, 5, 6),
                  torch.ones(3, 5, dtype=torch.bool)),
    "masked_softmax": (torch.ones(2, 3, 5), torch.ones(3, 5, dtype=torch.bool)),
    "sdpa": (torch.ones(2, 3, 4), torch.ones(2, 5, 4),
              torch.ones(2, 5, 6), torch.ones(3, 5, dtype=torch.bool)),
    "rotary": (torch.ones(2, 3, 4), torch.ones(2, 5, 4), torch.ones(2, 5, 6)),
    "causal_padding_mask": (torch.tensor([1, 3]), 4),
    "hidden_mask": (torch.ones(2, 3, dtype=torch.bool),),
    "additive_mask": (torch.ones(2, 3, dtype=torch.bool),),
    "smoothed_loss": (torch.ones(2, 3, 5), torch.full((2, 3), 4), 0.1),
    "cross_entropy": (torch.ones(2, 3, 5), torch.full((2, 3), 4), 0.1),
    "keep_top_k": (torch.ones(2, 5), 2), "keep_top_p": (torch.ones(2, 5), 0.5),
    "keep_min_p": (torch.ones(2, 5), 0.5),
    "select_rows": (torch.ones(2, 2, 3), torch.tensor([1, 0, 1]), 1),
    "expand": (torch.zeros(2, 3), torch.randn(2, 3, 7)),
    "split_heads": (torch.ones(2, 5, 12), 3), "merge_heads": (torch.ones(2, 3, 5, 4),),
    "angles": (torch.arange(5), 6), "sinusoids": (torch.arange(5), 6),
    "rotate_pairs": (torch.ones(2, 5, 6), torch.ones(2, 5, 6), torch.ones(5, 6)),
    "rotate": (torch.ones(2, 5, 6), torch.arange(5)),
    "in_blocks": (linear_attention, 2, torch.ones(2, 5, 4), torch.ones(2, 5, 4),
                  torch.ones(2, 5, 6)),
}
# tested beside their models
MODELS = {"update", "backward", "check_end", "take_step", "rate_multipliers",
          "endless_batches",
          "train", "train_on", "fit", "evaluation", "greedy",
          "decode", "translate", "source_weights", "translation_weights",
          "mixed_states", "batch_loss", "beam_search", "hypothesis", "sample",
          "all_weights", "recorded_weights", "make_transformer", "make_variant",
          "book_transformer", "with_cache", "check_attentions", "exchanged",
          "attending", "watched", "attend_of", "check_same", "check_steps",
          "check_pads", "check_decoder", "foreign", "both_ways", "strict", "disturb"}
MODULES = [importlib.import_module(f"softdict.{name}") for name in QUOTED
           if (ROOT / f"src/softdict/{name}.py").exists()]
PUBLIC = [function for module in MODULES
          for name, function in sorted(vars(module).items())
          if inspect.isfunction(function) and function.__module__ == module.__name__
          and not name.startswith("_") and name not in MODELS]


def arguments(function, device="cpu"):
    """Small random arguments of the shapes that the docstring states."""
    if function.__name__ in EXAMPLES:
        return copy.deepcopy(EXAMPLES[function.__name__])
    if function.__name__ in SIZES:
        given = copy.deepcopy(SIZES[function.__name__])
        return tuple(part.to(device) if isinstance(part, torch.Tensor) else part
                     for part in given)
    parameters = inspect.signature(function).parameters
    notes, _ = shapes.documented(function.__doc__, parameters)
    sizes = {letter: 2 + k for k, letter in enumerate("BTSKDHNVL")}
    needed = [name for name, part in parameters.items() if part.default is part.empty]
    assert set(needed) <= set(notes), (f"{function.__name__} needs shapes in its "
                                       "docstring, or an entry in SIZES; without "
                                       "tensors, in EXAMPLES")
    lists = (notes[name][1:-1].replace("...", "B").split(",") for name in needed)
    return tuple(torch.randn([eval(item, {}, sizes) for item in items], device=device)
                 for items in lists)


def changed(function, given):
    """Places of the arguments that a call changes."""
    kept = copy.deepcopy(given)
    function(*given)
    return [place for place, (before, after) in enumerate(zip(kept, given))
            if not (torch.equal(before, after) if isinstance(before, torch.Tensor)
                    else before == after)]


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
def test_public_functions_never_change_an_argument(function):
    assert changed(function, arguments(function)) == []


def test_a_changed_argument_is_seen():
    assert changed(lambda x, y, z: y.exp_(), (torch.ones(2), torch.ones(2), [1])) == [1]
    assert changed(lambda x, y: y.append(1), (torch.ones(2), [1])) == [1]


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
def test_public_functions_stay_on_the_device_of_their_arguments(function):
    if function.__name__ in EXAMPLES:
        pytest.skip("takes no tensors")
    returned = function(*arguments(function, device="meta"))
    for part in returned if isinstance(returned, tuple) else (returned,):
        assert part is None or part.device.type == "meta"


def test_the_map_names_what_is_there():
    there = {on_the_map(dotted(path.relative_to(ROOT)))
             for path in (ROOT / "src/softdict").rglob("*.py")}
    assert set(FLOORS) == there - {None}


def unsaid(tree):
    """Functions and classes that raise an error of which no docstring speaks."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = [(ast.get_docstring(node if part.name == "__init__" else part) or "",
                part) for node in classes for part in node.body
               if isinstance(part, ast.FunctionDef)]
    functions = [(ast.get_docstring(node) or "", node) for node in tree.body
                 if isinstance(node, ast.FunctionDef)]
    for doc, function in functions + methods:
        names = {ast.unparse(part.exc).partition("(")[0].rpartition(".")[2]
                 for part in ast.walk(function)
                 if isinstance(part, ast.Raise) and part.exc}
        if (names and not re.search("[Rr]aise|[Rr]efuse|error", doc)
                and not any(name in doc for name in names)
                and not re.match("_(?!_init_)", function.name)):
            yield f"{function.name}: {', '.join(sorted(names))}"


def test_a_docstring_says_what_is_raised():
    folders = "checks", "experiments", "grading"
    found = [f"{path.relative_to(ROOT)}: {name}"
             for path in sorted((ROOT / "src/softdict").rglob("*.py"))
             if path.parent.name not in folders
             for name in unsaid(ast.parse(path.read_text("utf-8")))]
    assert found == []


def test_an_error_without_a_word_is_seen():
    tree = ast.parse("def f(x):\n    '''Half.'''\n    if x:\n        raise ValueError\n"
                     "class C:\n    '''Whole.'''\n    def __init__(self):\n"
                     "        raise os.Odd(1)\n")
    assert list(unsaid(tree)) == ["f: ValueError", "__init__: Odd"]
