# shellcheck shell=bash disable=SC2154
# Read by bin/start and bin/test: makes the virtual environment .venv and installs a lock file into it, both only when needed.
# The caller has set "root" (this checkout) and stands in it.

say() { printf '%s\n' "$*"; }
give_up() { printf '%s\n' "$*" >&2; exit 1; }

# Prints the first Python of at least 3.11 among python3 and the versioned names.
find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

# Prints one word for the state of the given files, the folder and the Python: it changes when one of them does.
fingerprint() {
    .venv/bin/python - "$root" "$@" <<'PY'
import hashlib, pathlib, sys
digest = hashlib.sha256(repr((sys.argv[1], sys.version)).encode())
for name in sys.argv[2:]:
    digest.update(name.encode() + b"\0" + pathlib.Path(name).read_bytes() + b"\0")
print(digest.hexdigest())
PY
}

make_environment() {
    local python found
    if [ -x .venv/bin/python ] && .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 &&
        { [ ! -f .venv/.folder ] || [ "$(cat .venv/.folder)" = "$root" ]; }; then
        return 0
    fi
    if ! python=$(find_python); then
        found=$(python3 --version 2>/dev/null || true)
        give_up "Imprimatur needs Python 3.11 or newer; this machine has ${found:-no python3}. Install a newer Python and start again."
    fi
    rm -rf .venv
    if ! "$python" -m venv .venv; then
        rm -rf .venv
        give_up "The virtual environment .venv could not be made. On Debian and Ubuntu, install the package python3-venv and start again."
    fi
    printf '%s' "$root" >.venv/.folder
}

# install_lock LOCK [COVERED]: installs LOCK, then the product itself. COVERED is a lock file whose packages LOCK contains too.
install_lock() {
    local lock=$1 covered=${2:-} stamp now log
    stamp=.venv/.installed-$(printf '%s' "$lock" | tr '/' '-')
    now=$(fingerprint "$lock") || give_up "The Python environment .venv does not work. Remove the folder .venv and start again."
    if [ "$(cat "$stamp" 2>/dev/null)" != "$now" ]; then
        rm -f "$stamp"
        log=.venv/install.log
        say "Python packages: installing those of $lock"
        if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input --require-hashes -r "$lock" >"$log" 2>&1; then
            tail -n 15 "$log" >&2
            give_up "The packages of $lock could not be installed. The lines above say why; all of it is in $log."
        fi
        # Some machines forbid Python to write compiled modules by the way; without them every start is two to four times slower.
        .venv/bin/python -m compileall -q -j 0 .venv/lib >/dev/null 2>&1 || true
        printf '%s' "$now" >"$stamp"
        if [ -n "$covered" ]; then
            fingerprint "$covered" >".venv/.installed-$(printf '%s' "$covered" | tr '/' '-')"
        fi
    fi
    install_product
}

install_product() {
    local stamp=.venv/.installed-product now log=.venv/install.log
    now=$(fingerprint pyproject.toml)
    if [ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && [ -x .venv/bin/imprimatur ]; then
        return 0
    fi
    rm -f "$stamp"
    if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input --no-deps -e . >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        give_up "Imprimatur itself could not be installed into .venv. The lines above say why; all of it is in $log."
    fi
    .venv/bin/python -m compileall -q app >/dev/null 2>&1 || true
    printf '%s' "$now" >"$stamp"
}
