"""The rules, written once: kernels over `STATE` records, compiled by Numba.

These are called by other kernels, with one record; `bindings` holds what Python calls. None checks its arguments: what
is legal is asked with `legal_mask` before `apply`.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, WILD_FOUR
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTION_COLOUR,
    ACTIONS,
    ANSWERS,
    BIT,
    CHALLENGE,
    CHALLENGE_BIT,
    COLOUR_MASK,
    COLOURED_MASK,
    DECK_EXHAUSTED,
    DRAW,
    DRAW_BIT,
    EMPTIED_HAND,
    FIRST,
    FIRST_ACTS,
    FORGOTTEN_UNO,
    GUILTY,
    JUST_DRAWN,
    KEEP,
    KEEP_BIT,
    LAST_RESORT,
    MAY_CHALLENGE,
    MAY_PLAY,
    NO_CARD,
    NO_COLOUR,
    NOBODY,
    OPTIONAL_DRAW,
    OWED,
    PENALTY,
    PLAYABLE,
    RESHUFFLE,
    RESHUFFLED,
    RUNNING,
    SECOND,
    SKIP_AGAIN,
    SKIPS,
    STACK,
    STACK_RISING,
    SWAP,
    SWAPPED,
    SWAPS,
    UNTIL_PLAYABLE,
    WILD_ACTIONS,
    WILD_BIT,
    WILD_FOUR_ACTIONS,
    WILD_FOUR_BIT,
    WRONG_CHALLENGE,
    Record,
    States,
)
from uno_pomdp.game.rng import GOLDEN, advance, below_from, mix
from uno_pomdp.jit import as_int, inner_kernel, kernel

TURN_RULES: Final = MAY_CHALLENGE | STACK | UNTIL_PLAYABLE
"""Rules under which a debt leaves a choice, or a card just drawn none."""
DRAW_RULES: Final = MAY_CHALLENGE | UNTIL_PLAYABLE
"""Rules under which there is more to do than to draw what is owed, or one card, and to keep it."""
PLAY_RULES: Final = SWAP | MAY_CHALLENGE | STACK
"""Rules under which a play does more than its card says."""
_NONE = np.uint64(0)
_WILD_SHIFT = np.uint64(WILD_ACTIONS)
_WILD_FOUR_SHIFT = np.uint64(WILD_FOUR_ACTIONS)


# --- what the rules ask for ------------------------------------------------------------------------------


@inner_kernel
def cards_asked(action: int, penalty: int, guilty: bool, variant: int) -> int:  # noqa: ARG001  (for rules to come)
    """Return how many cards a draw, a challenge or a forgotten UNO (`ACTIONS`) asks for.

    Of a draw that goes on until a card is playable it is 1: the fewest. No rule changes these numbers so far; one that
    does is a bit of `variant`.
    """
    if action == CHALLENGE and not guilty:
        return WRONG_CHALLENGE
    if action == ACTIONS:
        return FORGOTTEN_UNO
    return penalty if penalty > 0 else 1


@inner_kernel
def draws_until(action: int, penalty: int, variant: int) -> bool:
    """Return whether an action draws until a card is playable."""
    return action == DRAW and penalty == 0 and variant & UNTIL_PLAYABLE != 0


@inner_kernel
def decides_next(action: int, penalty: bool, drawn: int, variant: int) -> bool:
    """Return whether the player who did this holds a card just drawn, and may play that very card or keep it.

    Not for draws until a card is playable: whether one came is seen after them.
    """
    return action == DRAW and not penalty and drawn > 0 and variant & MAY_PLAY != 0


@inner_kernel
def swaps_hands(card: int, variant: int) -> bool:
    """Return whether a card that is not its player's last swaps the hands."""
    return variant & SWAP != 0 and SWAPS[card]


@inner_kernel
def can_be_challenged(variant: int) -> bool:
    """Return whether the rules let a wild +4 be challenged."""
    return variant & MAY_CHALLENGE != 0


