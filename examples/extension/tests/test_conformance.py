"""What EdgeKernelBench expects of agents, devices, compilers and catalogues."""

from edgekernelbench.conformance.agents import AgentConformance
from edgekernelbench.conformance.catalogues import CatalogueConformance
from edgekernelbench.conformance.compilers import CompilerConformance
from edgekernelbench.conformance.devices import DeviceConformance


class TestAsker(AgentConformance):
    """The agent."""

    entry = "asker"


class TestZero2W(DeviceConformance):
    """The device."""

    entry = "zero-2w"


class TestPlainC(CompilerConformance):
    """The compiler."""

    entry = "c-o1"


class TestDoors(CatalogueConformance):
    """The catalogue."""

    entry = "doors"
