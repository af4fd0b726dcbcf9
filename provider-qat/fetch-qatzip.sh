#!/bin/sh
# Fetches QATzip as Debian 13 packages it into a folder: nothing is installed, and the system's own
# packages, lists and settings stay as they are.
#
#   fetch-qatzip.sh DIR
#
# leaves DIR/lib (libqatzip.so.3 and the two libraries that it needs), DIR/include/qatzip.h and
# DIR/copyright. Wants a Debian system, of which it takes the address of the archive and the keys.
# Exits with 3 where that cannot be: other systems, or no network.
set -eu

suite=trixie
packages="libqatzip3 libqatzip-dev libqat4 libusdm0"

unavailable() { echo "QATzip cannot be fetched: $*" >&2; exit 3; }

[ $# = 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
[ "$(uname -m)" = x86_64 ] || unavailable "QAT is for x86-64"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || unavailable "no apt-get, no dpkg-deb"
mkdir -p "$1"
dir=$(cd "$1" && pwd)
work=$dir/work
rm -rf "$work"
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/debs"

# The machine's own archive: where Debian itself comes from, not its security updates.
archive=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' |
    awk '$2 == "Debian" || $1 ~ /\/debian\/$/ { print $1; exit }')
[ -n "$archive" ] || unavailable "this system has no Debian archive among its package sources"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] && signed="[signed-by=$keyring]" || signed=

echo "deb $signed $archive $suite main" > "$work/sources.list"
private() {
    apt-get -qq \
        -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
        -o Dir::State="$work/state" -o Dir::Cache="$work/cache" \
        -o Acquire::Languages=none -o APT::Sandbox::User= "$@"
}
private update || unavailable "the list of packages cannot be had"
# shellcheck disable=SC2086 # One word a package.
(cd "$work/debs" && private download $packages) || unavailable "the packages cannot be had"

for deb in "$work"/debs/*.deb; do
    dpkg-deb -x "$deb" "$work/root"
done
rm -rf "$dir/lib" "$dir/include"
mkdir "$dir/lib" "$dir/include"
cp -P "$work"/root/usr/lib/*/lib*.so.* "$dir/lib/"
cp "$work/root/usr/include/qatzip.h" "$dir/include/"
cp "$work/root/usr/share/doc/libqatzip3/copyright" "$dir/copyright"
for deb in "$work"/debs/*.deb; do
    dpkg-deb --show --showformat '${Package} ${Version}\n' "$deb"
done
rm -rf "$work"
