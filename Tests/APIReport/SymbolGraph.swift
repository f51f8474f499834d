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
        let declarationFragments: [Fragment]?
        let location: Location?

        var name: String { pathComponents.joined(separator: ".") }

        var isType: Bool {
            ["swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias"]
                .contains(kind.identifier)
        }

        var isFunction: Bool {
            ["swift.method", "swift.type.method", "swift.init", "swift.func"]
                .contains(kind.identifier)
        }

        var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }

        var comment: String { (docComment?.lines ?? []).map(\.text).joined(separator: "\n") }
    }

    struct Identifier: Decodable { let precise: String }
    struct Kind: Decodable { let identifier: String }
    struct Comment: Decodable { let lines: [Line] }
    struct Line: Decodable { let text: String }
    struct Fragment: Decodable { let spelling: String }

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
