// The page as a whole: sections, routes, keys, colours.

const overview = byId("overview");
const opened = byId("opened");

function build() {
  const look = el("section", { id: "look", "aria-labelledby": "look-title" },
    el("h2", { id: "look-title" }, "Look closer"),
    el("p", {}, "What is chosen here holds for everything below. Scores are then counted anew over the workloads and agents chosen, never over outcomes."),
    el("div", { id: "form" }), el("p", { id: "choice", "aria-live": "polite" }), el("div", { id: "chosen-scores" }));
  const pictures = el("section", { id: "pictures", "aria-labelledby": "pictures-title" },
    el("h2", { id: "pictures-title" }, "Pictures"), el("div", { id: "legend" }),
    el("div", { class: "pictures" }, PICTURES.map(([id, title, caption]) => el("figure", { id },
      el("figcaption", {}, el("strong", {}, title), ` ${caption}`), el("div", { class: "drawn" })))),
    el("div", { id: "left-out" }));
  const difference = el("section", { id: "difference", "aria-labelledby": "difference-title" },
    el("h2", { id: "difference-title" }, "Is the difference real?"), el("div", { id: "comparison" }));
  const failures = el("section", { id: "failures", "aria-labelledby": "failures-title" },
    el("h2", { id: "failures-title" }, "Failures"), el("div", { id: "kinds" }));
  const attempts = el("section", { id: "attempts", "aria-labelledby": "attempts-title" },
    el("h2", { id: "attempts-title", tabindex: -1 }, "Attempts"),
    el("p", { id: "how-many", "aria-live": "polite" }), el("p", { id: "apart", class: "fine" }), el("div", { id: "table" }), el("div", { id: "more" }));
  overview.append(look, pictures, difference, failures, attempts, about());
}

function about() {
  const lines = RUNS.flatMap((run) => [
    [run.name, `${run.device.profile}, ${run.device.cpu || run.device.machine}, ${run.device.threads} threads of ${run.device.cores} cores, ${bytes(run.device.memory_bytes)}, ${run.device.system}`],
    ["its reference", run.reference.name],
    ["its settings", Object.entries(run.settings).filter(([, value]) => value).map(([name, value]) => `${name} ${value}`).join(", ")],
    ["its catalogue", `${run.catalogue}${run.release ? `, release ${run.release}` : ": not the catalogue of the program that wrote this page, so levels, domains and operations are not known"}`],
    ["its versions", Object.entries(run.versions).map(([name, value]) => `${name} ${value}`).join(", ")],
  ]);
  return el("section", { id: "about", "aria-labelledby": "about-title" }, el("h2", { id: "about-title" }, "About"),
    tableOf(["run", "what it was"], lines, { label: "Runs", words: ["what it was"] }),
    el("p", {}, `Written by edgekernelbench ${DATA.made.version} from the records of the run folders, which hold every sample. What the scores mean stands in the documentation. Pictures by Observable Plot and D3 (ISC licence).`),
    el("p", {}, "Keys: ", el("kbd", {}, "/"), " to the filter, ", el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " through opened attempts and the steps of a path, ", el("kbd", {}, "↑"), " to what a step was made of, ", el("kbd", {}, "↓"), " to the best of what was made of it, ", el("kbd", {}, "Esc"), " back."));
}

/** Puts what is chosen into every part of the overview. */
function refresh() {
  const rows = chosen();
  const scored = chosen({ scores: true });
  const all = ROWS.filter((row) => SCORED_KEYS.has(row.who)).length;
  byId("chosen-scores").replaceChildren(...(scored.length < all ? chosenScores(scored) : []));
  byId("choice").replaceChildren();
  append(byId("choice"), [choiceLine(rows)]);
  byId("comparison").replaceChildren(comparison(chosen({ scores: true, everyone: true })));
  byId("kinds").replaceChildren(failuresTable(rows));
  fillTable(rows);
  stale(scored);
}

function fillTable(rows) {
  const list = sorted(rows);
  byId("how-many").textContent = `${count(rows.length, "attempt")} of ${ROWS.length.toLocaleString("en")}${rows.length > most ? `, the first ${most} shown` : ""}`;
  byId("table").replaceChildren(attemptsTable(list, change));
  const more = () => {
    most += 5 * PAGE;
    fillTable(rows);
  };
  const apart = list.filter((row) => row.apart).length;
  const timed = list.filter((row) => row.reference_ns !== undefined).length;
  byId("apart").textContent = apart ? `${APART} on ${apart} of ${count(timed, "timed attempt")}: ${ABOUT_APART}` : "";
  byId("more").replaceChildren(...(rows.length > most ? [el("button", { type: "button", onclick: more }, "Show more")] : []));
}

function change(what) {
  Object.assign(state, what);
  most = PAGE;
  if ("run" in what && !("agent" in what)) state.agent = "";
  if ("run" in what) sides.first = sides.second = null;
  if ("run" in what) byId("form").replaceChildren(filterForm(change));
  remember();
  if ("sort" in what && !("q" in what)) fillTable(chosen()); // the order changes no score and no picture
  else refresh();
  const sort = what.sort && document.querySelector(`[data-sort="${what.sort}"]`);
  if (sort) sort.focus();
}

