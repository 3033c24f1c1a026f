#!/bin/bash
# usage: bash run.sh [-r cpu|npu|sim] [-v CHIP]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
mode=cpu
chip=Ascend910B1
while getopts r:v: option; do
    case $option in
        r) mode=$OPTARG ;;
        v) chip=$OPTARG ;;
        *) exit 2 ;;
    esac
done
# shellcheck source=/dev/null
. "${ASCEND_HOME_PATH:?source the toolkit\'s set_env.sh first}/bin/setenv.bash"
rm -rf build
cmake -B build -DRUN_MODE="$mode" -DSOC_VERSION="$chip"
cmake --build build
./build/row_scale
