"""SVDF layer in integers with ONNX's integer products; the filters over time are sums of moved rows."""


def rescale(name, acc, mantissa, shift):
    """Multiply by mantissa / 2**31 >> shift, rounding half up; shifts are of unsigned numbers, lifted by 2**62."""
    return f"""
            {name}wide = Cast <to = 7> ({acc})
            {name}factor = Cast <to = 7> ({mantissa})
            {name}scaled = Mul({name}wide, {name}factor)
            {name}shift = Cast <to = 13> ({shift})
            {name}places = Add({name}shift, u31)
            {name}fewer = Sub({name}places, u1)
            {name}uhalf = BitShift <direction = "LEFT"> (u1, {name}fewer)
            {name}half = Cast <to = 7> ({name}uhalf)
            {name}offset = Add({name}half, far)
            {name}lifted = Add({name}scaled, {name}offset)
            {name}ulifted = Cast <to = 13> ({name}lifted)
            {name}ushifted = BitShift <direction = "RIGHT"> ({name}ulifted, {name}places)
            {name}shifted = Cast <to = 7> ({name}ushifted)
            {name}ubase = BitShift <direction = "RIGHT"> (ufar, {name}places)
            {name}base = Cast <to = 7> ({name}ubase)
            {name}moved = Sub({name}shifted, {name}base)"""


def svdf_q8_onnx(*, T, I, U, K, M, ZX, ZY):
    """Codes become unsigned, which is what the runtime's kernels take."""
    places = "".join(
        f", int64 i{m} = {{{m}}}, int64[1] a{m} = {{{m}}}, int64[1] e{m} = {{{m + T}}}" for m in range(M)
    )
    terms = "".join(
        f"""
            rows{m} = Slice(padded, a{m}, e{m}, front)
            column{m} = Gather <axis = 1> (taps, i{m})
            term{m} = Mul(rows{m}, column{m})"""
        for m in range(M)
    )
    sums = "".join(
        f"""
            sum{m} = Add({"term0" if m == 1 else f"sum{m - 1}"}, term{m})"""
        for m in range(1, M)
    )
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        svdf_q8 (int8[{T}, {I}] x, int8[{U * K}, {I}] wf, int16[{U * K}, {M}] wt, int32[{U}] bias, int32[{U * K}] m1,
            int32[{U * K}] s1, int32 m2, int32 s2) => (int8[{T}, {U}] y)
        <uint8 top = {{128}}, uint8 zx = {{{ZX + 128}}}, uint64 u31 = {{31}}, uint64 u1 = {{1}},
         int64 far = {{4611686018427387904}}, uint64 ufar = {{4611686018427387904}},
         int64 least = {{-32768}}, int64 most = {{32767}}, int64 none = {{0}}, int64 full = {{{127 - ZY}}},
         int64 zy = {{{ZY}}}, int64[2] before = {{{M - 1}, {U * K}}}, int64[3] ranks = {{{T}, {U}, {K}}},
         int64[1] front = {{0}}, int64[1] last = {{2}}{places}>
        {{
            bits = Cast <to = 2> (x)
            codes = BitwiseXor(bits, top)
            wft = Transpose <perm = [1, 0]> (wf)
            features = MatMulInteger(codes, wft, zx){rescale("f", "features", "m1", "s1")}
            held = Clip(fmoved, least, most)
            state = Cast <to = 6> (held)
            zeros = ConstantOfShape <value = int32[1] {{0}}> (before)
            padded = Concat <axis = 0> (zeros, state)
            taps = Cast <to = 6> (wt){terms}{sums}
            units = Reshape(sum{M - 1}, ranks)
            acc = ReduceSum <keepdims = 0> (units, last)
            total = Add(acc, bias){rescale("y", "total", "m2", "s2")}
            clamped = Clip(ymoved, none, full)
            placed = Add(clamped, zy)
            y = Cast <to = 3> (placed)
        }}
    """
