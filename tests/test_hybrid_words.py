"""Codes in the bits of words: one operation tells in how many attributes two groups differ."""

import random
from types import SimpleNamespace

import pytest

from anonsql.methods.hybrid.words import words

pytestmark = pytest.mark.quick


def attributes(count):
    return [SimpleNamespace(index=index) for index in range(1, count + 1)]


def packed(word, codes):
    return sum(codes[item.index] * factor for item, factor in word.lanes)


@pytest.mark.parametrize("greatest", [[0, 1, 2, 40], [74, 2, 5, 7, 16, 41, 7, 14, 2], [2**31] * 5])
def test_differing_attributes_are_counted(greatest):
    rnd = random.Random(1)
    some = attributes(len(greatest))
    made = words(some, dict(enumerate(greatest, 1)))
    assert [item.index for word in made for item, _ in word.lanes] == [a.index for a in some]
    assert [word.name for word in made] == [f"b{number}" for number in range(1, len(made) + 1)]
    for _ in range(200):
        one, other = (
            {
                a.index: rnd.choice([0, most, rnd.randint(0, most)])
                for a, most in zip(some, greatest)
            }
            for _ in range(2)
        )
        if rnd.random() < 0.5:
            other[1] = one[1]
        differing = 0
        for word in made:
            a, b = packed(word, one), packed(word, other)
            assert 0 <= (a ^ b) + word.lower < 2**63
            differing += (((a ^ b) + word.lower) & word.highest).bit_count()
        assert differing == sum(one[a.index] != other[a.index] for a in some)


def test_words_without_some_attributes():
    [word] = words(attributes(3), {1: 5, 2: 9, 3: 1})
    codes = {1: 5, 2: 9, 3: 1}
    assert packed(word, codes) & word.without({2}) == packed(word, codes | {2: 0})
    assert packed(word, codes) & word.without({1, 2, 3}) == 0


def test_as_few_words_as_hold_the_codes():
    assert len(words(attributes(5), dict.fromkeys(range(1, 6), 1000))) == 1
    assert len(words(attributes(6), dict.fromkeys(range(1, 7), 1000))) == 2
