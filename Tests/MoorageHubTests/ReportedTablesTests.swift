import MoorageCore
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `Tables beside a stored report` {
    private func stored(_ tables: [TableColumns]) throws -> ReportedTables? {
        let bytes = JSONWriter.document { $0.object { ReportedTables.write(tables, to: &$0) } }
        return ReportedTables(try JSON(parsing: bytes))
    }

    private func tables(_ count: Int, columns: Int, bytes: Int) -> [TableColumns] {
        func name(_ kind: String, _ number: Int) -> String {
            let beginning = "\(kind)\(number)"
            return beginning + String(repeating: "x", count: bytes - beginning.count)
        }
        return (0..<count).map { table in
            TableColumns(
                name: name("t", table), columns: (0..<columns).map { name("c", $0) })
        }
    }

    @Test func `are read as they were written, name by name`() throws {
        let read = try #require(
            try stored([
                TableColumns(name: "a \"b\"", columns: ["e\u{301}", ""]),
                TableColumns(name: "empty", columns: []),
            ]))
        #expect(read.names == ["a \"b\"", "empty"])
        #expect(read.contains(["a \"b\""], ["e\u{301}"]) && read.contains(["a \"b\""], [""]))
        // The same letter in other bytes is another name.
        #expect(!read.contains(["a \"b\""], ["\u{e9}"]))
        #expect(read.contains(["empty"], nil) && !read.contains(["empty"], ["id"]))
        #expect(!read.contains(["other"], nil) && !read.contains(["other"], ["id"]))
    }

    @Test func `have all columns of 300 tables with 40 columns`() throws {
        let read = try #require(try stored(tables(300, columns: 40, bytes: 32)))
        let last = tables(300, columns: 40, bytes: 32)[299]
        #expect(read.names.count == 300)
        #expect(read.contains([Identifier(last.name)], [Identifier(last.columns[39])]))
        #expect(!read.contains([Identifier(last.name)], ["other"]))
    }

    @Test func `count as whole where the list is too long`() throws {
        let long = tables(300, columns: 40, bytes: 64)
        let read = try #require(try stored(long))
        #expect(read.names == Set(long.map { Identifier($0.name) }))
        let name = Identifier(long[0].name)
        #expect(read.contains([name], ["any column"]) && !read.contains(["other"], ["any column"]))
        #expect(read.isNaming([name], nil) && !read.isNaming([name], ["any column"]))
    }

    @Test func `are unknown where even the names are too long`() throws {
        #expect(try stored(tables(5_000, columns: 1, bytes: 200)) == nil)
    }

    @Test(arguments: [
        "{}", #"{"requested":null}"#, #"{"requested":[1]}"#, #"{"requested":{"a":"b"}}"#,
        #"{"requested":{"a":["b"],"c":[null]}}"#, "[]",
    ])
    func `are unknown where another program has damaged them`(text: String) throws {
        #expect(ReportedTables(try JSON(parsing: text)) == nil)
    }
}
