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

# A temporary folder for a server's files, in the run's folder where there is one (run.sh).
server_folder() { # server_folder NAME
    mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX"
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
    # The server first, then what started it.
    [ ! -s "$folder/process" ] || end_server "$(<"$folder/process")"
    end_server "$process"
    return 1
}

# Whether a server that did not start has met another program on its port.
met_another() { # met_another LOG
    grep -aqiE 'address already in use|could not bind|bind on TCP/IP port' "$1" 2>/dev/null
}

# Ends a server by its process id and waits for it, after ten seconds by force; harmless when it is gone.
end_server() { # end_server PROCESS [SIGNAL]
    kill "-${2:-TERM}" "$1" 2>/dev/null || return 0
    for _ in $(seq 100); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL "$1" 2>/dev/null || true
    for _ in $(seq 50); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.1
    done
}
