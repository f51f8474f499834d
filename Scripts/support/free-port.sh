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
