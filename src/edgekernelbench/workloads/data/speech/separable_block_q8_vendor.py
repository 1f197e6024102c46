"""Separable convolution with a residual branch, int8, with ONNX's quantised and integer operators."""


def separable_block_q8_onnx(*, C, N, K, D):
    """Codes become unsigned, which is what the runtime's kernels take; both branches meet before one rounding."""
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        separable_block_q8 (int8[{C}, {N}] x, int8[{C}, {K}] wd, int32[{C}] bd, float[{C}] md, int8[{D}, {C}] wp,
            int32[{D}] bp, float[{D}] mp, int8[{D}, {C}] wr, int32[{D}] br, float[{D}] mr) => (int8[{D}, {N}] out)
        <float one = {{1.0}}, uint8 top = {{128}}, uint8 zero = {{0}}, int8 zw = {{0}},
         int64[1] front = {{0}}, int64[1] middle = {{1}}, float low = {{0.0}}, float high = {{255.0}}>
        {{
            bits = Cast <to = 2> (x)
            codes = BitwiseXor(bits, top)
            batch = Unsqueeze(codes, front)
            taps = Unsqueeze(wd, middle)
            spread = QLinearConv <pads = [{K // 2}, {K // 2}], group = {C}>
                (batch, one, zero, taps, md, zw, one, top, bd)
            mid = Squeeze(spread, front)
            midt = Transpose <perm = [1, 0]> (mid)
            xt = Transpose <perm = [1, 0]> (codes)
            wpt = Transpose <perm = [1, 0]> (wp)
            wrt = Transpose <perm = [1, 0]> (wr)
            pacc = MatMulInteger(midt, wpt, top)
            racc = MatMulInteger(xt, wrt, zero)
            psum = Add(pacc, bp)
            rsum = Add(racc, br)
            pwide = Cast <to = 1> (psum)
            rwide = Cast <to = 1> (rsum)
            main = Mul(pwide, mp)
            side = Mul(rwide, mr)
            real = Add(main, side)
            whole = Round(real)
            clamped = Clip(whole, low, high)
            plain = Cast <to = 2> (clamped)
            turned = BitwiseXor(plain, top)
            signed = Cast <to = 3> (turned)
            out = Transpose <perm = [1, 0]> (signed)
        }}
    """
