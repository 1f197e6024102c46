// What is looked at: the filter, the scores of what it leaves, and the table of attempts.

// Runs of different kinds are looked at one at a time, until a person asks for all.
const START = { run: ONE_KIND ? "" : "0", agent: "", outcome: "", level: "", domain: "", dtype: "", q: "", room: "", faster: "", sort: "workload", down: "" };
const state = { ...START };
const PAGE = 200;
let most = PAGE;

/**
 * Keeps the rows that the filter asks for; `scores` leaves out what would choose rows by what came of them,
 * `everyone` the choice of agents.
 */
function chosen({ scores = false, everyone = false } = {}) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const room = scores || state.room === "" ? Infinity : Number(state.room) * 1024;
  const faster = scores || state.faster === "" ? -Infinity : Number(state.faster);
  return ROWS.filter((row) => (!scores || SCORED_KEYS.has(row.who))
    && (everyone || state.run === "" || row.run === Number(state.run))
    && (everyone || state.agent === "" || row.who === state.agent)
    && (scores || state.outcome === "" || row.outcome === state.outcome)
    && (state.level === "" || row.facts.level === state.level)
    && (state.domain === "" || row.facts.domain === state.domain)
    && (state.dtype === "" || row.facts.dtype === state.dtype)
    && (room === Infinity || (row.workspace ?? Infinity) <= room)
    && (faster === -Infinity || (speedOf(row) ?? -Infinity) > faster)
    && words.every((word) => row.workload.includes(word) || (!scores && row.kind.toLowerCase().includes(word))));
}

const COLUMNS = [
  ["workload", "workload", (row) => row.workload],
  ["agent", "agent", (row) => NAMES.get(row.who)],
  ["number", "attempt", (row) => row.number],
  ["outcome", "outcome", (row) => row.kind],
  ["speed", "speed", (row) => speedOf(row)],
  ["sure", "surely", (row) => speedOf(row, REFERENCE, true)],
  ["vendor", "of vendor", (row) => speedOf(row, "vendor")],
  ["ns", "time", (row) => row.ns],
  ["reference", "reference", (row) => row.reference_ns],
  ["workspace", "workspace", (row) => row.workspace],
  ["code", "code", (row) => row.code_bytes],
  ["tokens", "tokens", (row) => row.tokens],
];
const TITLES = {
  speed: "times as fast as the reference", sure: "lower end of the 95 % interval of the speed", vendor: "times as fast as the vendor's library",
  ns: "median of a run", reference: "time of a run of the reference that was measured in turn with this kernel", workspace: "peak, all scopes", code: "machine code", tokens: "read and written",
};

const ABOUT_APART = "the reference took another time than beside the other kernels for the workload, by more than repetition shows. The machine was not the same for them: hold no time of such a row against theirs, and speeds only as far as it slowed kernel and reference alike.";

// A column in which no attempt has anything, or all are the first, only takes room.
const KNOWN_COLUMNS = COLUMNS.filter(([name, , value]) => ["workload", "agent", "outcome", "speed"].includes(name) || ROWS.some(value));

/** Sorts rows by a column; what has no value stands last in either direction. */
function sorted(rows) {
  const [, , value] = COLUMNS.find(([name]) => name === state.sort) ?? COLUMNS[0];
  const way = state.down ? -1 : 1;
  return rows.map((row) => [value(row), row]).sort(([a, one], [b, two]) => {
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return way * d3.ascending(a, b) || d3.ascending(one.workload, two.workload) || one.run - two.run || one.at - two.at;
  }).map(([, row]) => row);
}

function cellsOf(row) {
  const link = el("a", { href: `#/attempt/${row.run}/${row.at}` }, row.workload);
  const word = el("span", { class: `outcome ${row.outcome}` }, row.kind);
  const reference = row.apart ? el("span", { class: "apart", title: ABOUT_APART }, `${APART} ${duration(row.reference_ns)}`) : duration(row.reference_ns);
  const cells = {
    workload: link, agent: NAMES.get(row.who), number: row.number, outcome: word, speed: times(speedOf(row)),
    sure: times(speedOf(row, REFERENCE, true)), vendor: times(speedOf(row, "vendor")), ns: duration(row.ns), reference,
    workspace: bytes(row.workspace), code: bytes(row.code_bytes), tokens: row.tokens?.toLocaleString("en") ?? "–",
  };
  return KNOWN_COLUMNS.map(([name]) => cells[name]);
}

