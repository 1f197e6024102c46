// The walker: the path of an agent through the layers, step by step.

const LANES = ["compute", "schedule", "memory", "other"];

/** Says in which lane a step stands: the layer that it changed; combinations and starts have their own. */
function laneOf(step) {
  return ["compute", "schedule", "memory"].includes(step.layer) ? step.layer : "other";
}

/** Finds the candidates that lead to the best one, from the start on. */
function pathToBest(steps) {
  const made = new Map(steps.filter((step) => step.candidate !== undefined).map((step) => [step.candidate, step]));
  const path = [];
  let at = d3.greatest([...made.values()], (step) => step.ratio ?? -1);
  while (at && !path.includes(at)) {
    path.unshift(at);
    at = made.get(at.parent);
  }
  return path;
}

function openWalk(row, walk, chosenStep) {
  const steps = walk.steps;
  const at = Math.max(0, Math.min(steps.length - 1, chosenStep));
  const path = pathToBest(steps);
  return [
    el("div", { class: "crumbs" },
      el("a", { href: `#/attempt/${row.run}/${row.at}`, "data-key": "up" }, "← the attempt"), " ",
      at > 0 && el("a", { href: walkLink(row, at - 1), "data-key": "previous" }, "previous step"), " ",
      at < steps.length - 1 && el("a", { href: walkLink(row, at + 1), "data-key": "next" }, "next step"),
      el("h2", { tabindex: -1, id: "opened-title" }, `The path of ${walk.agent}`),
      el("p", {}, row.workload)),
    whyFaster(walk, path),
    el("div", { class: "walk" },
      el("div", { class: "map" }, mapOf(row, steps, path, at), budgetPicture(walk), stepList(row, steps, path, at)),
      stepView(row, walk, steps[at], steps)),
  ];
}

const walkLink = (row, at) => `#/walk/${row.run}/${row.at}/${at}`;

/** Says why the final kernel is faster, from what each layer was credited with. */
function whyFaster(walk, path) {
  const end = walk.end;
  const lines = [];
  if (!end) lines.push("The attempt was cut off: what follows is what it had tried.");
  if (end?.best) lines.push(`By the readings of the agent, its final kernel is ${times(end.best)} as fast as the reference, after ${count(end.submissions, "submission")} and ${count(end.calls, "call")} of the model.`);
  if (end?.authors.length) lines.push(`Its text was written by: ${end.authors.join(", ")}.`);
  const gains = Object.entries(end?.gains ?? {}).filter(([, gain]) => Math.abs(Math.log(gain)) > 1e-9).sort(([, a], [, b]) => b - a);
  lines.push(gains.length
    ? `Of its speed over the start, ${gains.map(([layer, gain]) => `${layer} is credited with ${times(gain)}`).join(", ")}.`
    : "No change of a layer is credited with a gain.");
  if (end) lines.push(`It ended: ${end.reason}.`);
  const changes = path.filter((step) => step.gain && step.plan);
  return el("section", { "aria-labelledby": "why" }, el("h3", { id: "why" }, end?.best > 1 ? "Why the final kernel is faster" : "What became of it"),
    lines.map((line) => el("p", {}, line)),
    changes.length > 0 && el("ol", {}, changes.map((step) => el("li", {}, `${step.attributed ?? step.layer}, ${times(step.gain)}: ${step.plan.change}`))));
}

