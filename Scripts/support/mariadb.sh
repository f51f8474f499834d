# Starts MariaDB servers of our own for tests: sourced by the scripts that need them.
#
#   start_mariadb         starts one with default settings, in a temporary folder on a free loopback port, and
#                         exports MOORAGE_TEST_MARIADB with its URL
#   start_other_mariadb   starts one with other modes and collations, and exports
#                         MOORAGE_TEST_MARIADB_OTHER
#   stop_mariadb          stops them by their process ids and removes their folders; harmless when
#                         none runs
#
# The servers never run as root. If a script runs as root, they run as the user mysql, or nobody.

# shellcheck source=Scripts/support/server.sh
source "$(dirname "${BASH_SOURCE[0]}")/server.sh"

mariadb_folders=()
mariadb_processes=()

# Debian keeps the server in a folder that is not in the path of plain users.
mariadb_program() {
    local place
    place=$(PATH=$PATH:/usr/sbin:/sbin command -v "$1") || {
        echo "There is no $1; run Scripts/setup --tests." >&2
        return 1
    }
    echo "$place"
}

# Runs a command as the user that MariaDB runs as.
as_mariadb_user() {
    if [ "$(id -u)" -ne 0 ]; then
        (cd / && exec "$@")
    else
        (cd / && exec runuser -u "$(mariadb_user)" -- "$@")
    fi
}

mariadb_user() {
    if [ "$(id -u)" -ne 0 ]; then
        id -un
    elif id mysql >/dev/null 2>&1; then
        echo mysql
    else
        echo nobody
    fi
}

start_mariadb() {
    run_mariadb MOORAGE_TEST_MARIADB
}

# Starts a server with settings that an owner's server may have. It has an 8-bit character set, no strict mode, the
# binary log and snapshot isolation. It also has its own time zone, table names in lower case, and TLS.
start_other_mariadb() {
    run_mariadb MOORAGE_TEST_MARIADB_OTHER \
        --character-set-server=latin1 --collation-server=latin1_general_ci --sql-mode= \
        --log-bin=binary --server-id=1 --binlog-format=ROW --sync-binlog=0 \
        --loose-innodb-snapshot-isolation=ON --default-time-zone=+05:30 --lower-case-table-names=1 \
        --ssl-cert=../certificate.pem --ssl-key=../key.pem
}

# run_mariadb VARIABLE SETTING...
run_mariadb() {
    local variable=$1 folder password port server install names=()
    shift
    server=$(mariadb_program mariadbd)
    install=$(mariadb_program mariadb-install-db)
    folder=$(server_folder mariadb)
    mariadb_folders+=("$folder")
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    # The server runs these before it accepts connections: one statement a line.
    cat >"$folder/first.sql" <<STATEMENTS
CREATE OR REPLACE USER moorage@'127.0.0.1' IDENTIFIED BY '$password';
GRANT ALL ON *.* TO moorage@'127.0.0.1' WITH GRANT OPTION;
ALTER USER root@localhost IDENTIFIED BY '$password';
STATEMENTS
    mkdir "$folder/temporary"
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 \
        -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>"$folder/openssl.log" || {
        cat "$folder/openssl.log" >&2
        return 1
    }
    [ "$(id -u)" -ne 0 ] || chown -R "$(mariadb_user)" "$folder"
    chmod 700 "$folder"

    # The server decides how it stores names when it makes the folder.
    for setting in "$@"; do
        case "$setting" in --lower-case-table-names=*) names=("$setting") ;; esac
    done
    # Two installations at once would remove each other's temporary files if they shared a folder.
    as_mariadb_user "$install" --no-defaults --datadir="$folder/data" --skip-test-db \
        --tmpdir="$folder/temporary" --auth-root-authentication-method=normal ${names[@]+"${names[@]}"} \
        >"$folder/install.log" 2>&1 || {
        cat "$folder/install.log" >&2
        return 1
    }

    for _ in 1 2 3 4 5; do
        port=$(free_port)
        # A test server may lose everything in a power cut, but must not slow the tests down. A server that starts
        # removes the temporary tables of all servers that use the same folder.
        as_mariadb_user "$server" --no-defaults --datadir="$folder/data" \
            --tmpdir="$folder/temporary" \
            --socket="$folder/socket" --pid-file="$folder/process" --port="$port" \
            --bind-address=127.0.0.1 --skip-name-resolve --init-file="$folder/first.sql" \
            --max-connections=200 --innodb-flush-log-at-trx-commit=0 \
            --skip-innodb-doublewrite --innodb-buffer-pool-size=128M "$@" >"$folder/server.log" 2>&1 </dev/null &
        if await_server "$folder" $!; then
            mariadb_processes+=("$(cat "$folder/process")")
            rm -f "$folder/first.sql"
            export "$variable=mysql://moorage:$password@127.0.0.1:$port/mysql"
            echo "MariaDB $("$server" --no-defaults --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1) runs on port $port${1:+, with other modes and collations}."
            return 0
        fi
        met_another "$folder/server.log" || break
    done
    echo "MariaDB did not start:" >&2
    tail -n 20 "$folder/server.log" >&2 || true
    return 1
}

stop_mariadb() {
    local process folder
    for process in ${mariadb_processes[@]+"${mariadb_processes[@]}"}; do
        end_server "$process"
    done
    mariadb_processes=()
    for folder in ${mariadb_folders[@]+"${mariadb_folders[@]}"}; do rm -rf "$folder"; done
    mariadb_folders=()
}
