#!/bin/sh
# opkg bundle 1
opkg_seal=0000000000000000000000000000000000000000000000000000000000000000 opkg_signature=0           
opkg_stub=0           
opkg_manifest=0           
opkg_manifest_sha256=0000000000000000000000000000000000000000000000000000000000000000
opkg_payload=0           
opkg_payload_sha256=0000000000000000000000000000000000000000000000000000000000000000
# SPDX-License-Identifier: Apache-2.0
#
# A package of operators that installs itself. Below this script lie its manifest (JSON) and its files (tar.gz).
# `opkg install FILE` reads all of it without running any. Needs the usual tools of a Linux system, busybox's are enough.

set -u
umask 022
LC_ALL=C
export LC_ALL
unset CDPATH
# A closed descriptor would be handed to the next file that is opened.
(: 3<&0) 2>/dev/null || exec </dev/null
(: 3>&1) 2>/dev/null || exec >/dev/null
(: 3>&2) 2>/dev/null || exec 2>/dev/null

action=install root='' unpack='' noexec='' keep='' confirm='' quiet='' force='' adopt=''

say() { [ -n "$quiet" ] || printf '%s\n' "$1"; }

# die MESSAGE [HINT [STATUS]]
die() {
    printf 'opkg: %s\n' "$1" >&2
    [ -z "${2-}" ] || printf '  %s\n' "$2" >&2
    exit "${3:-1}"
}

usage() {
    cat <<END
usage: ${0##*/} [OPTION]...

Checks this package and installs it; through opkg where that is on PATH.

  --install-path=DIR  install root (default: \$ASCEND_OPP_PATH, else opkg's own folder)
  --install, --full, --upgrade          install (what happens anyway)
  --uninstall         take the package out of the install root
  --force             install although this machine lacks something that the package needs
  --adopt             let opkg take over what another installer left in the vendor's folder
  -q, --quiet         say nothing unless it fails
  --confirm           ask first
  --check             compare sizes and checksums, change nothing
  --info, --version, --manifest, --lsm  print what this package is
  --list              print the files
  --extract=DIR       unpack there, install nothing
  --target DIR        unpack there, then install
  --keep              unpack to ./VENDOR-NAME, then install
  --noexec            with --target or --keep: only unpack
  --tar ARG...        run tar with these arguments on the files
  -h, --help          this text
  --accept --install-for-all --nox11 --noprogress --nochown --nodiskspace --  accepted, without effect
END
}

# bytes OFFSET COUNT: a part of this file.
bytes() { tail -c "+$(($1 + 1))" "$self" | head -c "$2"; }
manifest() { bytes "$opkg_stub" "$opkg_manifest"; }
payload() { bytes "$((opkg_stub + opkg_manifest))" "$opkg_payload"; }

digest() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256
    elif command -v openssl >/dev/null 2>&1; then
        openssl dgst -sha256 -r
    else
        die "cannot check this file: sha256sum, shasum and openssl are all missing"
    fi | sed 's/ .*//'
}

verify() {
    [ -r "$self" ] || die "cannot read $self"
    # A shell that cannot compute goes on with the next command: what it computes with is looked at first.
    line=$(printf 'opkg_seal=%s opkg_signature=%-12s' "$opkg_seal" "$opkg_signature")
    case " $opkg_stub $opkg_manifest $opkg_payload $opkg_signature " in
        *[!0-9\ ]* | *' 0'[0-9]* | *'  '*) line='' ;;
    esac
    [ "$(bytes 26 103)" = "$line" ] || die "$self is damaged: its header was changed" "copy or download it again"
    found=$(($(wc -c <"$self")))
    wanted=$((opkg_stub + opkg_manifest + opkg_payload + opkg_signature))
    [ "$found" -eq "$wanted" ] || die "$self has $found bytes instead of $wanted" "copy or download it again"
    # The seal covers this script but for the line that holds the seal.
    seal=$({ head -c 26 "$self"; bytes 129 "$((opkg_stub - 129))"; } | digest)
    sums=$seal:$(manifest | digest):$(payload | digest)
    [ "$sums" = "$opkg_seal:$opkg_manifest_sha256:$opkg_payload_sha256" ] ||
        die "$self is damaged: a checksum does not match" "copy or download it again"
}

