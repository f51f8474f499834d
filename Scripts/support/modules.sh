# The compiler's options for reading modules that were built, as another package reads them: sourced by Scripts/check-api.
#
# The script that sources this file reads `module_flags`.
# shellcheck disable=SC2034
module_flags=()

# read_modules FOLDER: FOLDER is where `swift build` put its products.
read_modules() {
    local map name seen=' '
    module_flags=(-I "$1/Modules" -I Sources/CZlib -I Sources/CPostgres -I Sources/CMariaDB)
    # A target's own map comes before the one that the build wrote for it.
    while IFS= read -r map; do
        name=$(sed -nE 's/^(framework )?module ([A-Za-z_0-9]+).*/\2/p' "$map" | head -n 1)
        case "$seen" in *" $name "*) continue ;; esac
        seen+="$name "
        module_flags+=(-Xcc "-fmodule-map-file=$map")
    done < <(
        find .build/checkouts Sources -path '*/include/module.modulemap'
        find "$1/" -maxdepth 2 -name module.modulemap
        find .build/checkouts -path '*/Sources/GRDBSQLite/module.modulemap'
    )
    while IFS= read -r map; do module_flags+=(-Xcc "-I$map"); done < <(find .build/checkouts Sources -type d -name include)
    local flag
    for flag in $(pkg-config --cflags libpq libmariadb); do module_flags+=(-Xcc "$flag"); done
}
