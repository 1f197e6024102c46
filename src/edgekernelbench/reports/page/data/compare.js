// Two rows side by side: is the difference real, and where does it come from?

const sides = { a: null, b: null };

/** Chooses whom to compare until a person does: the two of the chosen run that did most right. */
function chooseSides(rows) {
  const own = SCORED.filter((who) => state.run === "" || who.run === Number(state.run));
  const right = (who) => d3.sum(rows, (row) => row.who === who.key && isCorrect(row));
  const leaders = d3.sort(own.length > 1 ? own : SCORED, (who) => -right(who));
  return { a: sides.a ?? leaders[0].key, b: sides.b ?? leaders[1].key };
}

function comparison(rows) {
  if (SCORED.length < 2) return el("p", { class: "none" }, "There is one agent: nothing to compare.");
  const options = SCORED.map((who) => [who.key, who.name]);
  const now = chooseSides(rows);
  const result = el("div", { "aria-live": "polite" }, compared(rows, now));
  const pick = (label, side) => choice(label, side, options, now[side], (value) => {
    sides[side] = now[side] = value;
    result.replaceChildren();
    append(result, [compared(rows, now)]);
  });
  const form = el("form", { class: "filter", "aria-label": "Whom to compare", onsubmit: (event) => event.preventDefault() }, pick("this", "a"), pick("with", "b"));
  return el("div", {}, form, result);
}

function compared(rows, now) {
  const [a, b] = [now.a, now.b].map((key) => WHO.find((who) => who.key === key));
  const why = incomparable(a, b);
  if (why) return el("p", { class: "none" }, why);
  const [own, other] = [a, b].map((who) => rows.filter((row) => row.who === who.key));
  const apart = differences(SPEED_KIND, RUNS[a.run], RUNS[b.run]);
  const lines = SCORES.map(([name, holds]) => (apart.length && name.includes("Fast")
    ? [name, "–", "", "", "", `not compared: ${apart.join("; ")}`] : scoreLine(name, difference(own, other, holds))));
  return [
    el("p", { class: "fine" }, "The first row's score less the second's, on workloads that both were given. By chance: how often as large a difference comes of whole patterns changing sides (`ekb compare` says more)."),
    tableOf(["score", "difference", "95 % interval", "workloads", "by chance", "is it real?"], lines, { label: "Difference of each score", words: ["is it real?"] }),
    apart.length === 0 && bothTimed(a, b, own, other),
  ];
}

function incomparable(a, b) {
  if (a.key === b.key) return "Choose two different rows.";
  const apart = differences(KIND, RUNS[a.run], RUNS[b.run]);
  return apart.length ? `They answer different questions and are not compared: ${apart.join("; ")}.` : "";
}

function scoreLine(name, { value, interval, workloads, chance }) {
  if (value === null) return [name, "–", "", workloads || "", "", "not known: an attempt is unjudged, or not timed"];
  const sign = value > 0 ? "+" : "";
  return [name, `${sign}${(100 * value).toFixed(1)} points`, range(interval), workloads, chance === null ? "–" : chance.toFixed(4), verdict(value, chance)];
}

const SURE = 0.05;

/** Says in words what `ekb compare` says of two rows. */
function verdict(value, chance) {
  if (chance === null) return "cannot be said from one pattern";
  if (chance >= SURE) return "not told apart: chance alone shows as much";
  return value > 0 ? "yes, better" : "yes, worse";
}

/** Draws the workloads that both did right, by the ratio of their speeds against the reference. */
function bothTimed(a, b, own, other) {
  const best = (list) => d3.rollup(timed(list), (group) => d3.greatest(group, (row) => speedOf(row)), (row) => row.workload);
  const [left, right] = [best(own), best(other)];
  const both = [...left.keys()].filter((workload) => right.has(workload))
    .map((workload) => ({ workload, x: speedOf(right.get(workload)), y: speedOf(left.get(workload)), ...left.get(workload) }));
  if (!both.length) return el("p", { class: "none" }, "No workload was done right and timed by both.");
  const gain = Math.exp(d3.mean(both, (d) => Math.log(d.y / d.x)));
  const title = `Speeds of ${a.name} and ${b.name}`;
  const picture = draw(() => ({
    aspectRatio: 1, height: undefined,
    x: { ...LOG_RATIO, label: `${b.name}: times as fast as the reference →` },
    y: { ...LOG_RATIO, label: `↑ ${a.name}` },
    ...SYMBOLS,
    marks: [
      Plot.line(d3.extent(both.flatMap((d) => [d.x, d.y])).map((v) => [v, v]), { stroke: "currentColor", strokeDasharray: "4 3" }),
      dots(both, "x", "y"),
      Plot.tip(both, Plot.pointer({ x: "x", y: "y", title: (d) => `${d.workload}\n${times(d.y)} against ${times(d.x)}`, fill: "var(--paper)" })),
    ],
  }), both, title, 460);
  return el("figure", {}, el("figcaption", {}, el("strong", {}, title),
    ` On the ${count(both.length, "workload")} that both did right, ${a.name} is ${gain.toFixed(2)} times as fast in geometric mean.`), picture);
}
