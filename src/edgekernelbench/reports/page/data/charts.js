// The pictures. Each is a function from rows to one that gives options of Plot, or to a sentence that says why there is none.

// Eight colours that stay apart for colour-blind eyes (Okabe and Ito 2008), and as many shapes and dashes besides.
const COLOURS = d3.range(8).map((at) => `var(--who-${at})`);
const SHAPES = ["circle", "square", "triangle", "diamond", "star", "cross", "wye", "times"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 4", "1 2", "6 2 1 2"];
const KEYS = WHO.map((who) => who.key);
const colourOf = (key) => COLOURS[KEYS.indexOf(key) % 8];
const shapeOf = (key) => SHAPES[KEYS.indexOf(key) % 8];
const dashOf = (key) => DASHES[KEYS.indexOf(key) % 8];

const LOG_RATIO = { type: "log", base: 2, tickFormat: ratioTick, ticks: 6, grid: true };
const ONE = (mark) => mark([1], { stroke: "var(--ink-soft)", strokeDasharray: "4 3" });

function rowTitle(row) {
  const lines = [row.workload, NAMES.get(row.who), row.kind];
  if (row.ns) lines.push(`${duration(row.ns)}, ${times(speedOf(row))} the reference's speed`);
  return lines.join("\n");
}

/** Ticks of an axis that counts things: whole ones alone. */
const wholeTicks = (most) => ({ ticks: d3.ticks(0, Math.max(1, most), 6).filter(Number.isInteger), tickFormat: "d" });

const named = (rows) => d3.groups(rows, (row) => row.who).filter(([key]) => NAMES.has(key));
const timed = (rows, baseline = REFERENCE) => rows.filter((row) => speedOf(row, baseline) !== undefined);

/** Dots that open their attempt when they are clicked. */
function dots(rows, x, y) {
  return Plot.dot(rows, {
    x, y, stroke: (row) => colourOf(row.who), symbol: (row) => shapeOf(row.who), strokeWidth: 1.5, r: 3.5,
    fill: "none",
  });
}

const tips = (rows, x, y) => Plot.tip(rows, Plot.pointer({ x, y, title: rowTitle, fill: "var(--paper)" }));
const SYMBOLS = { symbol: { type: "identity" }, color: { type: "identity" } };

function correctAndFast(rows) {
  const own = named(rows).filter(([, rows]) => shares(rows, SCORES[2][1]));
  if (!own.length) return "no agent has both scores for what is chosen";
  return () => correctAndFastOf(own.map(([key, rows]) => ({
    key, run: RUNS[rows[0].run].name, correct: score(rows, isCorrect), fast: score(rows, SCORES[2][1]),
  })));
}

function correctAndFastOf(points) {
  const arm = (of) => (point) => point[of].interval ?? { low: point[of].value, high: point[of].value };
  // Runs of different devices or tracks never share a frame.
  const fx = (d) => d.run;
  const frames = [...new Set(points.map(fx))];
  return {
    marginTop: frames.length > 1 ? 48 : 32,
    fx: { label: null, domain: frames, axis: frames.length > 1 ? "top" : null },
    x: { label: "Correct@1 →", domain: [0, 100], percent: true, grid: true },
    y: { label: "↑ Fast@1.0", domain: [0, 100], percent: true, grid: true },
    ...SYMBOLS,
    marks: [
      Plot.line([[0, 0], [1, 1]], { stroke: "var(--ink-soft)", strokeDasharray: "4 3" }),
      Plot.ruleY(points, {
        y: (d) => d.fast.value, x1: (d) => arm("correct")(d).low, x2: (d) => arm("correct")(d).high,
        stroke: (d) => colourOf(d.key), fx,
      }),
      Plot.ruleX(points, {
        x: (d) => d.correct.value, y1: (d) => arm("fast")(d).low, y2: (d) => arm("fast")(d).high,
        stroke: (d) => colourOf(d.key), fx,
      }),
      Plot.dot(points, {
        x: (d) => d.correct.value, y: (d) => d.fast.value, r: 6, stroke: (d) => colourOf(d.key),
        fill: "var(--paper)", symbol: (d) => shapeOf(d.key), strokeWidth: 2, fx,
      }),
      ...labelled(points).map(({ point, right, dy }) => Plot.text([point], {
        x: (d) => d.correct.value, y: (d) => d.fast.value, text: (d) => WHO[KEYS.indexOf(d.key)].about.name, fx,
        dx: right ? 10 : -10, dy, textAnchor: right ? "start" : "end", stroke: "var(--paper)", fill: "currentColor", strokeWidth: 4,
      })),
    ],
  };
}

/** Places names inside the frame, away from its axes and from one another; sizes are about those of the drawn frame. */
function labelled(points) {
  const placed = [];
  return d3.sort(points, (d) => d.correct.value, (d) => d.fast.value).map((point) => {
    const [right, low] = [point.correct.value < 0.5, point.fast.value < 0.5];
    const [x, y, step] = [440 * point.correct.value, 230 * (1 - point.fast.value), low ? -13 : 13];
    const near = (dy) => placed.some((one) => one.run === point.run && Math.abs(one.x - x) < 110 && Math.abs(one.y - y - dy) < 13);
    let dy = step;
    while (near(dy)) dy += step;
    placed.push({ run: point.run, x, y: y + dy });
    return { point, right, dy };
  });
}

function fastAt(baseline) {
  return (rows) => {
    if (!BASELINES.includes(baseline)) return `no kernel was timed beside ${baselineName(baseline)}`;
    const known = named(rows).filter(([, own]) => own.every((row) => isJudged(row) && isFast(row, 1, baseline, false) !== null));
    if (!known.length) return `no agent was timed beside ${baselineName(baseline)} on all that is chosen`;
    return () => fastCurves(known, baseline);
  };
}

function fastCurves(known, baseline) {
  const line = (key, own, sure) => Plot.line(fastCurve(own, baseline, sure), {
    x: "p", y: "share", stroke: colourOf(key), strokeDasharray: dashOf(key), curve: "step-after",
    strokeWidth: sure ? 1 : 2, strokeOpacity: sure ? 0.55 : 1,
  });
  return {
    x: { ...LOG_RATIO, label: `p, times as fast as ${baselineName(baseline)} →` },
    y: { label: "↑ Fast@p", domain: [0, 100], percent: true, grid: true },
    color: { type: "identity" },
    marks: [ONE(Plot.ruleX), ...known.flatMap(([key, own]) => [line(key, own, true), line(key, own, false)])],
  };
}

function distribution(rows) {
  const found = timed(rows);
  if (!found.length) return "no correct kernel was timed";
  const own = KEYS.filter((key) => found.some((row) => row.who === key));
  return () => ({
    height: 60 + 90 * own.length,
    marginLeft: 46, marginRight: 10, insetTop: 18,
    x: { label: "log₂ of times as fast as the reference →", grid: true },
    y: { label: "↑ kernels", grid: true, ticks: 3, tickFormat: (v) => (Number.isInteger(v) ? v : "") },
    fy: { label: null, axis: null, domain: own },
    color: { type: "identity" },
    marks: [
      Plot.rectY(found, Plot.binX({ y: "count" }, {
        x: (row) => Math.log2(speedOf(row)), fy: "who", fill: (row) => colourOf(row.who), thresholds: 24,
        inset: 0.5,
      })),
      Plot.ruleX([0], { stroke: "currentColor", strokeDasharray: "4 3" }),
      Plot.tickX(found, Plot.groupZ({ x: "median" }, {
        x: (row) => Math.log2(speedOf(row)), z: "who", fy: "who", stroke: "currentColor", strokeWidth: 2.5,
      })),
      Plot.text(own, { fy: (key) => key, text: (key) => NAMES.get(key), frameAnchor: "top-left", dx: 4, dy: 2, stroke: "var(--paper)", fill: "currentColor", strokeWidth: 4 }),
    ],
  });
}

function roofline(rows) {
  const found = timed(rows).filter((row) => row.facts.operations && row.facts.bytes);
  if (!found.length) return "no timed kernel's operations are known: the catalogue here is not the run's";
  return () => rooflineOf(found);
}

function rooflineOf(found) {
  const intensity = (row) => row.facts.operations / row.facts.bytes;
  const rate = (row) => (row.facts.operations / row.ns) * 1e9;
  const flow = (row) => (row.facts.bytes / row.ns) * 1e9;
  const bounded = found.filter((row) => row.bound_ns);
  const limit = (row) => (row.facts.operations / row.bound_ns) * 1e9;
  const [peak, stream] = [d3.max(found, rate), d3.max(found, flow)];
  const [low, high] = d3.extent(found, intensity);
  const knee = peak / stream;
  const roof = [low, knee, high].filter((at) => at >= low && at <= high).sort(d3.ascending)
    .map((at) => ({ at, most: Math.min(peak, at * stream) }));
  return {
    x: { type: "log", label: "operations of the canonical text a byte of inputs and outputs →", grid: true, tickFormat: "~s", ticks: 5 },
    y: { type: "log", label: "↑ operations a second", grid: true, tickFormat: "~s", ticks: 5 },
    ...SYMBOLS,
    marks: [
      bounded.length ? [
        Plot.ruleX(bounded, { x: intensity, y1: rate, y2: limit, stroke: (row) => colourOf(row.who), strokeOpacity: 0.35 }),
        Plot.dot(bounded, { x: intensity, y: limit, r: 2, fill: "currentColor" }),
      ] : Plot.line(roof, { x: "at", y: "most", stroke: "currentColor", strokeDasharray: "4 3" }),
      dots(found, intensity, rate),
      tips(found, intensity, rate),
    ],
  };
}

function beside(field, label) {
  return (rows) => {
    const found = timed(rows).filter((row) => row[field] !== undefined);
    if (!found.length) return `no record says the ${label} of a timed kernel${field === "code_bytes" ? ": --timing final does" : ""}`;
    const x = (row) => Math.max(1, row[field]);
    const speed = (row) => speedOf(row);
    return () => ({
      x: { type: "log", base: 2, label: `${label} →`, tickFormat: bytes, ticks: 6, grid: true },
      y: { ...LOG_RATIO, label: "↑ times as fast as the reference" },
      ...SYMBOLS,
      marks: [ONE(Plot.ruleY), dots(found, x, speed), tips(found, x, speed)],
    });
  };
}

function outcomes(rows) {
  const counts = named(rows).flatMap(([key, own]) =>
    OUTCOMES.map((outcome) => ({ key, outcome, n: own.filter((row) => row.outcome === outcome).length })))
    .filter((d) => d.n);
  const own = [...new Set(counts.map((d) => d.key))];
  if (!own.length) return "nothing is chosen";
  const most = d3.max(d3.rollup(counts, (group) => d3.sum(group, (d) => d.n), (d) => d.key).values());
  return () => ({
    height: 60 + 44 * own.length, marginLeft: 10, marginTop: 12, insetTop: 14,
    x: { label: "attempts →", grid: true, ...wholeTicks(most) },
    y: { label: null, axis: null, domain: own, padding: 0.45 },
    color: { type: "identity" },
    marks: [
      Plot.barX(counts, Plot.stackX({ order: OUTCOMES }, {
        x: "n", y: "key", z: "outcome", fill: (d) => `var(--outcome-${d.outcome})`, inset: 0.5,
        title: (d) => `${NAMES.get(d.key)}: ${count(d.n, "attempt")} ${d.outcome}`,
      })),
      Plot.text(own, { y: (key) => key, text: (key) => NAMES.get(key), frameAnchor: "left", textAnchor: "start", dx: 2, dy: -17 }),
    ],
  });
}

function budget(rows) {
  const spent = rows.filter((row) => row.tokens);
  if (!spent.length) return "no agent of what is chosen spent tokens";
  return () => budgetOf(rows, spent);
}

function budgetOf(rows, spent) {
  const steps = named(spent).flatMap(([key, own]) => {
    const all = rows.filter((row) => row.who === key).length;
    let reached = 0;
    return d3.sort(own, (row) => row.tokens).map((row) => {
      reached += isCorrect(row) ? 1 / all : 0;
      return { key, tokens: row.tokens, reached };
    });
  });
  return {
    x: { type: "log", label: "tokens of an attempt, at most →", grid: true, ticks: 5, tickFormat: "~s" },
    y: { label: "↑ attempts that were correct by then", percent: true, domain: [0, 100], grid: true },
    color: { type: "identity" },
    marks: named(spent).map(([key]) => Plot.line(steps.filter((d) => d.key === key), {
      x: "tokens", y: "reached", stroke: colourOf(key), strokeDasharray: dashOf(key), curve: "step-after",
      strokeWidth: 2,
    })),
  };
}

function sensor(field, label) {
  return (rows) => {
    const found = rows.filter((row) => row[field] !== undefined && row.order !== undefined);
    if (!found.length) return "this machine shows its sensors to nobody, or nothing was timed";
    const order = (row) => row.order;
    return () => ({
      x: { label: "attempts in the order in which they were judged →", grid: true, ...wholeTicks(d3.max(found, order)) },
      y: { label, grid: true, zero: false },
      ...SYMBOLS,
      marks: [dots(found, order, field), tips(found, order, field)],
    });
  };
}

/** How the best speed of an agent's attempts grew with what it measured. */
function searching(rows) {
  const found = rows.filter((row) => row.curve);
  const most = d3.max(found, (row) => row.submissions ?? 0);
  if (!most) return "no attempt that is chosen measured anything on its way";
  return () => searchingOf(found, most);
}

function searchingOf(found, most) {
  const lines = named(found).map(([key, own]) => d3.range(0, most + 1).map((spent) => {
    const best = own.map((row) => row.curve.filter(([used]) => used <= spent).at(-1)?.[1] ?? 0);
    return { key, spent, share: best.filter((ratio) => ratio > 1).length / own.length };
  }));
  return {
    x: { label: "submissions of an attempt →", grid: true, ...wholeTicks(most) },
    y: { label: "↑ attempts faster than the reference by then", percent: true, domain: [0, 100], grid: true },
    color: { type: "identity" },
    marks: lines.map((line) => Plot.line(line, {
      x: "spent", y: "share", stroke: colourOf(line[0].key), strokeDasharray: dashOf(line[0].key), curve: "step-after", strokeWidth: 2,
    })),
  };
}

function layerGains(rows) {
  const found = rows.flatMap((row) => Object.entries(row.gains ?? {}).map(([layer, gain]) => ({ ...row, layer, gain })));
  if (!found.length) return "no attempt that is chosen credits a layer with a gain";
  const layers = [...new Set(["compute", "schedule", "memory", ...found.map((d) => d.layer)])];
  return () => ({
    marginLeft: 80,
    x: { ...LOG_RATIO, label: "times as fast, of what the layer was credited with →" },
    y: { type: "band", domain: layers, label: null },
    ...SYMBOLS,
    marks: [
      ONE(Plot.ruleX),
      dots(found, "gain", "layer"),
      Plot.tickX(found, Plot.groupY({ x: "median" }, { x: "gain", y: "layer", stroke: "currentColor", strokeWidth: 3 })),
      tips(found, "gain", "layer"),
    ],
  });
}

/** How speed held while a kernel ran on end, against its first moment. */
function endurance(rows) {
  const found = rows.filter((row) => row.held);
  if (!found.length) return "no kernel that is chosen was run on end";
  const points = found.flatMap((row) => row.held.map(([ms, speed]) => ({ ...row, seconds: ms / 1000, held: speed })));
  return () => ({
    x: { label: "seconds on end →", grid: true },
    y: { label: "↑ speed against its first moment", percent: true, grid: true, zero: true },
    ...SYMBOLS,
    marks: [
      Plot.line(points, { x: "seconds", y: "held", z: (d) => `${d.run} ${d.at}`, stroke: (d) => colourOf(d.who), strokeWidth: 1.5 }),
      tips(points, "seconds", "held"),
    ],
  });
}

function steadiness(rows) {
  const found = rows.filter((row) => row.drift && row.order !== undefined);
  if (!found.length) return "no kernel was timed";
  const order = (row) => row.order;
  return () => ({
    x: { label: "attempts in the order in which they were judged →", grid: true, ...wholeTicks(d3.max(found, order)) },
    y: { type: "log", label: "↑ last samples over first", tickFormat: (v) => significant(v, 4), ticks: 5, grid: true },
    ...SYMBOLS,
    marks: [ONE(Plot.ruleY), dots(found, order, "drift"), tips(found, order, "drift")],
  });
}

const PICTURES = [
  ["correct-fast", "Correct against fast", "Nothing lies above the dashed line: only a correct kernel can be fast. Bars are 95 % intervals.", correctAndFast],
  ["outcomes", "What attempts came to", "Every planned attempt, by outcome.", outcomes],
  ["fast-reference", "Fast@p against the reference", "The share of attempts that are right and more than p times as fast. Thin lines: surely, by the lower end of the 95 % interval.", fastAt(REFERENCE)],
  ["fast-vendor", "Fast@p against the vendor's library", "The fastest correct one of the libraries that a practitioner would ship.", fastAt("vendor")],
  ["distribution", "Speed-ups of correct kernels", "How many kernels at each speed; the dashed line is the reference, the tick the median. What failed is not here.", distribution],
  ["roofline", "Roofline", "A thin line leads up to what the device cannot beat on that workload, where the run measured its peaks; else a dashed roof is the most that any kernel shown here reached.", roofline],
  ["workspace", "Memory beside speed", "Workspace at its peak, all scopes; 1 B stands for none.", beside("workspace", "workspace")],
  ["code", "Code size beside speed", "Machine code of the kernel, where the compiler says it.", beside("code_bytes", "machine code")],
  ["budget", "Correct by tokens spent", "What a budget of tokens would have bought.", budget],
  ["search", "Fast by submissions spent", "How many attempts had a kernel faster than the reference after so many measurements, by the agent's own readings.", searching],
  ["layers", "Gains of each layer", "The product of the accepted gains that an attempt credits to a layer; ticks are medians.", layerGains],
  ["heat", "Temperature while it was measured", "The hottest sensor during each measurement.", sensor("celsius", "↑ °C")],
  ["clock", "Clock while it was measured", "The lowest clock rate of the cores after a batch.", sensor("mhz", "↑ MHz")],
  ["endurance", "Speed held over time", "A kernel that is run on end heats its device; what is left of its speed, a line a kernel.", endurance],
  ["steadiness", "Steadiness while it was measured", "Above the line a device slowed down within a measurement: heat, or other work.", steadiness],
];

/** Draws one picture from what gives its options. */
function draw(options, title, width) {
  const svg = Plot.plot({ width, height: 300, marginTop: 32, marginLeft: 56, marginBottom: 40, style: { fontSize: "12px" }, ...options() });
  svg.setAttribute("role", "img");
  // Labels of its groups are not allowed without roles, and an image is read as one thing.
  for (const group of svg.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  svg.setAttribute("aria-label", title);
  svg.addEventListener("click", () => {
    if (svg.value?.at !== undefined) location.hash = `/attempt/${svg.value.run}/${svg.value.at}`;
  });
  return svg;
}

/** Makes the legend that all pictures share, of who and what is in them. */
function legend(rows) {
  const keys = new Set(rows.map((row) => row.who));
  const outcomes = new Set(rows.map((row) => row.outcome));
  return el("ul", { class: "legend", "aria-label": "Agents and outcomes" }, WHO.filter((who) => keys.has(who.key)).map((who) => {
    const shape = d3[`symbol${{ triangle: "Triangle2", diamond: "Diamond2", square: "Square2" }[shapeOf(who.key)] ?? shapeOf(who.key).replace(/^./, (c) => c.toUpperCase())}`];
    const svg = document.createElementNS(SVG, "svg");
    for (const [name, value] of [["width", 46], ["height", 14], ["viewBox", "-23 -7 46 14"], ["aria-hidden", true]]) svg.setAttribute(name, value);
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", "M-22 0H22");
    line.setAttribute("stroke-dasharray", dashOf(who.key));
    const mark = document.createElementNS(SVG, "path");
    mark.setAttribute("d", d3.symbol(shape, 40)());
    for (const path of [line, mark]) path.setAttribute("stroke", colourOf(who.key));
    mark.setAttribute("fill", "var(--paper)");
    svg.append(line, mark);
    return el("li", {}, svg, who.name);
  }), OUTCOMES.filter((outcome) => outcomes.has(outcome)).map((outcome) => el("li", {}, el("span", { class: `swatch ${outcome}`, "aria-hidden": "true" }), outcome)));
}
