# Source this file: programs that use the toolkit in this folder then build and run, and opkg is on PATH if it is here too.
# bash and zsh know where a sourced file is; other shells take OPKG_TOOLKIT from the caller.
if [ -n "${BASH_SOURCE:-}" ]; then
    OPKG_TOOLKIT=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE}")" && pwd -P)
elif [ -n "${ZSH_VERSION:-}" ]; then
    OPKG_TOOLKIT=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
fi
# The file is also found as bin/setenv.bash and ascend-toolkit/set_env.sh.
[ -x "${OPKG_TOOLKIT:-}/bin/opkg-ascc" ] || [ -x "${OPKG_TOOLKIT:-}/bin/opkg" ] || OPKG_TOOLKIT=${OPKG_TOOLKIT%/*}
if [ -x "${OPKG_TOOLKIT:-}/bin/opkg-ascc" ] || [ -x "${OPKG_TOOLKIT:-}/bin/opkg" ]; then
    export OPKG_TOOLKIT
    export ASCEND_HOME_PATH="$OPKG_TOOLKIT"
    export ASCEND_TOOLKIT_HOME="$OPKG_TOOLKIT"
    export ASCEND_AICPU_PATH="$OPKG_TOOLKIT"
    export ASCEND_OPP_PATH="$OPKG_TOOLKIT/opp"
    case ":${PATH:-}:" in
        *":$OPKG_TOOLKIT/bin:"*) ;;
        *) export PATH="$OPKG_TOOLKIT/bin${PATH:+:$PATH}" ;;
    esac
    case ":${LD_LIBRARY_PATH:-}:" in
        *":$OPKG_TOOLKIT/lib64:"*) ;;
        *) export LD_LIBRARY_PATH="$OPKG_TOOLKIT/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
    esac
    case ":${CMAKE_PREFIX_PATH:-}:" in
        *":$OPKG_TOOLKIT:"*) ;;
        *) export CMAKE_PREFIX_PATH="$OPKG_TOOLKIT:$OPKG_TOOLKIT/tools/tikicpulib/lib/cmake${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}" ;;
    esac
else
    echo "opkg: this shell does not say where the toolkit's set_env.sh is" >&2
    echo "  set OPKG_TOOLKIT to its folder, and source it again" >&2
fi
