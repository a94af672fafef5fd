"""Goes on from a text with a trained language model, part by part."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from tokenizers import Tokenizer

from softdict.decoder_only import DecoderOnly, stream
from softdict.sampling import next_word
from softdict.saving.folder import CONFIG, is_number
from softdict.saving.hf_format import TOKENIZER, load_library, read_json
from softdict.subwords import TextStream
from softdict.texts.wording import short


@dataclass(frozen=True)
class Writer:
    """A language model with what cuts its text, and the ids that end a text."""

    model: DecoderOnly
    tokenizer: Tokenizer
    eos_ids: tuple

    def write(self, text, count=200, temperature=0.8, **options):
        """The text and what the model writes behind it: the parts of `stream`."""
        return "".join(self.stream(text, count, temperature, **options))

    def stream(self, text, count=200, temperature=0.8, top_k=None, top_p=None,
               min_p=None, seed=None):
        """Yields the text, then part by part what the model writes behind it.

        it writes `count` pieces at most; temperature, top_k, top_p and min_p are those
        of `next_word`; seed None draws anew each time
        raises ValueError, with one sentence, for a text that cannot be read, and as
        `next_word` does
        """
        ids = self.ids(text)
        if not ids:
            raise ValueError("the text is empty: there is nothing to go on from")
        if max(ids) >= self.model.config.vocab_size:
            raise ValueError(f"{TOKENIZER} makes a piece with the number {max(ids)}; "
                             f"the model knows {self.model.config.vocab_size}")
        rng = torch.Generator(self.model.embedding.weight.device)
        rng.seed() if seed is None else rng.manual_seed(seed)
        choose = partial(next_word, temperature=temperature, top_k=top_k, top_p=top_p,
                         min_p=min_p, rng=rng)
        part, behind = text, TextStream(self.tokenizer, ids)
        for chosen in stream(self.model, [ids], count, choose):
            if chosen.item() in self.eos_ids:
                break
            part += behind.add(chosen.item())
            if part:
                yield part
                part = ""
        yield part + behind.rest()

    def ids(self, text):
        """The ids of the pieces of a text; ValueError where a character has none."""
        normalizer = self.tokenizer.normalizer
        try:
            ids = self.tokenizer.encode(text).ids
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:    # the library raises nothing narrower
            raise ValueError(f"{TOKENIZER} cannot cut this text ({short(str(error))})"
                             ) from None
        meant = normalizer.normalize_str(text) if normalizer else text
        read = self.tokenizer.decode(ids, skip_special_tokens=False)
        lost = [repr(letter) for letter in dict.fromkeys(text)
                if letter in meant and letter not in read and letter.strip()]
        if lost:
            raise ValueError(f"{TOKENIZER} has no piece for {', '.join(lost[:9])}; "
                             "leave such characters out")
        return ids


def load_writer(folder, device=None):
    """The Writer of a folder: one that `train_text` made, or one of the library's with
    its tokenizer.json.

    raises ValueError, with one sentence, for a folder that holds none
    """
    folder = Path(folder)
    model = load_library(folder)
    unfit = f"{folder} holds no language model that can be used: {TOKENIZER}"
    if not (folder / TOKENIZER).is_file():
        raise ValueError(f"{unfit}, which cuts text for it, is missing")
    try:
        tokenizer = Tokenizer.from_str((folder / TOKENIZER).read_text("utf-8"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        known = max(tokenizer.get_vocab().values(), default=-1) + 1
    except OSError:
        raise
    except Exception as error:    # the library raises nothing narrower
        raise ValueError(f"{unfit} is damaged ({short(str(error))})") from None
    if not 0 < known <= model.config.vocab_size:
        raise ValueError(f"{unfit} has {known} pieces, and the model "
                         f"{model.config.vocab_size}")
    return Writer(model.to(device or "cpu"), tokenizer, eos_ids_of(folder))


def eos_ids_of(folder):
    """The ids that end a text, by the library's files."""
    for name in ("generation_config.json", CONFIG):
        if (folder / name).is_file():
            eos_ids = read_json(folder / name).get("eos_token_id")
            eos_ids = eos_ids if isinstance(eos_ids, list) else [eos_ids]
            eos_ids = tuple(end for end in eos_ids if is_number(end, int, 0, 10 ** 9))
            if eos_ids:
                return eos_ids
    return ()
