#!/bin/sh
# Installs opkg @VERSION@ for linux-@ARCH@. Everything after this script's last line is a tar file.
# SPDX-License-Identifier: Apache-2.0
set -eu
LC_ALL=C
export LC_ALL
stub_size=@STUB_SIZE@
payload_size=@PAYLOAD_SIZE@
payload_sha256=@PAYLOAD_SHA256@
stub_size=$(printf '%s' "$stub_size" | sed 's/^0*//')

usage() {
    cat <<'EOF'
usage: ./opkg-devkit_@VERSION@_linux-@ARCH@.run --full --install-path=DIR [--force] [--quiet]

  --full               install everything
  --install-path=DIR   where to; DIR must not exist, be empty, or hold an opkg that --force may replace
  --force              replace the opkg that is in DIR
  --check              verify this file and change nothing
  --extract=DIR        unpack the files into DIR and do no more
  --info, --version    what this file holds
  --quiet              print errors only
  --help               this text
EOF
}

die() {
    printf 'opkg-devkit: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '  %s\n' "$2" >&2
    exit "${3:-1}"
}

say() {
    [ "$quiet" = 1 ] || printf '%s\n' "$1"
}

sha256_of() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum | cut -c1-64
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 | cut -c1-64
    elif command -v openssl >/dev/null 2>&1; then
        openssl dgst -sha256 | sed 's/^.* //'
    else
        die "neither sha256sum, shasum nor openssl is here; this file cannot be verified"
    fi
}

payload() {
    tail -c +$((stub_size + 1)) "$0"
}

verify() {
    size=$(wc -c <"$0" | tr -d ' ')
    [ "$size" -eq $((stub_size + payload_size)) ] ||
        die "this file is damaged: it has $size bytes and should have $((stub_size + payload_size))" "copy it again"
    [ "$(payload | sha256_of)" = "$payload_sha256" ] || die "this file is damaged: its contents do not match" "copy it again"
}

unpack() {
    payload | gzip -dc | tar -xf - -C "$1"
}

# However the installation ends: the old files, with the operators in them, go back unless the new ones are in place.
# shellcheck disable=SC2317,SC2329  # a trap calls it
tidy() {
    trap '' HUP INT TERM
    if [ -d "$stage/old" ] && [ ! -e "$dir" ]; then
        [ -e "$stage/old/opp" ] || [ ! -d "$stage/new/opp" ] || mv "$stage/new/opp" "$stage/old/opp"
        mv "$stage/old" "$dir" || die "the old files are in '$stage/old'" "move them back to '$dir'"
    fi
    rm -rf "$stage"
}

# Operators that were installed into the old files stay.
keep_operators() {
    [ ! -d "$stage/old/opp" ] || { rm -rf "$stage/new/opp" && mv "$stage/old/opp" "$stage/new/opp"; }
}

install_into() {
    case $1 in
        /*) dir=$1 ;;
        *) dir=$(pwd)/$1 ;;
    esac
    dir=${dir%/}
    [ "$(uname -m)" = "@ARCH@" ] || die "this opkg is for @ARCH@, and this machine is $(uname -m)"
    if [ -e "$dir" ] && [ -n "$(ls -A "$dir" 2>/dev/null)" ]; then
        if [ ! -f "$dir/bin/opkg" ] || [ ! -f "$dir/version.info" ]; then
            die "'$dir' is not empty and holds no opkg" "choose another folder"
        fi
        [ "$force" = 1 ] || die "'$dir' already holds an opkg" "add --force to replace it"
        dir=$(CDPATH='' cd -- "$dir" && pwd -P) # the folder itself is replaced, not a link that leads to it
    fi
    parent=$(dirname "$dir")
    mkdir -p "$parent" || die "cannot make '$parent'"
    stage=$(mktemp -d "$parent/.opkg-devkit.XXXXXX") || die "cannot write in '$parent'"
    trap tidy EXIT
    trap 'exit 1' HUP INT TERM
    mkdir "$stage/new"
    unpack "$stage/new" || die "unpacking failed; nothing was changed"
    chmod 755 "$stage/new"
    if [ -e "$dir" ]; then
        mv "$dir" "$stage/old" || die "cannot move '$dir'; nothing was changed"
        if ! keep_operators || ! mv "$stage/new" "$dir"; then
            die "cannot put the new files in place; the old ones are back"
        fi
    else
        mv "$stage/new" "$dir"
    fi
    say "opkg @VERSION@ is in $dir"
    say "  . '$dir/set_env.sh'    puts it on PATH; opkg-python is a Python that has it"
    say "  The same file gives programs that launch kernels their toolkit, which is this folder too"
}

mode=usage
quiet=0
force=0
path=
while [ $# -gt 0 ]; do
    case $1 in
        --full | --install) mode=install ;;
        --install-path=*) path=${1#*=} ;;
        --install-path)
            [ $# -gt 1 ] || die "--install-path needs a folder" "" 2
            path=$2
            shift
            ;;
        --extract=*)
            mode=extract
            path=${1#*=}
            ;;
        --check) mode=check ;;
        --info | --version) mode=info ;;
        --force) force=1 ;;
        --quiet | -q) quiet=1 ;;
        --nox11 | --noprogress | --accept) ;;
        --help | -h) mode=usage ;;
        *)
            usage >&2
            die "unknown option '$1'" "" 2
            ;;
    esac
    shift
done

case $mode in
    usage) usage ;;
    info) printf 'opkg %s for linux-%s, %s bytes packed\n' "@VERSION@" "@ARCH@" "$payload_size" ;;
    check)
        verify
        say "this file is whole"
        ;;
    extract)
        verify
        mkdir -p "$path"
        unpack "$path"
        ;;
    install)
        [ -n "$path" ] || die "--full needs --install-path=DIR" "" 2
        verify
        install_into "$path"
        ;;
esac
exit 0
