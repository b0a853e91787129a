"""The pages say what is so: examples run, records parse, tables are complete, files and tests that are named exist."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest

import uno_pomdp
from benchmarks import bluffing, particle_filter
from tests.cli.inside import call
from tools import agents_page, api_page
from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.game.layout import OBSERVATION, STATE
from uno_pomdp.game.notation import parse_record
from uno_pomdp.rules import CHOICES, FIELDS, PRESETS

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = sorted(path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return the code of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def tables(text: str) -> list[list[str]]:
    """Return the rows of a page's tables, cell by cell."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_first_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    outcome, record, chance, decision, result = output_of(blocks(page("README.md"), "python")[0], capsys)
    assert re.fullmatch(r"player [12] wins \(emptied hand\)", outcome)
    assert record == "uno-pomdp game, version 2, seen by player 1"
    assert 0.0 <= float(chance.removeprefix("P(player 2 has nothing playable) = ")) <= 1.0
    action, _, candidates = decision.partition(" ")
    assert candidates.startswith(f"[('{action}', 0.")
    assert result.startswith("heuristic v baseline: 5")


def test_the_second_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    example = blocks(page("README.md"), "python")[1]
    assert example.count("pairs=500") == 1
    fewer = example.replace("pairs=500", "pairs=50")  # with the luck of each game they take their time
    points, response, exact, value, verdict = output_of(fewer, capsys)
    assert points.startswith("Interval(")
    assert response == "the best response to greedy earns 0.450"
    assert "exploitability" in exact
    assert value.startswith("Bracket(low=0.34")
    assert verdict.startswith("On mini-7 heuristic against itself is no equilibrium")
    assert len(blocks(page("README.md"), "python")) == 2


@pytest.mark.parametrize("name", PAGES)
def test_examples_use_the_front_door_alone(name: str) -> None:
    """Only the changelog, which speaks of the past, may name another way in; an environment of a kit is its own."""
    code = "\n".join(blocks(page(name), "python"))
    other = r"^\s*(from uno_pomdp\.(?!adapters)|import uno_pomdp\.(?!adapters)|from uno_pomdp import)"
    assert not re.search(other, code, flags=re.MULTILINE)


def test_the_page_of_the_front_door_is_written_from_its_docstrings() -> None:
    assert page("docs/api.md") == api_page.page(), "run python tools/api_page.py"
    names = {name for names in uno_pomdp._HOMES.values() for name in names}
    assert set(re.findall(r"^### `(\w+)`$", page("docs/api.md"), re.MULTILINE)) == names


