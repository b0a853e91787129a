"""What a seat has been told, as one number: histories are nodes of a trie, and a step in it is a *token*.

    token    seat, top, dealt    how a history begins: whose it is, the first top card, each card of the hand in order
             action              a card played, the card just drawn kept, a challenge, by either player: the action's id
             drew, and more      the cards that the seat itself drew between reshuffles, in order of type: the order
                                 drawn tells nothing; four to a token, the others in tokens that say that they go on
             other drew          how many cards the opponent drew between reshuffles
             shown, received     each card of a hand that was shown to the seat, or that it got by a swap
             forgot              who draws next for a forgotten UNO: in no tree of a game, so that none is looked up

Whose turn it is follows from what came before, and so do reshuffles: no token names them. Histories with different
tokens are different nodes: nothing here is a hash that could collide.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Int32s, Ints
from uno_pomdp.cards import CARD_TYPES, MAX_CARDS, card_name
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import ACTIONS, FORGOT_UNO, seat_name
from uno_pomdp.game.events import Challenged, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import CHALLENGE, DRAW, KEEP, MOVE, SWAPPED, ActionId, Moves, Record, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import GOLDEN, mix
from uno_pomdp.jit import as_int, inner_kernel, kernel

Token = int
"""One thing told: a kind and up to four cards, 6 bits each."""
_KIND: Final = 24
SEAT: Final[Token] = 1 << _KIND
TOP: Final[Token] = 2 << _KIND
DEALT: Final[Token] = 3 << _KIND
ACTED: Final[Token] = 4 << _KIND
DREW: Final[Token] = 5 << _KIND
OTHER_DREW: Final[Token] = 6 << _KIND
DREW_MORE: Final[Token] = 9 << _KIND
SHOWN: Final[Token] = 10 << _KIND
RECEIVED: Final[Token] = 11 << _KIND
FORGOT: Final[Token] = 12 << _KIND

IN_A_TOKEN: Final = 4
"""So many cards fit into a token."""
_FORGOT_UNO: Final = FORGOT_UNO.id
MOST_TOKENS: Final = 2 + 2 * MAX_CARDS
"""No move tells a seat more."""
_CARD_BITS: Final = 6
_CARD: Final = (1 << _CARD_BITS) - 1

EMPTY: Final = 0
"""The history before anything was told: the root of the trie."""
_FIRST_SIZE: Final = 1 << 12


class UnknownHistory(UnoError):
    """A history that a policy knows nothing of."""


# --- tokens ----------------------------------------------------------------------------------------------


@inner_kernel
def with_card(token: Token, card: int) -> Token:
    """Return a token with one more card; cards are given in order of type."""
    return (token & ~((1 << _KIND) - 1)) | (token & ((1 << _KIND) - 1)) << _CARD_BITS | (card + 1)


@inner_kernel
def last_card(token: Token) -> int:
    """Return the last card that a token of the kind `DREW` names; −1 if it names none."""
    return (token & _CARD) - 1


@inner_kernel
def without_card(token: Token) -> Token:
    """Return such a token without its last card."""
    return (token & ~((1 << _KIND) - 1)) | (token & ((1 << _KIND) - 1)) >> _CARD_BITS


def opening(seen: Observation) -> list[Token]:
    """Return the tokens with which a seat's history begins, from what it sees at the deal."""
    return [SEAT | seen.seat, TOP | seen.top, *(DEALT | card for card in seen.hand)]


def tokens_told(events: Iterable[Event], seat: Seat, own: bool = True) -> list[Token]:
    """Return what events tell a seat; a reshuffle has no token, for it follows from the public sizes.

    Without `own` the seat is not told what it did itself, as by `tell`.
    """
    return [token for event in events for token in _tokens(event, seat, own)]


def _tokens(event: Event, seat: Seat, own: bool) -> list[Token]:
    match event:
        case Played() | Kept() | Challenged() if event.seat == seat and not own:
            return []
        case Played(action=action):
            return [ACTED | action.id]
        case Kept():
            return [ACTED | KEEP]
        case Challenged():
            return [ACTED | CHALLENGE]
        case Reshuffled():
            return []
        case Shown():
            return [] if event.seat == seat else [SHOWN | card for card in event.hand]
        case Swapped():
            return [RECEIVED | card for card in event.hands[seat]]
    forgot = [FORGOT | event.seat] if event.forgot else []
    if event.seat != seat:
        return [*forgot, OTHER_DREW | event.count]
    cards = sorted(event.cards or ())
    return forgot + [
        _with_cards(DREW_MORE if place else DREW, cards[place : place + IN_A_TOKEN])
        for place in range(0, max(len(cards), 1), IN_A_TOKEN)
    ]


