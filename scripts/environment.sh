# Sourced by run and test: make .venv and install the project into it, once for each state of its requirements.

TORCH_INDEX="https://download.pytorch.org/whl/cpu"

note() { printf '%s\n' "$*" >&2; }

# A Python that is new enough: $PYTHON, or the first that qualifies.
find_python() {
    for python in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$python"
            return
        fi
    done
    note "Python 3.11 or newer is needed: install it, or set PYTHON to its path."
    exit 1
}

# Plain torch for Linux on PyPI is a CUDA build of gigabytes; PyTorch's own CPU index has the small one.
torch_index() {
    [ "$(uname -s)" = Linux ] || return 0
    if "$1" - "$TORCH_INDEX/torch/" <<'PY' 2>/dev/null
import sys, urllib.request
urllib.request.urlopen(urllib.request.Request(sys.argv[1], method="HEAD"), timeout=5)
PY
    then
        printf '%s' "--extra-index-url $TORCH_INDEX"
    else
        note "PyTorch's CPU index does not answer; torch comes from pip's own index."
    fi
}

# prepare "" or prepare "[dev]": afterwards .venv/bin/python has everything.
prepare() {
    stamp=".venv/.installed$1"
    state=$(cat pyproject.toml constraints.txt | cksum)
    for done in "$stamp" ".venv/.installed[dev]"; do
        if [ -x .venv/bin/python ] && [ "$(cat "$done" 2>/dev/null)" = "$state" ]; then
            return
        fi
    done
    python=$(find_python)
    note "Installing into .venv (the first time takes some minutes) ..."
    # Debian's python3 may come without ensurepip; then the outer pip installs into the environment.
    [ -x .venv/bin/python ] || "$python" -m venv .venv 2>/dev/null || "$python" -m venv --clear --without-pip .venv
    if .venv/bin/python -m pip --version >/dev/null 2>&1; then
        pip=".venv/bin/python -m pip"
    else
        pip="$python -m pip --python .venv/bin/python"
    fi
    # shellcheck disable=SC2046,SC2086
    $pip install --quiet --no-input --constraint constraints.txt $(torch_index "$python") torch
    # shellcheck disable=SC2086
    $pip install --quiet --no-input --constraint constraints.txt --editable ".$1"
    printf '%s' "$state" > "$stamp"
}

# A Chromium for the browser tests: Debian's, where this is root or CI. Without one they are skipped, and say so.
prepare_browser() {
    [ -z "${TECHREG_CHROMIUM:-}" ] || return 0
    for browser in chromium chromium-browser google-chrome google-chrome-stable; do
        ! command -v "$browser" >/dev/null || return 0
    done
    command -v apt-get >/dev/null || return 0
    if [ "$(id -u)" = 0 ]; then
        sudo=
    elif [ -n "${CI:-}" ] && command -v sudo >/dev/null; then
        sudo="sudo -n"
    else
        return 0
    fi
    note "Installing chromium for the browser tests ..."
    if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends chromium; } >/dev/null; then
        note "apt-get could not install chromium."
    fi
}
