# One run of tests: a folder for everything that it writes outside the build, and a check of what it leaves behind.
# Sourced by the scripts that test.
#
#   start_run   makes the folder, in memory if there is room, and exports MOORAGE_RUN and TMPDIR: servers and
#               tests keep their files there
#   end_run     removes the folder; if processes of the run are left, names and ends them, and returns 1
#
# A run inside another run uses the folder of the outer one.

run_folder=

start_run() {
    local parent=/tmp free
    [ -z "${MOORAGE_RUN:-}" ] || return 0
    end_orphans "${TMPDIR:-/tmp}" /dev/shm
    # Each test makes its own database of hundreds of files. On a disk, finding room for them took most of the time. The
    # tests take about 2 GB.
    free=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1) || free=0
    if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && [ "${free:-0}" -ge 4000000 ]; then parent=/dev/shm; fi
    # The name is short, because the path of a socket has at most 107 bytes. Servers run as their own users, and also
    # keep their temporary files here.
    run_folder=$(mktemp -d "${TMPDIR:-$parent}/moorage.XXXXXX")
    chmod 1777 "$run_folder"
    echo "$$ $(process_space)" >"$run_folder/owner.new"
    mv "$run_folder/owner.new" "$run_folder/owner"
    export MOORAGE_RUN=$run_folder TMPDIR=$run_folder
}

# Ends what a run left when it was ended by force, and removes its folder.
end_orphans() {
    local owner process space
    for owner in "${1%/}"/moorage.*/owner "${2%/}"/moorage.*/owner; do
        # Leave the runs of another user or another container alone.
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

# The namespace of process ids: another container has its own.
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

# Lists the processes that began in this run, or whose command names its folder: PostgreSQL overwrites its environment.
# It uses only built-in commands: a program started here would itself be a process of the run.
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

# The command of a process, in one line.
run_command() {
    local words=()
    mapfile -d '' -t words 2>/dev/null <"/proc/$1/cmdline" || true
    echo "${words[*]:0:6}"
}
