"""Chance that is the same on every machine: splitmix64, and the draws that the corpus
needs."""

from bisect import bisect_right

MASK = 0xFFFFFFFFFFFFFFFF


def mix(number):
    """64 well-stirred bits of a 64-bit number (the output step of splitmix64)."""
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & MASK
    return number ^ (number >> 31)


def fingerprint(text):
    """64 bits that depend on every byte of a text, and on nothing else."""
    number = 0
    for byte in text.encode("utf-8"):
        number = mix((number + byte + 0x9E3779B97F4A7C15) & MASK)
    return number


class Chance:
    """A stream of random numbers (splitmix64): the same seed gives the same stream
    everywhere."""

    def __init__(self, seed):
        self.state = seed & MASK

    def bits(self):
        """The next 64 bits, as an integer."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return mix(self.state)

    def below(self, end):
        """An integer from 0 to end - 1."""
        return self.bits() * end >> 64

    def happens(self, share):
        """True in this share of the cases."""
        return self.bits() < share * 18446744073709551616.0

    def choice(self, items):
        """One of the items, all equally likely."""
        return items[self.bits() * len(items) >> 64]

    def weighted(self, table):
        """One item of a `Table`, in proportion to its weight."""
        return table.items[min(bisect_right(table.sums,
                                            self.bits() * table.total >> 64),
                               len(table.items) - 1)]


class Table:
    """Items with whole-number weights, ready for `Chance.weighted`; sums up to each
    item are kept."""

    def __init__(self, pairs):
        self.items, self.sums, self.total = [], [], 0
        for item, weight in pairs:
            self.total += weight
            self.items.append(item)
            self.sums.append(self.total)
