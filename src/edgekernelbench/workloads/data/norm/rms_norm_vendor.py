"""Root mean square normalisation as ONNX Runtime's operator."""

TYPES = {"f16": ("float16", 10), "bf16": ("bfloat16", 16), "f32": ("float", 1)}


def rms_norm_onnx(*, R, D, EPS, T):
    """The operator, in float32; PyTorch composes its own of several passes."""
    kind, number = TYPES[T]
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        rms_norm ({kind}[{R}, {D}] x, {kind}[{D}] g) => ({kind}[{R}, {D}] out)
        {{
            given = Cast <to = 1> (x)
            factors = Cast <to = 1> (g)
            normed = SimplifiedLayerNormalization <axis = -1, epsilon = {EPS:.10f}> (given, factors)
            out = Cast <to = {number}> (normed)
        }}
    """
