"""Matrix product with grouped 4-bit weights, as ONNX Runtime's operator for packed 4-bit weights."""

TYPES = {"f16": ("float16", 10), "bf16": ("bfloat16", 16), "f32": ("float", 1)}


def matmul_u4_zp_onnx(*, R, N, K, KG, T):
    """Pack two weights and two zero points a byte; what depends on weights alone is folded once."""
    size = K // KG
    kind, number = TYPES[T]
    return f"""
        <ir_version: 9, opset_import: ["" : 18, "com.microsoft" : 1]>
        matmul_u4_zp ({kind}[{R}, {K}] x, uint8[{N}, {K}] w, uint8[{N}, {KG}] zero, float16[{N}, {KG}] scale)
            => ({kind}[{R}, {N}] y)
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
            y = Cast <to = {number}> (product)
        }}
    """
