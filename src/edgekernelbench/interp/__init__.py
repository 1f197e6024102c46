"""The living definition of the language, in NumPy."""