class Notes(NamedTuple):
    """The last move, and scratch for the tokens that tell a seat of it."""

    moves: Moves
    """A `MOVE`, as an array of one."""
    tokens: Int32s
    """Room for `MOST_TOKENS`."""


@kernel
def new_notes() -> Notes:
    """Return a place for the moves of a walk, one after the other."""
    return Notes(np.empty(1, MOVE), np.empty(MOST_TOKENS, np.int32))


@kernel
def tell(notes: Notes, seat: int, own: bool) -> int:
    """Write what the noted move tells a seat, token by token; return how many these are.

    Without `own` the seat is not told what it did itself, only what came of it: for trees in which that is a choice.
    """
    move, out = notes.moves[0], notes.tokens
    mover, action = as_int(move["mover"]), as_int(move["action"])
    told = 0
    if action == _FORGOT_UNO:
        out[told] = FORGOT | mover
        told += 1
    elif action != DRAW and (own or mover != seat):
        out[told] = ACTED | action
        told += 1
    if action == CHALLENGE and mover == seat:
        told = tell_hand(move["hands"][1 - seat], SHOWN, out, told)
    if move["flags"] & SWAPPED:
        told = tell_hand(move["hands"][seat], RECEIVED, out, told)
    if action < DRAW or action == KEEP:
        return told
    first, count = as_int(move["first"]), as_int(move["count"])
    if move["drawer"] != seat:
        if first > 0:
            out[told] = OTHER_DREW | first
            told += 1
        out[told] = OTHER_DREW | (count - first)
        return told + 1
    if first > 0:
        told = tell_drawn(move, 0, first, out, told)
    return tell_drawn(move, first, count, out, told)


@kernel
def tell_hand(hand: npt.NDArray[np.uint8], kind: Token, out: Int32s, told: int) -> int:
    """Write every card of a hand that was shown or received, in order of type; return how many tokens there are."""
    for card in range(CARD_TYPES):
        for _ in range(hand[card]):
            out[told] = kind | card
            told += 1
    return told


@kernel
def tell_drawn(move: Record, start: int, end: int, out: Int32s, told: int) -> int:
    """Write the cards drawn from one place of a move to another, in order of type; return how many tokens there are."""
    token, held = DREW, 0
    last = -1
    left = end - start
    while left > 0:
        lowest, copies = CARD_TYPES, 0
        for place in range(start, end):
            card = as_int(move["drawn"][place])
            if last < card < lowest:
                lowest, copies = card, 1
            elif card == lowest:
                copies += 1
        for _ in range(copies):
            if held == IN_A_TOKEN:
                out[told] = token
                told += 1
                token, held = DREW_MORE, 0
            token = with_card(token, lowest)
            held += 1
        left -= copies
        last = lowest
    out[told] = token
    return told + 1


def _with_cards(token: Token, cards: Sequence[int]) -> Token:
    for card in cards:
        token = with_card(token, card)
    return token


def carried(token: Token) -> int:
    """Return the number that a token carries: a seat, a card, an action, how many cards the other drew."""
    return token & ((1 << _KIND) - 1)


def move_of(token: Token) -> tuple[ActionId, tuple[int, ...]]:
    """Return the action that a token tells of, and the cards that the seat itself drew in it."""
    kind = token >> _KIND << _KIND
    if kind == ACTED:
        return carried(token), ()
    return DRAW, cards_of_token(token) if kind == DREW else ()


def cards_of_token(token: Token) -> tuple[int, ...]:
    """Return the cards that a token of the kind `DREW` names, in order of type."""
    cards = []
    rest = token & ((1 << _KIND) - 1)
    while rest:
        cards.append((rest & _CARD) - 1)
        rest >>= _CARD_BITS
    return tuple(reversed(cards))


def history_text(tokens: Sequence[Token]) -> str:
    """Return a history in words: whose it is, hand and top card, then what happened."""
    seats, tops, hand, moves = [], [], [], []
    for token in tokens:
        kind, rest = token >> _KIND << _KIND, token & ((1 << _KIND) - 1)
        if kind == SEAT:
            seats.append(seat_name(rest))
        elif kind == TOP:
            tops.append(card_name(rest))
        elif kind == DEALT:
            hand.append(card_name(rest))
        elif kind == ACTED:
            moves.append(str(ACTIONS[rest]))
        elif kind == DREW:
            moves.append(f"draw {' '.join(map(card_name, cards_of_token(token)))}".strip())
        elif kind == DREW_MORE:
            moves[-1] += f" {' '.join(map(card_name, cards_of_token(token)))}"
        elif kind == FORGOT:
            moves.append(f"{seat_name(rest)} forgot UNO")
        elif kind in (SHOWN, RECEIVED):
            word = "shown" if kind == SHOWN else "received"
            moves = moves if moves and moves[-1].startswith(word) else [*moves, word]
            moves[-1] += f" {card_name(rest)}"
        else:
            moves.append(f"draw {rest} hidden")
    return f"{' '.join(seats)}, {' '.join(hand)} on {' '.join(tops)}{': ' if moves else ''}{', '.join(moves)}"


