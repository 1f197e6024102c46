"""The suites as tasks of Inspect, the evaluation framework: `inspect eval edgekernelbench/quick`."""
