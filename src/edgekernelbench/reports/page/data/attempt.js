// One attempt, opened: what came of it, why it counts, its text, its samples, how to repeat it.

async function openAttempt(row) {
  const detail = await detailsOf(row);
  const baselines = byId(`baselines-${row.run}`) ? await unpack(`baselines-${row.run}`) : {};
  const run = RUNS[row.run];
  return [
    attemptHead(row, run),
    verdictOf(row, run),
    detail.diagnostics && section("Complaints", diagnosticsList(detail.diagnostics)),
    detail.crash && section("How it ended", el("pre", { tabindex: 0, role: "region", "aria-label": "How it ended" }, detail.crash.detail || "nothing was printed")),
    detail.wrong && wrongSection(detail.wrong),
    row.steps !== undefined && pathSection(row),
    detail.rings?.length > 0 && samplesSection(row, detail),
    detail.sustained?.length > 0 && enduranceSection(detail.sustained),
    detail.conditions?.length > 0 && conditionsSection(detail.conditions),
    textSection(detail, baselines[row.workload] ?? {}),
    detail.margins?.length > 0 && marginsSection(detail),
    costSection(detail),
    callsSection(detail),
    repeatSection(row, run, detail),
  ];
}

function section(title, ...children) {
  const id = `part-${title.toLowerCase().replace(/\W+/g, "-")}`;
  return el("section", { "aria-labelledby": id }, el("h3", { id }, title), children);
}

function attemptHead(row, run) {
  const near = sorted(chosen());
  const at = near.findIndex((one) => one === row);
  const step = (label, to, key) => (to ? el("a", { href: `#/attempt/${to.run}/${to.at}`, "data-key": key }, label) : null);
  return el("div", { class: "crumbs" },
    el("a", { href: "#attempts", "data-key": "up" }, "← all attempts"), " ",
    step("previous", near[at - 1], "previous"), " ", at >= 0 && step("next", near[at + 1], "next"),
    el("h2", { tabindex: -1, id: "opened-title" }, row.workload),
    el("p", {}, `${NAMES.get(row.who)}, attempt ${row.number}, on ${run.device.profile} `,
      el("span", { class: `class ${run.device.device_class}` }, run.device.device_class),
      row.facts.source && [el("br"), `${row.facts.level}, ${row.facts.domain}, ${row.facts.dtype}. Sizes: ${row.facts.source}`]));
}

function verdictOf(row, run) {
  const lines = [row.reason];
  if (row.outcome === "correct") {
    lines.push(row.speed ? fastSentence(row) : "It was not timed.");
    if (run.device.device_class !== "edge") lines.push(`The device is a ${run.device.device_class}: this is no edge result.`);
  }
  if (row.bound_ns && row.ns) lines.push(`The device cannot do it in under ${duration(row.bound_ns)}, held by ${row.bound_by}: this kernel reaches ${percent(row.bound_ns / row.ns, 0)} of that speed.`);
  if (row.reference_ns) lines.push(referenceSentence(row, run));
  if (row.marks) lines.push(`The machine was not quiet while it was measured: ${row.marks.join(", ")}.`);
  for (const flag of row.flags ?? []) lines.push(FLAGS[flag] ?? `Flag: ${flag}.`);
  return el("div", { class: `verdict ${row.outcome}` }, el("strong", {}, row.kind), lines.filter(Boolean).map((line) => el("p", {}, line)));
}

/** Says by which time of the reference a kernel was judged, and whether others were by another. */
function referenceSentence(row, run) {
  const others = ROWS.filter((one) => one !== row && one.run === row.run && one.workload === row.workload && one.reference_ns).map((one) => one.reference_ns);
  const [low, high] = d3.extent(others);
  const beside = others.length ? `; beside the other kernels for this workload ${low === high ? duration(low) : `${duration(low)} to ${duration(high)}`}` : "";
  return `Its reference, ${run.reference.name}, was measured in turn with it and took ${duration(row.reference_ns)} a run${beside}.${row.apart ? ` ${APART} That is more than repetition shows: the machine was not the same for them. Hold no time of this kernel against theirs, and speeds only as far as it slowed kernel and reference alike.` : ""}`;
}

const FLAGS = {
  "stopped-early": "Fewer sets of processes than planned: it is far slower than every baseline.",
  "measured-under-load": "Other work was running on the machine while it was measured: time it again before you believe its speed.",
  "faster-than-roofline": "It takes less time than its device seems to need: look at its text before you believe it.",
  "one-child": "Its speed rests on one set of processes: it is not final.",
  nondeterministic: "Two runs on the same inputs differ, within the tolerance.",
};