/** Draws the steps in lanes, each joined to what it was made of. */
function mapOf(row, steps, path, at) {
  const places = steps.map((step, x) => ({ step, x, lane: laneOf(step), best: path.includes(step), x1: undefined }));
  const made = new Map(places.filter((p) => p.step.candidate !== undefined).map((p) => [p.step.candidate, p]));
  const links = places.filter((p) => made.has(p.step.parent)).map((p) => ({ from: made.get(p.step.parent), to: p }));
  const lanes = LANES.filter((lane) => places.some((p) => p.lane === lane));
  const svg = draw(() => ({
    height: 60 + 46 * lanes.length, marginLeft: 70,
    x: { label: "steps →", ticks: Math.min(10, steps.length), tickFormat: (v) => (Number.isInteger(v) ? v + 1 : "") },
    y: { type: "point", domain: lanes, label: null },
    color: { type: "identity" },
    marks: [
      Plot.link(links, {
        x1: (d) => d.from.x, y1: (d) => d.from.lane, x2: (d) => d.to.x, y2: (d) => d.to.lane,
        stroke: "currentColor", strokeWidth: (d) => (d.from.best && d.to.best ? 2.5 : 0.8), strokeOpacity: (d) => (d.from.best && d.to.best ? 1 : 0.45),
      }),
      Plot.dot(places, {
        x: "x", y: "lane", r: (d) => (d.x === at ? 9 : 5), stroke: "currentColor", strokeWidth: (d) => (d.x === at ? 3 : 1.2),
        fill: (d) => (d.step.stage === "accepted" ? "var(--outcome-correct)" : d.step.stage === "measured" ? "var(--paper)" : "var(--outcome-rejected)"),
      }),
      Plot.tip(places, Plot.pointer({ x: "x", y: "lane", title: (d) => stepTitle(d.step), fill: "var(--paper)" })),
    ],
  }), "Steps by layer, each joined to the candidate that it was made of", 620);
  svg.addEventListener("click", () => {
    if (svg.value?.x !== undefined) location.hash = walkLink(row, svg.value.x).slice(1);
  });
  return el("figure", {}, el("figcaption", {}, el("strong", {}, "The path"), " Filled: accepted. Hollow: measured, no gain. Grey: refused, or not a text. The heavy line leads to the best kernel."), svg);
}

function budgetPicture(walk) {
  const points = walk.steps.filter((step) => step.best !== undefined).map((step) => ({ used: step.used, best: step.best }));
  const [least, most] = d3.extent(points, (point) => point.used);
  if (least === most) return null; // nothing was spent between the steps: there is no course to draw
  const svg = draw(() => ({
    height: 170, marginLeft: 70,
    x: { label: "submissions →", grid: true, ...wholeTicks(most) },
    y: { label: "↑ best so far", tickFormat: ratioTick, grid: true, zero: false },
    marks: [Plot.line(points, { x: "used", y: "best", curve: "step-after", strokeWidth: 2, stroke: "var(--who-0)" })],
  }), "Best speed by submissions", 620);
  return el("figure", {}, el("figcaption", {}, el("strong", {}, "Best so far"), " times as fast as the reference, by submissions spent."), svg);
}

const nameOf = (step) => [...new Set([step.phase, step.layer])].filter(Boolean).join(", ");

function stepTitle(step) {
  const gain = step.gain ? `, ${times(step.gain)} of its parent` : "";
  return `${step.id}. ${nameOf(step)}: ${step.stage}${gain}`;
}

/** Lists the steps as links: the way through for keyboards and screen readers. */
function stepList(row, steps, path, at) {
  return el("ol", { class: "steps" }, steps.map((step, place) => el("li", { class: path.includes(step) ? "best" : null },
    el("a", { href: walkLink(row, place), "aria-current": place === at ? "step" : null }, stepTitle(step)))));
}

function stepView(row, walk, step, steps) {
  const parent = steps.findIndex((one) => one.candidate !== undefined && one.candidate === step.parent);
  const children = steps.filter((one) => step.candidate !== undefined && one.parent === step.candidate);
  const child = d3.greatest(children, (one) => one.ratio ?? -1);
  return el("article", { class: "step", "aria-live": "polite" },
    el("h3", {}, `Step ${step.id}: ${nameOf(step)}`),
    el("p", {}, el("strong", {}, step.stage), step.error && `: ${step.error}`),
    parent >= 0 && el("p", {}, el("a", { href: walkLink(row, parent), "data-key": "parent" }, `↑ made of step ${steps[parent].id}`),
      child && [" · ", el("a", { href: walkLink(row, steps.indexOf(child)), "data-key": "child" }, `↓ best of what was made of it: step ${child.id}`)]),
    parent < 0 && child && el("p", {}, el("a", { href: walkLink(row, steps.indexOf(child)), "data-key": "child" }, `↓ best of what was made of it: step ${child.id}`)),
    gainLines(step), planPart(step.plan), diffPart(step), reportPart(step.report), budgetPart(step, walk.limits),
    step.conclusions && part("What was concluded", el("ul", {}, step.conclusions.map((line) => el("li", {}, line)))),
    callsPart(step.calls));
}

