# A real MySQL server for tests: sourced by the scripts that need one.
#
#   start_mysql   starts it in a temporary folder on a free loopback port, and exports
#                 MOORAGE_TEST_MYSQL with its URL; prints why not and returns 1 where it cannot
#   stop_mysql    stops it by its process id and removes the folder; harmless when none runs
#
# Debian's stable releases have no MySQL, and its unstable one has. So the server lives in a small
# Debian of its own under .build/mysql, which is made once (about 80 s, 1.5 GB) and kept. The archive
# is the one that this machine's apt reads. Making and entering it takes root; the server itself runs
# as a user without rights.

# shellcheck source=Scripts/support/server.sh
source "$(dirname "${BASH_SOURCE[0]}")/server.sh"

mysql_system=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.build/mysql
mysql_folder=
mysql_process=
mysql_user=65534:65534

# Why this machine cannot run it, or nothing.
mysql_obstacle() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "it is run in a folder of its own by chroot, which only root may call"
    elif ! command -v apt-get >/dev/null; then
        echo "it is installed from a Debian archive, and this machine has no apt-get"
    elif [ -z "$(mysql_archive)" ]; then
        echo "apt knows no Debian archive; apt-get update may help"
    fi
}

# The address of the Debian archive that this machine's apt reads.
mysql_archive() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' \
        | sed -n 's/^Debian|Debian|//p' | head -n 1
}

# Makes the small Debian with the server in it, unless it is there.
make_mysql_system() {
    local fresh="$mysql_system.new" log
    log="$(dirname "$mysql_system")/mysql.log"
    [ ! -x "$mysql_system/usr/sbin/mysqld" ] || return 0
    echo "MySQL is installed into $mysql_system; this takes a minute or two."
    {
        command -v debootstrap || apt-get install -q -y --no-install-recommends debootstrap
        rm -rf "$fresh"
        debootstrap --variant=minbase sid "$fresh" "$(mysql_archive)"
        # Packages must not start what they install.
        printf '#!/bin/sh\nexit 101\n' >"$fresh/usr/sbin/policy-rc.d"
        chmod +x "$fresh/usr/sbin/policy-rc.d"
        DEBIAN_FRONTEND=noninteractive chroot "$fresh" apt-get install -q -y \
            --no-install-recommends mysql-server-core mysql-client-core
        rm -rf "$fresh"/var/cache/apt/archives/*.deb "$mysql_system"
        mv "$fresh" "$mysql_system"
    } >"$log" 2>&1 </dev/null || {
        tail -n 20 "$log" >&2
        return 1
    }
}

# Runs a program of the small Debian without rights; paths are those inside.
in_mysql_system() {
    (cd / && exec env -u TMPDIR chroot --userspec="$mysql_user" "$mysql_system" "$@")
}

start_mysql() {
    local obstacle inside password port name
    obstacle=$(mysql_obstacle)
    if [ -n "$obstacle" ]; then
        echo "MySQL does not run: $obstacle. MOORAGE_TEST_MYSQL may name a server instead." >&2
        return 1
    fi
    make_mysql_system || return 1
    mysql_folder=$(mktemp -d "$mysql_system/tmp/moorage.XXXXXX")
    inside=/tmp/$(basename "$mysql_folder")
    chown "$mysql_user" "$mysql_folder"
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    # The server runs these before it takes anybody; one statement a line.
    cat >"$mysql_folder/first.sql" <<STATEMENTS
CREATE USER moorage@'127.0.0.1' IDENTIFIED WITH caching_sha2_password BY '$password';
GRANT ALL ON *.* TO moorage@'127.0.0.1' WITH GRANT OPTION;
ALTER USER root@localhost IDENTIFIED WITH caching_sha2_password BY '$password';
STATEMENTS
    in_mysql_system /usr/sbin/mysqld --no-defaults --initialize-insecure \
        --datadir="$inside/data" --tmpdir="$inside" >"$mysql_folder/install.log" 2>&1 </dev/null || {
        tail -n 20 "$mysql_folder/install.log" >&2
        return 1
    }
    for _ in 1 2 3 4 5; do
        port=$(free_port)
        # A test server may forget everything in a power cut; it must not slow the tests down. The
        # suite's owner makes triggers with the binary log on, as docs/guides/mysql.md asks for.
        in_mysql_system /usr/sbin/mysqld --no-defaults --datadir="$inside/data" \
            --tmpdir="$inside" --socket="$inside/socket" --pid-file="$inside/process" \
            --bind-address=127.0.0.1 --port="$port" --mysqlx=OFF --secure-file-priv= \
            --skip-name-resolve --init-file="$inside/first.sql" --max-connections=200 \
            --innodb-flush-log-at-trx-commit=0 --sync-binlog=0 \
            --log-bin-trust-function-creators=ON \
            --log-error="$inside/server.log" >/dev/null 2>&1 </dev/null &
        if await_server "$mysql_folder" $!; then
            mysql_process=$(cat "$mysql_folder/process")
            rm -f "$mysql_folder/first.sql"
            export MOORAGE_TEST_MYSQL="mysql://moorage:$password@127.0.0.1:$port/mysql"
            name=$(in_mysql_system /usr/sbin/mysqld --no-defaults --version \
                | grep -oE 'Ver [0-9.]+' | head -n 1)
            echo "MySQL ${name#Ver } runs on port $port."
            return 0
        fi
    done
    echo "MySQL did not start:" >&2
    tail -n 20 "$mysql_folder/server.log" >&2 || true
    return 1
}

stop_mysql() {
    [ -z "$mysql_process" ] || end_server "$mysql_process"
    mysql_process=
    [ -z "$mysql_folder" ] || rm -rf "$mysql_folder"
    mysql_folder=
}
