# What the tests of the client in JavaScript need. Sourced by the scripts that run them.
#
# It sets `javascript_lacks` to what is missing, in a sentence; empty where nothing is.

# The scripts that source this file read it.
# shellcheck disable=SC2034
javascript_lacks=
for program in node python3; do
    command -v "$program" >/dev/null || javascript_lacks="there is no $program."
done
# `crypto` as a global name, and timers that a test moves.
if [ -z "$javascript_lacks" ] && ! node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 10) ? 0 : 1)'; then
    javascript_lacks="Node $(node --version) is older than 20.10."
fi