function attemptsTable(rows, change) {
  const head = KNOWN_COLUMNS.map(([name, title]) => {
    const on = state.sort === name;
    const way = on ? (state.down ? "descending" : "ascending") : null;
    const turn = () => change({ sort: name, down: on && !state.down ? "1" : "" });
    return el("th", { scope: "col", class: name === "outcome" ? "said" : null, "aria-sort": way, title: TITLES[name] },
      el("button", { type: "button", onclick: turn, "data-sort": name }, title, el("span", { "aria-hidden": "true" }, on ? (state.down ? " ▼" : " ▲") : " ↕")));
  });
  const body = rows.slice(0, most).map((row) => el("tr", { title: row.reason || null },
    cellsOf(row).map((cell, at) => el(at ? "td" : "th", at ? { class: KNOWN_COLUMNS[at][0] === "outcome" ? "said" : null } : { scope: "row" }, cell))));
  const table = el("table", { class: "attempts" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body));
  const none = rows.length === 0 && el("p", { class: "none" }, "No attempt is all that was asked for. ", nearMisses().join(" ") || "Ask for less.");
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of attempts" }, table, none);
}

/** Says, where nothing is left, what the next best would be if one limit were given up. */
function nearMisses() {
  const without = (name) => {
    const limit = state[name];
    state[name] = "";
    const rows = chosen();
    state[name] = limit;
    return limit === "" ? [] : rows;
  };
  const whose = (row) => `${row.workload} by ${NAMES.get(row.who)}`;
  const fastest = d3.greatest(without("faster").filter((row) => speedOf(row) !== undefined), (row) => speedOf(row));
  const smallest = d3.least(without("room").filter((row) => row.workspace !== undefined), (row) => row.workspace);
  return [
    fastest && `Without the limit of speed, the fastest is ${times(speedOf(fastest))}: ${whose(fastest)}.`,
    smallest && `Without the limit of workspace, the smallest takes ${bytes(smallest.workspace)}: ${whose(smallest)}.`,
  ].filter(Boolean);
}

const valuesOf = (name) => [...new Set(ROWS.map((row) => row.facts[name]).filter(Boolean))].sort();

/** Names a run by what tells it from others; on several devices it is named by its device. */
function runLabel(run) {
  const track = run.settings.track || "write";
  return run.name === run.device.profile ? `${run.name}: ${track}` : `${run.name}: ${track} on ${run.device.profile}`;
}

function filterForm(change) {
  const any = (name, values = valuesOf(name)) => [["", "any"], ...values.map((value) => [value, value])];
  const pick = (label, name, options) => choice(label, name, options, state[name], (value) => change({ [name]: value }));
  const type = (label, name, attributes) => field(label, name, state[name], (value) => change({ [name]: value }), attributes);
  return el("form", { class: "filter", "aria-label": "What to look at", onsubmit: (event) => event.preventDefault() },
    type("workload", "q", { type: "search", placeholder: "conv i8", id: "words" }),
    RUNS.length > 1 && pick("run", "run", [["", ONE_KIND ? "all" : "all, each for itself"], ...RUNS.map((run, at) => [at, runLabel(run)])]),
    pick("agent", "agent", [["", "all"], ...WHO.filter((who) => state.run === "" || who.run === Number(state.run)).map((who) => [who.key, who.name])]),
    pick("element type", "dtype", any("dtype")),
    valuesOf("level").length > 0 && pick("level", "level", any("level")),
    valuesOf("domain").length > 0 && pick("domain", "domain", any("domain")),
    pick("outcome", "outcome", any("outcome", OUTCOMES)),
    type("faster than, times", "faster", { type: "number", min: 0, step: "any", placeholder: "1.0" }),
    type("workspace up to, KiB", "room", { type: "number", min: 0, step: "any", placeholder: "64" }),
    el("button", { type: "button", id: "all", onclick: () => change({ ...START, run: "" }) }, "Show all"));
}

