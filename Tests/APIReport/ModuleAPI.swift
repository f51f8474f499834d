import Foundation

/// The public declarations of a module that somebody wrote.
struct ModuleAPI {
    let name: String
    let symbols: [SymbolGraph.Symbol]

    /// - Parameter folder: Where the compiler wrote the module's symbol graphs: one for the module,
    ///   and one for each other module that it extends.
    init(_ name: String, in folder: URL) throws {
        self.name = name
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0 == "\(name).symbols.json" || $0.hasPrefix("\(name)@") }
        guard !files.isEmpty else { throw MissingGraph(module: name) }
        var symbols: [SymbolGraph.Symbol] = []
        for file in files.sorted() {
            let graph = try JSONDecoder().decode(
                SymbolGraph.self, from: Data(contentsOf: folder.appendingPathComponent(file)))
            let inherited = Set(
                graph.relationships.filter { $0.sourceOrigin != nil }.map(\.source))
            symbols += graph.symbols.filter {
                // A declaration without a place in a file is the compiler's own.
                ["public", "open"].contains($0.accessLevel) && $0.location != nil
                    && !inherited.contains($0.identifier.precise)
            }
        }
        self.symbols = symbols
    }

    /// Those without a comment, by place.
    var bare: [SymbolGraph.Symbol] {
        symbols.filter { symbol in
            !(symbol.docComment?.lines ?? []).contains { !$0.text.allSatisfy(\.isWhitespace) }
        }.sorted { $0.place.utf8.lexicographicallyPrecedes($1.place.utf8) }
    }

    /// The names of its types that are in no other type.
    var typeNames: [String] {
        symbols.filter { $0.isType && $0.pathComponents.count == 1 }.map(\.name)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

struct MissingGraph: Error, CustomStringConvertible {
    let module: String
    var description: String { "There is no symbol graph of \(module)." }
}
