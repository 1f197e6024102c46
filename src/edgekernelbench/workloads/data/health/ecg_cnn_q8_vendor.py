"""Rhythm classifier in int8 as ONNX's quantised convolutions: the scales of all codes are one."""


def ecg_cnn_q8_onnx(*, L, N, C, K):
    """Codes become unsigned, which is what the runtime's kernels take; their floor of zero is the ReLU."""
    steps = N // 32
    blocks = "".join(
        f"""
            rows{n} = Gather <axis = 0> (wd, i{n})
            spatial{n} = Unsqueeze(rows{n}, one1)
            db{n} = Gather <axis = 0> (bd, i{n})
            dm{n} = Gather <axis = 0> (md, i{n})
            e{n} = QLinearConv <strides = [2], pads = [1, 2], group = {C}>
                (h{n}, one, zero, spatial{n}, dm{n}, zw, one, zero, db{n})
            v{n} = Gather <axis = 0> (wp, i{n})
            point{n} = Unsqueeze(v{n}, two1)
            pb{n} = Gather <axis = 0> (bp, i{n})
            pm{n} = Gather <axis = 0> (mp, i{n})
            h{n + 1} = QLinearConv (e{n}, one, zero, point{n}, pm{n}, zw, one, zero, pb{n})"""
        for n in range(3)
    )
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        ecg_cnn_q8 (int8[{L}, {N}] x, int8[{C}, {L}, 7] w0, int32[{C}] b0, float[{C}] m0, int8[3, {C}, 5] wd,
            int32[3, {C}] bd, float[3, {C}] md, int8[3, {C}, {C}] wp, int32[3, {C}] bp, float[3, {C}] mp,
            int8[{K}, {C}] wf, int32[{K}] bf) => (int32[{K}] out)
        <float one = {{1.0}}, uint8 top = {{128}}, uint8 zero = {{0}}, int8 zw = {{0}},
         int64[1] front = {{0}}, int64[1] one1 = {{1}}, int64[1] two1 = {{2}},
         int64 i0 = {{0}}, int64 i1 = {{1}}, int64 i2 = {{2}}, int64[2] both = {{0, 2}},
         int32 half = {{{steps // 2}}}, int32 steps = {{{steps}}}>
        {{
            bits = Cast <to = 2> (x)
            codes = BitwiseXor(bits, top)
            batch = Unsqueeze(codes, front)
            h0 = QLinearConv <strides = [4], pads = [1, 2]> (batch, one, top, w0, m0, zw, one, zero, b0){blocks}
            wide = Cast <to = 6> (h3)
            total = ReduceSum <keepdims = 0> (wide, both)
            lifted = Add(total, half)
            mean = Div(lifted, steps)
            exact = Cast <to = 1> (mean)
            weights = Cast <to = 1> (wf)
            dot = MatMul(weights, exact)
            whole = Cast <to = 6> (dot)
            out = Add(whole, bf)
        }}
    """
