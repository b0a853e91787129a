"""The walk through every history of a game: one kernel that uses the engine's rules and writes nodes into arrays.

At a node a player has a choice, chance has several outcomes, or the game is over. What is forced in between (the only
legal action, the only card that can be drawn) is carried out on the way and appears in the histories alone. Nodes are
numbered in the order in which they are met, so a parent comes before its children; so are information sets, and the
sequences of a player (an information set with one of its actions).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Int32s
from uno_pomdp.cards import CARD_TYPES
from uno_pomdp.equilibrium.tree.long_draws import (
    CERTAIN,
    FAILS,
    first_long_draw,
    in_order,
    is_long_draw,
    long_draw_outlook,
    long_draw_probability,
    next_long_draw,
    put_long_draw,
)
from uno_pomdp.equilibrium.tree.tree_arrays import CHANCE, TERMINAL, Counters, Nodes, Sets, Work
from uno_pomdp.game.bits import lowest_bit, popcount, several
from uno_pomdp.game.information import (
    ACTED,
    DREW,
    DREW_MORE,
    IN_A_TOKEN,
    OTHER_DREW,
    RECEIVED,
    SHOWN,
    HistoryTrie,
    child_of,
    with_card,
)
from uno_pomdp.game.kernels import apply, legal_mask, observe
from uno_pomdp.game.layout import (
    ACTION_CARD,
    ACTIONS,
    CHALLENGE,
    DRAW,
    DRAW_BIT,
    NOBODY,
    RUNNING,
    STATE,
    SWAP,
    SWAPS,
    Record,
    States,
)
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.pomdp.chance import (
    MOST_DRAWN,
    Places,
    draw_probability,
    drawer_of,
    first_draw,
    next_draw,
    one_draw_only,
    prepare_draw,
    put_next,
)

NO_DRAW: Final = 0
"""In `Work.pending`: no draw is to be made; else the action that draws, which is never the first one."""
_ONE = np.uint64(1)


# --- one step --------------------------------------------------------------------------------------------


@kernel
def tell_action(histories: HistoryTrie, told: Int32s, action: int) -> None:
    """Let both players see a play, a keep or a challenge."""
    for seat in range(2):
        told[seat] = child_of(histories, as_int(told[seat]), ACTED | action)


@kernel
def tell_hand(histories: HistoryTrie, node: int, kind: int, state: Record, seat: int) -> int:
    """Return a history after every card of a hand was shown or received, in order of type."""
    for card in range(CARD_TYPES):
        for _ in range(as_int(state["hand"][seat, card])):
            node = child_of(histories, node, kind | card)
    return node


@kernel
def tell_draw(state: Record, histories: HistoryTrie, told: Int32s, drawer: int, count: int, places: Places) -> int:
    """Let the drawer see the cards and the other how many they are; return the first token of the drawer."""
    node = as_int(told[drawer])
    token = DREW
    first = token
    for nth in range(count):
        if nth > 0 and nth % IN_A_TOKEN == 0:
            node = child_of(histories, node, token)
            token = DREW_MORE
        token = with_card(token, as_int(state["draw_pile"][places[nth]]))
        if nth < IN_A_TOKEN:
            first = token
    told[drawer] = child_of(histories, node, token)
    told[1 - drawer] = child_of(histories, as_int(told[1 - drawer]), OTHER_DREW | count)
    return first


@kernel
def tell_challenge(state: Record, histories: HistoryTrie, told: Int32s) -> None:
    """Let both hear a challenge that is about to be settled, and the challenger see the hand."""
    challenger = as_int(state["turn"])
    tell_action(histories, told, CHALLENGE)
    told[challenger] = tell_hand(histories, as_int(told[challenger]), SHOWN, state, 1 - challenger)


@kernel
def carry_out(state: Record, histories: HistoryTrie, told: Int32s, action: int) -> None:
    """Carry out an action without chance, and tell both while the game goes on."""
    apply(state, action)
    if state["status"] == RUNNING:
        tell_action(histories, told, action)
        if state["variant"] & SWAP and action < DRAW and SWAPS[ACTION_CARD[action]]:
            for seat in range(2):
                told[seat] = tell_hand(histories, as_int(told[seat]), RECEIVED, state, seat)


@kernel
def carry_out_draw(state: Record, histories: HistoryTrie, told: Int32s, action: int, count: int, places: Places) -> int:
    """Draw the cards at these places and tell both; return the drawer's token, the first of several."""
    drawer, _ = drawer_of(state, action)
    token = tell_draw(state, histories, told, drawer, count, places)
    put_next(state, count, places)
    apply(state, action)
    return token


