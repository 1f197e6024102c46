"""Recurrent noise suppressor as ONNX's GRU, whose reset gate acts before the recurrent product as here."""

LAYERS = (("v", 24, 24), ("n", 90, 48), ("d", 114, 96))
"""Each recurrent layer: its letter, how many inputs, how many units."""


def denoiser_onnx(*, T):
    """No layer waits for a later one: each runs over all frames. Weights of inputs and state are cut apart once."""
    numbers = "".join(
        f""",
         int64[1] {s}in = {{{i}}}, int64[1] {s}all = {{{i + u}}},
         int64[3] {s}wide = {{1, {3 * u}, {i}}}, int64[3] {s}tall = {{1, {3 * u}, {u}}},
         int64[2] {s}flat = {{1, {3 * u}}}, float[1, {3 * u}] {s}none = {{{", ".join(["0.0"] * 3 * u)}}}"""
        for s, i, u in LAYERS
    )
    cut = "".join(
        f"""
            {s}float = Cast <to = 1> (w{s})
            {s}real = Mul({s}float, step)
            {s}front = Slice({s}real, zero, {s}in, last)
            {s}back = Slice({s}real, {s}in, {s}all, last)
            {s}w = Reshape({s}front, {s}wide)
            {s}r = Reshape({s}back, {s}tall)
            {s}bias = Reshape(b{s}, {s}flat)
            {s}b = Concat <axis = 1> ({s}bias, {s}none)"""
        for s, _, _ in LAYERS
    )
    layers = "".join(
        f"""
            {s}x = {seen}
            {s}y = GRU <hidden_size = {u}, linear_before_reset = 0, activations = ["Sigmoid", "Relu"]>
                ({s}x, {s}w, {s}r, {s}b)
            {s}h = Squeeze({s}y, one)"""
        for (s, _, u), seen in zip(
            LAYERS,
            (
                "Identity(hid)",
                "Concat <axis = 2> (hid, vh, rows)",
                "Concat <axis = 2> (vh, nh, rows)",
            ),
            strict=True,
        )
    )
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        denoiser (float[{T}, 42] x, int8[24, 42] wi, float[24] bi, int8[3, 24, 48] wv, float[3, 24] bv,
            int8[3, 48, 138] wn, float[3, 48] bn, int8[3, 96, 210] wd, float[3, 96] bd, int8[22, 96] wo,
            float[22] bo) => (float[{T}, 22] gain)
        <float step = {{0.00390625}}, int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] last = {{2}}{numbers}>
        {{{cut}
            ifloat = Cast <to = 1> (wi)
            ireal = Mul(ifloat, step)
            dense = Gemm <transB = 1> (x, ireal, bi)
            hidden = Tanh(dense)
            hid = Unsqueeze(hidden, one)
            rows = Unsqueeze(x, one){layers}
            ofloat = Cast <to = 1> (wo)
            oreal = Mul(ofloat, step)
            states = Squeeze(dh, one)
            out = Gemm <transB = 1> (states, oreal, bo)
            gain = Sigmoid(out)
        }}
    """