function fastSentence(row) {
  const parts = Object.entries(row.speed).map(([name, [point, sure]]) =>
    `${times(point)} as fast as ${baselineName(name)} (surely more than ${times(sure)}, the lower end of the 95 % interval)`);
  const word = isFast(row, 1, REFERENCE, true) ? "It counts as fast, surely" : isFast(row, 1, REFERENCE, false)
    ? "It counts as fast by the point ratio, not surely" : "It does not count as fast";
  return `${duration(row.ns)} a run: ${parts.join(", ")}. ${word}.`;
}

function wrongSection(wrong) {
  const worst = wrong.worst === null ? "" : `; the largest error is ${significant(wrong.worst)} times what is allowed`;
  return section("What is wrong", el("p", {}, `${wrong.fault}: ${wrong.output} on inputs ${wrong.inputs}, ${count(wrong.mismatched, "element")}${worst}.`),
    el("pre", { tabindex: 0, role: "region", "aria-label": "Where" }, wrong.detail));
}

function samplesSection(row, detail) {
  const samples = detail.rings.flatMap((ring, set) => ring.flatMap(([name, runs, , list]) =>
    list.map((sample, at) => ({ set: set + 1, name, at, ns: sample / runs }))));
  const names = [...new Set(samples.map((s) => s.name))];
  const picture = draw(() => ({
    height: 60 + 34 * names.length * detail.rings.length, marginLeft: 90,
    x: { type: "log", label: "one run →", tickFormat: duration, ticks: 6, grid: true },
    y: { label: null, domain: names },
    fy: { label: "set", tickFormat: String },
    color: { type: "identity" },
    marks: [
      Plot.tickX(samples, { x: "ns", y: "name", fy: "set", stroke: (s) => colourOf(KEYS[names.indexOf(s.name) % 8]) ?? COLOURS[names.indexOf(s.name) % 8], strokeOpacity: 0.7 }),
      Plot.dot(samples, Plot.groupY({ x: "median" }, { x: "ns", y: "name", fy: "set", r: 4, fill: "currentColor" })),
    ],
  }), "Samples of each process, medians as dots", 720);
  const heads = ["set", ...names, ...names.slice(1).map((name) => `${name} / kernel`), "threads that worked"];
  const lines = detail.rings.map((ring, set) => {
    const medians = ring.map(([, runs, , list]) => d3.median(list) / runs);
    return [set + 1, ...medians.map(duration), ...medians.slice(1).map((median) => times(median / medians[0])),
      [...new Set(ring.map(([, , threads]) => threads))].join(", ")];
  });
  return section("Samples", el("p", {}, "Kernel and baselines lived in a process each and were measured in turn. A set is one round of fresh processes; the ratio of a set is between medians."),
    picture, tableOf(heads, lines, { label: "Medians of each set" }));
}

function textSection(detail, baselines) {
  const text = detail.text;
  if (!text) return section("Text", el("p", { class: "none" }, detail.note || "There is no text."));
  if (text.missing) return section("Text", el("p", { class: "none" }, "The run folder has lost this artifact."));
  const other = baselines.default;
  return section("Text by layer",
    !other && el("p", { class: "none" }, "The text of the reference is not stored with this run: a run stores it when a kernel of the workload is timed."),
    layersOf(text, other, ["this kernel", baselineName("default")], detail.diagnostics));
}

function pathSection(row) {
  const gains = Object.entries(row.gains ?? {}).map(([layer, gain]) => `${layer} ${times(gain)}`).join(", ");
  const here = byId(`walk-${row.run}-${row.at}`);
  return section("Path", el("p", {}, `${count(row.steps, "step")}${gains ? `; credited: ${gains}` : ""}. `,
    here ? el("a", { href: `#/walk/${row.run}/${row.at}/0` }, "Walk through it")
      : "The page has no room for it: `ekb show` walks through it in the run folder."));
}

function enduranceSection(moments) {
  const known = (value, write) => (value === null ? "–" : write(value));
  const first = moments[0].per_run_ns;
  return section("Held over time", el("p", {}, "The kernel ran on end; each line is the median since the one before."),
    tableOf(["seconds", "a run", "of its first speed", "clock", "hottest", "held back"], moments.map((m) => [
      (m.at_ms / 1000).toFixed(1), duration(m.per_run_ns), percent(first / m.per_run_ns, 0), known(m.mhz, (v) => `${significant(v, 4)} MHz`),
      known(m.celsius, (v) => `${v} °C`), known(m.held_back, (v) => (v ? "yes" : "no")),
    ]), { label: "Speed over time" }));
}