@kernel
def carry_out_long_draw(state: Record, histories: HistoryTrie, told: Int32s, count: int, places: Places) -> int:
    """Draw until a card is playable, which is the last of these places, and tell both; return the drawer's token."""
    card = as_int(state["draw_pile"][places[count - 1]])
    ordered = np.empty(MOST_DRAWN, np.int64)
    in_order(count, places, ordered)
    token = tell_draw(state, histories, told, as_int(state["turn"]), count, ordered)
    put_long_draw(state, count, ordered, card)
    apply(state, DRAW)
    return token


@kernel
def go_on(state: Record, histories: HistoryTrie, told: Int32s, pending: int, places: Places) -> int:
    """Carry out all that is forced, up to the next node; return the action whose draw chance makes there, or `NO_DRAW`.

    `pending` is an action that was chosen and whose draw is still to be made.
    """
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        if pending == NO_DRAW and legal == DRAW_BIT:
            pending = DRAW
        if is_long_draw(state, pending):
            outlook = long_draw_outlook(state)
            if outlook == FAILS:
                apply(state, pending)  # the whole pile is drawn, and the game is over
            elif outlook == CERTAIN:
                carry_out_long_draw(state, histories, told, first_long_draw(state, places), places)
            else:
                return pending
            pending = NO_DRAW
        elif pending != NO_DRAW:
            count = prepare_draw(state, pending)
            if count == 0:
                apply(state, pending)  # it can't be made: the game is over
            elif one_draw_only(state, count):
                first_draw(places, count)
                carry_out_draw(state, histories, told, pending, count, places)
            else:
                return pending
            pending = NO_DRAW
        elif not several(legal):
            carry_out(state, histories, told, lowest_bit(legal))
        else:
            return NO_DRAW
    return NO_DRAW


# --- the walk --------------------------------------------------------------------------------------------


@kernel
def walk(
    work: Work,
    histories: HistoryTrie,
    set_of: Int32s,
    nodes: Nodes,
    sets: Sets,
    actions: npt.NDArray[np.uint8],
    counters: Counters,
    spare: int,
) -> bool:
    """Visit the places of the stack and all that follows; False if an array is full: then call it again with more room.

    `spare` is the room that one visit may need in the stack; `set_of` gives the information set of a history.
    """
    here = np.empty(1, STATE)
    told = np.empty(2, np.int32)
    did = np.empty(2, np.int32)
    places = np.empty(MOST_DRAWN, np.int64)
    while counters.work[0] > 0:
        if (
            counters.nodes[0] >= len(nodes.parent)
            or counters.sets[0] >= len(sets.seat)
            or counters.sequences[0] + ACTIONS > len(actions)
            or counters.work[0] + spare > len(work.parent)
            or histories.total[0] + 2 * spare > len(histories.parent)
        ):
            return False
        counters.work[0] -= 1
        place = counters.work[0]
        here[0] = work.state[place]
        state = here[0]
        for seat in range(2):  # not whole rows: that compiles to checks of shapes
            told[seat] = work.history[place, seat]
            did[seat] = work.sequence[place, seat]
        reach = work.reach[place]
        drawing = go_on(state, histories, told, as_int(work.pending[place]), places)

        node = counters.nodes[0]
        counters.nodes[0] += 1
        nodes.parent[node] = work.parent[place]
        nodes.label[node] = work.label[place]
        nodes.probability[node] = work.probability[place]
        nodes.reach[node] = reach
        for seat in range(2):
            nodes.sequence[node, seat] = did[seat]
        nodes.information[node] = -1
        nodes.payoff[node] = 0
        if state["status"] != RUNNING:
            nodes.kind[node] = TERMINAL
            if state["winner"] != NOBODY:
                nodes.payoff[node] = 1 - 2 * as_int(state["winner"])
        elif drawing != NO_DRAW:
            nodes.kind[node] = CHANCE
            push_draws(work, counters, here, histories, told, did, node, reach, drawing, places)
        else:
            mover = as_int(state["turn"])
            nodes.kind[node] = mover
            found = as_int(set_of[told[mover]])
            if found < 0:
                found = add_set(sets, actions, counters, state, mover, as_int(told[mover]), as_int(did[mover]), node)
                set_of[told[mover]] = found
            nodes.information[node] = found
            push_actions(work, counters, here, histories, told, did, node, reach, as_int(sets.first[found]))
    return True


