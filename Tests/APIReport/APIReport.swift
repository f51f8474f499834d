import Foundation

/// Reports on the public API, for Scripts/check-api.
///
/// - `APIReport count FOLDER MODULE…` prints how many public declarations each module has.
/// - `APIReport types FOLDER MODULE…` prints the names of their public types, one a line.
///
/// FOLDER has the symbol graphs that `swift-symbolgraph-extract` wrote.
@main struct APIReport {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count > 2 else { usage() }
        let folder = URL(fileURLWithPath: arguments[2])
        let modules = try arguments.dropFirst(2).map { try ModuleAPI($0, in: folder) }
        switch arguments[1] {
        case "count":
            for module in modules {
                print("\(module.name): \(module.symbols.count) public declarations")
            }
            print("\(modules.map(\.symbols.count).reduce(0, +)) in all")
        case "types":
            for name in modules.flatMap(\.typeNames) { print(name) }
        default: usage()
        }
    }

    private static func usage() -> Never {
        FileHandle.standardError.write(Data("usage: APIReport count|types FOLDER MODULE…\n".utf8))
        exit(64)
    }
}
