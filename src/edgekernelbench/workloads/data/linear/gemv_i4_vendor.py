"""Matrix-vector product with grouped 4-bit weights, as ONNX Runtime's operator for packed 4-bit weights."""

TYPES = {"f16": ("float16", 10), "f32": ("float", 1)}


def gemv_i4_onnx(*, N, K, KG, T):
    """Pack two weights a byte, 8 added to each; what depends on weights alone is folded once."""
    size = K // KG
    kind, number = TYPES[T]
    return f"""
        <ir_version: 9, opset_import: ["" : 18, "com.microsoft" : 1]>
        gemv_i4 ({kind}[{K}] x, int8[{N}, {K}] w, float16[{N}, {KG}] scale) => ({kind}[{N}] y)
        <int32 eight = {{8}}, int32 sixteen = {{16}},
         int64[4] pairs = {{{N}, {KG}, {size // 2}, 2}},
         int64[2] row = {{1, {K}}}, int64[1] flat = {{{N}}},
         int64 first = {{0}}, int64 second = {{1}}>
        {{
            wide = Cast <to = 6> (w)
            lifted = Add(wide, eight)
            paired = Reshape(lifted, pairs)
            low = Gather <axis = 3> (paired, first)
            high = Gather <axis = 3> (paired, second)
            upper = Mul(high, sixteen)
            both = Add(low, upper)
            packed = Cast <to = 2> (both)
            factors = Cast <to = 1> (scale)
            exact = Cast <to = 1> (x)
            given = Reshape(exact, row)
            product = com.microsoft.MatMulNBits <K = {K}, N = {N}, bits = 4, block_size = {size}, accuracy_level = 1>
                (given, packed, factors)
            vector = Reshape(product, flat)
            y = Cast <to = {number}> (vector)
        }}
    """
