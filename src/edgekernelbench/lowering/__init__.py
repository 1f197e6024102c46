"""The default lowering: rules that write schedule and memory layers for any compute."""
