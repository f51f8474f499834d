import Foundation

/// What the compiler says about the public declarations of one module.
struct SymbolGraph: Decodable {
    let symbols: [Symbol]
    let relationships: [Relationship]

    struct Symbol: Decodable {
        let identifier: Identifier
        let kind: Kind
        let pathComponents: [String]
        let docComment: Comment?
        let accessLevel: String
        let location: Location?

        var name: String { pathComponents.joined(separator: ".") }

        var isType: Bool {
            ["swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias"]
                .contains(kind.identifier)
        }

        /// File and line, without the folder that the project is in.
        var place: String {
            guard let location else { return "" }
            let path = location.uri
            let start =
                path.range(of: "/Sources/", options: .backwards)?.upperBound
                ?? path.range(of: "/planted-sources/", options: .backwards)?.upperBound
            return "\(path[(start ?? path.startIndex)...]):\(location.position.line + 1)"
        }
    }

    struct Identifier: Decodable { let precise: String }
    struct Kind: Decodable { let identifier: String }
    struct Comment: Decodable { let lines: [Line] }
    struct Line: Decodable { let text: String }

    struct Location: Decodable {
        let uri: String
        let position: Position
    }

    struct Position: Decodable { let line: Int }

    struct Relationship: Decodable {
        let source: String
        /// There where the declaration fulfils a requirement that is documented elsewhere.
        let sourceOrigin: Origin?
    }

    struct Origin: Decodable { let displayName: String }
}
