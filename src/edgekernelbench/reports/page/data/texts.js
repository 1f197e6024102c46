// Kernel texts: by layer, beside another, with what was wrong at its line.

const LAYERS = ["compute", "schedule", "memory"];
const ABSENT = {
  compute: "no compute layer", schedule: "no schedule: the default order of the language", memory: "no memory layer: the default places of the language",
};

/** Gives the lines of one layer with their numbers. */
function layerLines(text, layer) {
  const lines = text.source.split("\n");
  return text.parts.filter(([name]) => name === layer)
    .flatMap(([, first, last]) => d3.range(first, last).map((at) => [at + 1, lines[at]]));
}

/** Shows lines of a text; `wrong` says which lines have complaints. */
function listing(lines, wrong, label) {
  const width = String(lines.at(-1)?.[0] ?? 0).length;
  return el("pre", { tabindex: 0, role: "region", "aria-label": label }, lines.map(([number, line]) =>
    el("span", { class: wrong.has(number) ? "line bad" : "line" },
      el("span", { class: "no", "aria-hidden": "true" }, String(number).padStart(width)), line || " ", "\n")));
}

/** Shows the layers of a text, each beside that of another text when there is one. */
function layersOf(text, other, names, diagnostics = []) {
  const wrong = new Set(diagnostics.filter((d) => d.span[0]).map((d) => d.span[0]));
  const column = (of, layer, name, bad) => {
    const lines = layerLines(of, layer);
    const body = lines.length ? listing(lines, bad, `${layer} of ${name}`) : el("p", { class: "none" }, ABSENT[layer]);
    return el("div", { class: "layer" }, el("h5", {}, name), body);
  };
  return LAYERS.map((layer) => el("div", { class: "layers" }, el("h4", {}, layer),
    el("div", { class: other ? "two" : "one" },
      column(text, layer, names[0], wrong),
      other && column(other, layer, names[1], new Set()))));
}

function diagnosticsList(diagnostics) {
  return el("ol", { class: "diagnostics" }, diagnostics.map((d) => el("li", { class: d.severity },
    el("strong", {}, `${d.code} `), d.span[0] ? `line ${d.span[0]}, column ${d.span[1]}: ` : "", `${d.layer}: ${d.message}`,
    d.hint && el("pre", { class: "hint", tabindex: 0, role: "region", "aria-label": "hint" }, d.hint))));
}
