# Options of `swift build` that all scripts share: sourced by the scripts that build.
#
# MOORAGE_LEAN=1   builds without debug information, which saves the most in a clean build. A backtrace then names
#                  functions but no lines. .ci/run sets it. Package.swift reads it, too, and optimizes our own
#                  libraries in debug builds (decision 0080). Builds of tests keep the index: the package manager finds
#                  the tests in it, and builds no tests without it. The compiler reads every module once and as a
#                  whole (decision 0107), and C++ libraries find the standard headers compiled (decision 0109)
#
# The scripts that source this file read `lean` and `server`.
# shellcheck disable=SC2034
lean=()
# No trait is on by default, so that an app fetches nothing of the server.
# shellcheck disable=SC2034
server=(--traits Server)
if [ "${MOORAGE_LEAN:-}" = 1 ]; then
    lean=(-debug-info-format none)
    for flag in -wmo -num-threads 2 -no-emit-module-separately-wmo -Xfrontend -disable-llvm-verify; do
        lean+=(-Xswiftc "$flag")
    done
    # The package manager leaves debug information out of Swift alone.
    lean+=(-Xcc -g0)
fi

# Compiles the headers that BoringSSL includes most, with the options that its files get, and sets $headers. It does
# nothing where the compiler is not beside `swift`, where CC names another, or if it fails. Other options, another
# compiler or another C++ library give the file another name.
headers=
compile_headers() {
    local clang
    clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    if [ ! -x "$clang" ] || [ -n "${CC:-}" ]; then return 0; fi
    headers=$PWD/.build/headers-$({
        cat Scripts/support/build.sh
        "$clang" --version
        ls -lR /usr/include/c++ 2>/dev/null || true
    } | cksum | cut -d ' ' -f 1).pch
    [ ! -s "$headers" ] || return 0
    mkdir -p .build
    printf '#include <%s>\n' algorithm array iterator memory optional string_view type_traits utility \
        | "$clang" -x c++-header -std=c++17 -O0 -g0 -fPIC -fblocks -fno-omit-frame-pointer -fpch-instantiate-templates \
            -target "$(uname -m)-unknown-linux-gnu" -DSWIFT_PACKAGE=1 -DDEBUG=1 - -o "$headers.$$" 2>/dev/null \
        && mv "$headers.$$" "$headers" || headers=
}
# A sanitizer wants headers of its own: who builds with one sets $sanitizes.
if [ "${MOORAGE_LEAN:-}" = 1 ] && [ "$(uname -s)" = Linux ] && [ -z "${sanitizes:-}" ]; then
    compile_headers
    [ -z "$headers" ] || lean+=(-Xcxx -include-pch -Xcxx "$headers")
fi