// What is chosen, in words: on paper there is no filter to look at.
const CHOICES = {
  q: ["workload", (value) => `with ${value}`], run: ["run", (value) => RUNS[value]?.name ?? value], agent: ["agent", (value) => NAMES.get(value) ?? value],
  dtype: ["element type", String], level: ["level", String], domain: ["domain", String], outcome: ["outcome", String],
  faster: ["faster than", (value) => `${value}×`], room: ["workspace up to", (value) => `${value} KiB`],
};

/** Says what is chosen and how many attempts that leaves, and leads to them: the table is far below. */
function choiceLine(rows) {
  const chosen = Object.entries(CHOICES).filter(([name]) => state[name] !== "").map(([name, [label, write]]) => `${label} ${write(state[name])}`);
  return [
    `${chosen.length ? `Chosen: ${chosen.join(", ")}` : "Nothing is left out"}: ${count(rows.length, "attempt")} of ${ROWS.length.toLocaleString("en")}. `,
    el("a", { href: "#attempts" }, "See them"), ...(SCORED.length > 1 ? [" · ", el("a", { href: "#difference" }, "Is the difference real?")] : []),
  ];
}

/** Writes the scores of what is chosen, a row for each agent; runs of different kinds have a table each. */
function chosenScores(rows) {
  if (!rows.length) return [el("p", { class: "none" }, "Nothing is chosen.")];
  const tables = ONE_KIND ? [["", rows]] : d3.groups(rows, (row) => row.run).map(([run, own]) => [RUNS[run].name, own]);
  return [
    ...tables.map(([name, own]) => scoresOf(own, name ? `Scores of what is chosen of ${name}` : "Scores of what is chosen")),
    el("p", { class: "fine" }, "In brackets a 95 % interval, over patterns: the fewer there are, the wider. Times as fast: geometric mean over the correct kernels, which is no score."),
  ];
}

function scoresOf(rows, label) {
  const cell = ({ value, interval, patterns }) => [percent(value), " ", el("span", { class: "interval" }, value === null ? "" : range(interval, patterns))];
  const speed = (own) => {
    const found = meanSpeed(own);
    return found ? [times(found.mean), " ", el("span", { class: "interval" }, `of ${found.count}`)] : "–";
  };
  return tableOf(["agent", "workloads", "patterns", "attempts", ...SCORES.map(([name]) => name), "times as fast"], d3.groups(rows, (row) => row.who).map(([key, own]) => [
    NAMES.get(key), new Set(own.map((row) => row.workload)).size, new Set(own.map((row) => row.pattern)).size, own.length,
    ...SCORES.map(([, holds]) => cell(score(own, holds))), speed(own),
  ]), { label });
}

/** Lists what failed, the commonest first, each kind with one example. */
function failuresTable(rows) {
  const kinds = d3.groups(rows.filter((row) => !isCorrect(row)), (row) => row.kind);
  if (!kinds.length) return el("p", { class: "none" }, "Nothing failed.");
  kinds.sort(([a, one], [b, two]) => two.length - one.length || d3.ascending(a, b));
  return tableOf(["kind", "attempts", "agents", "for example"], kinds.map(([kind, own]) => {
    const example = own.find((row) => row.reason) ?? own[0];
    return [
      el("span", { class: `outcome ${own[0].outcome}` }, kind), own.length,
      [...d3.rollup(own, (group) => group.length, (row) => NAMES.get(row.who))].map(([name, n]) => `${name} ${n}`).join(", "),
      [el("a", { href: `#/attempt/${example.run}/${example.at}` }, example.workload), el("p", { class: "reason" }, example.reason)],
    ];
  }), { label: "Kinds of failure", words: ["agents", "for example"] });
}
