// The page of one imported model: where time and memory go.

const MODEL = JSON.parse(byId("model").textContent);
const KINDS = ["compute", "memory", "overhead", "stays with TVM", "not measured", "no roofline"];
const kindColour = (kind) => `var(--who-${Math.max(0, KINDS.indexOf(kind))})`;
const micro = (ns) => (ns === null ? "" : `${d3.format(",.2f")(ns / 1000)} µs`);
const kibi = (bytes) => (bytes === null ? "" : `${d3.format(",.1f")(bytes / 1024)} KiB`);
const percent = (share) => (share === null ? "" : d3.format(".1%")(share));

function bars(rows, value, label, more = []) {
  const drawn = Plot.plot({
    marginLeft: 220, width: 900, height: 60 + 22 * rows.length,
    x: { label, grid: true }, y: { label: null, domain: rows.map((row) => row.name) },
    color: { type: "identity" }, ariaLabel: label,
    marks: [
      Plot.barX(rows, { x: value, y: "name", fill: (row) => kindColour(row.kind), insetTop: 2, insetBottom: 2 }),
      ...more, Plot.ruleX([0]),
    ],
  });
  // One picture with one name: what Plot names inside it has no role, and says nothing to a reader.
  for (const part of drawn.querySelectorAll("[aria-label], [aria-description]")) {
    part.removeAttribute("aria-label");
    part.removeAttribute("aria-description");
  }
  drawn.setAttribute("role", "img");
  return drawn;
}

function figure(title, caption, drawn) {
  return el("figure", {}, el("figcaption", {}, el("strong", {}, title), ` ${caption}`), drawn);
}

const timed = MODEL.parts.filter((part) => part.total_ns !== null);
const bound = timed.filter((part) => part.bound_ns !== null);
const moved = MODEL.parts.filter((part) => part.moved_bytes !== null);
const kinds = KINDS.filter((kind) => MODEL.parts.some((part) => part.kind === kind));

byId("main").append(
  el("section", {}, el("p", {}, `${MODEL.source}: ${micro(MODEL.total_ns)} in functions, ${kibi(MODEL.weights_bytes)} of weights, at most ${kibi(MODEL.peak_bytes)} of values between calls; perfect kernels would save ${percent(MODEL.gain)}.`),
    el("ul", {}, MODEL.advice.map((line) => el("li", {}, line)))),
  el("section", {}, el("h2", {}, "Pictures"),
    el("p", {}, kinds.map((kind) => el("span", { style: `color:${kindColour(kind)};margin-right:1em` }, `■ ${kind}`))),
    figure("Time", "of all calls of each function; the line is the least that the device needs for them.",
      bars(timed, (row) => row.total_ns / 1000, "microseconds in one run of the model →",
        [Plot.tickX(bound, { x: (row) => row.bound_ns / 1000, y: "name", stroke: "var(--ink)", strokeWidth: 2 })])),
    figure("Memory", "that each function must read and write in one run of the model.",
      bars(moved, (row) => row.moved_bytes / 1024, "KiB in one run of the model →"))),
  el("section", {}, el("h2", {}, "Functions"),
    tableOf(["function", "operators", "runs", "time", "share", "least", "bound by", "to gain", "moved", "weights", "workspace", "verdict"],
      MODEL.parts.map((part) => [part.name, part.operators, part.runs, micro(part.total_ns), percent(part.share), micro(part.bound_ns),
        part.kind, percent(part.gain), kibi(part.moved_bytes), kibi(part.weights_bytes), kibi(part.workspace_bytes), part.verdict]),
      { label: "Functions", words: ["operators", "bound by", "verdict"] })),
);

document.documentElement.dataset.ready = "";
