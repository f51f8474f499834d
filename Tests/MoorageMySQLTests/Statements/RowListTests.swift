import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads) struct `A list of rows in JSON` {
    /// What is longer than it was reckoned breaks the connection.
    @Test(arguments: ["plain", "\n\n\n", "\t\r\u{8}\u{c}", "\u{1}\u{1f}", "\"\\\"", "é漢𝄞", ""])
    func `is reckoned as long as it is written`(text: String) {
        let list = [(name: "c0", text: Optional(text)), (name: "c1", text: nil)]
        let many = String(repeating: text, count: 1000)
        let long = [(name: "c0", text: Optional(many)), (name: "c1", text: nil)]
        for list in [list, long] {
            let bytes = RowList.text([list]).utf8.count
            let reckoned = MySQLConnection.estimate(list)
            #expect(bytes <= reckoned && reckoned < bytes + 64)
        }
    }
}

/// What a server reads in such a list.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `A list of rows at a server` {
    @Test(arguments: MySQLServer.all)
    func `holds every character as it was`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            try subject.inConnection { connection in
                let text = String(
                    String.UnicodeScalarView((1..<128).compactMap(Unicode.Scalar.init)))
                var list = Parameters()
                list.add(RowList.text([[(name: "c0", text: text)]]))
                let answer = try connection.link.query(
                    """
                    SELECT j.c0 FROM JSON_TABLE(?, '$[*]' COLUMNS (
                      c0 LONGTEXT CHARACTER SET utf8mb4 PATH '$.c0')) AS j
                    """, list)
                #expect(answer.text(0, 0) == text)
            }
        }
    }
}
