import MoorageCore
import MoorageWire

/// Where reading a list goes on, as a text that programs send back.
struct RowPosition {
    /// A value for each part of the order, as the database returned it.
    let values: [Value]

    /// - Parameter list: What the list is of: its table, filter and order. A position of another
    ///   list is refused.
    func text(of list: String) -> String {
        let document = JSONWriter.document {
            $0.object {
                $0.name("list")
                $0.string(list)
                $0.name("after")
                $0.encoded(Array(values.jsonText().utf8))
            }
        }
        return Base64.encode(urlSafe: document)
    }

    init(values: [Value]) { self.values = values }

    /// - Parameter count: How many parts the order has.
    /// - Throws: ``RowProblem`` for a text that is no position of this list.
    init(_ text: String, of list: String, count: Int) throws {
        guard let bytes = Base64.decode(urlSafe: text), let json = try? JSON(parsing: bytes),
            case .string(let name)? = json["list"], name.hasSameBytes(as: list),
            let after = json["after"]
        else { throw RowProblem.wrongCursor }
        let document = JSONWriter.document { $0.json(after) }
        guard let values = try? [Value](jsonText: String(decoding: document, as: UTF8.self)),
            values.count == count
        else { throw RowProblem.wrongCursor }
        self.values = values
    }
}