function conditionsSection(conditions) {
  const known = (value, write) => (value === null ? "–" : write(value));
  return section("The machine meanwhile", tableOf(["set", "clock", "hottest", "throttled", "stolen", "load", "slower at the end", "what was not quiet", "tries"],
    conditions.map((c, at) => [at + 1, known(c.mhz_low, (v) => `${significant(v, 4)} MHz`), known(c.celsius, (v) => `${v} °C`), known(c.throttled, String),
      known(c.stolen, (v) => percent(v)), known(c.load, (v) => v.toFixed(1)), percent(c.slowing), c.marks.join(", ") || "nothing", c.tries]),
    { label: "Conditions of each set" }));
}

function marginsSection(detail) {
  const of = (name) => detail.inputs?.find(([own]) => own === name);
  return section("How right it is",
    el("p", {}, "The largest error of an element over what is allowed there, and the RMS error over that of the declared arithmetic (16 is allowed). Integers are exact."),
    tableOf(["inputs", "output", "element, of 1", "RMS, of 16", "seed"], detail.margins.map(([inputs, output, element, rms]) =>
      [inputs, output, element ?? "–", rms ?? "exact", of(inputs)?.[2] ?? "hidden"]), { label: "Distances from the limits" }));
}

function costSection(detail) {
  const { cost, usage } = detail;
  const lines = [
    ...costLines(cost),
    ...Object.entries(detail.beside ?? {}).flatMap(([name, one]) => costLines(one).map(([what, much]) => [`${name}: ${what}`, much])),
    ...(usage ? [["calls of a model", usage.calls], ["tokens read, written", `${usage.input_tokens.toLocaleString("en")}, ${usage.output_tokens.toLocaleString("en")}${usage.estimated ? ", some of them estimated" : ""}`],
      ["submissions", usage.submissions], ["free checks", usage.checks], ["time of the agent", duration(usage.wall_ms * 1e6)]] : []),
    ...(detail.board ? [["board", `${detail.board.name} (${detail.board.key}), ${detail.board.cpu || detail.board.machine}, ${detail.board.cores} cores, ${bytes(detail.board.memory_bytes)}`]] : []),
    ...(detail.vendor ? [["vendor's library", detail.vendor.name ?? "none is correct here"],
      ...Object.entries(detail.vendor.fallen).map(([name, why]) => [`${name} fell out`, why])] : []),
  ];
  return lines.length > 0 && section("Cost", tableOf(["what", "how much"], lines, { label: "What it cost" }));
}

function costLines(cost) {
  if (!cost) return [];
  const scope = (name) => (name === "prepared" ? "prepared ahead of time" : `workspace, ${name}`);
  return [["machine code", bytes(cost.code_bytes)], ["time to compile", duration(cost.compile_ns)],
    ...Object.entries(cost.workspace_bytes).map(([name, size]) => [scope(name), bytes(size)])];
}

function callsSection(detail) {
  const replies = (detail.calls ?? []).filter((call) => call.reply);
  if (!replies.length) return null;
  return section("What the model answered", replies.map((call, at) => el("details", {},
    el("summary", {}, `Answer ${at + 1}${call.model ? ` of ${call.model}` : ""}`),
    el("pre", { class: "wrap", tabindex: 0, role: "region", "aria-label": `Answer ${at + 1}` }, call.reply))));
}

function repeatSection(row, run, detail) {
  const digest = detail.text?.artifact;
  const text = digest && `${run.folder}/artifacts/${digest.slice(0, 2)}/${digest}`;
  const lines = [
    "# judge all stored answers of the run again, on fresh inputs",
    `ekb run --again ${run.folder}`,
    ...(text ? ["# judge this text alone", `ekb judge ${text} \\`, `    --workload ${row.workload} --device ${run.device.profile} --compiler ${detail.compiler ?? run.settings.compiler}${(row.sets ?? 1) > 1 ? ` --sets ${row.sets}` : ""}`,
      "# what becomes of it on the way to the machine", `ekb lower ${text} --profile ${run.device.profile} --to asm`] : []),
  ];
  return section("Do it again", el("pre", { tabindex: 0, role: "region", "aria-label": "Commands" }, lines.join("\n")),
    el("p", { class: "fine" }, `Record: ${detail.id}. Artifacts: ${[digest, ...(detail.calls ?? []).map((call) => call.artifact)].filter(Boolean).map((d) => d.slice(0, 12)).join(", ") || "none"}.`));
}
