"""Chapter 07: the code of *In short* against softdict.attention and LuongDecoder."""

import torch
from softdict.attention import attention
from softdict.lookup import dot
from softdict.seq2seq import Attend, Encoded, LuongDecoder


def compare(names):
    key, query = names["key"], names["query"]
    context, weights = attention(query, key, key, score=dot)
    torch.testing.assert_close(weights, names["weights"])
    torch.testing.assert_close(context, names["context"])
    decoder = LuongDecoder(4, 8, 8, context=Attend(dot), feed=False)
    decoder.rnn.load_state_dict(names["decoder"].state_dict())
    decoder.join.load_state_dict(names["join"].state_dict())
    with torch.no_grad():
        decoder.embedding.weight.copy_(names["target"])    # word t is the t-th vector
    encoded = Encoded(key[None], names["last"][:, None], torch.ones(1, 3).bool())
    state, source = decoder.start(encoded)
    outputs = []
    for word in range(4):
        output, state = decoder(torch.tensor([word]), state, source)
        outputs.append(names["generator"](output))
    theirs = torch.cat(outputs)
    torch.testing.assert_close(theirs, names["value"])
    inputs = [*names["encoder"].parameters(), *names["generator"].parameters()]
    own = [*inputs, *names["decoder"].parameters(), *names["join"].parameters()]
    other = [*inputs, *decoder.rnn.parameters(), *decoder.join.parameters()]
    for mine, grad in zip(gradients(names["value"], own), gradients(theirs, other)):
        torch.testing.assert_close(mine, grad)


def gradients(values, weights):
    return torch.autograd.grad(values.square().sum(), weights, retain_graph=True)
