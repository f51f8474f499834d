import Foundation

/// Reports on the public API, for Scripts/check-api.
///
/// - `APIReport coverage FOLDER MODULE=PERCENT…` prints how many public declarations each module
///   has, and how many of them have a comment. Where a module has fewer than PERCENT, it names the
///   bare ones and returns 1.
/// - `APIReport types FOLDER MODULE…` prints the names of the modules' public types, one a line.
///
/// FOLDER has the symbol graphs that `swift-symbolgraph-extract` wrote.
@main struct APIReport {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count > 2 else { usage() }
        let folder = URL(fileURLWithPath: arguments[2])
        switch arguments[1] {
        case "coverage":
            let wanted = arguments.dropFirst(2).map { argument in
                let parts = argument.split(separator: "=")
                guard parts.count == 2, let percent = Int(parts[1]) else { usage() }
                return (module: String(parts[0]), percent: percent)
            }
            exit(try coverage(wanted, in: folder) ? 0 : 1)
        case "types":
            for module in arguments.dropFirst(2) {
                for name in try ModuleAPI(module, in: folder).typeNames { print(name) }
            }
        default: usage()
        }
    }

    private static func coverage(
        _ wanted: [(module: String, percent: Int)], in folder: URL
    ) throws -> Bool {
        var (all, isCovered) = (0, true)
        for (module, percent) in wanted {
            let api = try ModuleAPI(module, in: folder)
            let bare = api.bare
            let has = 100 * (api.symbols.count - bare.count) / max(api.symbols.count, 1)
            print("\(module): \(api.symbols.count) public declarations, \(has) % with a comment")
            all += api.symbols.count
            guard has < percent else { continue }
            isCovered = false
            for symbol in bare { print("  no comment: \(symbol.place) \(symbol.name)") }
        }
        print("\(all) in all")
        return isCovered
    }

    private static func usage() -> Never {
        let text = "usage: APIReport coverage FOLDER MODULE=PERCENT… | types FOLDER MODULE…\n"
        FileHandle.standardError.write(Data(text.utf8))
        exit(64)
    }
}
