#!/usr/bin/env bash
# Builds the JVM oracle into DIR (default: target/jvm-oracle of the workspace): classes, and the
# libraries that Maven resolves. Needs a JDK 17 and Maven.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../target/jvm-oracle}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
mvn -q -B -f "$here/pom.xml" -DoutputDirectory="$dir/lib" -DincludeScope=runtime dependency:copy-dependencies
javac --release 17 -nowarn -cp "$dir/lib/*" -d "$dir/classes" "$here/src/main/java/Oracle.java"
echo "$dir"
