"""Attention is a soft dictionary: the code that the book *From Dictionary to
Transformer* builds, line by line.

The map, floor by floor: a module imports from floors below its own alone, and a test
reads the floors here. What lies flat is taught in a chapter, but for `vocab`,
`baselines` and `runtime`, which chapters import and do not show; what else only serves
lies in `texts`, `saving` and `programs`.

    0  lookup                 a dictionary, exact and soft: similarities, softmax
    0  masks                  which position may look at which
    0  layers                 positions, dropout, feed-forward network, layer norm
    0  linear_attention       a memory of fixed size: sums, delta rule, gates, blocks
    0  vocab                  words to ids and back
    0  sampling               the next word from its scores: likeliest, or drawn
    0  scoring                BLEU, chrF, intervals: how good a translation is
    0  runtime                device, seeds, the notebook, stored results
    0  texts.files            files: read in one encoding, written whole or not at all
    0  texts.wording          values and numbers as words of a sentence
    1  attention              scores, weights where one may look, an average
    1  batches                sentence pairs to padded tensors
    1  baselines              translators that learn next to nothing
    1  cache                  the KV cache of a decoder
    1  figures                palette and drawings
    1  corpus                 the English-Korean corpus, made by one grammar
    1  texts.own_text         sentence pairs from a file of your own
    1  texts.real_text        Multi30k, fetched on request or read from a folder
    1  saving.checkpoint      a training on disk
    1  programs.flags         the flags of `train`: one table
    2  heads                  multi-head attention
    2  seq2seq                RNN encoder and decoder, with attention and without
    2  training               loss, learning rate schedules, one update, the loop
    2  subwords               byte-pair encoding
    3  transformer            encoder, decoder, and both together
    3  decoder_only           a language model of today: GPT-2 and Llama
    3  texts.long_text        a text of any size, window by window
    3  programs.distributed   one training on several processes
    4  variants               the Transformer with other parts
    4  decoding               greedy search, beam search, sampling
    4  pretraining            masked words and next words
    4  roles                  heads scored against gold, ablated, weighed
    4  programs.stopping      early stopping, and the best weights
    5  checks                 the checks of the exercises
    5  saving.recipes         the book's models by name
    6  grading                graded assignments
    6  saving.folder          a trained model as a folder
    7  saving.hf_format       folders as Hugging Face's library writes them
    7  programs.resume        an interrupted training goes on
    7  programs.translator    the trained Transformer that comes with the package
    8  programs.pair_trainer  trains on sentence pairs
    8  programs.text_trainer  trains a language model on any text
    8  programs.writer        goes on from a text
    8  experiments            the book's full experiments
    9  programs.commands      what each command does
    10 __main__               python -m softdict
"""

import importlib

__version__ = "0.1.0"


def __getattr__(name):
    """softdict.progress(), earlier(name), keep_in_drive(): from `checks.kept`."""
    if name in ("progress", "earlier", "keep_in_drive"):
        # it imports torch, and so not before it is asked for
        return getattr(importlib.import_module("softdict.checks.kept"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
