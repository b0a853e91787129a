"""How likely a hidden past is, and the moves that change it, as kernels over the steps of `hidden_past`.

With U the unseen cards and h the hand before a step, a past has

    log γ = Σ TAKE, SEEN  log(U[c] − h[c])  +  Σ CHOICE  log((1 − ε) π(a | h) + ε / legal actions)

and is impossible where a type is not among those allowed, a barred one is held or a played one is not. ε is the noise
of the opponent: how often it does something that its model does not explain. Every way to *move* a past is a step of
Metropolis and Hastings with the invariant distribution γ: it proposes other types for one, two or three slots, and goes
through the past from the first of them on, cheap tests first, as far as it takes to see that the proposal is refused.

*Softened* steps, those from `soft` on, cost a penalty instead of being impossible: so hands that could not have done
what was just done can be moved, bit by bit, to hands that could.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats, Ints
from uno_pomdp.beliefs.belief import Hands
from uno_pomdp.beliefs.hidden_past import BAR, CHOICE, PLAY, SEEN, TAKE, Steps
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES
from uno_pomdp.game.bits import lowest_bit
from uno_pomdp.game.kernels import can_be_challenged
from uno_pomdp.game.layout import (
    BIT,
    NO_CARD,
    PLAYABLE,
    WILD_FOUR_BIT,
    Observations,
    Record,
)
from uno_pomdp.game.rng import Stream, Streams, below, by_weight, uniform
from uno_pomdp.jit import as_int, inner_kernel, kernel
from uno_pomdp.policies.hands import ALL_TYPES, LOGARITHM
from uno_pomdp.policies.kernels import (
    BASELINE,
    GREEDY,
    HEURISTIC,
    RANDOM,
    WITHOUT_NOISE,
    Policy,
    Weights,
    chance_and_share,
)

LEAST: Final = float(np.exp(-30.0))
"""The least probability of a legal choice. A model that gives what was really done probability zero then tells
nothing, instead of excluding every hand."""
HOPELESS: Final = 25.0
"""So much less, as a logarithm, makes a weight too small to count."""
NO_POLICY: Final[Policy] = -1
"""The choice-agnostic model: a play is as likely as the card has copies."""
NOISES: Final = np.array([0.0, 0.03, 0.1, 0.3, 1.0])
"""The noise levels ε that are told apart; with the last one all legal actions are alike."""
MOST_TOUCHED: Final = 3
"""The most slots that a move changes."""
_REPLACE: Final = 0.45
_REPLACE_TWO: Final = 0.65
_EXCHANGE: Final = 0.85
"""Cumulative shares of the kinds of moves; the rest rotates three cards."""
_NONE = np.uint64(0)
_ONE = np.uint64(1)

Masks = npt.NDArray[np.uint64]
"""Types as bits."""
Slots = npt.NDArray[np.uint8]
"""The types of slots, in order; or rows of those of many pasts."""


# --- one choice ------------------------------------------------------------------------------------------


@inner_kernel
def choice_chance(
    policy: Policy, seen: Observations, step: Record, hand: Slots, mask: np.uint64, drawn: int, weights: Weights
) -> tuple[float, float]:
    """Return π(a | h) and one over the number of legal actions; both 0 where the choice was not legal."""
    if policy == NO_POLICY:
        card = as_int(step["card"])
        copies = np.float64(hand[card]) if card != NO_CARD and drawn == NO_CARD else 1.0
        return copies, copies
    return chance_and_share(policy, seen[step["place"]], hand, mask, drawn, as_int(step["action"]), weights[0])


@inner_kernel
def choice_term(chance: float, share: float, noise: float, soft: bool, penalty: float) -> float:
    """Return log((1 − ε) π + ε / legal actions); no less than −penalty where the choice is softened."""
    if share == 0.0:
        return -penalty if soft else -np.inf
    mixed = chance + noise * (share - chance)
    term = np.log(mixed if mixed > LEAST else LEAST)
    return -penalty if soft and term < -penalty else term


# --- all pasts, once -------------------------------------------------------------------------------------


@kernel
def weigh_pasts(
    policy: Policy,
    weights: Weights,
    known: Slots,
    steps: Steps,
    seen: Observations,
    cards: Slots,
    noises: Floats,
    hands: Hands,
    result: Floats,
) -> None:
    """Write for pasts drawn from the closed form their hands now, and log w = Σ log π(a | h) − Σ log (copies held).

    The closed form counts each labelled copy of a played card as a way of its own, so the probability of the play is
    shared between them. Of a past that is `HOPELESS` beside the best so far no further choices are asked.
    """
    best = -np.inf
    for index in range(len(cards)):
        hand, row = hands[index], cards[index]
        mask = _NONE
        for card in range(CARD_TYPES):
            hand[card] = known[card]
            if known[card]:
                mask |= BIT[card]
        total = 0.0
        for number in range(len(steps)):
            step = steps[number]
            kind = step["kind"]
            if kind == TAKE:
                if step["slot"] >= len(row):  # it waits
                    continue
                card = as_int(row[step["slot"]])
                hand[card] += 1
                mask |= BIT[card]
            elif kind == PLAY:
                card = as_int(step["card"])
                if step["slot"] < 0:
                    total -= LOGARITHM[hand[card]]
                hand[card] -= 1
                if hand[card] == 0:
                    mask &= ~BIT[card]
            elif kind == CHOICE and total > best - HOPELESS:
                drawn = as_int(row[step["slot"]]) if step["slot"] >= 0 else NO_CARD
                chance, share = choice_chance(policy, seen, step, hand, mask, drawn, weights)
                total += choice_term(chance, share, noises[index], False, 0.0)
        result[index] = total
        if total > best:
            best = total


@kernel
def look_all(
    policy: Policy,
    weights: Weights,
    steps: Steps,
    seen: Observations,
    cards: Slots,
    hands: Hands,
    noises: Floats,
    terms: Floats,
    violations: Ints,
) -> None:
    """Write for each hand of now the term of a choice among some steps, and how often it violates these.

    A violation is a card that is barred, or a choice that is not legal; the term of that is 0.
    """
    for index in range(len(hands)):
        hand = hands[index]
        mask = _NONE
        for card in range(CARD_TYPES):
            if hand[card]:
                mask |= BIT[card]
        total, wrong = 0.0, 0
        for number in range(len(steps)):
            step = steps[number]
            if step["kind"] == BAR:
                left = mask & step["types"]
                while left:
                    wrong += as_int(hand[lowest_bit(left)])
                    left &= left - _ONE
            elif step["kind"] == CHOICE:
                drawn = as_int(cards[index, step["slot"]]) if step["slot"] >= 0 else NO_CARD
                chance, share = choice_chance(policy, seen, step, hand, mask, drawn, weights)
                wrong += 1 if share == 0.0 else 0
                total += choice_term(chance, share, noises[index], True, 0.0 if share == 0.0 else np.inf)
        terms[index] = total
        violations[index] = wrong


# --- one past that is moved ------------------------------------------------------------------------------


@kernel
def lead(known: Slots, steps: Steps, unseen: Slots, row: Slots, held: Slots, masks: Masks, prior: Floats) -> None:
    """Write the hand before each step and now, its types, and the term of each TAKE and SEEN."""
    for card in range(CARD_TYPES):
        held[0, card] = known[card]
    masks[0] = _NONE
    for card in range(CARD_TYPES):
        if known[card]:
            masks[0] |= BIT[card]
    for number in range(len(steps)):
        step = steps[number]
        for card in range(CARD_TYPES):
            held[number + 1, card] = held[number, card]
        masks[number + 1] = masks[number]
        if step["kind"] == TAKE:
            if step["slot"] >= len(row):  # it waits
                continue
            card = as_int(row[step["slot"]])
            prior[number] = LOGARITHM[as_int(unseen[number, card]) - as_int(held[number, card])]
            held[number + 1, card] += 1
            masks[number + 1] |= BIT[card]
        elif step["kind"] == SEEN:
            card = as_int(step["card"])
            prior[number] = LOGARITHM[as_int(unseen[number, card]) - as_int(held[number, card])]
        elif step["kind"] == PLAY:
            card = as_int(step["card"])
            held[number + 1, card] -= 1
            if held[number + 1, card] == 0:
                masks[number + 1] &= ~BIT[card]


@kernel
def pick_slot(row: Slots, free: Ints, copies: Ints, mask: np.uint64, number: int, but: int) -> int:
    """Return a free slot by its number among those with a card of these types; never one of them."""
    left = mask
    card = -1
    while True:
        card = lowest_bit(left)
        left &= left - _ONE
        there = copies[card] - (1 if but >= 0 and row[but] == card else 0)
        if number < there:
            break
        number -= there
    for place in range(len(free)):
        slot = as_int(free[place])
        if row[slot] == card and slot != but:
            if number == 0:
                return slot
            number -= 1
    return -1


@inner_kernel
def slots_of(copies: Ints, mask: np.uint64) -> int:
    """Return how many free slots have a card of these types."""
    total = 0
    while mask:
        total += copies[lowest_bit(mask)]
        mask &= mask - _ONE
    return total


@kernel
def propose(
    row: Slots,
    free: Ints,
    blocks: int,
    hand: Slots,
    mask: np.uint64,
    copies: Ints,
    wanted: Floats,
    running: Floats,
    stream: Stream,
    slots: Ints,
    cards: Ints,
) -> tuple[int, float]:
    """Write slots and other types for them, at random; return how many, and the log of the ratio of proposals.

    One or two slots of types that are held now get new types; or two or three, of any type, exchange theirs, which
    changes nothing where all slots were filled at once (`blocks`). `copies` are the free slots of each type, `wanted`
    the shares in which new types are proposed, `running` their sums. None are written where nothing would change.
    """
    kind = uniform(stream)
    if blocks < 2:
        kind *= _REPLACE_TWO
    if kind >= _REPLACE_TWO:
        return propose_exchange(row, free, 2 if kind < _EXCHANGE else 3, stream, slots, cards), 0.0
    found = slots_of(copies, mask)
    number = 1 if kind < _REPLACE else 2
    if found < number:
        return 0, 0.0
    ratio = 1.0
    changed = False
    for place in range(number):
        but = slots[0] if place else -1
        slots[place] = pick_slot(row, free, copies, mask, below(stream, found - place), but)
        cards[place] = by_weight(running, stream)
        old, new = as_int(row[slots[place]]), cards[place]
        changed = changed or old != new
        ratio *= (found - place) * wanted[old] / wanted[new]
    if not changed:
        return 0, 0.0
    for place in range(number):
        hand[as_int(row[slots[place]])] -= 1
        hand[cards[place]] += 1
        copies[as_int(row[slots[place]])] -= 1
        copies[cards[place]] += 1
    after = mask
    for place in range(number):
        old, new = as_int(row[slots[place]]), cards[place]
        after = after | BIT[old] if hand[old] else after & ~BIT[old]
        after = after | BIT[new] if hand[new] else after & ~BIT[new]
    found = slots_of(copies, after)
    back = found >= number  # each slot has to be found again, among those of types that are held then
    for place in range(number):
        back = back and after & BIT[cards[place]] != _NONE
        ratio /= found - place
        hand[cards[place]] -= 1
        hand[as_int(row[slots[place]])] += 1
        copies[cards[place]] -= 1
        copies[as_int(row[slots[place]])] += 1
    if not back:
        return 0, 0.0
    return number, np.log(ratio)


@kernel
def propose_exchange(row: Slots, free: Ints, count: int, stream: Stream, slots: Ints, cards: Ints) -> int:
    """Write two or three slots that exchange their types; return how many, 0 where that changes nothing."""
    if len(free) < count:
        return 0
    for place in range(count):
        slot = free[below(stream, len(free))]
        for earlier in range(place):
            if slots[earlier] == slot:
                return 0
        slots[place] = slot
    changed = False
    for place in range(count):
        cards[place] = row[slots[(place + 1) % count]]
        changed = changed or cards[place] != row[slots[place]]
    return count if changed else 0


@inner_kernel
def sort_touched(number: int, slots: Ints, cards: Ints) -> None:
    """Sort some slots by age, and their types with them."""
    for place in range(1, number):
        at = place
        while at > 0 and slots[at - 1] > slots[at]:
            slots[at - 1], slots[at] = slots[at], slots[at - 1]
            cards[at - 1], cards[at] = cards[at], cards[at - 1]
            at -= 1


@kernel
def prior_ratio(
    steps: Steps,
    unseen: Slots,
    row: Slots,
    held: Slots,
    prior: Floats,
    first: int,
    end: int,
    number: int,
    slots: Ints,
    cards: Ints,
    touched: np.uint64,
    soft: int,
    penalty: float,
    net: Ints,
    changed: Ints,
    changed_prior: Floats,
) -> tuple[int, float]:
    """Write the terms of TAKE and SEEN that a proposal changes; return how many and by how much, −1 if it can't be.

    `net` is zero before and after: what the proposal adds to the hand at a step.
    """
    applied, count, ratio = 0, 0, 0.0
    possible = True
    for at in range(first, end):
        step = steps[at]
        kind = step["kind"]
        if kind == CHOICE:
            continue
        if kind == BAR:
            left = step["types"] & touched
            while left:
                card = lowest_bit(left)
                left &= left - _ONE
                if at >= soft:
                    ratio -= penalty * net[card]
                elif net[card] > 0:
                    possible = False
            if not possible:
                break
            continue
        if kind == TAKE:
            slot = as_int(step["slot"])
            if slot >= len(row):
                continue
            if applied < number and slots[applied] == slot:
                old, card = as_int(row[slot]), cards[applied]
                left_over = as_int(unseen[at, card]) - as_int(held[at, card]) - net[card]
                if left_over <= 0 or not step["types"] & BIT[card]:
                    possible = False
                    break
                net[old] -= 1
                net[card] += 1
                applied += 1
                changed[count], changed_prior[count] = at, LOGARITHM[left_over]
                ratio += changed_prior[count] - prior[at]
                count += 1
                continue
            card = as_int(row[slot])
        elif kind in (SEEN, PLAY):
            card = as_int(step["card"])
        else:
            continue
        if not touched & BIT[card] or net[card] == 0:
            continue
        if kind == PLAY:
            if as_int(held[at, card]) + net[card] < 1:
                possible = False
                break
            continue
        left_over = as_int(unseen[at, card]) - as_int(held[at, card]) - net[card]
        if left_over <= 0:
            possible = False
            break
        changed[count], changed_prior[count] = at, LOGARITHM[left_over]
        ratio += changed_prior[count] - prior[at]
        count += 1
    if possible and end == len(steps):
        for place in range(number):
            old = as_int(row[slots[place]])
            possible = possible and as_int(held[end, old]) + net[old] >= 0
    for place in range(number):
        net[cards[place]] = 0
        net[as_int(row[slots[place]])] = 0
    return (count if possible else -1), ratio


@inner_kernel
def shift(hand: Slots, mask: np.uint64, row: Slots, slots: Ints, cards: Ints, applied: int, back: bool) -> np.uint64:
    """Change a hand by what the first slots of a proposal make of it, or back; return its types."""
    for place in range(applied):
        old, new = as_int(row[slots[place]]), cards[place]
        hand[new if back else old] -= 1
        hand[old if back else new] += 1
    for place in range(applied):
        old, new = as_int(row[slots[place]]), cards[place]
        mask = mask | BIT[old] if hand[old] else mask & ~BIT[old]
        mask = mask | BIT[new] if hand[new] else mask & ~BIT[new]
    return mask


@kernel
def matters_for(policy: Policy, seen: Observations, step: Record) -> np.uint64:
    """Return the types on which the probability of a choice can depend."""
    plain = policy & WITHOUT_NOISE
    card = as_int(step["card"])
    if plain == RANDOM or (plain == GREEDY and (card == NO_CARD or card < COLOURED_TYPES)):
        record = seen[step["place"]]
        return PLAYABLE[record["colour"], record["top"]]  # type: ignore[no-any-return]
    return ALL_TYPES


@inner_kernel
def looks_at_types_alone(policy: Policy, seen: Observations, step: Record, mask: np.uint64) -> bool:
    """Return whether the probability of a choice depends on the types in the hand, and not on their numbers."""
    plain = policy & WITHOUT_NOISE
    if plain in (BASELINE, RANDOM):
        return True
    if plain != HEURISTIC:
        return False
    record = seen[step["place"]]
    return not can_be_challenged(record["variant"]) or (record["penalty"] == 0 and not mask & WILD_FOUR_BIT)


@kernel
def try_move(
    policy: Policy,
    weights: Weights,
    steps: Steps,
    unseen: Slots,
    seen: Observations,
    births: Ints,
    asked: Ints,
    choices: Ints,
    matters: Masks,
    soft: int,
    penalty: float,
    noise: float,
    row: Slots,
    held: Slots,
    masks: Masks,
    prior: Floats,
    chances: Floats,
    terms: Floats,
    number: int,
    slots: Ints,
    cards: Ints,
    bound: float,
    net: Ints,
    changed: Ints,
    changed_prior: Floats,
    new_chances: Floats,
    new_terms: Floats,
) -> bool:
    """Take a proposal if log γ' − log γ ≥ bound, and change all that is kept of the past; return whether it was taken.

    `bound` is the logarithm of a number uniform over [0, 1), less the log of the ratio of proposals.
    """
    sort_touched(number, slots, cards)
    touched = _NONE
    for place in range(number):
        old, new = as_int(row[slots[place]]), cards[place]
        touched |= BIT[old] | BIT[new]
        net[old] -= 1
        net[new] += 1
    balanced = True
    for place in range(number):
        old, new = as_int(row[slots[place]]), cards[place]
        balanced = balanced and net[old] == 0 and net[new] == 0
    for place in range(number):
        net[as_int(row[slots[place]])] = 0
        net[cards[place]] = 0
    first = births[slots[0]]
    end = len(steps)
    if balanced:  # later hands are the same again; only a choice about a card just drawn can be another
        end = births[slots[number - 1]] + 1
        for place in range(number):
            end = asked[slots[place]] + 1 if asked[slots[place]] >= end else end
    count, ratio = prior_ratio(
        steps, unseen, row, held, prior, first, end, number, slots, cards, touched, soft, penalty, net, changed,
        changed_prior,
    )  # fmt: skip
    if count < 0:
        return False
    start = 0
    while start < len(choices) and choices[start] < first:
        start += 1
    stop = start
    rest = 0.0
    while stop < len(choices) and choices[stop] < end:
        rest += terms[stop]
        stop += 1
    bounded = policy != NO_POLICY  # then no term is above 0
    applied = 0
    for at in range(start, stop):
        if bounded and ratio - rest < bound:
            return False
        number_of_step = choices[at]
        while applied < number and births[slots[applied]] < number_of_step:
            applied += 1
        rest -= terms[at]
        new_chances[at, 0], new_chances[at, 1], new_terms[at] = chances[at, 0], chances[at, 1], terms[at]
        if not touched & matters[at]:
            continue
        step = steps[number_of_step]
        mask = shift(held[number_of_step], masks[number_of_step], row, slots, cards, applied, False)
        if mask != masks[number_of_step] or not looks_at_types_alone(policy, seen, step, mask) or step["slot"] >= 0:
            drawn = NO_CARD
            if step["slot"] >= 0:
                slot = as_int(step["slot"])
                drawn = as_int(row[slot])
                for place in range(number):
                    if slots[place] == slot:
                        drawn = cards[place]
            chance, share = choice_chance(policy, seen, step, held[number_of_step], mask, drawn, weights)
            new_chances[at, 0], new_chances[at, 1] = chance, share
            new_terms[at] = choice_term(chance, share, noise, number_of_step >= soft, penalty)
            ratio += new_terms[at] - terms[at]
        shift(held[number_of_step], mask, row, slots, cards, applied, True)
    if not ratio >= bound:
        return False
    for place in range(count):
        prior[changed[place]] = changed_prior[place]
    for at in range(start, stop):
        chances[at, 0], chances[at, 1], terms[at] = new_chances[at, 0], new_chances[at, 1], new_terms[at]
    applied = 0
    for at in range(first + 1, end + 1 if not balanced else end):
        while applied < number and births[slots[applied]] < at:
            applied += 1
        masks[at] = shift(held[at], masks[at], row, slots, cards, applied, False)
    for place in range(number):
        row[slots[place]] = cards[place]
    return True


@kernel
def move_all(
    policy: Policy,
    weights: Weights,
    known: Slots,
    steps: Steps,
    unseen: Slots,
    seen: Observations,
    free: Ints,
    soft: int,
    penalty: float,
    wanted: Floats,
    doubts: Floats,
    ancestors: Slots,
    ancestor_levels: Ints,
    length: int,
    moves: int,
    random: Streams,
    cards: Slots,
    hands: Hands,
    levels: Ints,
) -> int:
    """Write chains of pasts, one from each ancestor: all but the states between so many moves. Return moves taken.

    `wanted` are the shares in which new types are proposed, `doubts` the logarithms of the prior of the noise levels.
    """
    stream = random[0]
    total, number_of_slots = len(steps), ancestors.shape[1]
    births, asked = np.empty(number_of_slots, np.int64), np.empty(number_of_slots, np.int64)
    for slot in range(number_of_slots):
        asked[slot] = -1
    choices = np.empty(total, np.int64)
    decisions = 0
    for number in range(total):
        if steps[number]["kind"] == TAKE and steps[number]["slot"] < number_of_slots:
            births[as_int(steps[number]["slot"])] = number
        elif steps[number]["kind"] == CHOICE:
            choices[decisions] = number
            decisions += 1
            if steps[number]["slot"] >= 0:
                asked[as_int(steps[number]["slot"])] = number
    choices = choices[:decisions]
    blocks = 0
    for place in range(len(free)):
        if place == 0 or births[free[place]] != births[free[place - 1]] + 1:
            blocks += 1
    matters = np.empty(decisions, np.uint64)
    for at in range(decisions):
        matters[at] = matters_for(policy, seen, steps[choices[at]])
    running = np.empty(CARD_TYPES)
    reached = 0.0
    for card in range(CARD_TYPES):
        reached += wanted[card]
        running[card] = reached
    row = np.empty(number_of_slots, np.uint8)
    held = np.empty((total + 1, CARD_TYPES), np.uint8)
    masks = np.empty(total + 1, np.uint64)
    prior, changed_prior = np.empty(total), np.empty(total)
    chances, new_chances = np.empty((decisions, 2)), np.empty((decisions, 2))
    terms, new_terms = np.empty(decisions), np.empty(decisions)
    changed = np.empty(total, np.int64)
    net, copies = np.empty(CARD_TYPES, np.int64), np.empty(CARD_TYPES, np.int64)
    slots, new_cards = np.empty(MOST_TOUCHED, np.int64), np.empty(MOST_TOUCHED, np.int64)
    taken = 0
    for ancestor in range(len(ancestors)):
        level = ancestor_levels[ancestor]
        for slot in range(number_of_slots):
            row[slot] = ancestors[ancestor, slot]
        lead(known, steps, unseen, row, held, masks, prior)
        for at in range(decisions):
            number = choices[at]
            step = steps[number]
            drawn = as_int(row[step["slot"]]) if step["slot"] >= 0 else NO_CARD
            chance, share = choice_chance(policy, seen, step, held[number], masks[number], drawn, weights)
            chances[at, 0], chances[at, 1] = chance, share
            terms[at] = choice_term(chance, share, NOISES[level], number >= soft, penalty)
        for card in range(CARD_TYPES):
            net[card] = 0
            copies[card] = 0
        for place in range(len(free)):
            copies[as_int(row[free[place]])] += 1
        for state in range(length):
            for _ in range(moves):
                count, ratio = propose(
                    row, free, blocks, held[total], masks[total], copies, wanted, running, stream, slots, new_cards
                )
                if count == 0:
                    continue
                for place in range(count):
                    copies[as_int(row[slots[place]])] -= 1
                    copies[new_cards[place]] += 1
                before0, before1, before2 = as_int(row[slots[0]]), 0, 0
                if count > 1:
                    before1 = as_int(row[slots[1]])
                if count > 2:
                    before2 = as_int(row[slots[2]])
                after0, after1, after2 = new_cards[0], new_cards[1], new_cards[2]
                bound = np.log(uniform(stream)) - ratio
                if try_move(
                    policy, weights, steps, unseen, seen, births, asked, choices, matters, soft, penalty, NOISES[level],
                    row, held, masks, prior, chances, terms, count, slots, new_cards, bound, net, changed,
                    changed_prior, new_chances, new_terms,
                ):  # fmt: skip
                    taken += 1
                else:
                    copies[before0] += 1
                    copies[after0] -= 1
                    if count > 1:
                        copies[before1] += 1
                        copies[after1] -= 1
                    if count > 2:
                        copies[before2] += 1
                        copies[after2] -= 1
            level = move_noise(level, doubts, chances, terms, choices, soft, penalty, stream)
            place = ancestor * length + state
            levels[place] = level
            for slot in range(number_of_slots):
                cards[place, slot] = row[slot]
            for card in range(CARD_TYPES):
                hands[place, card] = held[total, card]
    return taken


@kernel
def move_noise(
    level: int, doubts: Floats, chances: Floats, terms: Floats, choices: Ints, soft: int, penalty: float, stream: Stream
) -> int:
    """Return another noise level or the same, by Metropolis' rule; the terms are then those of the new one."""
    other = below(stream, len(NOISES))
    if other == level or doubts[other] == -np.inf:
        return level
    ratio = doubts[other] - doubts[level]
    for at in range(len(terms)):
        ratio += choice_term(chances[at, 0], chances[at, 1], NOISES[other], choices[at] >= soft, penalty) - terms[at]
    if not np.log(uniform(stream)) < ratio:
        return level
    for at in range(len(terms)):
        terms[at] = choice_term(chances[at, 0], chances[at, 1], NOISES[other], choices[at] >= soft, penalty)
    return other
