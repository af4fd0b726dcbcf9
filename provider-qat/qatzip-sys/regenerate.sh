#!/bin/sh
# Writes src/bindings.rs anew from QATzip's header, or checks that it is current. The build does not
# run this.
#
#   regenerate.sh [--check] INCLUDE
#
# INCLUDE is the folder with qatzip.h of API 2.5, the oldest that the provider takes; that of 2.6
# gives the same declarations in another order. `../fetch-qatzip.sh DIR` puts one into DIR/include.
# Wants bindgen (`cargo install bindgen-cli`, in the version that src/bindings.rs names) and
# libclang (on Debian: libclang1).
set -eu
check=
[ "${1-}" = --check ] && { check=1; shift; }
[ $# = 1 ] || { echo "usage: $0 [--check] INCLUDE" >&2; exit 2; }
include=$(cd "$1" && pwd)
cd "$(dirname "$0")"

new=$(mktemp)
trap 'rm -f "$new" "$new.rs"' EXIT
bindgen bindings/qatzip.h \
    --dynamic-loading Functions \
    --wrap-unsafe-ops \
    --rust-edition 2024 \
    --rust-target 1.88 \
    --use-core \
    --no-layout-tests \
    --no-doc-comments \
    --default-macro-constant-type signed \
    --allowlist-function 'qz(SetLogLevel|Init|Compress|Decompress|TeardownSession)' \
    --allowlist-function 'qzGetDefaults(DeflateExt|LZ4|LZ4S|LZ4Block|Zstd)' \
    --allowlist-function 'qzSetupSession(DeflateExt|LZ4|LZ4S|LZ4Block|Zstd)' \
    --allowlist-function 'qz(GetDeflateEndOfStream|MaxCompressedLength)' \
    --allowlist-type 'Qz(DataFormat|Direction|HuffmanHdr|LogLevel|PollingMode)_T' \
    --allowlist-var 'QZ_(OK|DUPLICATE|FORCE_SW|PARAMS|FAIL|BUF_ERROR|DATA_ERROR|TIMEOUT|INTEG)' \
    --allowlist-var 'QZ_(NO_HW|NO_MDRV|NO_INST_ATTACH|LOW_MEM|LOW_DEST_MEM|UNSUPPORTED_FMT|NONE)' \
    --allowlist-var 'QZ_NOSW_(NO_HW|NO_MDRV|NO_INST_ATTACH|LOW_MEM|UNSUPPORTED_FMT)' \
    --allowlist-var 'QZ_(NO_SW_AVAIL|POST_PROCESS_ERROR|METADATA_OVERFLOW|OUT_OF_RANGE|NOT_SUPPORTED)' \
    --allowlist-var 'QZ_HW_BUFF_(MIN|MAX)_SZ|QZ_COMP_THRESHOLD_(DEFAULT|MINIMUM)|QZ_SKID_PAD_SZ' \
    --allowlist-var 'QZ_(DEFLATE|LZS)_COMP_LVL_(MINIMUM|MAXIMUM)' \
    --output "$new.rs" \
    -- -I "$include"

# The licence wants its notice wherever the header goes, and the declarations are made from it.
{
    sed 's|^|// |; s| *$||' bindings/LICENSE
    echo
    cat "$new.rs"
} > "$new"

if [ -n "$check" ]; then
    diff -u src/bindings.rs "$new" || {
        echo "src/bindings.rs is not what regenerate.sh makes of the header" >&2
        exit 1
    }
else
    cat "$new" > src/bindings.rs
fi
