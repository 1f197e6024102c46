// Numbers as people read them.

function percent(share, digits = 1) {
  return share === null || share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;
}

/** Writes an interval of shares; where there is none, a dash and why. */
function range(interval, patterns) {
  if (!interval) return patterns === 1 ? "– (one pattern)" : "–";
  return `[${(100 * interval.low).toFixed(0)}, ${(100 * interval.high).toFixed(0)}]`;
}

/** Writes a p-value with the digits that count, as `ekb compare` does. */
function chanceOf(value) {
  if (value === null) return "–";
  return value < 0.001 ? "<0.001" : value < 0.1 ? value.toFixed(3) : value.toFixed(2);
}

function significant(value, digits = 3) {
  return Number(value.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
}

function duration(ns) {
  if (ns === undefined || ns === null) return "–";
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= size) return `${significant(ns / size)} ${unit}`;
  }
  return `${significant(ns)} ns`;
}

function bytes(size) {
  if (size === undefined || size === null) return "–";
  for (const [unit, of] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (size >= of) return `${significant(size / of)} ${unit}`;
  }
  return `${size} B`;
}

function times(ratio) {
  if (ratio === undefined || ratio === null) return "–";
  return `${ratio >= 100 ? significant(ratio) : ratio.toFixed(2)}×`;
}

function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Writes the ticks of a logarithmic axis of ratios. */
function ratioTick(value) {
  return value >= 1 ? `${significant(value)}×` : `1/${significant(1 / value)}`;
}