# field KEY < manifest: a text value at the top level.
field() { sed -n "s/^ \"$1\": \"\\(.*\\)\",\\{0,1\\}\$/\\1/p"; }

# unpack_to DIR: files and manifest.
unpack_to() {
    { mkdir -p "$1" && payload | (cd "$1" && tar -xzmof -) && manifest >"$1/opkg-package.json"; } ||
        die "cannot unpack to $1" "is it writable, and is there room?"
}

choose_root() {
    [ -n "$root" ] || root=${ASCEND_OPP_PATH-}
    if [ -z "$root" ] && [ "$(id -u)" -eq 0 ]; then root=/usr/local/opkg; fi
    case $root${XDG_DATA_HOME-} in
        '') root=${HOME:?}/.local/share/opkg ;;
        /*) root=${root:-$XDG_DATA_HOME/opkg} ;;
        *) root=${root:-${HOME:?}/.local/share/opkg} ;;
    esac
    case $root in [~] | [~]/*) root=$HOME${root#?} ;; esac
    case $root in /*) ;; *) root=$(pwd)/$root ;; esac
    case $root in *:*) die "$root has a ':', which separates the folders in ASCEND_CUSTOM_OPP_PATH" ;; esac
    vendors=$root/vendors place=$root/vendors/$vendor private=$root/.opkg
}

# How this machine falls short of what the package was built for; empty when it does not.
lacking() {
    if [ "$(uname -s)" != Linux ]; then
        echo "this system is $(uname -s), not Linux"
    elif [ -n "$arch" ] && [ "$(uname -m)" != "$arch" ]; then
        echo "it was built for $arch and this machine is $(uname -m)"
    else
        case $(manifest | field isa) in
            x86-64-v3) flags='avx2 bmi2 fma movbe' ;;
            x86-64-v4) flags='avx2 bmi2 fma movbe avx512f avx512bw avx512vl' ;;
            *) flags='' ;;
        esac
        for flag in $flags; do
            grep -qw "$flag" /proc/cpuinfo || { echo "its kernels need $flag, which this processor lacks" && return; }
        done
        need=$(manifest | field glibc) have=$(getconf GNU_LIBC_VERSION 2>/dev/null)
        need=${need#GLIBC_} have=${have#glibc }
        # Both are 2.N or 2.N.P; where getconf is missing or says something else, nothing is known and nothing claimed.
        least=${need#2.} there=${have#2.}
        [ "${least%%.*}" -le "${there%%.*}" ] 2>/dev/null || [ "${need%%.*}${have%%.*}" != 22 ] ||
            echo "it needs glibc $need and this machine has $have"
    fi
}

# Another program may have the same name.
have_opkg() { command -v opkg >/dev/null 2>&1 && opkg install --help 2>/dev/null </dev/null | grep -q -e --adopt; }

# hand_over COMMAND WHAT: let opkg do it.
hand_over() {
    set -- "$@" ${root:+--install-path "$root"} ${quiet:+--quiet}
    [ "$1" = uninstall ] || set -- "$@" ${force:+--force} ${adopt:+--adopt}
    exec opkg "$@"
}

# Takes the lock that opkg takes. A killed run of this script leaves nothing but a folder that is removed here.
begin() {
    { mkdir -p "$vendors" "$private" && (: >>"$private/lock") && [ -w "$vendors" ]; } 2>/dev/null ||
        die "cannot write to $root" "choose another folder with --install-path=DIR"
    exec 9>>"$private/lock"
    if command -v flock >/dev/null 2>&1; then
        flock -n 9 || { say "waiting for another installation in $root" && flock 9; }
    fi
    [ ! -e "$private/journal" ] || die "opkg was stopped while it changed $root" "it goes on with: opkg install $self"
    rm -rf "$private/staging-"*
}

# Whether the vendor's view shows this package and no other. Each package is a line in the record of the view.
is_ours() {
    record=$place/.opkg-generation.json
    [ -L "$place" ] && [ -f "$record" ] && [ "$(grep -c '^  "' "$record")" -eq 1 ] && grep -q "^  \"$name/" "$record"
}

# switch_to GENERATION: let the vendor's link point there, in one step.
switch_to() {
    rm -f "$vendors/.$vendor.opkg-link"
    ln -s "../.opkg/generations/$vendor/$1" "$vendors/.$vendor.opkg-link" &&
        mv -fT "$vendors/.$vendor.opkg-link" "$place"
}

# priority [VENDOR]: vendor first in load_priority, or out of it; every other line stays.
priority() {
    ini=$vendors/config.ini list=${1-} kept=''
    [ -f "$ini" ] || : >"$ini" || return 1
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
            load_priority=* | load_priority[[:blank:]]*=*)
                for entry in $(printf '%s' "${line#*=}" | sed 's/[^A-Za-z0-9_.-]/ /g'); do
                    [ "$entry" = "$vendor" ] || list=$list${list:+,}$entry
                done
                ;;
            *) kept=$kept$line'
' ;;
        esac
    done <"$ini"
    printf '%s' "${list:+load_priority=$list
}$kept" >"$ini.opkg-new" || return 1
    if [ -s "$ini.opkg-new" ]; then mv -f "$ini.opkg-new" "$ini"; else rm -f "$ini.opkg-new" "$ini"; fi
}

quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

set_env() {
    # shellcheck disable=SC2016 # whoever reads the file expands it
    printf 'export ASCEND_CUSTOM_OPP_PATH=%s"${ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}"\n' "$(quoted "$place")"
    # shellcheck disable=SC2016
    [ ! -d "$1/op_api/lib" ] ||
        printf 'export LD_LIBRARY_PATH=%s"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"\n' "$(quoted "$place/op_api/lib")"
}

# The same folders and links that opkg makes: the package, a generation that shows it, a link to that.
install_alone() {
    problem=$(lacking)
    [ -z "$problem" ] || [ -n "$force" ] || die "$vendor/$name cannot be used here: $problem" "--force installs it anyway"
    [ ! -e "$private/keys/require-signed" ] ||
        die "$root takes only signed packages" "checking a signature needs opkg: opkg install $self"
    begin
    if [ -e "$place" ] || [ -L "$place" ]; then
        is_ours || die "vendor '$vendor' has other packages in $root" "joining packages needs opkg: opkg install $self"
    fi
    stage=$(mktemp -d "$private/staging-XXXXXX") || die "cannot write to $private"
    trap 'rm -rf "$stage"' EXIT
    trap 'exit 143' HUP INT TERM
    unpack_to "$stage/package"
    base=$name/$version-$(printf '%.12s' "$opkg_manifest_sha256")
    entry=$base copies=1
    while [ -e "$private/packages/$vendor/$entry" ]; do
        if diff -r "$private/packages/$vendor/$entry" "$stage/package" >/dev/null 2>&1; then break; fi
        copies=$((copies + 1))
        entry=$base.$copies
    done
    generation=1
    for other in "$private/generations/$vendor"/*; do
        case ${other##*/} in *[!0-9]*) ;; *) [ "${other##*/}" -lt "$generation" ] || generation=$((${other##*/} + 1)) ;; esac
    done
    package=$private/packages/$vendor/$entry
    { mkdir -p "${package%/*}" "$private/generations/$vendor" && { [ -e "$package" ] || mv "$stage/package" "$package"; } &&
        make_view "$package" "$stage/view" && { sync -f "$stage" 2>/dev/null || sync; } &&
        mv "$stage/view" "$private/generations/$vendor/$generation" && switch_to "$generation" && priority "$vendor"; } ||
        die "cannot write to $root" "is there room?"
    say "installed $vendor/$name $version in $place"
    say "to use it elsewhere: source $(quoted "$place/bin/set_env.bash")"
}

# make_view PACKAGE FOLDER: the package's files (hard links where possible), the environment, the record.
make_view() {
    cp -Rl "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -R "$1" "$2"; } || return 1
    rm -f "$2/opkg-package.json"
    mkdir -p "$2/bin" && set_env "$2" >"$2/bin/set_env.bash" &&
        printf '{\n "format": 1,\n "packages": [\n  "%s"\n ]\n}\n' "$entry" >"$2/.opkg-generation.json"
}

uninstall_alone() {
    if [ -d "$vendors" ]; then begin; fi
    [ -e "$place" ] || [ -L "$place" ] || die "$vendor/$name is not installed in $root"
    is_ours || die "vendor '$vendor' has other packages in $root" "this needs opkg: opkg uninstall $vendor/$name"
    { rm -f "$place" && priority; } || die "cannot take $place away"
    rm -rf "$private/generations/$vendor" "$private/packages/$vendor/$name"
    say "removed $vendor/$name from $root"
}

need_value() { [ -n "${2-}" ] || die "$1 needs a value" "${0##*/} --help lists the options" 2; }

while [ $# -gt 0 ]; do
    case $1 in
        --install-path=* | --extract=* | --target=*)
            option=${1%%=*} given=${1#*=}
            shift
            set -- "$option" "$given" "$@"
            continue
            ;;
        --install-path) need_value "$@" && root=$2 && shift ;;
        --extract) need_value "$@" && unpack=$2 noexec=1 && shift ;;
        --target) need_value "$@" && unpack=$2 && shift ;;
        --tar) need_value "$@" && action=tar && shift && break ;;
        --check | --info | --list | --lsm | --manifest | --uninstall | --version) action=${1#--} ;;
        --install | --full | --upgrade) action=install ;;
        --keep) keep=1 ;;
        --noexec) noexec=1 ;;
        --confirm) confirm=1 ;;
        --force) force=1 ;;
        --adopt) adopt=1 ;;
        -q | --quiet | --silent) quiet=1 ;;
        --accept | --install-for-all | --nox11 | --noprogress | --chown | --nochown | --nodiskspace | --) ;;
        -h | --help) usage && exit ;;
        *) usage >&2 && die "unknown option '$1'" "" 2 ;;
    esac
    shift
