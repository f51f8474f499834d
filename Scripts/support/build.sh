# Options of `swift build` that all scripts share: sourced by the scripts that build.
#
# MOORAGE_LEAN=1   builds without debug information, which saves the most in a clean build. A backtrace then names
#                  functions but no lines. .ci/run sets it. Package.swift reads it, too, and optimizes our own
#                  libraries in debug builds (decision 0080). Builds of tests keep the index: the package manager finds
#                  the tests in it, and builds no tests without it. The compiler reads every module once and as a
#                  whole (decision 0107)
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
fi
