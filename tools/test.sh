#!/usr/bin/env bash
# Runs every test, on a fresh Debian 12 with Rust and Python 3.11. Installs everything else, with a message: Debian
# packages by apt-get, and one virtual environment for each Blender (bpy wheels) under build/.
#
#   tools/test.sh          everything
#   tools/test.sh --fast   without Blender: formatting, lints, Rust tests
#   tools/test.sh --quick  for daily work, in less than eight minutes once all is built: formatting, lints, the tests within the
#                          crates, rooms, generated pages, bad input, and one bake from Blender to a picture
set -euo pipefail
cd "$(dirname "$0")/.."

# The Blenders for the tests. Their wheels need Python 3.11.
BLENDERS=(4.5.15 5.0.1)
# Packages in each environment; for farms, the command line of Open Job Description, and a JavaScript engine for
# Flamenco's job type.
PYTHON_PACKAGES="numpy openjd-cli pytest pytest-xdist quickjs ruff"
# OpenVDB for reading volumes back, the libraries of the bpy wheels, a linker for Rust, and Slurm, of which the tests
# run their own cluster.
PACKAGES=(
    gcc libc6-dev python3 python3-numpy python3-openvdb libopenvdb-tools
    libx11-6 libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libice6 libxext6 libgl1
    slurm-wlm munge util-linux
)
PYTHON=${DOLLOP_PYTHON:-python3.11}

# The same commit gives the same answer. Without it `cargo test` draws other cases in each run.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1}

say() { printf '\n== %s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

check_tools() {
    command -v cargo >/dev/null || fail "cargo is not on the path; install Rust 1.95 or newer"
    command -v "$PYTHON" >/dev/null || fail "$PYTHON is not on the path; install Python 3.11 or set DOLLOP_PYTHON"
}

install_packages() {
    local missing=() package
    for package in "${PACKAGES[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    say "Installing Debian packages: ${missing[*]}"
    local as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Prints the Python of the environment for one Blender.
venv_python() { printf '%s/build/venv-%s/bin/python' "$PWD" "$1"; }

install_blenders() {
    local version folder
    for version in "${BLENDERS[@]}"; do
        folder=build/venv-$version
        [[ -e $folder/complete && $(<"$folder/complete") == "$PYTHON_PACKAGES" ]] && continue
        say "Installing Blender $version (bpy, about 950 MB) into $folder"
        rm -rf "$folder"
        "$PYTHON" -m venv "$folder"
        # shellcheck disable=SC2086
        "$folder/bin/pip" install --quiet --disable-pip-version-check "bpy==$version" $PYTHON_PACKAGES
        printf '%s' "$PYTHON_PACKAGES" >"$folder/complete"
    done
}

# The two interpreters' paths, joined as in PATH.
blender_pythons() {
    local version joined=
    for version in "${BLENDERS[@]}"; do
        joined+=${joined:+:}$(venv_python "$version")
    done
    printf '%s' "$joined"
}

rust_tests() {
    say "Rust: formatting, lints, tests"
    cargo fmt --all --check
    # With the profile of the tests, so that code which clippy only checks is built once.
    cargo clippy --profile test --quiet --workspace --all-targets --locked -- --deny warnings
    # Clippy has checked that examples and benchmarks compile.
    cargo test --quiet --workspace --locked --lib --bins --tests
    cargo test --quiet --workspace --locked --doc
}

# Part of the command line's tests: no gallery, no rebuilds, no bakes that are cut.
QUICK_COMMANDS=(generated inputs fit stepping)

quick_tests() {
    local first
    first=$(venv_python "${BLENDERS[0]}")
    say "Rust: formatting, lints, tests within crates"
    cargo fmt --all --check
    cargo clippy --profile test --quiet --workspace --all-targets --locked -- --deny warnings
    cargo test --quiet --workspace --locked --lib --bins
    cargo test --quiet --locked --package dollop --test rooms
    cargo test --quiet --locked --package dollop --test command_line -- "${QUICK_COMMANDS[@]}"
    say "Python: lints, the extension without a window, one picture in Blender ${BLENDERS[0]}"
    "$first" -m ruff check .
    "$first" -m ruff format --check .
    cargo build --profile test --quiet --locked --workspace --bins
    DOLLOP_BINARY=$PWD/target/debug/dollop DOLLOP_BPY_PYTHONS=$first DOLLOP_OPENVDB_PYTHONS=$first \
        "$first" -m pytest -q -n 2 --dist loadgroup tests/blender -k "schema or wording or ply or without_blender or settings or cutting or pinned_sheets"
}

python_tests() {
    local first
    first=$(venv_python "${BLENDERS[0]}")
    say "Python: lints"
    "$first" -m ruff check .
    "$first" -m ruff format --check .
    say "The solver, volumes read by OpenVDB, the extension in Blender ${BLENDERS[*]}"
    # The binary of the Rust tests; it finds overflow, too. With fewer packages other features would be asked of some, and
    # all compiled once more.
    cargo build --profile test --quiet --locked --workspace --bins --example write_samples
    # Four at once and farms first, as their clusters mostly wait.
    DOLLOP_BINARY=$PWD/target/debug/dollop \
        DOLLOP_EXAMPLES=$PWD/target/debug/examples \
        DOLLOP_BPY_PYTHONS=$(blender_pythons) \
        DOLLOP_OPENVDB_PYTHONS=/usr/bin/python3:$(blender_pythons) \
        "$first" -m pytest -q -n 4 --dist loadgroup tests/farm tests/vdb tests/blender
}

check_tools
install_packages
case ${1:-} in
'')
    # Blender comes and is unpacked while the solver is built.
    install_blenders &
    installing=$!
    trap 'kill "$installing" 2>/dev/null || true' EXIT
    rust_tests
    wait "$installing" || fail "Blender was not installed"
    python_tests
    ;;
--fast) rust_tests ;;
--quick)
    install_blenders
    quick_tests
    ;;
*) fail "there is no $1; choose --fast, --quick or nothing for everything" ;;
esac
say "The tests passed"
