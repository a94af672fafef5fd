"""Gold links: which token translates which, read off the tree that both sentences come
from."""

CONTENT = ("head", "part")
# the English function words of the same node that a Korean function word may be linked
# to
PARTNERS = {
    "case": ("det", "case"), "cc": ("cc", "punct"),
    "mark": ("mark", "tense", "aspect", "punct"), "neg": ("neg", "modal"),
    "tense": ("tense", "copula", "aspect"), "aspect": ("aspect",), "modal": ("modal",),
    "end": ("mark", "tense", "copula", "aspect", "modal"),
}


def gold_links(left, right, above):
    """Sure and possible links of English and Korean rows, as sorted tuples of (English
    place, Korean place).

    Sure: content words of one node (dog, 개). Possible: the sure ones; a function word
    with the content word of its node or with its partner there (dog, 는; did, 었; not,
    않); the honorific with its subject; a particle with the verb it serves; a counter
    with its noun; the register tag with the last ending and with "my".
    """
    english, sure, loose, last = by_node(left), [], [], 0
    for j, (form, node, role, *_) in enumerate(right):
        if role in CONTENT:
            for i, other in english[node]:
                if other in CONTENT:
                    sure.append((i, j))
                elif other != "punct":
                    loose.append((i, j))
            if form in ("내", "제"):
                loose.append((0, j))
            continue
        partners = PARTNERS.get(role, ())
        loose += [(i, j) for i, other in english[node]
                  if other in CONTENT or other in partners]
        if role in ("case", "classifier", "hon"):
            owner = node.subject if role == "hon" else above[node][0]
            loose += [(i, j) for i, other in english[owner] if other == "head"]
        elif role == "end":
            last = j
    loose.append((0, last))
    return tuple(sorted(sure)), tuple(sorted(sure + loose))


def by_node(rows):
    """Places and roles of the rows of each node."""
    found = {}
    for place, row in enumerate(rows):
        found.setdefault(row[1], []).append((place, row[2]))
    return found
