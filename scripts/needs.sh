#!/bin/sh
# Installs from Debian what building (`run`) or testing (`test`) needs. Says what is missing and
# installs only that, as root or through sudo; silent when nothing is.
set -eu

purpose=${1-}
case $purpose in
run | test) ;;
*)
    echo "needs.sh: usage: needs.sh run|test" >&2
    exit 2
    ;;
esac

refuse() {
    echo "needs.sh: $1" >&2
    exit 2
}

# Programs on the search path; a builtin of this shell does not count.
has() {
    rest=$PATH:
    while [ -n "$rest" ]; do
        folder=${rest%%:*}
        rest=${rest#*:}
        [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && return 0
    done
    return 1
}

# The start files that cargo's linker needs come with libc's headers.
has_libc() {
    for file in /usr/lib/crt1.o /usr/lib64/crt1.o /usr/lib/*/crt1.o; do
        [ -e "$file" ] && return 0
    done
    return 1
}

missing=
need() { # PROGRAM PACKAGE
    has "$1" || missing="$missing $2"
}

while read -r key _ value; do
    [ "$key" != rust-version ] || wanted=${value#\"1.}
done <"${0%/*}/../Cargo.toml"
wanted=${wanted%\"}
has cargo || refuse "cargo: not found; install Rust 1.$wanted or newer"
found=$(cargo --version) || refuse "cargo: does not run; install Rust 1.$wanted or newer"
case $found in
"cargo 1."*)
    minor=${found#cargo 1.}
    [ "${minor%%.*}" -ge "$wanted" ] || refuse "$found: too old; install Rust 1.$wanted or newer"
    ;;
esac
need cc gcc
has_libc || missing="$missing libc6-dev"
need git git # results are stamped with the commit; the house rules read the list of files
if [ "$purpose" = test ]; then
    cargo fmt --version >/dev/null 2>&1 || refuse "cargo fmt: not found; add rustfmt to the toolchain"
    cargo clippy --version >/dev/null 2>&1 || refuse "cargo clippy: not found; add clippy to the toolchain"
    need bash bash
    need busybox busybox              # a rival of cat and tr
    need chromium chromium            # opens the served articles
    need chromedriver chromium-driver # and is driven by this
    need fish fish                    # shells that completions are loaded into
    need zsh zsh
    need go golang-go                 # the rungs in Go
    need kill procps
    need python3 python3 # descriptors as no shell makes them, in the tests of cat and tr
    need shellcheck shellcheck
fi
[ -n "$missing" ] || exit 0

has apt-get || {
    echo "needs.sh: missing:$missing"
    refuse "this is not Debian: install them yourself, or what they are called here"
}
if [ "$(id -u)" = 0 ]; then
    as_root=
elif ! has sudo; then
    refuse "neither root nor sudo to install what is missing; as root: apt-get install$missing"
elif [ -t 0 ]; then
    as_root=sudo
elif sudo -n true 2>/dev/null; then
    as_root='sudo -n'
else
    refuse "sudo wants a password and there is no terminal; as root: apt-get install$missing"
fi
echo "needs.sh: missing:$missing"
$as_root true || refuse "sudo refused; as root: apt-get install$missing"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    echo "needs.sh: apt-get $1"
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null
}
# One source that does not answer fails the update, and may have nothing to do with us.
apt update || echo "needs.sh: apt-get update: failed; trying with the lists as they are"
# shellcheck disable=SC2086 # one word a package
apt install --no-install-recommends $missing || {
    cat "$log" >&2
    refuse "apt-get install: failed, see above"
}
