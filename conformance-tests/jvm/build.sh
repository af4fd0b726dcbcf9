#!/usr/bin/env bash
# Builds the JVM oracle into DIR (default: target/jvm-oracle of the workspace): classes, and the
# libraries below them. Needs a JDK 17 or later.
#
# With Maven and a repository that it reaches: Cassandra's own classes and their libraries.
# Without: the libraries alone, from Debian's packages (apt-get install --no-install-recommends
# liblz4-java libzstd-jni-java libsnappy-java); the suite then reports Cassandra's classes as skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../target/jvm-oracle}
# Libraries and classes of an earlier build must not be taken for these.
rm -rf "$dir/lib" "$dir/classes"
mkdir -p "$dir/lib"
dir=$(cd "$dir" && pwd)
sources=("$here"/src/main/java/*.java)

if [ "${COMPRESSOR_JVM_LIBRARIES:-maven}" = maven ] && command -v mvn >/dev/null &&
    mvn -q -B -f "$here/pom.xml" -DoutputDirectory="$dir/lib" -DincludeScope=runtime \
        dependency:copy-dependencies; then
    from="Maven"
else
    # What Maven copied before it failed.
    rm -rf "$dir/lib" && mkdir "$dir/lib"
    from="Debian's packages, without Cassandra's classes"
    for jar in lz4-java zstd-jni snappy-java; do
        # Under the name that carries the version.
        file=$(compgen -G "/usr/share/java/$jar-[0-9]*.jar" | tail -n 1) ||
            { echo "neither Maven's libraries nor /usr/share/java/$jar-VERSION.jar" >&2; exit 1; }
        cp "$file" "$dir/lib/"
    done
    for at in "${!sources[@]}"; do
        if [ "${sources[at]##*/}" = CassandraClasses.java ]; then unset "sources[at]"; fi
    done
fi

javac --release 17 -nowarn -cp "$dir/lib/*" -d "$dir/classes" "${sources[@]}"
echo "$dir: built with libraries from $from"
