"""Residual addition and root mean square normalisation as ONNX Runtime's operator."""

TYPES = {"f16": ("float16", 10), "bf16": ("bfloat16", 16), "f32": ("float", 1)}


def add_rms_norm_onnx(*, R, D, EPS, T):
    """The sum is rounded to the type of the stream, then normalised in float32."""
    kind, number = TYPES[T]
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        add_rms_norm ({kind}[{R}, {D}] x, {kind}[{R}, {D}] res, {kind}[{D}] g)
            => ({kind}[{R}, {D}] out, {kind}[{R}, {D}] stream)
        {{
            left = Cast <to = 1> (x)
            right = Cast <to = 1> (res)
            exact = Add(left, right)
            stream = Cast <to = {number}> (exact)
            given = Cast <to = 1> (stream)
            factors = Cast <to = 1> (g)
            normed = SimplifiedLayerNormalization <axis = -1, epsilon = {EPS:.10f}> (given, factors)
            out = Cast <to = {number}> (normed)
        }}
    """
