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

/** Draws exponential weights of so many patterns and of one more, once for all scores over as many. */
const weightsOf = remembered((patterns) => {
  const chance = draws(1);
  const weights = new Float64Array(RESAMPLES * (patterns + 1));
  for (let at = 0; at < weights.length; at++) weights[at] = -Math.log(1 - chance());
  return weights;
});

/** Keeps what was made for the last keys: a person who types goes through many. */
function remembered(make) {
  const made = new Map();
  return (key) => {
    if (!made.has(key)) {
      if (made.size >= 8) made.delete(made.keys().next().value);
      made.set(key, make(key));
    }
    return made.get(key);
  };
}

/**
 * Gives the interval of a mean over workloads by weighing whole patterns, and one that nobody saw: at the lower end with
 * the least value, at the upper with the most (metrics/intervals.py). Null with fewer than two patterns.
 */
function clusteredInterval(clusters, least = 0, most = 1) {
  const all = [...clusters.keys()].sort().map((key) => clusters.get(key));
  const patterns = all.length;
  if (patterns < 2) return null;
  const [sums, sizes] = [Float64Array.from(all, (values) => d3.sum(values)), Float64Array.from(all, (values) => values.length)];
  const unseen = d3.mean(sizes);
  const weights = weightsOf(patterns);
  const [lows, highs] = [new Float64Array(RESAMPLES), new Float64Array(RESAMPLES)];
  for (let draw = 0, at = 0; draw < RESAMPLES; draw++) {
    let sum = 0;
    let size = 0;
    for (let cluster = 0; cluster < patterns; cluster++, at++) {
      sum += weights[at] * sums[cluster];
      size += weights[at] * sizes[cluster];
    }
    const last = weights[at++] * unseen;
    lows[draw] = (sum + last * least) / (size + last);
    highs[draw] = (sum + last * most) / (size + last);
  }
  const tail = Math.floor(0.025 * (RESAMPLES - 1));
  return { low: Math.max(least, lows.sort()[tail]), high: Math.min(most, highs.sort()[RESAMPLES - 1 - tail]), clusters: patterns };
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

/** A score with its interval, over how many workloads and patterns; its value is null when it is undefined. */
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

/** How much more of the workloads that both tried the second holds for than the first, with an interval. */
function difference(first, second, holds) {
  const [a, b] = [shares(first, holds), shares(second, holds)];
  if (!a || !b) return null;
  const both = [...a.keys()].filter((workload) => b.has(workload));
  if (!both.length) return null;
  const pairs = both.map((w) => [a.get(w).pattern, b.get(w).share - a.get(w).share]);
  const sums = [...d3.rollup(pairs, (group) => d3.sum(group, ([, value]) => value), ([pattern]) => pattern).values()];
  const side = (of) => d3.mean(both, (w) => of.get(w).share);
  return { ...meanOf(pairs, -1), first: side(a), second: side(b), chance: sums.length > 1 ? flipPValue(sums) : null };
}

function meanOf(pairs, least = 0) {
  const clusters = d3.rollup(pairs, (group) => group.map(([, value]) => value), ([pattern]) => pattern);
  return {
    value: d3.mean(pairs, ([, value]) => value) ?? null, interval: clusteredInterval(clusters, least),
    workloads: pairs.length, patterns: clusters.size,
  };
}

// Standard deviations of log times between processes (metrics/speed.py, metrics/agreement.py).
const PROCESS_SPREAD = 0.027;
const LEAST_SPREAD = 0.007;
const NORMAL_QUANTILE = 1.959963984540054;

/** The distribution function of Student's t, by finite sums (metrics/student.py). */
function tCdf(t, freedom) {
  const angle = Math.atan2(t, Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const odd = freedom % 2;
  let term = odd ? cosine : 1;
  let total = 0;
  for (let step = 1; step <= Math.floor(odd ? (freedom - 1) / 2 : freedom / 2); step++) {
    if (odd) {
      total += term;
      term *= (cosine * cosine * 2 * step) / (2 * step + 1);
    } else {
      total += term;
      term *= (cosine * cosine * (2 * step - 1)) / (2 * step);
    }
  }
  return odd ? 0.5 + (angle + Math.sin(angle) * total) / Math.PI : 0.5 + (Math.sin(angle) * total) / 2;
}

/** The 97.5 % quantile of Student's t. */
const tQuantile = remembered((freedom) => {
  let [low, high] = [0, 2];
  while (tCdf(high, freedom) < 0.975) high *= 2;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (tCdf(middle, freedom) < 0.975) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
});

/** How far apart mean logs of two lists of kernels may lie by what repetition shows anyway (metrics/agreement.py). */
function allowedApart(one, two) {
  const all = [...one, ...two];
  const weight = d3.sum([one, two], (side) => d3.sum(side, (row) => 1 / row.sets / side.length ** 2));
  if (all.some((row) => row.sets < 2)) return NORMAL_QUANTILE * Math.sqrt(2 * PROCESS_SPREAD ** 2 * weight);
  const freedom = d3.sum(all, (row) => row.sets - 1);
  const pooled = d3.sum(all, (row) => row.spread ** 2 * (row.sets - 1)) / freedom;
  return tQuantile(freedom) * Math.sqrt(Math.max(pooled, 2 * LEAST_SPREAD ** 2) * weight);
}

/** How many times as fast the second is as the first where both were right (metrics/speed_difference.py). */
function pairedSpeed(first, second) {
  const shared = d3.intersection(first.map((row) => row.workload), second.map((row) => row.workload));
  if ([...first, ...second].some((row) => !isJudged(row) && shared.has(row.workload))) return null;
  const of = (rows) => d3.group(rows.filter((row) => isCorrect(row) && speedOf(row) !== undefined), (row) => row.workload);
  const [a, b] = [of(first), of(second)];
  const log = (rows) => d3.mean(rows, (row) => Math.log(speedOf(row)));
  const pairs = [...a.keys()].filter((workload) => b.has(workload)).map((workload) => {
    const [one, two] = [a.get(workload), b.get(workload)];
    return {
      workload, pattern: one[0].pattern, first: Math.exp(log(one)), second: Math.exp(log(two)), row: two[0],
      log: log(two) - log(one), allowed: allowedApart(one, two), apart: [...one, ...two].some((row) => row.apart),
    };
  });
  if (!pairs.length) return null;
  const mean = d3.mean(pairs, (pair) => pair.log);
  const sums = [...d3.rollup(pairs, (group) => d3.sum(group, (pair) => pair.log), (pair) => pair.pattern).values()];
  const half = sums.length > 1 ? halfWidth(pairs, mean) : null;
  const geometric = (side) => Math.exp(d3.mean(pairs, (pair) => Math.log(pair[side])));
  return {
    pairs, ratio: Math.exp(mean), first: geometric("first"), second: geometric("second"),
    interval: half === null ? null : { low: Math.exp(mean - half), high: Math.exp(mean + half) },
    chance: sums.length > 1 ? flipPValue(sums) : null, workloads: pairs.length, patterns: sums.length,
    faster: pairs.filter((pair) => pair.log > pair.allowed).length,
    slower: pairs.filter((pair) => -pair.log > pair.allowed).length, apart: pairs.filter((pair) => pair.apart).length,
  };
}

/** Half the width of the interval of a mean log: t over patterns, no surer than the measurements. */
function halfWidth(pairs, mean) {
  const sums = [...d3.rollup(pairs, (group) => d3.sum(group, (pair) => pair.log - mean), (pair) => pair.pattern).values()];
  const seen = ((sums.length / (sums.length - 1)) * d3.sum(sums, (sum) => sum * sum)) / pairs.length ** 2;
  const least = d3.sum(pairs, (pair) => (pair.allowed / NORMAL_QUANTILE) ** 2) / pairs.length ** 2;
  return tQuantile(sums.length - 1) * Math.sqrt(Math.max(seen, least));
}

/** The geometric mean of how many times as fast correct kernels are, with their number; null when none was timed. */
function meanSpeed(rows) {
  const logs = rows.filter(isCorrect).map((row) => speedOf(row)).filter((speed) => speed !== undefined).map(Math.log);
  return logs.length ? { mean: Math.exp(d3.mean(logs)), count: logs.length } : null;
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
