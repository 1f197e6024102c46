// What the page holds: facts and rows of every run, open; details of attempts, packed.

const DATA = JSON.parse(byId("summary").textContent);
const RUNS = DATA.runs;
const OUTCOMES = ["correct", "wrong", "crashed", "rejected", "unjudged"];

/** All rows of all runs, each with what the catalogue says of its workload and with who made it. */
const ROWS = RUNS.flatMap((run, runAt) => run.rows.map((row, at) => ({
  ...row,
  run: runAt,
  at,
  facts: run.workloads[row.workload] ?? {},
  pattern: row.workload.split("@")[0],
  who: `${runAt}:${row.agent}`,
})));

/** Everyone who made attempts: an agent of a run is a row of a table, and never mixed with one of another run. */
const WHO = RUNS.flatMap((run, runAt) => run.agents.map((agent, at) => ({
  key: `${runAt}:${at}`,
  run: runAt,
  agent: at,
  about: agent,
  name: RUNS.length > 1 ? `${agent.name} (${run.name})` : agent.name,
})));

/** Those that have scores: an agent that may have seen what no agent sees is in no table, picture or comparison. */
const SCORED = WHO.filter((who) => !who.about.barred);
const SCORED_KEYS = new Set(SCORED.map((who) => who.key));
const NAMES = new Map(WHO.map((who) => [who.key, who.name]));

// What two rows must share to be held against each other, and what their speeds must share besides
// (reports/comparability.py says the same for `ekb compare`).
const KIND = {
  catalogue: (run) => run.catalogue, track: (run) => run.settings.track || "write", device: (run) => run.device.profile,
  "device class": (run) => run.device.device_class, reference: (run) => run.reference.name,
};
const SPEED_KIND = {
  timing: (run) => run.settings.timing, processor: (run) => run.device.cpu || run.device.machine,
  threads: (run) => run.device.threads, compiler: (run) => run.settings.compiler,
};

/** Says in what two runs differ that must be the same. */
function differences(kinds, one, two) {
  return Object.entries(kinds).filter(([, read]) => read(one) !== read(two))
    .map(([name, read]) => `the ${name} is ${read(one) || "unknown"} in ${one.name}, ${read(two) || "unknown"} in ${two.name}`);
}

/** Whether all runs of the page may stand in one table and in one picture. */
const ONE_KIND = RUNS.every((run) => differences(KIND, RUNS[0], run).length === 0);

const REFERENCE = "reference";
const referenceOf = (row) => RUNS[row.run].reference.baseline;

/** Gives how many times as fast as a baseline a kernel is; the reference is that of its run. */
function speedOf(row, baseline = REFERENCE, sure = false) {
  const pair = row.speed?.[baseline === REFERENCE ? referenceOf(row) : baseline];
  return pair ? pair[sure ? 1 : 0] : undefined;
}

/** What stands before the time of a reference that took another time than beside other kernels for the workload. */
const APART = "≠";

const BASELINES = [REFERENCE, ...new Set(ROWS.flatMap((row) => Object.keys(row.speed ?? {})))];

function baselineName(name) {
  if (name === "vendor") return "the vendor's library";
  if (name === REFERENCE) return "the reference";
  return RUNS[0]?.baselines[name] ?? name;
}

const unpacked = new Map();

/** Unpacks the details of an attempt, with those that were packed beside it. */
async function detailsOf(row) {
  const chunk = Math.floor(row.at / DATA.made.chunk);
  const found = await unpack(`details-${row.run}-${chunk}`);
  return found[row.at % DATA.made.chunk];
}

function unpack(id) {
  if (!unpacked.has(id)) unpacked.set(id, unpackOnce(id));
  return unpacked.get(id);
}

async function unpackOnce(id) {
  const packed = Uint8Array.from(atob(byId(id).textContent), (char) => char.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

function rowAt(run, at) {
  return ROWS.find((row) => row.run === run && row.at === at);
}
