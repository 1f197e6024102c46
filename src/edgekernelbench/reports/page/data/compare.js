// Two rows side by side: is the difference real, and where does it come from?

const sides = { first: null, second: null };

/** Chooses whom to compare until a person does: the two of the chosen run that did most right, then most fast. */
function chooseSides(rows) {
  const own = SCORED.filter((who) => state.run === "" || who.run === Number(state.run));
  const did = (who, holds) => d3.sum(rows, (row) => row.who === who.key && holds(row));
  const leaders = d3.sort(own.length > 1 ? own : SCORED, (who) => -did(who, isCorrect), (who) => -did(who, (row) => isFast(row, 1, REFERENCE, false)));
  const first = leaders.find((who) => who.key === sides.first) ?? leaders[0];
  const others = leaders.filter((who) => who !== first);
  const rival = others.find((who) => differences(KIND, RUNS[who.run], RUNS[first.run]).length === 0) ?? others[0];
  return { first: sides.first ?? first.key, second: sides.second ?? rival.key };
}

function comparison(rows) {
  if (SCORED.length < 2) return el("p", { class: "none" }, "There is one agent: nothing to compare.");
  const options = SCORED.map((who) => [who.key, who.name]);
  const now = chooseSides(rows);
  const result = el("div", { "aria-live": "polite" }, compared(rows, now));
  const pick = (side) => choice(side, side, options, now[side], (value) => {
    sides[side] = now[side] = value;
    result.replaceChildren();
    append(result, [compared(rows, now)]);
  });
  const form = el("form", { class: "filter two-fields", "aria-label": "Whom to compare", onsubmit: (event) => event.preventDefault() }, pick("first"), pick("second"));
  return el("div", {}, form, result);
}

function compared(rows, now) {
  const [first, second] = [now.first, now.second].map((key) => WHO.find((who) => who.key === key));
  const why = incomparable(first, second);
  if (why) return el("p", { class: "none" }, why);
  const [one, other] = [first, second].map((who) => rows.filter((row) => row.who === who.key));
  const apart = differences(SPEED_KIND, RUNS[first.run], RUNS[second.run]).join("; ");
  const known = SCORES.map(([name, holds]) => [name, apart && name.includes("Fast") ? null : difference(one, other, holds)]);
  const speed = apart ? null : pairedSpeed(one, other);
  const lines = known.map(([name, found]) => (found ? scoreLine(name, found, first, second)
    : unknownLine(name, apart && name.includes("Fast") ? `not compared: ${apart}` : "not known: an attempt is unjudged, or not timed")));
  lines.push(speed ? speedLine(speed, first, second) : unknownLine("speed", apart ? `not compared: ${apart}` : "not known: an attempt is unjudged, or no workload was done right and timed by both"));
  const heads = ["score", "is it real?", first.name, second.name, "second against first", "95 % interval", "workloads, patterns", "by chance"];
  return [
    tableOf(heads, lines, { label: "Difference of each score", words: ["is it real?"] }),
    speed && measuredLine(speed, first, second),
    el("p", { class: "fine" }, "Scores are over the workloads that both were given, in points; speed is over those that both did right: how many times as fast as the reference, in geometric mean (of ratios, in which twice and half as fast cancel). ",
      "By chance: how often as large a difference comes of whole patterns changing sides; below 0.05 it is called real. A pattern is one computation whatever its sizes, such as ",
      el("code", {}, (one[0] ?? other[0])?.pattern ?? "norm/softmax"), ": its workloads succeed and fail together, so they count as one witness. ", el("code", {}, "ekb compare"), " prints the same."),
    speed && speed.workloads > 2 && bothTimed(speed, first, second),
  ];
}

function incomparable(first, second) {
  if (first.key === second.key) return "Choose two different rows.";
  const apart = differences(KIND, RUNS[first.run], RUNS[second.run]);
  return apart.length ? `They answer different questions and are not compared: ${apart.join("; ")}.` : "";
}

const unknownLine = (name, why) => [name, why, "–", "–", "–", "–", "–", "–"];
const counted = (found) => `${found.workloads}, ${found.patterns}`;

function scoreLine(name, found, first, second) {
  const sign = found.value > 0 ? "+" : "";
  return [name, verdict(found, found.value, "better", first, second), percent(found.first), percent(found.second),
    `${sign}${(100 * found.value).toFixed(1)} points`, range(found.interval, found.patterns), counted(found), chanceOf(found.chance)];
}

function speedLine(speed, first, second) {
  const interval = speed.interval ? `[${speed.interval.low.toFixed(2)}, ${speed.interval.high.toFixed(2)}]` : range(null, speed.patterns);
  return ["speed", verdict(speed, Math.log(speed.ratio), "faster", first, second), times(speed.first), times(speed.second),
    `${times(speed.ratio)} as fast`, interval, counted(speed), chanceOf(speed.chance)];
}

const SURE = 0.05;

/** Says in words what `ekb compare` says of two rows, and who is ahead. */
function verdict({ chance, patterns }, value, word, first, second) {
  if (chance === null) return "cannot be said from one pattern";
  if (chance < SURE) return `yes: ${(value > 0 ? second : first).name} is ${word}`;
  // With so few patterns even all of them on one side come about by chance: 2 in 2^patterns.
  return 2 / 2 ** patterns >= SURE ? `not told apart: ${count(patterns, "pattern")} are too few to show any difference`
    : "not told apart: chance alone shows as much";
}

/** Says what the measurements alone tell, workload by workload, whatever other workloads would show. */
function measuredLine(speed, first, second) {
  const even = speed.workloads - speed.faster - speed.slower;
  const one = speed.faster ? `${second.name} is surely faster` : speed.slower ? `${first.name} is surely faster` : "the two are not told apart";
  return el("p", {},
    speed.workloads === 1 ? `On this workload itself, by its measurement: ${one}.`
      : `On these ${speed.workloads} workloads themselves, by their measurements: ${second.name} is surely faster on ${speed.faster}, ${first.name} on ${speed.slower}; on ${even} they are not told apart.`,
    speed.apart > 0 && ` ${speed.workloads === 1 ? "But a" : `On ${speed.apart} of them a`} reference took another time there than beside other kernels (${APART} in the table of attempts): the machine was not the same, and the ratio holds only as far as it slowed kernel and reference alike.`);
}

/** Draws the workloads that both did right, by the ratio of their speeds against the reference. */
function bothTimed(speed, first, second) {
  const title = `Speeds of ${first.name} and ${second.name}`;
  const both = speed.pairs.map((pair) => ({ ...pair.row, x: pair.first, y: pair.second }));
  const picture = draw(() => ({
    aspectRatio: 1, height: undefined,
    x: { ...LOG_RATIO, label: `${first.name}: times as fast as the reference →` },
    y: { ...LOG_RATIO, label: `↑ ${second.name}` },
    ...SYMBOLS,
    marks: [
      Plot.line(d3.extent(both.flatMap((d) => [d.x, d.y])).map((v) => [v, v]), { stroke: "currentColor", strokeDasharray: "4 3" }),
      dots(both, "x", "y"),
      Plot.tip(both, Plot.pointer({ x: "x", y: "y", title: (d) => `${d.workload}\n${times(d.y)} against ${times(d.x)}`, fill: "var(--paper)" })),
    ],
  }), title, 460);
  return el("figure", {}, el("figcaption", {}, el("strong", {}, title), ` A dot a workload; above the dashed line ${second.name} is faster.`), picture);
}
