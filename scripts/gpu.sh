#!/bin/bash
# Tests and measurements on a machine with an NVIDIA GPU that reaches no package index.
#
#   here:   scripts/gpu.sh pack         fetch wheels into .whl/1, .whl/2 and .whl/3, each small enough to be carried
#   there:  scripts/gpu.sh first        keep what .whl/1, and then .whl/2, brought (the first transfers)
#           scripts/gpu.sh second       join it with .whl/3 and install (the last transfer)
#           scripts/gpu.sh test         the tests that need a GPU
#           scripts/gpu.sh full         every workload at full size against PyTorch, on all cores: a minute
#           scripts/gpu.sh check        the compute-only text of every catalogue workload, on CUDA and OpenCL
#           scripts/gpu.sh time         default lowering beside dlight, the whole catalogue; PyTorch with --what
#           scripts/gpu.sh run CMD …    anything else, with what was installed
#
# A machine that reaches a package index needs none of this: `make test-gpu` is enough.
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON_THERE=3.12
PART=36000000
KEEP=${KEEP:-/tmp/ekb-wheels}
SITE=${SITE:-/tmp/ekb-site}
OUT=${OUT:-/tmp/ekb-gpu}
WHEELS="apache-tvm apache-tvm-ffi pyopencl pytools siphash24 platformdirs pydantic pydantic_core annotated-types
        annotated-doc typing-inspection typing_extensions typer click rich shellingham markdown-it-py mdurl Pygments
        pytest pluggy iniconfig packaging pytest-randomly pytest-timeout pytest-xdist execnet hypothesis sortedcontainers ml_dtypes lark
        psutil"

pack() {
    local folder wheel
    folder=$(mktemp -d)
    local platforms=()
    for tag in manylinux_2_{17,24,27,28,31,34}_x86_64 manylinux2014_x86_64 manylinux1_x86_64; do
        platforms+=(--platform "$tag")
    done
    # The versions of constraints.txt, without what they need in turn: all of it is named here.
    # shellcheck disable=SC2086
    python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version "$PYTHON_THERE" \
        --implementation cp "${platforms[@]}" -c constraints.txt -d "$folder" $WHEELS
    rm -rf .whl && mkdir -p .whl/1 .whl/2 .whl/3
    wheel=$(ls "$folder"/apache_tvm-*.whl)
    split -b "$PART" -d -a 1 "$wheel" "$folder/part"
    mv "$folder/part0" .whl/1/
    mv "$folder/part1" .whl/2/
    mv "$folder"/part? .whl/3/
    basename "$wheel" > .whl/3/name
    rm "$wheel"
    mv "$folder"/*.whl .whl/3/
    rm -rf "$folder"
    du -sh .whl/1 .whl/2 .whl/3
}

first() {
    mkdir -p "$KEEP" && find .whl -maxdepth 2 -name 'part?' -exec cp {} "$KEEP/" \;
}

second() {
    first
    find .whl -maxdepth 2 \( -name '*.whl' -o -name name \) -exec cp {} "$KEEP/" \;
    cat "$KEEP"/part? > "$KEEP/$(cat "$KEEP/name")"
    rm "$KEEP"/part? "$KEEP/name"
    python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$SITE" "$KEEP"/*.whl
    python3 -m compileall -q -j 0 "$SITE" > /dev/null || true  # workers write no bytecode
    driver
    there python3 -m edgekernelbench doctor || true
}

driver() {  # OpenCL finds a driver by a file that names its library
    local library
    library=$(ls /usr/local/nvidia/lib64/libnvidia-opencl.so.1 /usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1 2>/dev/null | head -n 1 || true)
    mkdir -p /etc/OpenCL/vendors && echo "${library:-libnvidia-opencl.so.1}" > /etc/OpenCL/vendors/nvidia.icd
}

there() {
    mkdir -p "$OUT"
    OCL_ICD_VENDORS=/etc/OpenCL/vendors PYTHONUNBUFFERED=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONPATH="src:$SITE" \
        LD_LIBRARY_PATH="$(libraries):${LD_LIBRARY_PATH:-}" "$@"
}

libraries() {  # CUDA's runtime, wherever the toolkit or a wheel of it lies
    dirname "$(find /usr/local/cuda*/ /opt /usr/lib -name 'libcudart.so.13' 2>/dev/null | head -n 1)"
}

case "${1:-}" in
    pack | first | second) "$1" ;;
    driver) driver ;;
    test) there python3 -m pytest -q -p no:randomly -p no:cacheprovider -m needs_cuda "${@:2}" tests/compiler tests/evaluator ;;
    full) there python3 -m pytest -q -p no:randomly -p no:cacheprovider -p no:benchmark -n auto -m full_size ;;
    check) there python3 benchmarks/gpu.py check --out "$OUT" "${@:2}" ;;
    time) there python3 benchmarks/gpu.py time --out "$OUT" "${@:2}" ;;
    run) there "${@:2}" ;;
    *) sed -n '2,14s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
