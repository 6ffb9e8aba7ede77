#!/bin/sh
# Makes the peers ready to start: go, jose, otlp, python, node, hpke-js, age and rage, or those named.
#   ./setup.sh [go] [jose] [otlp] [python] [node] [hpke-js] [age] [rage] [rage-release] [stores] [kafka] [spark] [modsecurity]
# May be run again at any time; what is ready already is left alone.
set -eu
cd "$(dirname "$0")"
build=$PWD/.build
rage=0.12.1
azurite=3.35.0
fake_gcs=1.56.1
maven_dependency=3.8.1

# need TOOL HOW: ends the run unless TOOL is there.
need() {
    command -v "$1" >/dev/null 2>&1 || fail "$1 is missing: $2"
}

fail() {
    echo "dev/interop: $*" >&2
    exit 1
}

setup_go() {
    go_program go
    go_program tls
}

# jwx needs the experiment.
setup_jose() {
    GOEXPERIMENT=jsonv2 go_program jose
}

setup_otlp() {
    go_program otlp
}

# go_program NAME: builds the Go program in the folder NAME.
go_program() {
    how="install Go 1.26 or newer (https://go.dev/dl, or: apt install golang)"
    need go "$how"
    # "local": an older Go shall say so rather than download a newer one.
    (cd "$1" && GOTOOLCHAIN=local go build -o "$build/$1-peer" .) ||
        fail "the peer $1 does not build with $(go env GOVERSION): $how"
}

setup_python() {
    need python3 "install Python 3.9 or newer (apt install python3 python3-venv)"
    [ -x "$build/venv/bin/pip" ] || python3 -m venv "$build/venv" ||
        fail "python3 cannot make a venv: apt install python3-venv"
    "$build/venv/bin/pip" install --quiet --disable-pip-version-check \
        --only-binary :all: -r python/requirements.txt ||
        fail "pip could not install python/requirements.txt"
}

setup_node() {
    npm_packages node
}

setup_hpke_js() {
    npm_packages hpke-js
}

# npm_packages FOLDER: installs what its lock file names.
npm_packages() {
    how="install Node.js 20.19 or newer (https://nodejs.org, or: apt install nodejs npm)"
    need node "$how"
    need npm "$how"
    # npm leaves a copy of the lock file it installed from.
    [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] ||
        npm ci --prefix "$1" --ignore-scripts --loglevel=error ||
        fail "npm could not install $1/package-lock.json"
}

setup_age() {
    go_program age
    # Its command lines, too.
    (cd age && GOTOOLCHAIN=local go build -o "$build/" filippo.io/age/cmd/age filippo.io/age/cmd/age-keygen) ||
        fail "age's command line does not build with $(go env GOVERSION)"
}

# For tests: quick to build.
setup_rage() {
    CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0 cargo_rage rage --debug
}

# With optimization, for dev/benches/files.
setup_rage_release() {
    cargo_rage rage-release
}

# cargo_rage FOLDER [OPTION]
cargo_rage() {
    need cargo "install Rust (https://rustup.rs)"
    "$build/$1/bin/rage" --version 2>/dev/null | grep -q " $rage\$" ||
        nice cargo install --quiet --locked --force --version "$rage" --root "$build/$1" ${2:-} rage ||
        fail "cargo could not install rage $rage"
}

# Servers of object stores, for stores/live.py. Not among the default ones: it is the only one that
# uses them.
setup_stores() {
    need python3 "install Python 3.10 or newer (apt install python3 python3-venv)"
    need npm "install Node.js 20.19 or newer (https://nodejs.org, or: apt install nodejs npm)"
    need go "install Go 1.26 or newer (https://go.dev/dl, or: apt install golang)"
    stores=$build/stores
    mkdir -p "$stores"
    [ -x "$stores/venv/bin/pip" ] || python3 -m venv "$stores/venv" ||
        fail "python3 cannot make a venv: apt install python3-venv"
    "$stores/venv/bin/pip" install --quiet --disable-pip-version-check \
        --only-binary :all: -r stores/requirements.txt ||
        fail "pip could not install stores/requirements.txt"
    [ -f "$stores/package.json" ] || echo '{"private":true}' >"$stores/package.json"
    npm install --prefix "$stores" --no-audit --no-fund --ignore-scripts --loglevel=error "azurite@$azurite" ||
        fail "npm could not install azurite $azurite"
    GOTOOLCHAIN=local GOBIN=$stores go install "github.com/fsouza/fake-gcs-server@v$fake_gcs" ||
        fail "fake-gcs-server $fake_gcs does not build with $(go env GOVERSION)"
}