# --- what is legal ---------------------------------------------------------------------------------------


@kernel
def playable_mask(hand_mask: np.uint64, top: int, colour: int, variant: int) -> np.uint64:
    """Return the types of a hand that may be played on a top card in the active colour."""
    playable: np.uint64 = hand_mask & PLAYABLE[colour, top]
    if variant & LAST_RESORT and hand_mask & COLOUR_MASK[colour]:
        playable &= ~WILD_FOUR_BIT
    return playable


@kernel
def play_actions(types_mask: np.uint64, colours: int) -> np.uint64:
    """Return the actions that play these types, a black one in each colour of the deck."""
    actions = types_mask & COLOURED_MASK
    if types_mask & WILD_BIT:
        actions |= np.uint64(colours) << _WILD_SHIFT
    if types_mask & WILD_FOUR_BIT:
        actions |= np.uint64(colours) << _WILD_FOUR_SHIFT
    return actions


@kernel
def answering_types(top: int, variant: int) -> np.uint64:
    """Return the types that answer what is owed for the top card; none where debts are not stacked."""
    if variant & STACK == 0:
        return _NONE
    answers: np.uint64 = ANSWERS[top]
    if variant & STACK_RISING and top != WILD_FOUR:
        answers |= WILD_FOUR_BIT
    return answers


@kernel
def can_draw_one(draw_size: int, played_size: int, variant: int) -> bool:
    """Return whether one card can be drawn, with the reshuffle if there is one."""
    return draw_size > 0 or ((variant & RESHUFFLE) != 0 and played_size > 1)


@kernel
def legal_mask_of(
    hand_mask: np.uint64,
    top: int,
    colour: int,
    penalty: int,
    drawn: int,
    before: int,
    draw_size: int,
    played_size: int,
    variant: int,
    colours: int,
) -> np.uint64:
    """Return the legal actions of the player to move, from what that player sees."""
    if penalty > 0 and before != NO_COLOUR:
        return DRAW_BIT | CHALLENGE_BIT
    if penalty > 0 and variant & STACK:
        answers = playable_mask(hand_mask, top, colour, variant) & answering_types(top, variant)
        return DRAW_BIT | play_actions(answers, colours)
    if drawn != NO_CARD and variant & UNTIL_PLAYABLE:
        return play_actions(playable_mask(hand_mask, top, colour, variant) & BIT[drawn], colours)
    return usual_mask(hand_mask, top, colour, penalty, drawn, draw_size, played_size, variant, colours)


@kernel
def usual_mask(
    hand_mask: np.uint64,
    top: int,
    colour: int,
    penalty: int,
    drawn: int,
    draw_size: int,
    played_size: int,
    variant: int,
    colours: int,
) -> np.uint64:
    """Return the same under rules without debts that leave a choice and without draws until a card is playable."""
    if penalty > 0:
        return DRAW_BIT
    playable = playable_mask(hand_mask, top, colour, variant)
    if drawn != NO_CARD:
        return KEEP_BIT | play_actions(playable & BIT[drawn], colours)
    if playable == _NONE:
        return DRAW_BIT
    actions = play_actions(playable, colours)
    if variant & OPTIONAL_DRAW and can_draw_one(draw_size, played_size, variant):
        actions |= DRAW_BIT
    return actions


@inner_kernel
def legal_mask(state: Record) -> np.uint64:
    """Return the legal actions as bits; none once the game is over."""
    if state["status"] != RUNNING:
        return _NONE
    if state["variant"] & TURN_RULES:  # apart: one function for all costs the usual rules a tenth of their speed
        return legal_mask_of(
            state["hand_mask"][state["turn"]],
            state["top"],
            state["colour"],
            state["penalty"],
            state["drawn"],
            state["before"],
            state["draw_size"],
            state["played_size"],
            state["variant"],
            state["colours"],
        )
    return usual_mask(
        state["hand_mask"][state["turn"]],
        state["top"],
        state["colour"],
        state["penalty"],
        state["drawn"],
        state["draw_size"],
        state["played_size"],
        state["variant"],
        state["colours"],
    )


