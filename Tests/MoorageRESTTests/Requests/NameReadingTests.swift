import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Lists of names` {
    private func names(_ text: String) -> [String]? {
        var reading = NameReading(text)
        var names: [String] = []
        repeat {
            guard let name = reading.name(before: [","]) else { return nil }
            names.append(name)
        } while reading.skip(",")
        return reading.isAtEnd ? names : nil
    }

    @Test func `are divided at commas`() {
        #expect(names("a") == ["a"])
        #expect(names("a,b c, d ") == ["a", "b c", "d"])
        #expect(names("a.b,é:x+y") == ["a.b", "é:x+y"])
    }

    @Test func `have odd names in quotes`() {
        #expect(names(#""a,b", "c""d" ,e"#) == ["a,b", #"c"d"#, "e"])
        #expect(names(#"" a ""#) == [" a "])
    }

    @Test(arguments: [
        "", " ", ",", "a,", ",a", "a,,b", #"""#, #""a"#, #""a"b"#, #"a"b"#, #""""#, #""","#,
    ])
    func `with a name that is missing or not closed cannot be read`(text: String) {
        #expect(names(text) == nil)
    }
}

@Suite(.ownThreads) struct `Related rows of a request` {
    private func tree(_ name: String, _ children: RelatedTree...) -> RelatedTree {
        RelatedTree(name: name, children: children)
    }

    @Test func `are paths, of which common beginnings are read once`() throws {
        #expect(
            try RelatedTree.all(of: "a,b.c,d:x+y.e")
                == [tree("a"), tree("b", tree("c")), tree("d:x+y", tree("e"))])
        #expect(
            try RelatedTree.all(of: "b.c,a,b.d,b.c.e,a")
                == [tree("b", tree("c", tree("e")), tree("d")), tree("a")])
        #expect(try RelatedTree.all(of: #""a.b"."c,d""#) == [tree("a.b", tree("c,d"))])
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a,", "a.,b"])
    func `without a name cannot be read`(text: String) {
        let problem = #expect(throws: RESTProblem.self) { _ = try RelatedTree.all(of: text) }
        #expect(problem?.code == "related" && problem?.status == 400)
    }

    @Test func `are 16 at most`() throws {
        let names = (1...16).map { "n\($0)" }
        #expect(try RelatedTree.all(of: names.joined(separator: ",")).count == 16)
        #expect(try RelatedTree.all(of: (names + names).joined(separator: ",")).count == 16)
        for separator in [",", "."] {
            let text = (names + ["x"]).joined(separator: separator)
            #expect(throws: RESTProblem.self) { _ = try RelatedTree.all(of: text) }
        }
    }
}