done

self=$0
case $self in */*) ;; *) [ -f "./$self" ] && self=./$self || self=$(command -v "$self") ;; esac
verify
vendor=$(manifest | field vendor) name=$(manifest | field name)
version=$(manifest | field version) arch=$(manifest | field arch)
case $action in
    check)
        say "$self is intact"
        [ "$opkg_signature" -eq 0 ] || say "it is signed; checking its signature needs opkg: opkg verify $self"
        exit
        ;;
    manifest)
        manifest
        exit
        ;;
    version)
        printf '%s\n' "$vendor/$name $version"
        exit
        ;;
    list)
        payload | tar -tzf -
        exit
        ;;
    tar)
        option=$1
        shift
        payload | gzip -dc | tar "$option" - "$@"
        exit
        ;;
    info | lsm)
        printf 'package  %s/%s %s\n' "$vendor" "$name" "$version"
        printf 'target   %s, %s\n' "$(manifest | field target)" "${arch:-any processor}"
        printf 'files    %s bytes packed, sha256 %s\n' "$opkg_payload" "$opkg_payload_sha256"
        [ "$opkg_signature" -eq 0 ] || printf 'signed   yes, to be checked with: opkg verify\n'
        exit
        ;;
esac

if [ -n "$confirm" ]; then
    printf '%s %s/%s %s? [y/N] ' "$action" "$vendor" "$name" "$version"
    read -r answer || answer=''
    case $answer in [yY]*) ;; *) die "nothing was changed" ;; esac
fi
[ -z "$keep" ] || [ -n "$unpack" ] || unpack=./$vendor-$name
if [ -n "$unpack" ]; then unpack_to "$unpack" && say "unpacked to $unpack"; fi
if [ -n "$noexec" ]; then exit; fi
case $action in
    install) if have_opkg; then hand_over install "$self"; fi && choose_root && install_alone ;;
    uninstall) if have_opkg; then hand_over uninstall "$vendor/$name"; fi && choose_root && uninstall_alone ;;
esac
exit
