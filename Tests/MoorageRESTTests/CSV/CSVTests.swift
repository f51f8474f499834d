import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `CSV` {
    private func records(_ bytes: [UInt8], most: Int = 100) throws -> [CSVRecord] {
        var reader = CSVReader(bytes)
        var records: [CSVRecord] = []
        while let record = try reader.next(most: most) { records.append(record) }
        return records
    }

    private func read(_ text: String) throws -> [[String?]] {
        try records(Array(text.utf8)).map { $0.fields.map(\.value) }
    }

    private func written(_ records: [[String?]]) -> String {
        var writer = CSVWriter()
        for record in records { writer.add(record) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func fault(_ text: String) -> CSVFault? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? CSVFault
        }
    }

    @Test func `is written as RFC 4180 says`() {
        #expect(written([["id", "a b"], ["1", nil]]) == "id,a b\r\n1,\r\n")
        #expect(written([["", "a\"b", "a,b"]]) == "\"\",\"a\"\"b\",\"a,b\"\r\n")
        #expect(written([["a\nb", "a\rb"]]) == "\"a\nb\",\"a\rb\"\r\n")
        #expect(written([[nil], [""]]) == "\r\n\"\"\r\n")
    }

    @Test func `ends a record with CRLF or LF`() throws {
        #expect(try read("a,b\r\n1,2\r\n") == [["a", "b"], ["1", "2"]])
        #expect(try read("a,b\n1,2") == [["a", "b"], ["1", "2"]])
        #expect(try read("a\n\nb\n") == [["a"], [nil], ["b"]])
        #expect(try read("") == [])
        #expect(try read("\n") == [[nil]])
    }

    @Test func `distinguishes NULL and an empty text`() throws {
        #expect(try read(",\"\",x\n") == [[nil, "", "x"]])
    }

    @Test func `has anything in quotes`() throws {
        #expect(try read("\"a,\"\"b\"\"\r\nc\",d") == [["a,\"b\"\r\nc", "d"]])
        #expect(try read(" a , b ") == [[" a ", " b "]])
    }

    @Test func `may begin with the mark of its encoding`() throws {
        #expect(try read("\u{FEFF}a,b") == [["a", "b"]])
        #expect(try read("a\n\u{FEFF}b") == [["a"], ["\u{FEFF}b"]])
    }

    @Test func `names the line of what is wrong`() {
        #expect(fault("a\nb\"c\n") == CSVFault(.looseQuote, at: 2))
        #expect(fault("a\n\"x\ny\"z\n") == CSVFault(.looseQuote, at: 3))
        #expect(fault("a\n\"x\ny") == CSVFault(.openQuote, at: 2))
        #expect(fault("a\rb") == CSVFault(.looseReturn, at: 1))
        #expect(fault("a\r") == CSVFault(.looseReturn, at: 1))
        #expect(fault("\"a\r\nb\"\r\nc\r") == CSVFault(.looseReturn, at: 3))
        #expect(throws: CSVFault(.notUTF8, at: 2)) {
            try records([0x61, 0x0A, 0xFF])
        }
        #expect(throws: CSVFault(.tooManyFields(2), at: 1)) {
            try records(Array("a,b,c".utf8), most: 2)
        }
    }

    @Test func `needs no more memory than it may`() {
        var left = 250
        var reader = CSVReader(Array("a,b,c".utf8)) { count in
            left -= count
            return left >= 0
        }
        #expect(throws: CSVFault(.tooLarge, at: 1)) { _ = try reader.next(most: 10) }
    }

    @Test(arguments: UInt64(1)...200)
    func `is read back as it is written`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 1...5, using: &random)
        let records = (0..<Int.random(in: 1...10, using: &random)).map { _ in
            (0..<count).map { _ in
                Bool.random(using: &random) ? String.random(using: &random, count: 4) : nil
            }
        }
        let text = written([["head"]] + records)
        let again = try read(text).dropFirst()
        #expect(again.count == records.count)
        for (left, right) in zip(again, records) {
            #expect(left.map(Value.init(text:)) == right.map(Value.init(text:)))
        }
    }
}

extension Value {
    /// Compared by bytes, where text is not.
    fileprivate init(text: String?) { self = text.map { .text($0) } ?? .null }
}

@Suite(.ownThreads) struct `Rows of CSV` {
    private func read(_ text: String, most: Int = 10) throws -> CSVRows {
        try CSVRows(Array(text.utf8), BodyMemory { _ in }, most: most)
    }

    private func problem(_ text: String) -> RESTProblem? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? RESTProblem
        }
    }

    @Test func `follow a line of names`() throws {
        let rows = try read("a,b\n1,2\n\n3,4\n\n")
        #expect(rows.names == ["a", "b"])
        #expect(rows.records.map(\.line) == [2, 4])
        #expect(try read("a").records.isEmpty)
    }

    @Test func `of one column may be NULL`() throws {
        #expect(try read("a\n\nx\n").records.map { $0.fields[0].value } == [nil, "x"])
    }

    @Test func `have a field for each name`() {
        #expect(
            problem("a,b\n1,2\n3\n")?.detail == """
                Line 3: The record has 1 fields, and the first line has 2 names.
                """)
        #expect(problem("a\n1,2\n")?.status == 400)
        #expect(problem("")?.code == "malformed")
    }

    @Test func `are not more than one request may have`() throws {
        #expect(try read("a\n1\n2", most: 2).records.count == 2)
        let problem = #expect(throws: RESTProblem.self) { _ = try read("a\n1\n2\n3", most: 2) }
        #expect(problem?.status == 413 && problem?.code == "tooManyWrites")
    }

    @Test func `are refused where there is no memory`() {
        struct NoMemory: Error {}
        #expect(throws: NoMemory.self) {
            _ = try CSVRows(
                Array(("a\n" + String(repeating: "x\n", count: 100)).utf8),
                BodyMemory { _ in throw NoMemory() }, most: 1_000)
        }
    }
}
