"""Mistakes made by rule: one at each place, and a check refuses those of an answer."""

import signal

import mutants
import pytest
import test_checks as answers


def test_each_rule_makes_its_mistake_once():
    made = list(mutants.mutants("def f(x):\n    return x.sum(dim=1) @ x.T - 2\n"))
    assert len({source for _, _, source in made}) == len(made)
    found = {(kind, source.splitlines()[1].strip()) for kind, _, source in made}
    assert {("sign", "return x.sum(dim=1) @ x.T + 2"),
            ("term", "return x.sum(dim=1) @ x.T"),
            ("operands", "return x.T @ x.sum(dim=1) - 2"),
            ("turned", "return x.sum(dim=1) @ x - 2"),
            ("number", "return x.sum(dim=2) @ x.T - 2"),
            ("argument", "return x.sum() @ x.T - 2"),
            ("function", "return x.mean(dim=1) @ x.T - 2"),
            ("gradient", "return cut(x.sum(dim=1)) @ x.T - 2")} <= found


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarm on Windows")
@pytest.mark.parametrize(("name", "right"), [
    ("09-2", []), ("21-2", ["mean().exp()"]), ("C2-1", ["transpose(2, -1)"])])
def test_a_check_refuses_what_the_rules_make_of_an_answer(name, right, book, recorder):
    with recorder.pause():
        accepted = [text for kind, _, text in
                    mutants.mutants(answers.right_answer(name))
                    if mutants.accepted(kind, mutants.judged(book, name, text))]
    # right after all: a tensor for a number, and axes counted from the front
    assert len(accepted) == len(right)
    assert all(part in text for part, text in zip(right, accepted))


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarm on Windows")
@pytest.mark.parametrize(("name", "codes"), [("09-2", set()), ("10-2", {"detached"})])
def test_a_cut_gradient_counts_where_the_check_sends_one(name, codes, book, recorder):
    """10-2 asks for gradients, 09-2 does not."""
    found = set()
    with recorder.pause():
        for kind, _, text in mutants.mutants(answers.right_answer(name)):
            if kind == "gradient":
                result = mutants.judged(book, name, text)
                assert not mutants.accepted(kind, result)
                found |= {result.code} if mutants.cut.sent else set()
    assert found >= codes and bool(found) == bool(codes)
