"""Seven small networks with random weights, for `import_models.py` and the tests.

Each is a plain `torch.nn.Module`; `NETS` says what it takes.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


def conv_bn(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """Make a convolution without bias, batch normalisation behind it."""
    conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs))


class InvertedResidual(nn.Module):
    """The block of MobileNetV2: expand, depthwise, project."""

    def __init__(self, inputs: int, outputs: int, stride: int, factor: int) -> None:
        super().__init__()
        inner = inputs * factor
        expand = [*conv_bn(inputs, inner, 1), nn.ReLU6()] if factor > 1 else []
        self.body = nn.Sequential(
            *expand, *conv_bn(inner, inner, 3, stride, inner), nn.ReLU6(), *conv_bn(inner, outputs, 1)
        )
        self.shortcut = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.body(x)
        return x + y if self.shortcut else y


class MobileNet(nn.Module):
    """A network like MobileNetV2, with a quarter of its width, on 96 x 96 pixels."""

    def __init__(self) -> None:
        super().__init__()
        rows = [(1, 8, 1, 1), (6, 8, 2, 2), (6, 16, 2, 2), (6, 24, 2, 2), (6, 40, 1, 2)]
        blocks, width = [], 16
        for factor, outputs, stride, count in rows:
            for number in range(count):
                blocks.append(InvertedResidual(width, outputs, stride if number == 0 else 1, factor))
                width = outputs
        self.features = nn.Sequential(
            *conv_bn(3, 16, 3, 2), nn.ReLU6(), *blocks, *conv_bn(width, 160, 1), nn.ReLU6()
        )
        self.classifier = nn.Linear(160, 10)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.classifier(self.features(x).mean((2, 3)))
        return y


class Residual(nn.Module):
    """A block of ResNet: two convolutions beside a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *conv_bn(inputs, outputs, 3, stride), nn.ReLU(), *conv_bn(outputs, outputs, 3)
        )
        self.shortcut = nn.Identity() if stride == 1 else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.body(x) + self.shortcut(x))


class ResNet8(nn.Module):
    """The ResNet-8 of MLPerf Tiny, on 32 x 32 pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *conv_bn(3, 16, 3), nn.ReLU(), Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2)
        )
        self.classifier = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.avg_pool2d(self.features(x), 8).flatten(1)
        return torch.softmax(self.classifier(x), -1)


class DsCnn(nn.Module):
    """The DS-CNN of MLPerf Tiny: keywords from 49 x 10 coefficients."""

    def __init__(self) -> None:
        super().__init__()
        first = nn.Conv2d(1, 64, (10, 4), 2, (5, 1), bias=False)
        blocks = [
            layer
            for _ in range(4)
            for layer in (*conv_bn(64, 64, 3, 1, 64), nn.ReLU(), *conv_bn(64, 64, 1), nn.ReLU())
        ]
        self.features = nn.Sequential(first, nn.BatchNorm2d(64), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1))
        self.classifier = nn.Linear(64, 12)

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(self.classifier(self.features(x).flatten(1)), -1)


class Encoder(nn.Module):
    """A transformer encoder: 2 layers, width 128, 4 heads, 32 tokens of 1,000."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(1000, 128)
        self.places = nn.Parameter(torch.randn(32, 128) * 0.1)
        self.layers = nn.ModuleList(EncoderLayer(128, 4, 256) for _ in range(2))
        self.classifier = nn.Linear(128, 8)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.places
        for layer in self.layers:
            x = layer(x)
        y: Tensor = self.classifier(x[:, 0])
        return y


class EncoderLayer(nn.Module):
    """Attention and a perceptron, each normalised and added."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width)
        x = self.first(x + self.out(y))
        y = self.down(functional.gelu(self.up(x)))
        z: Tensor = self.second(x + y)
        return z


class Decoder(nn.Module):
    """One decoder block with a cache of keys and values: one new token, 64 old ones, 4 heads over 2."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(128, 128, bias=False), nn.Linear(128, 128, bias=False)
        self.out = nn.Linear(128, 128, bias=False)
        self.gate, self.up = nn.Linear(128, 256, bias=False), nn.Linear(128, 256, bias=False)
        self.down = nn.Linear(256, 128, bias=False)
        self.first, self.second = nn.Parameter(torch.ones(128)), nn.Parameter(torch.ones(128))

    def forward(self, x: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = rms_norm(x, self.first)
        q = self.q(y).reshape(1, 1, 4, 32).transpose(1, 2)
        k, v = self.kv(y).reshape(1, 1, 2, 2, 32).permute(2, 0, 3, 1, 4)
        keys, values = torch.cat((keys, k), 2), torch.cat((values, v), 2)
        wide = (t.repeat_interleave(2, 1) for t in (keys, values))
        y = functional.scaled_dot_product_attention(q, *wide).transpose(1, 2).reshape(1, 1, 128)
        x = x + self.out(y)
        y = rms_norm(x, self.second)
        x = x + self.down(functional.silu(self.gate(y)) * self.up(y))
        return x, keys, values


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight


class Recurrent(nn.Module):
    """A GRU over 20 steps of 40 features, 64 cells, and a classifier on the last state."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(40, 64, batch_first=True)
        self.classifier = nn.Linear(64, 6)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.gru(x)
        y: Tensor = self.classifier(states[:, -1])
        return y


class UNet(nn.Module):
    """A U-Net with two levels, 8 to 32 channels, on 64 x 64 pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = double(1, 8), double(8, 16), double(16, 32)
        self.up_two, self.up_one = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.back_two, self.back_one = double(32, 16), double(16, 8)
        self.last = nn.Conv2d(8, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        one = self.one(x)
        two = self.two(functional.max_pool2d(one, 2))
        three = self.three(functional.max_pool2d(two, 2))
        two = self.back_two(torch.cat((self.up_two(three), two), 1))
        one = self.back_one(torch.cat((self.up_one(two), one), 1))
        return torch.sigmoid(self.last(one))


def double(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.ReLU(),
    )


NETS = {
    "mobilenet": (MobileNet, lambda: (torch.randn(1, 3, 96, 96),)),
    "resnet8": (ResNet8, lambda: (torch.randn(1, 3, 32, 32),)),
    "ds_cnn": (DsCnn, lambda: (torch.randn(1, 1, 49, 10),)),
    "encoder": (Encoder, lambda: (torch.randint(0, 1000, (1, 32)),)),
    "decoder": (
        Decoder,
        lambda: (torch.randn(1, 1, 128), torch.randn(1, 2, 64, 32), torch.randn(1, 2, 64, 32)),
    ),
    "gru": (Recurrent, lambda: (torch.randn(1, 20, 40),)),
    "unet": (UNet, lambda: (torch.randn(1, 1, 64, 64),)),
}
"""Each network, and what makes the inputs that it takes."""


def build(name: str) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Make a network with random weights and inputs for it, the same ones every time.

    Batch normalisation takes the statistics of a few random inputs: with those that it begins with, signals
    die out on their way, and every network computes its last bias.
    """
    torch.manual_seed(0)
    kind, make = NETS[name]
    net = kind()
    for layer in net.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.momentum = 1.0
    if any(isinstance(layer, nn.BatchNorm2d) for layer in net.modules()):
        with torch.no_grad():
            net.train()(*(torch.randn(8, *given.shape[1:]) for given in make()))
    return net.eval(), make()