const part = (title, ...children) => el("div", {}, el("h4", {}, title), children);

function gainLines(step) {
  const lines = [];
  if (step.time_ns) lines.push(`${duration(step.time_ns)} a run${step.ratio ? `, ${times(step.ratio)} as fast as the reference` : ""}.`);
  if (step.gain) lines.push(`${times(step.gain)} the speed of its parent${step.attributed ? `; credited to ${step.attributed}` : ""}.`);
  if (step.setting) lines.push(`Knobs: ${Object.entries(step.setting).map(([name, value]) => `${name} = ${value}`).join(", ")}.`);
  if (step.authors) lines.push(`Text by ${step.authors.join(", ")}.`);
  return lines.length ? part("What came of it", lines.map((line) => el("p", {}, line))) : null;
}

function planPart(plan) {
  return plan && part(`Plan of the ${plan.author}`, el("p", {}, plan.change),
    el("p", { class: "fine" }, `Layer: ${plan.layer}. To mend: ${plan.bottleneck}. Move: ${plan.move}. Expected: ${times(plan.expected)}.`));
}

function diffPart(step) {
  if (step.diff) {
    const kind = (line) => (/^(\+\+\+|---|@@)/.test(line) ? "head" : line.startsWith("+") ? "added" : line.startsWith("-") ? "taken" : "");
    return part("What was changed", el("pre", { class: "diff", tabindex: 0, role: "region", "aria-label": "What was changed" },
      step.diff.split("\n").map((line) => el("span", { class: `line ${kind(line)}` }, line || " ", "\n"))));
  }
  return step.text && part("Text", el("pre", { tabindex: 0, role: "region", "aria-label": "Text" }, step.text));
}

function reportPart(report) {
  if (!report) return null;
  const bound = report.bound_ns ? ` The device cannot do it in under ${duration(report.bound_ns)} (${report.bound_class}).` : "";
  return part("What static analysis says", el("p", {}, `${count(report.flops, "operation")}, ${bytes(report.bytes)} moved.${bound}`),
    report.findings.length > 0 && tableOf(["layer", "holds back", "share", "what was found"], report.findings.map(([layer, held, message, directive, share]) =>
      [layer, held, percent(share, 0), directive ? `${directive}: ${message}` : message]), { label: "Findings", words: ["what was found"] }));
}

function budgetPart(step, limits) {
  const bars = Object.entries(limits).map(([name, most]) => {
    const left = step.left[name] ?? 0;
    return el("li", {}, `${name}: ${significant(left)} of ${significant(most)} left `, el("meter", { min: 0, max: most || 1, value: left, "aria-label": `${name} left` }));
  });
  return part("Budget", el("p", {}, `${count(step.used, "submission")} and ${count(step.tokens, "token")} spent.`), bars.length > 0 && el("ul", { class: "budget" }, bars));
}

function callsPart(calls) {
  if (!calls) return null;
  return part("What was asked and answered", calls.map((call, at) => el("details", {},
    el("summary", {}, call.door === "chat" ? `${at + 1}. model: ${call.tokens[0]} tokens read, ${call.tokens[1]} written` : `${at + 1}. ${call.door}`),
    el("pre", { class: "wrap", tabindex: 0, role: "region", "aria-label": `Answer ${at + 1}` }, call.reply))));
}
