# Sourced by the scripts that start servers.

# A port that nobody answers on at the moment.
free_port() {
    local port
    for _ in $(seq 100); do
        port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return 0
        fi
    done
    echo "No free port was found." >&2
    return 1
}

# A temporary folder for a server's files: in memory where the system has such a disk with room. Each test makes a
# database of its own, of hundreds of files, and most of the time on a disk went to finding room for them.
server_folder() { # server_folder NAME
    local parent=${TMPDIR:-} free
    if [ -z "$parent" ]; then
        parent=/tmp
        free=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1) || free=0
        if [ -w /dev/shm ] && [ "${free:-0}" -ge 4000000 ]; then parent=/dev/shm; fi
    fi
    mktemp -d "$parent/moorage-$1.XXXXXX"
}

# Waits until a server takes connections, or has ended. Its folder has the files process, socket and server.log.
await_server() { # await_server FOLDER PROCESS
    local folder=$1 process=$2
    for _ in $(seq 300); do
        if [ -s "$folder/process" ] && [ -S "$folder/socket" ] \
            && grep -q 'ready for connections' "$folder/server.log"; then
            return 0
        fi
        kill -0 "$process" 2>/dev/null || return 1
        sleep 0.2
    done
    kill "$process" 2>/dev/null || true
    return 1
}

# Ends a server by its process id, after ten seconds by force; harmless when it is gone.
end_server() { # end_server PROCESS
    kill "$1" 2>/dev/null || return 0
    for _ in $(seq 100); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL "$1" 2>/dev/null || true
}
