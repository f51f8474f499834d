/// A place in a document. Its text is made only for an error, because a message has many places.
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
