/// Where in a document something stands: its text is made for an error alone, for a message has many
/// places.
indirect enum JSONPath {
    case document
    case member(String, of: JSONPath)
    case element(Int, of: JSONPath)

    /// `$.changes[0].key`.
    var text: String {
        switch self {
        case .document: "$"
        case .member(let name, let object): object.text + "." + name
        case .element(let index, let array): array.text + "[\(index)]"
        }
    }
}
