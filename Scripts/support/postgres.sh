# A PostgreSQL server for tests, of one's own: sourced by the scripts that need one.
#
#   start_postgres   starts it in a temporary folder on a free loopback port, and exports
#                    MOORAGE_TEST_POSTGRES with its URL
#   stop_postgres    stops it by its process id and removes the folder; harmless when none runs
#
# PostgreSQL refuses root: as root it runs as the user postgres, or nobody.

# shellcheck source=Scripts/support/server.sh
source "$(dirname "${BASH_SOURCE[0]}")/server.sh"

postgres_folder=
postgres_process=

# The folder of the newest initdb and pg_ctl.
postgres_programs() {
    local newest
    newest=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
    if [ -n "$newest" ] && [ -x "$newest/initdb" ]; then
        echo "$newest"
    elif command -v initdb >/dev/null; then
        dirname "$(command -v initdb)"
    else
        echo "There is no initdb; run Scripts/setup --tests." >&2
        return 1
    fi
}

# Runs a command as the user that PostgreSQL may run as.
as_postgres_user() {
    if [ "$(id -u)" -ne 0 ]; then
        (cd / && "$@")
    else
        (cd / && runuser -u "$(postgres_user)" -- "$@")
    fi
}

postgres_user() {
    if [ "$(id -u)" -ne 0 ]; then
        id -un
    elif id postgres >/dev/null 2>&1; then
        echo postgres
    else
        echo nobody
    fi
}

start_postgres() {
    local programs password port
    programs=$(postgres_programs)
    postgres_folder=$(server_folder postgres)
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf '%s\n' "$password" >"$postgres_folder/password"
    [ "$(id -u)" -ne 0 ] || chown -R "$(postgres_user)" "$postgres_folder"
    chmod 700 "$postgres_folder"

    as_postgres_user "$programs/initdb" -D "$postgres_folder/data" -U moorage -E UTF8 \
        --locale=C --auth-local=scram-sha-256 --auth-host=scram-sha-256 \
        --pwfile="$postgres_folder/password" >"$postgres_folder/initdb.log" 2>&1 || {
        cat "$postgres_folder/initdb.log" >&2
        return 1
    }
    # A test server may forget everything in a power cut; it must not slow the tests down.
    as_postgres_user tee -a "$postgres_folder/data/postgresql.conf" >/dev/null <<'SETTINGS'
listen_addresses = '127.0.0.1'
max_connections = 100
max_prepared_transactions = 10
fsync = off
full_page_writes = off
timezone = 'UTC'
log_min_messages = warning
SETTINGS

    for _ in 1 2 3 4 5; do
        port=$(free_port)
        if as_postgres_user "$programs/pg_ctl" -D "$postgres_folder/data" -w -t 60 \
            -l "$postgres_folder/server.log" -o "-p $port -k '$postgres_folder'" start \
            >"$postgres_folder/start.log" 2>&1 </dev/null; then
            postgres_process=$(head -n 1 "$postgres_folder/data/postmaster.pid")
            export MOORAGE_TEST_POSTGRES="postgres://moorage:$password@127.0.0.1:$port/postgres"
            echo "PostgreSQL $("$programs/postgres" --version | awk '{print $3}') runs on port $port."
            return 0
        fi
        # It may be slow and still come up: the next try would find the folder taken.
        as_postgres_user "$programs/pg_ctl" -D "$postgres_folder/data" -m immediate stop >/dev/null 2>&1 || true
        # Another program may take the port in between: then the next one is tried.
        met_another "$postgres_folder/server.log" || break
    done
    echo "PostgreSQL did not start:" >&2
    cat "$postgres_folder/start.log" >&2 || true
    tail -n 20 "$postgres_folder/server.log" >&2 || true
    return 1
}

stop_postgres() {
    # INT is the fast way down: sessions are ended.
    [ -z "$postgres_process" ] || end_server "$postgres_process" INT
    postgres_process=
    [ -z "$postgres_folder" ] || rm -rf "$postgres_folder"
    postgres_folder=
}