@kernel
def add_set(
    sets: Sets,
    actions: npt.NDArray[np.uint8],
    counters: Counters,
    state: Record,
    seat: int,
    history: int,
    parent: int,
    node: int,
) -> int:
    """Write a new information set and its sequences; return its number."""
    number = as_int(counters.sets[0])
    counters.sets[0] += 1
    sets.seat[number] = seat
    sets.history[number] = history
    sets.parent[number] = parent
    sets.first[number] = counters.sequences[0]
    sets.node[number] = node
    observe(sets.seen[number], state, seat)
    legal = legal_mask(state)
    while legal:
        actions[counters.sequences[0]] = lowest_bit(legal)
        counters.sequences[0] += 1
        legal &= legal - _ONE
    return number


@kernel
def push(
    work: Work, counters: Counters, node: int, label: int, probability: float, reach: float, told: Int32s, did: Int32s
) -> int:
    """Put a place on the stack and return its number; its position is the caller's."""
    place = as_int(counters.work[0])
    counters.work[0] += 1
    work.parent[place] = node
    work.label[place] = label
    work.probability[place] = probability
    work.reach[place] = reach * probability
    for seat in range(2):
        work.history[place, seat] = told[seat]
        work.sequence[place, seat] = did[seat]
    work.pending[place] = NO_DRAW
    return place


@kernel
def push_actions(
    work: Work,
    counters: Counters,
    here: States,
    histories: HistoryTrie,
    told: Int32s,
    did: Int32s,
    node: int,
    reach: float,
    first: int,
) -> None:
    """Put what follows each legal action on the stack; the first action comes up first."""
    seat = as_int(here[0]["turn"])
    legal = legal_mask(here[0])
    after = popcount(legal)
    while legal:
        after -= 1
        action = highest_bit(legal)
        legal ^= _ONE << np.uint64(action)
        place = push(work, counters, node, action, 1.0, reach, told, did)
        work.state[place] = here[0]
        work.sequence[place, seat] = first + after
        if action == DRAW:
            work.pending[place] = DRAW
        elif action == CHALLENGE:
            work.pending[place] = CHALLENGE
            tell_challenge(work.state[place], histories, work.history[place])
        else:
            carry_out(work.state[place], histories, work.history[place], action)


@kernel
def highest_bit(mask: np.uint64) -> int:
    """Return the index of the highest bit set; there must be one."""
    highest = 0
    while mask:
        highest = lowest_bit(mask)
        mask &= mask - _ONE
    return highest


@kernel
def push_draws(
    work: Work,
    counters: Counters,
    here: States,
    histories: HistoryTrie,
    told: Int32s,
    did: Int32s,
    node: int,
    reach: float,
    action: int,
    places: Places,
) -> None:
    """Put what follows each different draw on the stack, labelled with its cards, or if many with its number."""
    state = here[0]
    if is_long_draw(state, action):
        push_long_draws(work, counters, here, histories, told, did, node, reach, places)
        return
    _, count = drawer_of(state, action)
    first_draw(places, count)
    number = 0
    while True:
        place = push(work, counters, node, 0, draw_probability(state, count, places), reach, told, did)
        work.state[place] = state
        token = carry_out_draw(work.state[place], histories, work.history[place], action, count, places)
        work.label[place] = token if count <= IN_A_TOKEN else DREW_MORE | number
        number += 1
        if not next_draw(state, count, places):
            break


@kernel
def push_long_draws(
    work: Work,
    counters: Counters,
    here: States,
    histories: HistoryTrie,
    told: Int32s,
    did: Int32s,
    node: int,
    reach: float,
    places: Places,
) -> None:
    """Put what follows each different draw until a card is playable on the stack, labelled as other draws are."""
    state = here[0]
    count = first_long_draw(state, places)
    number = 0
    while count > 0:
        place = push(work, counters, node, 0, long_draw_probability(state, count, places), reach, told, did)
        work.state[place] = state
        token = carry_out_long_draw(work.state[place], histories, work.history[place], count, places)
        work.label[place] = token if count <= IN_A_TOKEN else DREW_MORE | number
        number += 1
        count = next_long_draw(state, count, places)
