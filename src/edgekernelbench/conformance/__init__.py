"""Tests that packages of others run, one class a kind.

```python
from edgekernelbench.conformance.agents import AgentConformance

class TestMyAgent(AgentConformance):
    entry = "my-agent"
```
"""
