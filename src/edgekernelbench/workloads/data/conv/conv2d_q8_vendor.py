"""Quantised 2-D convolution as ONNX's quantised operator: real scales of input and output are in `mul`."""


def conv2d_q8_onnx(*, C, H, W, K, F, S, P, ZX, ZY, LOW, HIGH):
    """Codes become unsigned, which is what the runtime's kernels take."""
    rows, columns = (H + 2 * P - F) // S + 1, (W + 2 * P - F) // S + 1
    return f"""
        <ir_version: 9, opset_import: ["" : 18]>
        conv2d_q8 (int8[{C}, {H}, {W}] x, int8[{K}, {C}, {F}, {F}] w, int32[{K}] bias, float[{K}] mul)
            => (int8[{K}, {rows}, {columns}] out)
        <float one = {{1.0}}, uint8 zx = {{{ZX + 128}}}, int8 zw = {{0}}, uint8 zy = {{{ZY + 128}}},
         uint8 top = {{128}}, uint8 low = {{{LOW + 128}}}, uint8 high = {{{HIGH + 128}}}, int64[1] front = {{0}}>
        {{
            bits = Cast <to = 2> (x)
            image = BitwiseXor(bits, top)
            batch = Unsqueeze(image, front)
            codes = QLinearConv <strides = [{S}, {S}], pads = [{P}, {P}, {P}, {P}]>
                (batch, one, zx, w, mul, zw, one, zy, bias)
            clamped = Clip(codes, low, high)
            plain = Squeeze(clamped, front)
            signed = BitwiseXor(plain, top)
            out = Cast <to = 3> (signed)
        }}
    """
