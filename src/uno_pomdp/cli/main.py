"""The command `uno-pomdp`."""

import os
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from uno_pomdp._version import __version__
from uno_pomdp.cli.failures import showing_errors
from uno_pomdp.cli.options import (
    SEAT,
    App,
    AsJson,
    BeliefText,
    ClusterAddress,
    Force,
    LengthsPlot,
    Pairs,
    Processes,
    Records,
    RulesIfNew,
    RulesName,
    Seed,
    agent_argument,
    agent_option,
    complete_agent,
    complete_rules,
    number,
)
from uno_pomdp.cli.ui.console import out
from uno_pomdp.quantities import (
    DISCOUNT,
    FITTED_GAMES,
    ITERATIONS,
    MILLISECONDS,
    PAIRS,
    SECONDS,
    SEED,
    SIMULATIONS,
    STEP_PENALTY,
    THREADS,
    Real,
    Whole,
)
from uno_pomdp.rules import as_rules

NAME: Final = "uno-pomdp"
"""What the command is called."""
COMPLETION: Final = "_UNO_POMDP_COMPLETE"
"""The variable that a shell sets to ask for completions; Click derives its name from the command's."""

app = App(
    help="The solver, laboratory and analysis board for two-player UNO.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"uno-pomdp {__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options of all commands; `run` looks at `--debug` itself, wherever it stands."""
    del debug, version


@app.command(epilog="Example: uno-pomdp demo --pairs 10 --sims 200")
def demo(
    rules: RulesName = "house",
    pairs: Pairs = 40,
    sims: Annotated[
        int,
        number(Whole(1, SIMULATIONS.most // 4), "Simulations of a decision; of the first game four times that."),
    ] = 500,
    seed: Seed = 1,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where the files go.")] = Path("uno-pomdp-demo"),
    as_json: AsJson = False,
) -> None:
    """Show what there is, in about a minute: a game with comments, a tournament, two Nash reports."""
    from uno_pomdp.cli.commands.demo import demo as run_demo  # kernels load only for commands that need them

    run_demo(as_rules(rules), pairs, sims, seed, folder, as_json)


@app.command(epilog="Examples: uno-pomdp play · uno-pomdp play heuristic --to 500 · uno-pomdp play --resume")
def play(
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="AGENT",
            help="Who plays against you, see `uno-pomdp agents`; with --resume the file of the saved game.",
            show_default="a strong one",
            autocompletion=complete_agent,
        ),
    ] = None,
    seat: Annotated[int | None, number(SEAT, "1: you begin.", show_default="1")] = None,
    seed: Annotated[int | None, number(SEED, "Same seed, same deal.", show_default="a new one")] = None,
    rules: RulesIfNew = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save and record the game here.", show_default="named by the time"),
    ] = None,
    coach: Annotated[
        str | None,
        agent_option("Who gives hints and reviews the game.", default="a strong one"),
    ] = None,
    belief: BeliefText = None,
    to: Annotated[
        int | None,
        number(Whole(1, 1_000_000), "Play rounds until one has so many points.", "--to", show_default="one game"),
    ] = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Moves can be taken back (`undo`); the game does not count.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last game, or with --resume FILE.")] = False,
    force: Force = False,
) -> None:
    """Play against an agent, at a terminal or with moves from a pipe; the game is saved at every move."""
    from uno_pomdp.cli.play.session import play as run_play

    run_play(agent, seat, seed, rules, record, coach, resume, force, belief, to, practice)


@app.command(epilog="Examples: uno-pomdp games · uno-pomdp games open 3 · uno-pomdp games --plot accuracy.svg")
def games(
    action: Annotated[
        str | None, typer.Argument(metavar="DO", help="open, delete or export.", show_default="list all")
    ] = None,
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Which: its number in the list, or its name.")
    ] = None,
    target: Annotated[Path | None, typer.Argument(metavar="FILE", help="With export: where its record goes.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All games, not only the newest.")] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="Review games whose accuracy is not known: seconds for each.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw your accuracy over time: .svg, .png or .pdf; needs `plots`."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Delete without asking; write over files that are there already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List your saved games, with won, lost, rating and accuracy; open one, delete it or export its record."""
    from uno_pomdp.cli.commands.games import games as run_games
    from uno_pomdp.cli.commands.games import goes_on

    path = run_games(action, game, target, every, judge, plot, as_json, force)
    if path is not None and goes_on(path):
        from uno_pomdp.cli.play.session import play as run_play

        run_play(str(path), None, None, None, None, None, resume=True)
    elif path is not None:
        from uno_pomdp.cli.commands.analyze import analyze as run_analyze

        run_analyze(path, None, None, candidates=False, html=None, seed=1, as_json=False)


@app.command("rules", epilog="Example: uno-pomdp rules printed; uno-pomdp rules house,stack=same")
def list_rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only these rules, in full.", autocompletion=complete_rules)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the rules that have a name, or all fields of those that are named."""
    from uno_pomdp.cli.commands.rules import show_all, show_one

    show_all(as_json) if name is None else show_one(name, as_json)


@app.command("agents", epilog="Example: uno-pomdp agents --json")
def list_agents(as_json: AsJson = False) -> None:
    """List the agents with their options; `flat:ms=50,belief=uniform` is an agent with two options."""
    from uno_pomdp.cli.commands.agents import agents

    agents(as_json)


@app.command(epilog="Example: uno-pomdp arena heuristic baseline --pairs 20000")
def arena(
    a: Annotated[str, agent_argument("A", "An agent, such as `flat:ms=10`; see `uno-pomdp agents`.")],
    b: Annotated[str, agent_argument("B", "Another.")],
    pairs: Pairs = 1_000,
    seed: Seed = 1,
    rules: RulesName = "house",
    processes: Processes = None,
    cluster: ClusterAddress = None,
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    records: Records = None,
    until_shown: Annotated[
        float | None,
        number(
            Real(0.0, 0.5, above=True, below=True),
            "Stop once one is shown better, or neither by MARGIN points: 0.02 is 52 % to 48 %.",
            metavar="MARGIN",
        ),
    ] = None,
    plot: LengthsPlot = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Play two agents against each other and say who is better."""
    from uno_pomdp.cli.commands.arena import arena as run_arena

    run_arena(
        as_rules(rules), (a, b), pairs, seed, processes, cluster, store, records, until_shown, as_json, force, plot
    )


@app.command(epilog="Example: uno-pomdp tournament random greedy heuristic --against baseline --pairs 5000")
def tournament(
    agents: Annotated[list[str], agent_argument("AGENT…", "The agents; see `uno-pomdp agents`.")],
    against: Annotated[str | None, agent_option("All meet this agent alone; its rating is 0.")] = None,
    pairs: Pairs = 1_000,
    seed: Seed = 1,
    rules: RulesName = "house",
    processes: Processes = None,
    cluster: ClusterAddress = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    records: Records = None,
    plot: LengthsPlot = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Play many agents against each other, or all against one, and rate them."""
    from uno_pomdp.cli.commands.tournament import tournament as run_all

    run_all(
        as_rules(rules), tuple(agents), pairs, seed, against, processes, cluster, folder, records, as_json, force, plot
    )


@app.command(epilog="Example: uno-pomdp watch flat:ms=20 heuristic --seat 2 --delay 0.5 --record game.txt")
def watch(
    a: Annotated[str, agent_argument("A", "Player 1; see `uno-pomdp agents`.")],
    b: Annotated[str, agent_argument("B", "Player 2.")],
    seat: Annotated[int, number(SEAT, "Whose belief is shown: player 1 or 2.")] = 1,
    delay: Annotated[float, number(Real(0.0, 3600.0), "Seconds between two moves, in a terminal.")] = 1.0,
    belief: BeliefText = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the record of the game here.")] = None,
    seed: Seed = 1,
    rules: RulesName = "house",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Watch a game move by move: both hands, what a player can know against the truth, who is likely to win."""
    from uno_pomdp.cli.commands.watch import watch as run_watch

    run_watch(as_rules(rules), (a, b), seed, seat - 1, delay, record, as_json, force, belief)


@app.command(epilog="Example: uno-pomdp analyze game.txt --html game.html")
def analyze(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="The record of a game, whole or as one player saw.")],
    coach: Annotated[
        str | None, agent_option("Who judges: flat, ismcts or value, with options.", default="the usual coach")
    ] = None,
    seat: Annotated[int | None, number(SEAT, "Judge this player alone.", show_default="both")] = None,
    candidates: Annotated[bool, typer.Option("--candidates", help="Also all candidates of every move.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with the graph here; it needs nothing else.")
    ] = None,
    seed: Seed = 1,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Review a game: what each move cost by what its player could know, luck, and how accurate both were."""
    from uno_pomdp.cli.commands.analyze import analyze as run_analyze

    run_analyze(record, coach, None if seat is None else seat - 1, candidates, html, seed, as_json, force)


@app.command(epilog="Examples: uno-pomdp nash heuristic --rules mini-9 --plot heuristic.svg · uno-pomdp nash --all")
def nash(
    agent: Annotated[
        str | None, agent_argument("AGENT", "Who plays both seats; see `uno-pomdp agents`. Or give --all.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="One table of an agent of every kind, each against itself.")
    ] = False,
    rules: RulesName = "house",
    pairs: Annotated[
        int | None,
        number(
            PAIRS, "Deals of each match, each played twice.", show_default="200 on mini decks, else 80, with --all 20"
        ),
    ] = None,
    sims: Annotated[
        int | None,
        number(
            SIMULATIONS,
            "Simulations of a challenger's decision.",
            show_default="300 on mini decks, else 500, with --all 200",
        ),
    ] = None,
    ms: Annotated[float | None, number(MILLISECONDS, "Milliseconds of a challenger's decision instead.")] = None,
    seed: Seed = 1,
    processes: Processes = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep finished pairs here; the same command then goes on.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the margins: .svg, .png or .pdf; needs `plots`.")
    ] = None,
    population: Annotated[
        bool, typer.Option("--population", help="Also the mixture of known agents that is hardest to beat.")
    ] = False,
    learn: Annotated[
        float | None,
        number(Real(1.0, SECONDS.most), "Also train a best response for so long; needs `train`.", metavar="SECONDS"),
    ] = None,
    responses: Annotated[
        list[Path] | None,
        typer.Option("--response", metavar="FILE", help="Also a net that was trained before; may be repeated."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Is an agent against itself an equilibrium? Best-response attempts, and exact values on mini decks."""
    from uno_pomdp.cli.commands.nash import nash as run_nash
    from uno_pomdp.cli.commands.nash_all import asked_about, nash_all

    asked = asked_about(agent, every, population=population, learn=learn, response=responses)
    if asked is None:
        nash_all(as_rules(rules), pairs, sims, ms, seed, processes, folder, plot, as_json, force)
        return
    run_nash(
        as_rules(rules), asked, pairs, sims, ms, seed, processes, folder, plot, population, learn, responses or (),
        as_json, force,
    )  # fmt: skip


@app.command(epilog="Example: uno-pomdp solve mini-9 --save mini-9.npz")
def solve(
    deck: Annotated[
        str | None,
        typer.Argument(
            metavar="RULES",
            help="A mini deck without reshuffle: mini-7, mini-9, …; with --against any rules.",
            show_default="mini-9",
            autocompletion=complete_rules,
        ),
    ] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", help="The same by name.", autocompletion=complete_rules)
    ] = None,
    solver: Annotated[str, typer.Option(help="cfr, cfr+, dcfr or pcfr+.")] = "pcfr+",
    until: Annotated[float, number(Real(0.0, 2.0), "Stop below this exploitability, of results from −1 to 1.")] = 1e-3,
    iterations: Annotated[int, number(ITERATIONS, "Stop after so many in any case.")] = 100_000,
    against: Annotated[
        str | None,
        agent_option(
            "Not an equilibrium, but the best response to this policy, by value iteration; fitted on a full deck."
        ),
    ] = None,
    seat: Annotated[int | None, number(SEAT, "With --against on a mini deck: who responds.", show_default="1")] = None,
    gamma: Annotated[float, number(DISCOUNT, "With --against: the discount of a step.")] = 1.0,
    step_cost: Annotated[float, number(STEP_PENALTY, "With --against: what a step costs.")] = 0.0,
    games: Annotated[int, number(FITTED_GAMES, "With --against on a full deck: games to fit to.")] = 4000,
    seed: Annotated[int, number(SEED, "With --against on a full deck: same seed, same result.")] = 1,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write what is found here, as .npz.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Solve a mini deck to an equilibrium, or any rules against one policy; `--save` makes it an agent.

    `policy:file=FILE` plays what was found on a mini deck. Against one policy a full deck gives a value function, which
    `value:file=…` plays.
    """
    from uno_pomdp.cli.commands.best_response import respond
    from uno_pomdp.cli.commands.solve import check_alone, chosen, solve_rules

    if against is not None:
        who = None if seat is None else seat - 1
        respond(chosen(deck, rules), against, who, gamma, step_cost, games, seed, save, as_json, force)
        return
    check_alone(gamma, step_cost)
    solve_rules(chosen(deck, rules), solver, until, iterations, save, as_json, force)


@app.command(epilog="Example: uno-pomdp advise --rules printed --save table.txt")
def advise(
    rules: RulesIfNew = None,
    first: Annotated[
        str | None, typer.Option(metavar="WHO", help="Who moves first, or next with --middle: me or opponent.")
    ] = None,
    hand: Annotated[str | None, typer.Option(metavar="CARDS", help="Your cards, as in 'r5 gs b+2 w'.")] = None,
    top: Annotated[str | None, typer.Option(metavar="CARD", help="The top card, as in r5 or 'w red'.")] = None,
    middle: Annotated[bool, typer.Option("--middle", help="Begin in the middle of a game.")] = False,
    colour: Annotated[
        str | None, typer.Option(metavar="COLOUR", help="--middle: the colour declared with a black top card.")
    ] = None,
    owed: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: how many are owed for a +2 or +4 on top.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="COLOUR", help="--middle: the colour before a +4 that may be challenged.")
    ] = None,
    opponent: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: how many the opponent holds.")
    ] = None,
    pile: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: how many the draw pile has, or 'played 23'.")
    ] = None,
    played: Annotated[
        str | None, typer.Option(metavar="CARDS", help="--middle: those below the top that you know, or none.")
    ] = None,
    coach: Annotated[str | None, agent_option("Who advises; see `uno-pomdp agents`.", default="a strong one")] = None,
    belief: BeliefText = None,
    seed: Seed = 1,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep your record of the game here.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FILE", help="Go on with a record that was kept.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Advise a player at a real table: type what you see, get what the opponent may hold and the best move."""
    from uno_pomdp.cli.advise.command import advise as run_advise

    start = {"first": first, "hand": hand, "top": top, "colour": colour, "owed": owed, "before": before}
    start |= {"opponent": opponent, "pile": pile, "played": played}
    run_advise(rules, coach, seed, start, save, resume, as_json, force, belief, middle)


@app.command(epilog="Example: uno-pomdp bench engine --quick")
def bench(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One benchmark; without it, all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only show that they work: tiny sizes, no bars.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the benchmarks of a source tree; exit code 1 if a claim does not hold."""
    from uno_pomdp.cli.commands.bench import bench as run_bench

    raise typer.Exit(run_bench(name, quick, as_json))


@app.command(epilog="Example: uno-pomdp train runs/small --config small --seconds 100")
def train(
    folder: Annotated[Path, typer.Argument(help="For checkpoint, curve and net; goes on if it has a checkpoint.")],
    config: Annotated[str, typer.Option(help="champion, mirror, small, mini or mini-mirror.")] = "champion",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Another value of one setting.")
    ] = None,
    against: Annotated[str, typer.Option(help="Learn a best response to this agent, or net in a file.")] = "",
    seconds: Annotated[float | None, number(SECONDS, "End after this time, all runs in the folder together.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.", show_default="cuda where there is one")] = "",
    threads: Annotated[int, number(Whole(0, THREADS.most), "Threads for games.", show_default="one a core")] = 0,
    rules: Annotated[
        str | None,
        typer.Option(help="The rules by name.", show_default="the configuration's", autocompletion=complete_rules),
    ] = None,
    seed: Annotated[int | None, number(SEED, "Same seed, same run.", show_default="0")] = None,
    as_json: AsJson = False,
) -> None:
    """Train a champion by self-play, or a best response to a frozen player; needs the extra `train`."""
    from uno_pomdp.cli.commands.train import train as run_training

    run_training(folder, config, settings or (), against, seconds, device, threads, rules, seed, as_json)


def run() -> None:
    """Run the command; a request that can't be met ends with one sentence and exit code 2."""
    arguments = [word for word in sys.argv[1:] if word != "--debug"]
    with showing_errors(debug=len(arguments) < len(sys.argv) - 1):
        code = invoked(arguments) if arguments else started()
    sys.exit(code)


def started() -> int:
    """Show the menu where a person sits, and the help in a pipe; return the exit code."""
    if COMPLETION in os.environ or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return invoked(["--help"])
    from uno_pomdp.cli.menu import menu

    return menu(invoked)


@cache
def command_line() -> Any:
    """Return all commands and options as Click has them: made once, for the menu runs one after the other."""
    return typer.main.get_command(app)


def invoked(arguments: list[str]) -> int:
    """Run the command with these arguments and return its exit code; its exceptions are passed on.

    Click's own `main` would take an error inside a command for the end of input, or a full disk for a closed pipe.
    """
    command = command_line()
    if COMPLETION in os.environ:  # a shell asks what a word could become: Click answers, and exits
        command.main(arguments, prog_name=NAME)
    try:
        with command.make_context(NAME, arguments) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return 0
