# The simulator and the benchmarks, for the scripts that run them.
#
#   keep_pins COMMAND…       runs a command that builds the package with fewer dependencies, and puts the
#                            pins of the whole one back
#   tool PRODUCT             builds moorage-dev or MoorageBenchmarks, and says where it is in $tool
#   tool PRODUCT SCRATCH     in a build folder of its own
#
# They are built for release and without the server: the network's libraries take longer to build than all of
# ours, and neither needs them. With MOORAGE_LEAN=1, as in .ci/run, they come from the one build that the tests
# have, too (decision 0084).

# shellcheck source=Scripts/support/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/build.sh"

keep_pins() (
    pins=$(mktemp -d)
    put_back() {
        rm -f Package.resolved
        if [ -f "$pins/Package.resolved" ]; then cp "$pins/Package.resolved" .; fi
        rm -rf "$pins"
    }
    if [ -f Package.resolved ]; then cp Package.resolved "$pins"; fi
    trap put_back EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    "$@"
)

tool() {
    if [ "${MOORAGE_LEAN:-}" = 1 ] && [ -z "${2:-}" ]; then
        Scripts/build
        tool=$(swift build --traits Server --show-bin-path)/$1
        return
    fi
    local options=(-c release --traits Tools --scratch-path "${2:-.build/tools}")
    keep_pins swift build "${options[@]}" ${lean[@]+"${lean[@]}"} --product "$1" </dev/null
    # Read by who sources this.
    # shellcheck disable=SC2034
    tool=$(swift build "${options[@]}" --show-bin-path)/$1
}
