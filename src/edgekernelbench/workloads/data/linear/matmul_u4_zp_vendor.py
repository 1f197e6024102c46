"""Matrix product with grouped 4-bit weights, as ONNX Runtime is given them: packed for a token or two, widened for more."""

TYPES = {"f16": ("float16", 10), "bf16": ("bfloat16", 16), "f32": ("float", 1)}
FEW = 2
"""Rows up to which reading packed weights costs less than multiplying wide ones saves."""


def matmul_u4_zp_onnx(*, R, N, K, KG, T):
    """What depends on weights alone is folded once."""
    kind, number = TYPES[T]
    return f"""
        <ir_version: 9, opset_import: ["" : 18, "com.microsoft" : 1]>
        matmul_u4_zp ({kind}[{R}, {K}] x, uint8[{N}, {K}] w, uint8[{N}, {KG}] zero, float16[{N}, {KG}] scale)
            => ({kind}[{R}, {N}] y)
        {packed(N, K, KG) if R <= FEW else widened(N, K, KG)}
            y = Cast <to = {number}> (product)
        }}
    """


def packed(N, K, KG):
    """Two weights and two zero points a byte."""
    size = K // KG
    return f"""
        <int32 sixteen = {{16}},
         int64[4] pairs = {{{N}, {KG}, {size // 2}, 2}},
         int64[4] pads = {{0, 0, 0, {KG % 2}}}, int64[3] twos = {{{N}, {(KG + 1) // 2}, 2}},
         int64 first = {{0}}, int64 second = {{1}}>
        {{
            wide = Cast <to = 6> (w)
            paired = Reshape(wide, pairs)
            low = Gather <axis = 3> (paired, first)
            high = Gather <axis = 3> (paired, second)
            upper = Mul(high, sixteen)
            both = Add(low, upper)
            packed = Cast <to = 2> (both)
            points = Cast <to = 6> (zero)
            padded = Pad(points, pads)
            coupled = Reshape(padded, twos)
            even = Gather <axis = 2> (coupled, first)
            odd = Gather <axis = 2> (coupled, second)
            raised = Mul(odd, sixteen)
            joined = Add(even, raised)
            zeros = Cast <to = 2> (joined)
            factors = Cast <to = 1> (scale)
            given = Cast <to = 1> (x)
            product = com.microsoft.MatMulNBits <K = {K}, N = {N}, bits = 4, block_size = {size}, accuracy_level = 1>
                (given, packed, factors, zeros)
    """


def widened(N, K, KG):
    """Float weights."""
    return f"""
        <int64[3] groups = {{{N}, {KG}, {K // KG}}}, int64[3] each = {{{N}, {KG}, 1}}, int64[2] rows = {{{N}, {K}}}>
        {{
            wide = Cast <to = 1> (w)
            tiles = Reshape(wide, groups)
            points = Cast <to = 1> (zero)
            upright = Reshape(points, each)
            centred = Sub(tiles, upright)
            factors = Cast <to = 1> (scale)
            column = Reshape(factors, each)
            scaled = Mul(centred, column)
            flat = Reshape(scaled, rows)
            weights = Transpose <perm = [1, 0]> (flat)
            given = Cast <to = 1> (x)
            product = MatMul(given, weights)
    """
