"""Texts that try to break or to stall the reader."""

HEAD = "def f(x: f32[4], b: f32[4]):\n"


def compute(*lines: str) -> str:
    return f"{HEAD}    with compute:\n" + "".join(f"        {line}\n" for line in lines)


def value(text: str) -> str:
    return compute(f"o: f32 = {text}", "return o")


def constants(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}{body}    with compute:\n        o[i]: f32[4] = x[i]\n        return o\n"


def schedule(*lines: str, layer: str = "schedule") -> str:
    body = "".join(f"        {line}\n" for line in lines) or "        pass\n"
    return f'{value("1")}    with {layer}("llvm"):\n{body}'


def joined(part: str, count: int, sign: str = ", ") -> str:
    return sign.join(part.replace("#", str(number)) for number in range(count))


HOSTILE = {
    # deep
    "terms": value(joined("b", 20_000, "+")),
    "numbers": value(joined("1", 20_000, "+")),
    "brackets": value("(" * 5_000 + "1" + ")" * 5_000),
    "minus signs": value("-" * 30_000 + "b[0]"),
    "nots": value("not " * 12_000 + "b[0]"),
    "indices": value("b[" * 150 + "0" + "]" * 150),
    "indices of indices": value("b" + "[0]" * 10_000),
    "attributes": value("b" + ".a" * 20_000),
    "calls": value("exp(" * 150 + "1" + ")" * 150),
    "calls of calls": value("b" + "()" * 10_000),
    "conditionals": value("1 if b else " * 4_000 + "1"),
    "lists": compute("t: f32[1] = " + "[" * 150 + "1" + "]" * 150, "return t"),
    "reductions in reductions": value("sum(" * 90 + "1" + " for k in range(4))" * 90),
    "lambdas": value("lambda: " * 7_000 + "1"),
    "fors": compute(
        *(" " * n + f"for t{n} in range(2):" for n in range(90)),
        " " * 95 + "o: f32 = 1",
        "return o",
    ),
    "choose in choose": constants("N = " + "choose(" * 150 + "1" + ")" * 150),
    # broad
    "comparisons": value(joined("b[0]", 8_000, " < ")),
    "ands": value(joined("b[0]", 6_000, " and ")),
    "reductions": value(joined("sum(b[k] for k in range(4))", 2_000, "+")),
    "generators": value("sum(1" + " for k in range(2)" * 3_000 + ")"),
    "conditions": value("sum(1 for k in range(2)" + " if k" * 8_000 + ")"),
    "slices": value(joined("x[:]", 8_000, "+")),
    "unknown names": value(joined("q#", 8_000, "+")),
    "stages": compute(*(f"s{n}[i]: f32[4] = x[i]" for n in range(2_000)), "return s0"),
    "stages without types": compute(*(f"s{n}[i] = x[i]" for n in range(2_000)), "return s0"),
    "accumulations": compute(*["s += 1"] * 4_000, "return s"),
    "axes": compute(f"o[{joined('i#', 5_000)}]: f32[{joined('2', 5_000)}] = 1", "return o"),
    "equal axes": compute(f"o[{joined('i', 9_000)}]: f32[{joined('2', 9_000)}] = 1", "return o"),
    "a table": compute(f"t: f32[20000] = [{joined('1', 20_000)}]", "return t"),
    "outputs": compute("o: f32 = 1", f"return {joined('o', 9_000)}"),
    "parameters": value("1").replace("x: f32[4]", joined("a#: f32[4]", 3_000)),
    "constants": constants(f"{joined('N#', 3_000)} = {joined('1', 3_000)}"),
    "lines of constants": constants(*(f"N{n} = {n}" for n in range(3_000))),
    "one constant": constants(*["N = 1"] * 5_000),
    "options": constants(f"N = choose({joined('#', 9_000)})"),
    "many knobs": constants(*(f"N{n} = choose(1)" for n in range(2_000))),
    "splits": schedule(f"{joined('a#', 3_001)} = split(o.i, {joined('2', 3_000)})"),
    "directives": schedule(*["unroll(o.i)"] * 4_000),
    "unknown directives": schedule(*["foo(o.i)"] * 5_000),
    "arguments": schedule(f"order({joined('1', 9_000)})"),
    "targets": value("1") + "    with schedule(" + joined("'llvm'", 5_000) + "):\n        pass\n",
    "blocks": value("1") + "    with schedule('llvm'):\n        pass\n" * 1_500,
    "layouts": schedule(f'layout(x, "{"a " * 15_000}->{" a/2" * 3_000}")', layer="memory"),
    "functions": "def f(): pass\n" * 4_000,
    "imports": "import a\n" * 7_000,
    "formatted strings": value("f'" + "{b}" * 10_000 + "'"),
    "strings": value("'a' " * 15_000),
    "semicolons": compute("o: f32 = 1;" * 4_000, "return o"),
    # numbers
    "digits": constants("N = " + "9" * 4_300, "M = 0x" + "f" * 20_000, "K = 1" + "_0" * 2_000),
    "more digits": constants("N = " + "9" * 5_000),
    "a tower": value("**".join(["9"] * 9)),
    "towers": constants(
        "N = 2.0**9**9**9", "M = 9**9**9", "K = (-9)**(9**9)", "J = 1**(9**9**2)", "Q = 0**9**18"
    ),
    "a high tower": constants("N = " + "**".join(["9"] * 20_000)),
    "floats": constants("N = 1e999", "M = 1e308 * 10", "K = 1." + "1" * 9_000, "J = inf * 0", "I = inf // 1"),
    "huge splits": schedule("a, c = split(o.i, 99999999999999999999)", "d, e = split(o.i, 10**18)"),
    "factors": schedule(f'layout(x, "a -> a/{"9" * 20_000}")', layer="memory"),
    "complex": value("1j"),
    "a starred call": value("max(*x, **b)"),
    # names
    "a long stage": compute("a" * 60_000 + ": f32 = 1", "return o"),
    "a long name": value("a" * 60_000),
    "a long function": value("a" * 60_000 + "(1)"),
    "a long constant": value("A" * 60_000),
    "a long type": compute("o: " + "a" * 60_000 + " = 1", "return o"),
    "a long directive": schedule("a" * 60_000 + "(o.i)"),
    "a long kernel": value("1").replace("def f", "def " + "f" * 60_000),
    # characters
    "nothing": "",
    "line breaks": "\n" * 60_000,
    "zero byte": "def f(x: f32[4]):\n\0",
    "half a surrogate": "def f(x): # \ud800",
    "letters": "def f(\u00e9): pass",
    "mathematical letters": "def f(\U0001d431: f32[4]): pass",
    "line separators": "def f():\u2028    pass",
    "byte order mark": "\ufeffdef f(): pass",
    "form feed": "def f():\x0c pass",
    "too long": "a" * 70_000,
    "escapes": f'{HEAD}    """\\d \\x00 \\ud800"""\n' + value("1")[len(HEAD) :],
    "carriage returns": "def f(x):\r pass\r",
    # other statements
    "match": compute("match x:", "    case 1: pass", "return o"),
    "async": "async def f(): pass\n",
    "a class": "class A: pass\n",
    "yield": value("(yield)"),
    "await": value("await x"),
    "an async generator": value("sum(1 async for k in range(4))"),
    "try": compute("try:", "    pass", "finally:", "    pass", "return o"),
    "global": compute("global x", "del x", "*a, c = x", "return o"),
    "dictionaries": value("{a: 1 for a in x}[{1, 2}]"),
    "an ellipsis": compute("o[...]: f32 = ...", "return o"),
}
"""All are wrong."""

HARMLESS = {
    "brackets that python reads": value("(" * 150 + "b[0]" + ")" * 150),
    "knobs": constants(*(f"N{n} = choose({joined('#', 60)})" for n in range(60))),
    "line ends of Windows": value("1").replace("\n", "\r\n"),
    "tabs": value("1").replace("    ", "\t"),
    "comments": ("#" * 70 + "\n") * 800 + value("1"),
    "a long docstring": f'{HEAD}    """{"a b " * 10_000}"""\n' + value("1")[len(HEAD) :],
    "minus zero": value("-0.0"),
}
"""These look strange and are right."""
