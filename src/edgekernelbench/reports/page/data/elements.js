// Making elements. Text from records becomes text nodes and nothing else: this page parses no markup.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element: attributes by name, listeners by `on…`, children that are nodes, texts or lists. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

function byId(id) {
  return document.getElementById(id);
}

/** Makes a table: heads are texts, cells are texts or nodes; columns named in `words` stand flush left. */
function tableOf(heads, rows, { label, words = [] }) {
  const kind = (at) => (words.includes(heads[at]) ? "words" : null);
  const body = rows.map((cells) => el("tr", {}, cells.map((cell, at) =>
    (at === 0 ? el("th", { scope: "row" }, cell) : el("td", { class: kind(at) }, cell)))));
  const table = el("table", {},
    el("thead", {}, el("tr", {}, heads.map((head, at) => el("th", { scope: "col", class: kind(at) }, head)))),
    el("tbody", {}, body));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** Makes a choice with a label. */
function choice(label, name, options, chosen, change) {
  const select = el("select", { name, onchange: () => change(select.value) },
    options.map(([value, text]) => el("option", { value, selected: String(value) === String(chosen) }, text)));
  return el("label", {}, el("span", {}, label), select);
}

/** Makes a field with a label; it answers when typing pauses. */
function field(label, name, value, change, attributes = {}) {
  let waiting = 0;
  const input = el("input", {
    name, value: value ?? "", autocomplete: "off", spellcheck: "false", ...attributes,
    oninput: () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change(input.value), 120);
    },
  });
  return el("label", {}, el("span", {}, label), input);
}

/** Waits until typing or choosing is over for a moment. */
function settled(work, pause = 60) {
  let waiting = 0;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(work, pause);
  };
}
