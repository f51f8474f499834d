import TestSupport
import Testing

@testable import MoorageGenerator

@Suite(.ownThreads) struct `Names in generated code` {
    @Test(arguments: [
        ("order_items", "orderItems", "OrderItems"), ("OrderItems", "orderItems", "OrderItems"),
        ("customer_id", "customerID", "CustomerID"), ("CustomerID", "customerID", "CustomerID"),
        ("id", "id", "ID"), ("HTMLText", "htmlText", "HTMLText"),
        ("2fa code", "_2faCode", "_2faCode"),
        ("größe", "größe", "Größe"), ("a-b.c", "aBC", "ABC"), ("line1", "line1", "Line1"),
        ("URL", "url", "URL"), ("--", "", ""),
    ])
    func `have the words of the database's`(name: String, lower: String, upper: String) {
        #expect(SwiftWords(name).lowerCamel == lower)
        #expect(SwiftWords(name).upperCamel == upper)
    }

    @Test(arguments: [
        ("customers", "customer"), ("categories", "category"), ("addresses", "address"),
        ("boxes", "box"), ("people", "person"), ("status", "status"), ("statuses", "status"),
        ("news", "news"), ("movies", "movie"), ("heroes", "hero"), ("houses", "house"),
        ("class", "class"), ("classes", "class"), ("buses", "bus"), ("as", "as"),
    ])
    func `are singular for records`(plural: String, singular: String) {
        #expect(Singular.of(plural) == singular)
    }

    @Test func `are different from each other`() {
        var names = SwiftNames(taken: ["id"])
        #expect(
            ["id", "name", "name", "", ""].map { names.unique($0) }
                == ["id2", "name", "name2", "unnamed", "unnamed2"])
    }

    @Test func `may be keywords`() {
        #expect(SwiftNames.escaped("default") == "`default`")
        #expect(SwiftNames.escaped("name") == "name")
    }

    @Test func `lose their id where they name another row`() {
        #expect(SwiftWords("reports_to_id").withoutID?.lowerCamel == "reportsTo")
        #expect(SwiftWords("id").withoutID == nil)
        #expect(SwiftWords("reports_to").withoutID == nil)
    }
}
