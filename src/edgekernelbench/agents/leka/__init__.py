"""LEKA, the Layered Edge Kernel Agent: a controller decides, a mind is asked where judgement is needed."""
