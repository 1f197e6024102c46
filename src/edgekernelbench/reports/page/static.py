"""What the page says before any script runs: whose scores, on which device, how sure."""

from collections.abc import Sequence
from html import escape

from edgekernelbench.metrics.headline import Headline, Score, Withheld
from edgekernelbench.reports.page.shown import shown
from edgekernelbench.reports.portable import PORTABLE, Portable
from edgekernelbench.reports.runs import RunScores
from edgekernelbench.reports.tables import population
from edgekernelbench.reports.text import percent

CLASS_NOTES = {
    "edge": "An edge device.",
    "server": "A server. This is no edge result.",
    "stand-in": "A stand-in for a device that is not here. This is no edge result.",
}

MOST_FLAWS = 10


WORDS = (
    ("Accepted", "not refused."),
    ("Correct", "right on inputs that nobody knew before; @k: at least one of k attempts."),
    ("Fast@1.0", "correct, and faster than the reference by the ratio of medians."),
    ("sure Fast@1.0", "the same, where the lower end of the ratio's own 95 % interval exceeds 1, too."),
    (
        "In brackets",
        "a 95 % interval over patterns. A pattern is one computation whatever its sizes, such as "
        "norm/softmax: its workloads succeed and fail together, so that few patterns leave a wide interval, "
        "even where all of them succeed.",
    ),
    (
        "Times as fast",
        "the geometric mean of the ratios of the correct kernels, in which twice as fast and half as fast "
        "cancel; no score, since what happened to be correct is another set for each agent.",
    ),
)
"""What the words of the headline table mean, where they stand."""


def headlines_html(runs: Sequence[RunScores]) -> str:
    """Write the headline table of each run: runs of different kinds are never in one table."""
    words = " ".join(f"<strong>{escape(word)}</strong>: {escape(text)}" for word, text in WORDS)
    tables = "\n".join(_run(run, number) for number, run in enumerate(runs))
    return f'{tables}\n<p class="fine" id="meaning">{words}</p>\n'


def portable_html(sets: Sequence[Portable]) -> str:
    """Write Portable@1 of each set of runs that judge the same texts on several devices."""
    return "".join(_portable(found, number) for number, found in enumerate(sets))


def _portable(found: Portable, number: int) -> str:
    devices = " · ".join(_text(device) for device in found.devices)
    rows = "".join(_portable_row(agent, score) for agent, score in found.rows)
    return (
        f'<section class="run" aria-labelledby="portable-{number}">\n'
        f'<h3 id="portable-{number}">One text on several devices</h3>\n<p class="where">{devices}</p>\n'
        f'<table class="headline"><thead><tr><th scope="col">agent</th><th scope="col">{PORTABLE}</th></tr>'
        f"</thead>\n<tbody>\n{rows}</tbody></table>\n"
        f'<p class="fine">The share of {found.workloads} workloads whose one text is correct on every device.'
        "</p>\n</section>\n"
    )


def _portable_row(agent: str, score: Score | Withheld) -> str:
    if isinstance(score, Withheld):
        return f'<tr><th scope="row">{_text(agent)}</th><td>no score: {_text(score.reason)}</td></tr>\n'
    return f'<tr><th scope="row">{_text(agent)}</th>{_cell(score)}</tr>\n'


def _run(run: RunScores, number: int) -> str:
    device = run.manifest.device
    track = run.setting("track") or "no track stated"
    title = f"{_text(run.manifest.run)}: {_text(run.setting('suite') or 'own selection')}, {_text(track)}"
    where = f"{device.profile} · {device.cpu or device.machine} · {device.threads} threads"
    kind = f'<span class="class {_text(device.device_class)}">{_text(device.device_class)}</span>'
    note = CLASS_NOTES.get(device.device_class, "Of a class that this release does not know.")
    return (
        f'<section class="run" aria-labelledby="run-{number}">\n'
        f'<h3 id="run-{number}">{title}</h3>\n'
        f'<p class="where">{kind} {_text(where)}. {note}</p>\n'
        f"{_flaws(run)}{_table(run)}"
        f'<p class="fine">{_fine_print(run)}</p>\n</section>'
    )


def _flaws(run: RunScores) -> str:
    if not run.flaws:
        return ""
    places = "".join(f"<li>{_text(str(flaw))}</li>" for flaw in run.flaws[:MOST_FLAWS])
    rest = len(run.flaws) - MOST_FLAWS
    more = f"<li>and {rest} more</li>" if rest > 0 else ""
    return (
        '<div class="flaws"><p><strong>The records of this run were changed after they were written.'
        f"</strong> No score of them can be believed.</p><ul>{places}{more}</ul></div>\n"
    )


def _table(run: RunScores) -> str:
    scored = [row for row in run.rows if isinstance(row, Headline)]
    names = [score.name for score in scored[0].scores] if scored else []
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(_row(row, len(names)) for row in run.rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Scores of {_text(run.manifest.run)}">'
        '<table class="headline">\n'
        f'<thead><tr><th scope="col">agent</th>{heads}<th scope="col">times as fast</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table></div>\n"
    )


def _row(row: Headline | Withheld, columns: int) -> str:
    name = f'<th scope="row">{_text(row.agent)}</th>'
    if isinstance(row, Withheld):
        goes_on = "" if row.barred else "; <code>ekb resume</code> goes on"
        why = f"no score: {_text(row.reason)}{goes_on}"
        return f'<tr>{name}<td colspan="{columns + 1}">{why}</td></tr>\n'
    cells = "".join(_cell(score) for score in row.scores)
    return f"<tr>{name}{cells}<td>{_speedup(row)}</td></tr>\n"


def _speedup(row: Headline) -> str:
    if row.speedup is None:
        return "–"
    mean, count = row.speedup
    return f'{mean:.2f} <span class="interval">geometric mean of {count}</span>'


def _cell(score: Score) -> str:
    value = None if score.value is None else float(score.value)
    if value is None:
        return "<td>–</td>"
    bar = f'<span class="bar" aria-hidden="true"><span class="fill" style="width:{100 * value:.1f}%"></span>'
    interval = ""
    if score.interval is not None:
        low, high = 100 * score.interval.low, 100 * score.interval.high
        bar += f'<span class="whisker" style="left:{low:.1f}%;width:{high - low:.1f}%"></span>'
        interval = f' <span class="interval">[{low:.0f}, {high:.0f}]</span>'
    return f"<td>{percent(value)}{interval}{bar}</span></td>"


def _fine_print(run: RunScores) -> str:
    dirty = ", changed since" if run.manifest.dirty else ""
    commit = f"commit {run.manifest.commit[:12]}{dirty}" if run.manifest.commit else "no commit known"
    made = (
        f"catalogue {run.manifest.catalogue}, {commit}, started {run.manifest.started}, records {run.digest}"
    )
    return " ".join(f"{_text(_begun(note))}." for note in (*run.notes, *population(run), made))


def _begun(note: str) -> str:
    """Begin a sentence with a capital, unless an agent's name with its colon stands there."""
    return note if note.partition(" ")[0].endswith(":") else note[:1].upper() + note[1:]


def _text(value: str) -> str:
    return escape(shown(value, 200))
