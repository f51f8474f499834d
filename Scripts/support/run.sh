# One run of tests: a folder for everything that it writes beside the build, and a look at what it left.
# Sourced by the scripts that test.
#
#   start_run   makes the folder, in memory where there is room, and exports MOORAGE_RUN and TMPDIR: servers and
#               tests keep their files there
#   end_run     removes the folder; returns 1, and names and ends them, where processes of the run are left
#
# A run inside another one belongs to that one.

run_folder=

start_run() {
    local parent=/tmp free
    [ -z "${MOORAGE_RUN:-}" ] || return 0
    end_orphans "${TMPDIR:-/tmp}" /dev/shm
    # Each test makes a database of its own, of hundreds of files, and most of the time on a disk went to
    # finding room for them. The tests take about 2 GB.
    free=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1) || free=0
    if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && [ "${free:-0}" -ge 4000000 ]; then parent=/dev/shm; fi
    # Short: the path of a socket has at most 107 bytes. Servers run as users of their own, and keep their
    # temporary files here, too.
    run_folder=$(mktemp -d "${TMPDIR:-$parent}/moorage.XXXXXX")
    chmod 1777 "$run_folder"
    echo "$$ $(process_space)" >"$run_folder/owner.new"
    mv "$run_folder/owner.new" "$run_folder/owner"
    export MOORAGE_RUN=$run_folder TMPDIR=$run_folder
}

# What a run left that was ended by force is ended, and its folder removed.
end_orphans() {
    local owner process space
    for owner in "${1%/}"/moorage.*/owner "${2%/}"/moorage.*/owner; do
        # Another user's runs, and those of another container, are none of ours.
        if [ ! -s "$owner" ] || [ ! -O "$owner" ]; then continue; fi
        read -r process space <"$owner"
        if [ "$space" != "$(process_space)" ] || kill -0 "$process" 2>/dev/null; then continue; fi
        echo "A run that was ended by force left ${owner%/owner}." >&2
        (
            run_folder=${owner%/owner}
            end_run
        ) || true
    done
}

# Where process ids count: another container has ids of its own.
process_space() { readlink /proc/self/ns/pid 2>/dev/null || echo here; }

end_run() {
    local left process status=0
    [ -n "$run_folder" ] || return 0
    # A process may be about to end.
    for _ in 1 2 3 4 5; do
        left=$(run_processes)
        [ -n "$left" ] || break
        sleep 1
    done
    [ -z "$left" ] || left=$(run_processes)
    if [ -n "$left" ]; then
        status=1
        echo "Processes of this run are left behind:" >&2
        for process in $left; do
            echo "  $process $(run_command "$process")" >&2
            kill -KILL "$process" 2>/dev/null || true
        done
    fi
    rm -rf "$run_folder"
    run_folder=
    unset MOORAGE_RUN TMPDIR
    return "$status"
}

# The processes that began in this run, or whose command names its folder: PostgreSQL writes over its environment.
# Built-in commands alone: a program that were started here would be a process of the run itself.
run_processes() {
    local place process texts text
    [ -d /proc/self ] || return 0
    for place in /proc/[0-9]*; do
        process=${place#/proc/}
        texts=()
        mapfile -d '' -t texts 2>/dev/null <"$place/cmdline" || true
        mapfile -d '' -t -O "${#texts[@]}" texts 2>/dev/null <"$place/environ" || true
        for text in ${texts[@]+"${texts[@]}"}; do
            case "$text" in
                "MOORAGE_RUN=$run_folder" | *"$run_folder/"*)
                    echo "$process"
                    break
                    ;;
            esac
        done
    done
}

# What a process was started as, in one line.
run_command() {
    local words=()
    mapfile -d '' -t words 2>/dev/null <"/proc/$1/cmdline" || true
    echo "${words[*]:0:6}"
}
