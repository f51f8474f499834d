import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Keys in paths` {
    private func table(_ types: ColumnType...) -> TableDescription {
        TableDescription(
            name: "odd table",
            columns: types.enumerated().map {
                ColumnDescription(name: "k\($0.offset)", type: $0.element)
            }, primaryKey: Array(types.indices))
    }

    /// The key that the path of a key leads to.
    private func again(_ key: RowKey, _ table: TableDescription) throws -> RowKey? {
        let path = table.path(of: key)
        #expect(path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        guard case .read(let row)? = try RESTService.route(method: "GET", path: path) else {
            return nil
        }
        #expect(row.table == table.name)
        return table.key(ofPath: row.key)
    }

    @Test func `are values with commas between them`() {
        let key = RowKey([.integer(1), .text("a,b/é")])
        #expect(table(.integer, .text).path(of: key) == "/v1/tables/odd%20table/1,a%2Cb%2F%C3%A9")
        #expect(table(.integer, .text).key(ofPath: ["1", "a,b/é"]) == key)
        #expect(table(.blob).path(of: RowKey([.blob([251, 255])])) == "/v1/tables/odd%20table/-_8")
        #expect(table(.blob).key(ofPath: ["-_8"]) == RowKey([.blob([251, 255])]))
        #expect(table(.boolean).path(of: RowKey([.integer(1)])).hasSuffix("/true"))
        #expect(
            table(.instant(fractionDigits: 0)).path(of: RowKey([.text("1996-07-16 13:45:00")]))
                .hasSuffix("/1996-07-16T13%3A45%3A00Z"))
    }

    @Test func `are in the one form that equal keys share`() {
        #expect(table(.decimal).key(ofPath: ["9.80"]) == RowKey([.text("9.8")]))
        #expect(table(.text).key(ofPath: [""]) == RowKey([.text("")]))
    }

    @Test func `of another count or type are none`() {
        #expect(table(.integer).key(ofPath: ["a"]) == nil)
        #expect(table(.integer).key(ofPath: [""]) == nil)
        #expect(table(.integer).key(ofPath: ["1", "2"]) == nil)
        #expect(table(.integer, .integer).key(ofPath: ["1"]) == nil)
        #expect(table(.blob).key(ofPath: ["+/8="]) == nil)
    }

    @Test(arguments: UInt64(1)...100)
    func `lead back to the key`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = Sample.values(using: &random).filter { $0.0 != .json }
        let table = TableDescription(
            name: "odd table",
            columns: samples.enumerated().map {
                ColumnDescription(name: "k\($0.offset)", type: $0.element.0)
            }, primaryKey: Array(samples.indices))
        let key = table.key(samples.map(\.1))
        #expect(try again(key, table) == key)
    }
}