# --- cards move ------------------------------------------------------------------------------------------


@kernel
def give_card(state: Record, seat: int, card: int) -> None:
    """Put a card into a hand."""
    state["hand"][seat, card] += 1
    state["hand_mask"][seat] |= BIT[card]
    state["hand_size"][seat] += 1


@kernel
def take_card(state: Record, seat: int, card: int) -> None:
    """Take a card out of a hand that holds it."""
    state["hand"][seat, card] -= 1
    if state["hand"][seat, card] == 0:
        state["hand_mask"][seat] &= ~BIT[card]
    state["hand_size"][seat] -= 1


@kernel
def pop_card(state: Record) -> int:
    """Take the next card off a draw pile that has one."""
    state["draw_size"] -= 1
    return as_int(state["draw_pile"][state["draw_size"]])


@kernel
def shuffle(cards: npt.NDArray[np.uint8], size: int, rng: np.uint64) -> np.uint64:
    """Shuffle the first `size` cards uniformly (Fisher–Yates); return the random state after it."""
    for last in range(size - 1, 0, -1):
        rng, other = below_from(rng, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
    return rng


@kernel
def reshuffle(state: Record) -> bool:
    """Put the played pile except its top card back and shuffle; False if there is nothing to put back.

    The new order depends on the deck's random state and on *which* cards lie there, not on their order.
    """
    if state["played_size"] <= 1:
        return False
    pile = state["draw_pile"]
    counts = np.empty(CARD_TYPES, np.uint8)
    count_pile(state, counts)
    for place in range(state["played_size"] - 1):
        counts[state["played"][place]] += 1
    size = 0
    for card in range(CARD_TYPES):
        for _ in range(counts[card]):
            pile[size] = card
            size += 1
    state["played"][0] = state["top"]
    state["played_size"] = 1
    state["draw_size"] = size
    shuffle(pile, size, mix(state["rng"]))
    state["rng"] = advance(state["rng"])
    return True


@kernel
def set_hand(state: Record, seat: int, counts: npt.NDArray[np.uint8]) -> None:
    """Replace a hand."""
    mask = _NONE
    size = 0
    for card in range(CARD_TYPES):
        state["hand"][seat, card] = counts[card]
        size += counts[card]
        if counts[card]:
            mask |= BIT[card]
    state["hand_mask"][seat] = mask
    state["hand_size"][seat] = size


@kernel
def set_draw_pile(state: Record, pile: npt.NDArray[np.uint8]) -> None:
    """Replace the draw pile; its next card is the last."""
    for place in range(len(pile)):
        state["draw_pile"][place] = pile[place]
    state["draw_size"] = len(pile)


@kernel
def count_pile(state: Record, counts: npt.NDArray[np.uint8]) -> None:
    """Write how many cards of each type lie in the draw pile."""
    for card in range(CARD_TYPES):
        counts[card] = 0
    for place in range(state["draw_size"]):
        counts[state["draw_pile"][place]] += 1


# --- the deal --------------------------------------------------------------------------------------------


@kernel
def deal(states: States, index: int, undealt: States, hand_size: int, seed: np.uint64) -> None:
    """Deal a game: the top uniform over the coloured cards, then both hands from the shuffled rest."""
    states[index] = undealt[0]
    state = states[index]
    pile = state["draw_pile"]
    size = as_int(state["draw_size"])
    coloured = size
    while coloured > 0 and pile[coloured - 1] >= COLOURED_TYPES:
        coloured -= 1
    rng, place = below_from(mix(seed ^ GOLDEN), coloured)
    top = pile[place]
    pile[place] = pile[size - 1]
    rng = shuffle(pile, size - 1, rng)
    state["draw_size"] = size - 1
    for seat in range(2):
        for _ in range(hand_size):
            give_card(state, seat, pop_card(state))
    turn_up(state, top)
    state["rng"] = first_rng(seed)


@kernel
def first_rng(seed: np.uint64) -> np.uint64:
    """Return the random state of a deck that was dealt with this seed, before its first reshuffle."""
    return mix(advance(seed))


@kernel
def turn_up(state: Record, top: int) -> None:
    """Open the played pile with a coloured card: it sets colour and rank, and acts if the rules say so."""
    state["played"][0] = top
    state["played_size"] = 1
    state["top"] = top
    state["colour"] = ACTION_COLOUR[top]
    if state["variant"] & FIRST_ACTS:
        state["penalty"] = PENALTY[top]
        if SKIPS[top] and state["variant"] & SKIP_AGAIN:
            state["turn"] = SECOND


# --- a move ----------------------------------------------------------------------------------------------


@kernel
def play(state: Record, action: int) -> None:
    """Play a card: it becomes the top, its colour is declared, its effect follows unless the hand is empty."""
    seat = as_int(state["turn"])
    card = ACTION_CARD[action]
    colour = state["colour"]
    take_card(state, seat, card)
    state["played"][state["played_size"]] = card
    state["played_size"] += 1
    state["top"] = card
    state["colour"] = ACTION_COLOUR[action]
    state["drawn"] = NO_CARD
    if state["hand_size"][seat] == 0:
        state["status"] = EMPTIED_HAND
        state["winner"] = seat
        return
    if state["variant"] & PLAY_RULES:
        act_further(state, card, colour)
    else:
        state["penalty"] = PENALTY[card]
    if not (SKIPS[card] and state["variant"] & SKIP_AGAIN):
        state["turn"] = 1 - seat


@kernel
def act_further(state: Record, card: int, colour: int) -> None:
    """Let a card do what it does where the rules give plays more effects."""
    if swaps_hands(card, state["variant"]):
        swap_hands(state)
    if can_be_challenged(state["variant"]) and card == WILD_FOUR:
        state["before"] = colour
    if state["variant"] & STACK:  # without it nothing is owed when a card is played
        state["penalty"] += PENALTY[card]
    else:
        state["penalty"] = PENALTY[card]


@kernel
def swap_hands(state: Record) -> None:
    """Exchange the hands."""
    for card in range(CARD_TYPES):
        count = state["hand"][FIRST, card]
        state["hand"][FIRST, card] = state["hand"][SECOND, card]
        state["hand"][SECOND, card] = count
    mask = state["hand_mask"][FIRST]
    state["hand_mask"][FIRST] = state["hand_mask"][SECOND]
    state["hand_mask"][SECOND] = mask
    size = state["hand_size"][FIRST]
    state["hand_size"][FIRST] = state["hand_size"][SECOND]
    state["hand_size"][SECOND] = size


@inner_kernel
def usual_draw(state: Record) -> bool:
    """Draw what is owed, or one card, under rules without long draws; True if the played pile was reshuffled for it.

    Where the cards can't be had, the game ends.
    """
    seat = as_int(state["turn"])
    penalty = as_int(state["penalty"])
    count = cards_asked(DRAW, penalty, False, state["variant"])
    reshuffled = False
    if state["draw_size"] < count and state["variant"] & RESHUFFLE:
        reshuffled = reshuffle(state)
    if state["draw_size"] < count:
        exhaust(state)
        return reshuffled
    card = 0
    for _ in range(count):
        card = pop_card(state)
        give_card(state, seat, card)
    state["penalty"] = 0
    state["before"] = NO_COLOUR
    if decides_next(DRAW, penalty > 0, count, state["variant"]):
        state["drawn"] = card
    else:
        state["turn"] = 1 - seat
    return reshuffled


@kernel
def draw_until_playable(state: Record) -> bool:
    """Draw card by card until one is playable, which has to be played; True if the played pile was reshuffled.

    With nothing left to draw the game ends, and what was drawn stays in the hand.
    """
    seat = as_int(state["turn"])
    playable = PLAYABLE[state["colour"], state["top"]]  # a +4 as a last resort too: the active colour is not held
    reshuffled = False
    while True:
        if state["draw_size"] == 0 and state["variant"] & RESHUFFLE and not reshuffled:
            reshuffled = reshuffle(state)
        if state["draw_size"] == 0:
            exhaust(state)
            return reshuffled
        card = pop_card(state)
        give_card(state, seat, card)
        if BIT[card] & playable:
            state["drawn"] = card
            return reshuffled


@kernel
def is_guilty(state: Record) -> bool:
    """Return whether who played the wild +4 that is owed holds a card of the colour before it."""
    held: np.uint64 = state["hand_mask"][1 - state["turn"]] & COLOUR_MASK[state["before"]]
    return bool(held != _NONE)


@kernel
def drawer_of(state: Record, action: int) -> tuple[int, int]:
    """Return who draws by a draw or a challenge, and how many cards; not of a draw until a card is playable."""
    turn = as_int(state["turn"])
    guilty = action == CHALLENGE and is_guilty(state)
    return 1 - turn if guilty else turn, cards_asked(action, as_int(state["penalty"]), guilty, state["variant"])


@kernel
def needs_reshuffle(state: Record, action: int) -> bool:
    """Return whether a legal action would put the played pile back."""
    if action not in (DRAW, CHALLENGE) or not state["variant"] & RESHUFFLE or state["played_size"] <= 1:
        return False
    if not draws_until(action, state["penalty"], state["variant"]):
        return bool(state["draw_size"] < drawer_of(state, action)[1])
    playable = PLAYABLE[state["colour"], state["top"]]
    for place in range(state["draw_size"]):
        if BIT[state["draw_pile"][place]] & playable:
            return False
    return True


@kernel
def challenge(state: Record) -> bool:
    """Challenge a wild +4: who lied draws what was owed, else the challenger draws; True if it was reshuffled.

    Where the cards can't be had, none is drawn and the game ends.
    """
    challenger = as_int(state["turn"])
    drawer, count = drawer_of(state, CHALLENGE)
    reshuffled = False
    if state["draw_size"] < count and state["variant"] & RESHUFFLE:
        reshuffled = reshuffle(state)
    if state["draw_size"] < count:
        exhaust(state)
        return reshuffled
    for _ in range(count):
        give_card(state, drawer, pop_card(state))
    state["penalty"] = 0
    state["before"] = NO_COLOUR
    if drawer == challenger:
        state["turn"] = 1 - challenger
    return reshuffled


@kernel
def exhaust(state: Record) -> None:
    """End a game in which the deck can't give what is asked: fewer cards in hand wins."""
    first, second = state["hand_size"][0], state["hand_size"][1]
    state["status"] = DECK_EXHAUSTED
    state["winner"] = NOBODY if first == second else as_int(first > second)


@kernel
def keep(state: Record) -> None:
    """Keep the card just drawn: the turn passes."""
    state["drawn"] = NO_CARD
    state["turn"] = 1 - state["turn"]


@inner_kernel
def apply(state: Record, action: int) -> bool:
    """Carry out a legal action; True if the played pile was reshuffled on the way."""
    if action < DRAW:
        play(state, action)
        return False
    if state["variant"] & DRAW_RULES:
        return draw_or_challenge(state, action)
    if action == KEEP:
        keep(state)
        return False
    return usual_draw(state)


@kernel
def draw_or_challenge(state: Record, action: int) -> bool:
    """Carry out a draw, a challenge or that a card is kept, under rules that have long draws or challenges."""
    if action == KEEP:
        keep(state)
        return False
    if action == CHALLENGE:
        return challenge(state)
    if draws_until(action, state["penalty"], state["variant"]):
        return draw_until_playable(state)
    return usual_draw(state)


# --- a move, noted ---------------------------------------------------------------------------------------


@kernel
def apply_noting(state: Record, action: int, move: Record) -> None:
    """Carry out a legal action and write what it did into `move` (a `MOVE`)."""
    mover = as_int(state["turn"])
    flags = OWED if state["penalty"] > 0 else 0
    if state["drawn"] != NO_CARD:
        flags |= JUST_DRAWN
    move["mover"] = mover
    move["action"] = action
    move["drawer"] = mover
    move["count"] = 0
    move["first"] = 0
    move["pile_size"] = 0
    if action == CHALLENGE:
        note_hand(state, 1 - mover, move)
        if is_guilty(state):
            flags |= GUILTY
            move["drawer"] = 1 - mover
    if action in (DRAW, CHALLENGE):
        flags |= as_int(apply_noting_draw(state, action, move))
    else:
        apply(state, action)
        if action < DRAW and swaps_hands(ACTION_CARD[action], state["variant"]) and state["status"] == RUNNING:
            flags |= SWAPPED
            note_hand(state, FIRST, move)
            note_hand(state, SECOND, move)
    move["flags"] = flags


@kernel
def note_hand(state: Record, seat: int, move: Record) -> None:
    """Write a hand into a move."""
    for card in range(CARD_TYPES):
        move["hands"][seat, card] = state["hand"][seat, card]


@kernel
def apply_noting_draw(state: Record, action: int, move: Record) -> int:
    """Carry out a draw or a challenge and note the cards: they still lie behind the end of the pile; return a flag."""
    first = drawn_before_reshuffle(state, action)
    for nth in range(first):  # a reshuffle takes their place
        move["drawn"][nth] = state["draw_pile"][state["draw_size"] - 1 - nth]
    held = as_int(state["hand_size"][move["drawer"]])
    reshuffled = apply(state, action)
    count = as_int(state["hand_size"][move["drawer"]]) - held
    end = as_int(state["draw_size"]) + count - first
    for nth in range(count - first):
        move["drawn"][first + nth] = state["draw_pile"][end - 1 - nth]
    move["count"] = count
    move["first"] = first
    if not reshuffled:
        return 0
    note_order(state, end, move)
    return RESHUFFLED


@kernel
def note_order(state: Record, size: int, move: Record) -> None:
    """Write so many cards of the draw pile into a move, next one first: the pile after a reshuffle."""
    move["pile_size"] = size
    for nth in range(size):
        move["pile"][nth] = state["draw_pile"][size - 1 - nth]


@kernel
def drawn_before_reshuffle(state: Record, action: int) -> int:
    """Return how many cards a draw until one is playable takes before it reshuffles; 0 where it does not."""
    until = draws_until(action, state["penalty"], state["variant"])
    return as_int(state["draw_size"]) if until and needs_reshuffle(state, action) else 0


# --- what is seen ----------------------------------------------------------------------------------------


@kernel
def observe(seen: Record, state: Record, seat: int) -> None:
    """Write into `seen` all that this seat sees of the state, and nothing else."""
    other = 1 - seat
    seen["hand_mask"] = state["hand_mask"][seat]
    for card in range(CARD_TYPES):
        seen["hand"][card] = state["hand"][seat, card]
        seen["played"][card] = 0
    for place in range(state["played_size"]):
        seen["played"][state["played"][place]] += 1
    seen["hand_size"] = state["hand_size"][seat]
    seen["opponent_size"] = state["hand_size"][other]
    seen["draw_size"] = state["draw_size"]
    seen["played_size"] = state["played_size"]
    seen["top"] = state["top"]
    seen["colour"] = state["colour"]
    seen["turn"] = state["turn"]
    seen["penalty"] = state["penalty"]
    seen["before"] = state["before"]
    seen["deciding"] = as_int(state["drawn"] != NO_CARD)
    seen["drawn"] = state["drawn"] if state["turn"] == seat else NO_CARD
    seen["status"] = state["status"]
    seen["winner"] = state["winner"]
    seen["variant"] = state["variant"]
    seen["colours"] = state["colours"]
    seen["seat"] = seat
