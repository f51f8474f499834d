# What `swift build` is told beside what a script wants: sourced by the scripts that build.
#
# MOORAGE_LEAN=1   without debug information, most of what a build from nothing can save; a backtrace then names
#                  functions and no lines. .ci/run sets it. Package.swift reads it, too, and optimizes our
#                  own libraries in debug builds (decision 0080). An index stays where tests are built: the package
#                  manager finds tests in it, and builds none without
#
# Read by who sources this.
# shellcheck disable=SC2034
lean=()
if [ "${MOORAGE_LEAN:-}" = 1 ]; then lean=(-debug-info-format none); fi