/** Keeps the choice in the address, so that a link leads to it. */
function remember() {
  const set = Object.entries(state).filter(([name, value]) => value !== START[name]);
  const words = new URLSearchParams(set).toString();
  history.replaceState(null, "", words ? `#?${words}` : "#");
}

// Pictures are drawn when they are about to be seen: thousands of dots cost a moment each.
const waiting = new Map();
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) drawWaiting(entry.target);
}, { rootMargin: "400px" });

function stale(rows) {
  const leftOut = [];
  // Runs of different kinds share no picture.
  const mixed = state.run === "" && !ONE_KIND;
  for (const [id, title, , make] of PICTURES) {
    const figure = byId(id);
    const options = mixed ? "" : make(rows);
    watcher.unobserve(figure);
    waiting.delete(figure);
    figure.hidden = typeof options === "string";
    if (figure.hidden) {
      leftOut.push([title, options]);
      continue;
    }
    const width = () => Math.max(320, Math.min(560, figure.clientWidth || 560));
    waiting.set(figure, () => figure.querySelector(".drawn").replaceChildren(draw(options, title, width())));
    watcher.observe(figure);
  }
  byId("legend").replaceChildren(...(leftOut.length < PICTURES.length ? [legend(rows)] : []));
  byId("left-out").replaceChildren(...(mixed ? [el("p", { class: "none" }, "Pictures are of one run at a time, since these are of different kinds: choose a run above.")] : leftOutList(leftOut)));
}

/** Names the pictures that are not drawn, those with the same reason together. */
function leftOutList(leftOut) {
  if (!leftOut.length) return [];
  const reasons = d3.groups(leftOut, ([, why]) => why);
  return [el("p", { class: "fine" }, "Not drawn: ", reasons.map(([why, of]) => `${of.map(([title]) => title).join(", ")} (${why})`).join("; "), ".")];
}

function drawWaiting(figure) {
  const work = waiting.get(figure);
  waiting.delete(figure);
  if (work) work();
}

let left = null;

async function route() {
  const address = location.hash;
  const [, kind, run, at, step] = address.split("/");
  const row = ["attempt", "walk"].includes(kind) ? rowAt(Number(run), Number(at)) : undefined;
  const came = !opened.hidden;
  overview.hidden = Boolean(row);
  opened.hidden = !row;
  if (!row) {
    opened.replaceChildren();
    if (came) comeBack();
    return;
  }
  const walks = kind === "walk" && byId(`walk-${run}-${at}`);
  if (!walks) opened.replaceChildren(el("p", {}, "Opening …"));
  const content = walks ? openWalk(row, await unpack(walks.id), Number(step)) : await openAttempt(row);
  const parts = content.flat(Infinity).filter(Boolean);
  if (location.hash !== address) return;
  left = row;
  opened.replaceChildren(...parts);
  if (!walks) window.scrollTo(0, 0);
  byId("opened-title").focus({ preventScroll: true });
}

/** Leads back to the row of the attempt that was open, or to the table where it is not shown. */
function comeBack() {
  const link = left && byId("table").querySelector(`a[href="#/attempt/${left.run}/${left.at}"]`);
  const target = link ?? byId("attempts-title");
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: link ? "center" : "start" });
}

function press(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape" && !opened.hidden) opened.querySelector("[data-key=up]").click();
  if (event.target.closest?.("input, select, textarea")) return;
  if (event.key === "/" && opened.hidden) {
    event.preventDefault();
    byId("words").focus();
  }
  if (event.target.closest?.("pre, .scroll")) return; // arrows scroll these
  const step = { ArrowLeft: "previous", ArrowRight: "next", ArrowUp: "parent", ArrowDown: "child" }[event.key];
  const link = step && !opened.hidden && opened.querySelector(`[data-key=${step}]`);
  if (link) {
    event.preventDefault();
    link.click();
  }
}

const THEMES = [["", "as the system says"], ["light", "light"], ["dark", "dark"]];
let theme = 0;

function turnTheme() {
  theme = (theme + 1) % THEMES.length;
  const [name, label] = THEMES[theme];
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  byId("theme").setAttribute("aria-label", `Colours: ${label}`);
}

/** Loads the page again while a run goes on, unless someone reads an attempt or types. */
function again() {
  if (opened.hidden && !document.activeElement?.closest("input, select")) location.reload();
  else setTimeout(again, 2000);
}

function follow(event) {
  const link = event.target.closest?.("a[href^='#']");
  const target = link && !link.hash.startsWith("#/") && byId(link.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  if (!opened.hidden) location.hash = link.hash;
  target.scrollIntoView();
  // Whoever came by keys goes on from there.
  const heading = target.querySelector("h2") ?? target;
  heading.setAttribute("tabindex", "-1");
  heading.focus({ preventScroll: true });
}

for (const [name, value] of new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "")) {
  if (name in state) state[name] = value;
}
build();
byId("form").append(filterForm(change));
refresh();
route();
addEventListener("hashchange", route);
addEventListener("keydown", press);
// A page that is printed, or shown as it would be printed, is never scrolled.
const drawAll = () => [...waiting.keys()].forEach(drawWaiting);
addEventListener("beforeprint", drawAll);
matchMedia("print").addEventListener("change", drawAll);
document.addEventListener("click", follow);
byId("theme").addEventListener("click", turnTheme);
if (DATA.made.again_s) setTimeout(again, 1000 * DATA.made.again_s);
document.documentElement.dataset.ready = "1";
