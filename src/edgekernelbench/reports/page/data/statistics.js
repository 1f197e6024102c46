// Scores of what a filter leaves, by the definitions of `metrics/`: shares over workloads, intervals over patterns.
// A test compares them with those of the program that judged.

const RESAMPLES = 2000;

/** A generator of reproducible draws (mulberry32), so that a page shows the same interval each time. */
function draws(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Bootstraps the mean over workloads, drawing whole patterns; null with fewer than two patterns. */
function clusteredInterval(clusters) {
  const all = [...clusters.keys()].sort().map((key) => {
    const values = clusters.get(key);
    return [d3.sum(values), values.length];
  });
  if (all.length < 2) return null;
  const chance = draws(1);
  const means = new Float64Array(RESAMPLES);
  for (let draw = 0; draw < RESAMPLES; draw++) {
    let sum = 0;
    let size = 0;
    for (let at = 0; at < all.length; at++) {
      const [part, of] = all[Math.floor(chance() * all.length)];
      sum += part;
      size += of;
    }
    means[draw] = sum / size;
  }
  means.sort();
  const tail = Math.floor(0.025 * (RESAMPLES - 1));
  return { low: means[tail], high: means[RESAMPLES - 1 - tail], clusters: all.length };
}

const isJudged = (row) => row.outcome !== "unjudged";
const isAccepted = (row) => row.outcome !== "rejected";
const isCorrect = (row) => row.outcome === "correct";

/** Whether an attempt is correct and more than p times as fast; null when that is not known. */
function isFast(row, p, baseline, sure) {
  if (!isCorrect(row)) return false;
  const ratio = speedOf(row, baseline, sure);
  return ratio === undefined ? null : ratio > p;
}

const SCORES = [
  ["Accepted@1", isAccepted],
  ["Correct@1", isCorrect],
  ["Fast@1.0", (row) => isFast(row, 1, REFERENCE, false)],
  ["sure Fast@1.0", (row) => isFast(row, 1, REFERENCE, true)],
];

/** The share of each workload's attempts that a test holds for; null when one is unjudged or unknown. */
function shares(rows, holds) {
  const found = new Map();
  for (const [workload, group] of d3.group(rows, (row) => row.workload)) {
    const values = group.map((row) => (isJudged(row) ? holds(row) : null));
    if (values.includes(null)) return null;
    found.set(workload, { pattern: group[0].pattern, share: d3.mean(values, Number) });
  }
  return found;
}

/** A score with its interval; its value is null when it is undefined. */
function score(rows, holds) {
  const found = rows.length ? shares(rows, holds) : null;
  if (!found) return { value: null, interval: null };
  return meanOf([...found.values()].map(({ pattern, share }) => [pattern, share]));
}

const DRAWS = 9999;

/** How likely chance alone shows a difference as large: whole patterns change sides (metrics/randomization.py). */
function flipPValue(sums) {
  const moved = sums.filter((sum) => Math.abs(sum) > 1e-12);
  const seen = Math.abs(d3.sum(moved)) - 1e-9;
  const every = 2 ** moved.length;
  const turned = (isTurned) => Math.abs(moved.reduce((total, value, at) => total + (isTurned(at) ? -value : value), 0));
  if (every <= DRAWS) return d3.range(every).filter((signs) => turned((at) => (signs >> at) & 1) >= seen).length / every;
  const chance = draws(2);
  let extreme = 0;
  for (let draw = 0; draw < DRAWS; draw++) if (turned(() => chance() < 0.5) >= seen) extreme++;
  return (1 + extreme) / (1 + DRAWS);
}

/** How much more of the workloads that both tried A holds for than B, with an interval. */
function difference(rowsA, rowsB, holds) {
  const [a, b] = [shares(rowsA, holds), shares(rowsB, holds)];
  if (!a || !b) return { value: null, interval: null, workloads: 0, chance: null };
  const both = [...a.keys()].filter((workload) => b.has(workload));
  const pairs = both.map((w) => [a.get(w).pattern, a.get(w).share - b.get(w).share]);
  const sums = d3.rollup(pairs, (group) => d3.sum(group, ([, value]) => value), ([pattern]) => pattern);
  return { ...meanOf(pairs), workloads: both.length, chance: sums.size > 1 ? flipPValue([...sums.values()]) : null };
}

function meanOf(pairs) {
  const clusters = d3.rollup(pairs, (group) => group.map(([, value]) => value), ([pattern]) => pattern);
  return { value: d3.mean(pairs, ([, value]) => value) ?? null, interval: clusteredInterval(clusters) };
}

/** Shares of attempts that are fast, over a range of p: the curve of Fast@p. */
function fastCurve(rows, baseline, sure) {
  if (!rows.length || rows.some((row) => !isJudged(row) || isFast(row, 1, baseline, sure) === null)) return [];
  const weights = d3.rollup(rows, (group) => group.length, (row) => row.workload);
  return CURVE_AT.map((p) => ({
    p,
    share: d3.sum(rows, (row) => (isFast(row, p, baseline, sure) ? 1 / weights.get(row.workload) : 0)) / weights.size,
  }));
}

const CURVE_AT = d3.range(-2, 4.01, 0.05).map((power) => 2 ** power);