def test_the_tables_of_the_page_of_agents_are_written_from_their_fields() -> None:
    text = page("docs/agents.md")
    assert text == agents_page.page(text), "run python tools/agents_page.py"
    rows = [row[0] for row in tables(text)]
    assert set(AGENTS) <= {row.strip("`") for row in rows}
    options = {option for kind in AGENTS.values() for option in kind.options()}
    assert options <= {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_example_of_the_beliefs_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output_of(blocks(page("docs/beliefs.md"), "python")[0], capsys)
    assert 0.0 <= float(lines[0]) <= 1.0
    assert lines[-1] == "1000"


def test_the_example_of_the_page_on_the_particle_filter_runs(capsys: pytest.CaptureFixture[str]) -> None:
    size, times, name = output_of(blocks(page("docs/particle_filter.md"), "python")[0], capsys)
    assert re.fullmatch(r"effective sample size \d+ of \d+, \d+ distinct hands", size)
    assert re.fullmatch(r"resampled \d+, rejuvenated \d+ times", times)
    assert name == "flat:sims=20,belief=particles,particles=50,model=greedy"


def test_the_screen_on_the_page_of_the_particle_filter_is_what_its_command_shows() -> None:
    (command,) = [code for code in blocks(page("docs/particle_filter.md"), "sh") if code.startswith("uno-pomdp")]
    (screen,) = blocks(page("docs/particle_filter.md"), "text")
    shown = [line.rstrip() for line in call(*command.split()[1:]).out.splitlines()]
    assert screen in "\n".join(shown) + "\n"


def test_the_commands_on_the_page_of_the_particle_filter_measure_every_part() -> None:
    found = re.findall(r"benchmarks\.particle_filter --part ([\w-]+)\n", page("docs/particle_filter.md"))
    assert sorted(found) == sorted(particle_filter.PARTS)


def test_the_example_of_the_page_on_bluffing_runs(capsys: pytest.CaptureFixture[str]) -> None:
    solution, baseline = output_of(blocks(page("docs/bluffing.md"), "python")[0], capsys)
    assert "4,040 information sets" in solution
    assert "exploitability" in baseline


def test_the_commands_on_the_page_of_bluffing_measure_every_part() -> None:
    found = re.findall(r"benchmarks\.bluffing --part ([\w-]+)\n", page("docs/bluffing.md"))
    assert sorted(found) == sorted(bluffing.PARTS)


def test_the_examples_of_the_page_on_exact_play_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trees, models = blocks(page("docs/equilibrium.md"), "python")
    size, greedy, best, solution = output_of(trees, capsys)
    assert "716" not in size  # the two players' information sets are counted apart
    assert "364 + 352 information sets" in size
    assert "exploitability 0.098302" in greedy
    assert float(best) == pytest.approx(0.45)
    assert solution.startswith("<SolvedGame mini-7: 716 information sets, value to player 1 from +0.348")
    reward, total, *_, bound = output_of(models, capsys)
    assert float(reward) in (-1.0, 0.0, 1.0)
    assert float(total) == pytest.approx(1.0)
    assert float(bound) == pytest.approx(0.516667, abs=1e-6)
    assert {path.name for path in tmp_path.iterdir()} == {"mini-7.npz", "best-response.npz"}


def test_the_example_of_the_page_on_reviews_runs(capsys: pytest.CaptureFixture[str]) -> None:
    accuracies, *worst = output_of(blocks(page("docs/review.md"), "python")[0], capsys)
    assert all(0.0 <= float(accuracy) <= 100.0 for accuracy in accuracies.strip("[]").split(", "))
    assert all(re.fullmatch(r"\d+ \S+ lost 0\.\d{3} ± 0\.\d{3}, better \S+", line) for line in worst)


def test_the_tutorial_makes_an_agent_in_30_lines_that_keeps_every_law(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    look, agent, check = blocks(page("docs/tutorial.md"), "python")
    first, *chances = output_of(look, capsys)
    assert first.startswith("player 1 holds ")
    assert all(0.0 <= float(line.rpartition(" ")[2]) <= 1.0 for line in chances)
    assert len([line for line in agent.splitlines() if line.strip() and not line.startswith(("from", "import"))]) <= 30
    Path("mine.py").write_text(agent)
    try:
        assert output_of(check, capsys) == ["py:mine.Dreamer,worlds=300"]
    finally:
        sys.modules.pop("mine", None)


def output_of(code: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run an example and return the lines that it prints."""
    exec(compile(code, "README.md", "exec"), {"__name__": "example"})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("name", ["README.md", "docs/records.md"])
def test_records_on_the_pages_are_records(name: str) -> None:
    texts = blocks(page(name), "text")
    assert texts
    for text in texts:
        parse_record(text)


def test_the_record_of_the_readme_is_a_golden_game() -> None:
    assert blocks(page("README.md"), "text") == [page("tests/golden/mini-7.txt")]


def test_the_readme_lists_every_preset_with_its_numbers_and_every_field_with_its_values() -> None:
    rows = tables(page("README.md"))
    listed = {row[0].strip("`"): row[1:3] for row in rows if row[0].strip("`") in PRESETS}
    assert listed == {name: [str(len(known.rules.deck)), str(known.rules.hand_size)] for name, known in PRESETS.items()}
    fields = {row[0].strip("`"): row[1:] for row in rows if row[0].strip("`") in FIELDS}
    assert list(fields) == list(FIELDS)
    for name, values in CHOICES.items():
        named = [part.partition(":")[0].strip("` ") for cell in fields[name] for part in cell.split("·")]
        assert named == list(values)


def test_the_page_on_records_names_every_field_of_rules() -> None:
    (row,) = (row for row in tables(page("docs/records.md")) if "`skip:`" in row[0])
    assert re.findall(r"`(\w+):`", row[0]) == list(CHOICES)


def test_the_speed_figures_of_the_comparison_are_those_of_the_benchmarks() -> None:
    measured = {row[1] for row in tables(page("docs/benchmarks.md"))}
    section = page("docs/comparison.md").partition("## Speed")[2].partition("\n## ")[0]
    figures = {cell for row in tables(section)[2:] for cell in row[1:] if cell}
    assert figures
    assert figures <= measured, f"copy these from docs/benchmarks.md: {sorted(figures - measured)}"


def test_the_state_record_on_the_page_is_the_one_in_memory() -> None:
    rows = tables(page("docs/architecture.md"))
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row[0]) if len(row) == 3]
    assert named == list(STATE.names or ())
    assert f"of {STATE.itemsize} bytes" in page("docs/architecture.md")
    assert OBSERVATION.itemsize < STATE.itemsize


def test_no_cell_beside_other_packages_is_empty() -> None:
    head, _, *rows = tables(page("docs/comparison.md").partition("## Beside other packages")[2])
    assert len(rows) >= 10
    assert all(len(row) == len(head) and all(row) for row in rows)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page(name)):
        assert "://" in target or ((ROOT / name).parent / target).exists(), target


@pytest.mark.parametrize("name", PAGES)
def test_files_modules_and_tests_that_a_page_names_exist(name: str) -> None:
    text = page(name)
    for path, test in re.findall(r"`((?:tests|benchmarks|docs|src)/[\w./-]*\w)(?:::(\w+))?`", text):
        assert (ROOT / path).exists(), path
        assert not test or f"def {test}(" in page(path), test
    for package, module in re.findall(r"`(uno_pomdp|benchmarks)\.([a-z_.]+)`", text):
        source = ROOT / ("src" if package == "uno_pomdp" else "") / package / module.replace(".", "/")
        assert source.with_suffix(".py").exists() or source.is_dir(), module


def test_every_section_of_the_model_names_its_module_and_its_test() -> None:
    _, *sections = re.split(r"^## ", page("MATH.md"), flags=re.MULTILINE)
    for section in sections:
        title = section.partition("\n")[0]
        assert re.search(r"\bModules? `(uno_pomdp|benchmarks\.experiments)\.", section), title
        assert re.search(r"`tests/[\w/]+\.py(::\w+)?`", section), title