# --- the trie --------------------------------------------------------------------------------------------


class HistoryTrie(NamedTuple):
    """A trie of histories as arrays; node 0 is the empty history, and a parent comes before its children."""

    parent: Int32s
    """The history without its last token."""
    token: Int32s
    """The last token."""
    table: Int32s
    """Open addressing by parent and token: the number of a node, 0 for an empty place; its size is a power of two."""
    total: Ints
    """How many nodes there are, as an array of one."""


def new_trie(room: int = _FIRST_SIZE) -> HistoryTrie:
    """Return the trie of the empty history, with room for so many nodes (a power of two)."""
    zeros = np.zeros(room, np.int32)
    return HistoryTrie(zeros, zeros.copy(), np.zeros(2 * room, np.int32), np.ones(1, np.int64))


def grown(histories: HistoryTrie) -> HistoryTrie:
    """Return the trie with twice the room."""
    room = 2 * len(histories.parent)
    wide = HistoryTrie(
        np.resize(histories.parent, room),
        np.resize(histories.token, room),
        np.zeros(2 * room, np.int32),
        histories.total.copy(),
    )
    rehash(wide)
    return wide


def trie_of(parent: Int32s, token: Int32s) -> HistoryTrie:
    """Return the trie with these nodes."""
    table = np.zeros(2 << max(len(parent) - 1, 1).bit_length(), np.int32)
    whole = HistoryTrie(parent, token, table, np.array([len(parent)], np.int64))
    rehash(whole)
    return whole


@inner_kernel
def place_of(histories: HistoryTrie, parent: int, token: Token) -> int:
    """Return where in the table the child of a history lies, or the empty place where it would."""
    mask = len(histories.table) - 1
    place = as_int(mix(np.uint64(parent) * GOLDEN ^ np.uint64(token)) & np.uint64(mask))
    node = histories.table[place]
    while node and (histories.parent[node] != parent or histories.token[node] != token):
        place = (place + 1) & mask
        node = histories.table[place]
    return place


@kernel
def find_child(histories: HistoryTrie, parent: int, token: Token) -> int:
    """Return the history with one token more; 0 if there is none."""
    return as_int(histories.table[place_of(histories, parent, token)])


@kernel
def child_of(histories: HistoryTrie, parent: int, token: Token) -> int:
    """Return the history with one token more, made if it is new; there must be room."""
    place = place_of(histories, parent, token)
    node = as_int(histories.table[place])
    if not node:
        node = as_int(histories.total[0])
        histories.parent[node] = parent
        histories.token[node] = token
        histories.table[place] = node
        histories.total[0] += 1
    return node


@kernel
def history_after(histories: HistoryTrie, node: int, seat: int, notes: Notes) -> int:
    """Return a seat's history after the noted move."""
    for nth in range(tell(notes, seat, True)):
        node = child_of(histories, node, as_int(notes.tokens[nth]))
    return node


@kernel
def rehash(histories: HistoryTrie) -> None:
    """Fill an empty table."""
    for node in range(1, histories.total[0]):
        place = place_of(histories, as_int(histories.parent[node]), as_int(histories.token[node]))
        histories.table[place] = node


@kernel
def begin(histories: HistoryTrie, seat: int, top: int, hand: npt.NDArray[np.uint8]) -> int:
    """Return the history of a seat at the deal."""
    node = child_of(histories, EMPTY, SEAT | seat)
    node = child_of(histories, node, TOP | as_int(top))
    for card in range(CARD_TYPES):
        for _ in range(hand[card]):
            node = child_of(histories, node, DEALT | card)
    return node


def find(histories: HistoryTrie, tokens: Iterable[Token], start: int = EMPTY) -> int:
    """Return the history that these tokens lead to; one that is not there is refused."""
    node = start
    for token in tokens:
        node = find_child(histories, node, token)
        if not node:
            raise UnknownHistory(
                "this history is in no game of these rules: a policy is for the rules it was made with"
            )
    return node


def tokens_of(histories: HistoryTrie, node: int) -> Sequence[Token]:
    """Return the tokens of a history, the first one first."""
    tokens = []
    while node != EMPTY:
        tokens.append(int(histories.token[node]))
        node = int(histories.parent[node])
    return tokens[::-1]