# The broker and the tools of Apache Kafka, for kafka/live.py. Not among the default ones either.
setup_kafka() {
    jars kafka "$build/kafka"
}

# Spark with what it needs for S3 (an SDK of 690 MB) and Kafka, its servers, and our wheel, for
# spark/live.py. Not among the default ones.
setup_spark() {
    setup_kafka
    need python3 "install Python 3.10 or newer (apt install python3 python3-venv)"
    wheel=$(ls ../../bindings/python/.wheels/pqseal-*.whl 2>/dev/null) || fail "our wheel is missing; run: bindings/python/test.sh, which builds it"
    mkdir -p "$build/spark"
    [ -x "$build/spark/venv/bin/pip" ] || python3 -m venv "$build/spark/venv" ||
        fail "python3 cannot make a venv: apt install python3-venv"
    "$build/spark/venv/bin/pip" install --quiet --disable-pip-version-check -r spark/requirements.txt ||
        fail "pip could not install spark/requirements.txt"
    "$build/spark/venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel" ||
        fail "pip could not install $wheel"
    jars spark "$build/spark/jars"
}

# Firewalls with their rules, for modsecurity/live.py: nginx and Apache of Debian, which are not
# started, and Coraza. Not among the default ones.
setup_modsecurity() {
    packages="nginx-light libnginx-mod-http-modsecurity libapache2-mod-security2 modsecurity-crs"
    # shellcheck disable=SC2086 # words, not one
    dpkg -s $packages >/dev/null 2>&1 || debian_packages $packages
    go_program coraza
}

# debian_packages PACKAGE...: installs them. RUNLEVEL keeps Debian from starting servers.
debian_packages() {
    need apt-get "install ModSecurity for nginx and for Apache, and the OWASP Core Rule Set"
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq
    $sudo env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
        fail "apt-get could not install $*"
}

# jars NAME FOLDER: copies what NAME/pom.xml names into FOLDER. Nothing runs before every file is
# known.
jars() {
    need mvn "install Maven (apt install maven)"
    java -version 2>&1 | grep -qE 'version "(1[7-9]|2[0-9])' || fail "Java 17 is missing: apt install openjdk-17-jre-headless"
    sums=$PWD/$1/jars.sha256
    [ -d "$2" ] && (cd "$2" && sha256sum --check --status "$sums") && return
    rm -rf "$2" "$2.new"
    mvn --quiet --batch-mode --file "$1/pom.xml" "org.apache.maven.plugins:maven-dependency-plugin:$maven_dependency:copy-dependencies" \
        "-DoutputDirectory=$2.new" ||
        fail "Maven could not copy what $1/pom.xml names"
    (cd "$2.new" && sha256sum --check --quiet "$sums") ||
        fail "these files are not the ones that $1/jars.sha256 names"
    [ "$(find "$2.new" -type f | wc -l)" -eq "$(grep -c . "$sums")" ] ||
        fail "there are files in $2.new that $1/jars.sha256 does not name"
    mv "$2.new" "$2"
}

mkdir -p "$build"
[ $# -gt 0 ] || set -- go jose otlp python node hpke-js age rage
for peer in "$@"; do
    case $peer in
    hpke-js) setup_hpke_js ;;
    rage-release) setup_rage_release ;;
    go | jose | otlp | python | node | age | rage | stores | kafka | spark | modsecurity) "setup_$peer" ;;
    *) fail "no such peer: $peer" ;;
    esac
    echo "dev/interop: $peer is ready"
done
