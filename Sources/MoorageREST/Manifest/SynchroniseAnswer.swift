import MoorageCore

/// What became of the changes of a client, in the form of the request.
struct SynchroniseAnswer {
    /// How many lists a table has, without the rows that a request gets.
    private static let listCount = 3

    private let names: [String]
    /// The lists of each table as JSON.
    private let lists: [[UInt8]]
    /// For each table the rows that the request gets, as JSON; `nil` where nothing is read.
    private let gets: [[UInt8]]?

    init(_ names: [String], _ lists: [[UInt8]], gets: [[UInt8]]? = nil) {
        self.names = names
        self.lists = lists
        self.gets = gets
    }

    /// Lists as the hub stores them with the writes. JSON that we write has no line breaks.
    static func encoded(_ lists: [[UInt8]]) -> [UInt8] {
        Array(lists.joined(separator: [UInt8(ascii: "\n")]))
    }

    static func lists(_ encoded: [UInt8]) -> [[UInt8]] {
        encoded.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    /// The object of tables, as JSON.
    var tables: [UInt8] {
        JSONWriter.document { writer in
            writer.object {
                for (place, name) in names.enumerated() {
                    $0.name(name)
                    $0.object { write(place, to: &$0) }
                }
            }
        }
    }

    private func write(_ place: Int, to writer: inout JSONWriter) {
        for (number, name) in ["add", "update", "delete"].enumerated() {
            let list = place * Self.listCount + number
            writer.name(name)
            writer.encoded(lists.indices.contains(list) ? lists[list] : Self.empty)
        }
        guard let gets else { return }
        writer.name("get")
        writer.encoded(gets.indices.contains(place) ? gets[place] : Self.empty)
    }

    private static let empty = Array("[]".utf8)
}
