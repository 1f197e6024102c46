"""Anomaly score by an int8 autoencoder with ONNX's integer products."""


def autoencoder_q8_onnx(*, R, N, H, Z):
    """Codes become unsigned, which is what the runtime's kernels take; shifts are of unsigned numbers, lifted by 2**62."""
    widths = (N, H, Z, H, N)
    given = ", ".join(
        f"int8[{widths[n + 1]}, {widths[n]}] w{n}, int32[{widths[n + 1]}] b{n}, int32[{widths[n + 1]}] m{n}, "
        f"int32[{widths[n + 1]}] s{n}"
        for n in range(4)
    )
    layers = "".join(
        f"""
            t{n} = Transpose <perm = [1, 0]> (w{n})
            products{n} = MatMulInteger(c{n}, t{n}, {"top" if n == 0 else "zero"})
            acc{n} = Add(products{n}, b{n})
            wide{n} = Cast <to = 7> (acc{n})
            factor{n} = Cast <to = 7> (m{n})
            scaled{n} = Mul(wide{n}, factor{n})
            shift{n} = Cast <to = 13> (s{n})
            places{n} = Add(shift{n}, u31)
            fewer{n} = Sub(places{n}, u1)
            uhalf{n} = BitShift <direction = "LEFT"> (u1, fewer{n})
            half{n} = Cast <to = 7> (uhalf{n})
            offset{n} = Add(half{n}, far)
            lifted{n} = Add(scaled{n}, offset{n})
            ulifted{n} = Cast <to = 13> (lifted{n})
            ushifted{n} = BitShift <direction = "RIGHT"> (ulifted{n}, places{n})
            shifted{n} = Cast <to = 7> (ushifted{n})
            ubase{n} = BitShift <direction = "RIGHT"> (ufar, places{n})
            base{n} = Cast <to = 7> (ubase{n})
            moved{n} = Sub(shifted{n}, base{n})
            clamped{n} = Clip(moved{n}, {"least, most" if n == 3 else "none, full"})
            c{n + 1} = Cast <to = {6 if n == 3 else 2}> (clamped{n})"""
        for n in range(4)
    )
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        autoencoder_q8 (int8[{R}, {N}] x, {given}) => (int32[{R}] score, int16[{R}, {N}] err)
        <uint8 top = {{128}}, uint8 zero = {{0}}, uint64 u31 = {{31}}, uint64 u1 = {{1}},
         int64 far = {{4611686018427387904}}, uint64 ufar = {{4611686018427387904}},
         int64 none = {{0}}, int64 full = {{255}}, int64 least = {{-128}}, int64 most = {{127}}, int64[1] last = {{1}}>
        {{
            bits = Cast <to = 2> (x)
            c0 = BitwiseXor(bits, top){layers}
            whole = Cast <to = 6> (x)
            error = Sub(whole, c4)
            square = Mul(error, error)
            score = ReduceSum <keepdims = 0> (square, last)
            err = Cast <to = 5> (error)
        }}
    """
