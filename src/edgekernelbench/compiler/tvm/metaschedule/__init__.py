"""TVM's own scheduler on the canonical compute: blocks, search spaces, replay of traces, machine code."""
