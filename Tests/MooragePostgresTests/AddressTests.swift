import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

@Suite(.ownThreads) struct `The address of a PostgreSQL database` {
    @Test(
        arguments: [
            ("postgres://u:p@h/d", "postgres://u:p@h/d", "public", nil),
            ("postgres://u:p@h/d?schema=sales", "postgres://u:p@h/d", "sales", nil),
            (
                "postgres://u@h/d?sslmode=prefer&schema=a%20%22b%26&application_name=x",
                "postgres://u@h/d?sslmode=prefer&application_name=x", "a \"b&", nil
            ),
            ("postgres://u:p?schema=no@h/d?schema=yes", "postgres://u:p?schema=no@h/d", "yes", nil),
            ("postgresql:///d?pooling=transaction", "postgresql:///d", "public", .transaction),
            ("postgresql://h?pooling=session&schema=é", "postgresql://h", "é", .session),
        ] as [(String, String, String, PostgresAddress.Pooling?)])
    func `keeps our own options from libpq`(
        url: String, rest: String, schema: String, pooling: PostgresAddress.Pooling?
    ) throws {
        let address = try PostgresAddress(url: url)
        #expect(address.libpqURL == rest)
        #expect(address.schema.name == schema)
        #expect(address.pooling == pooling)
    }

    @Test(arguments: [
        "postgres://u@h/d?shema=x", "postgres://u@h/d?schema=a&shema=x", "postgres://u@h/d?schema=",
        "postgres://u@h/d?schema", "postgres://u@h/d?schema=a&schema=b",
        "postgres://u@h/d?schema=%2",
        "postgres://u@h/d?schema=%+1", "postgres://u@h/d?schema=%00", "postgres://u@h/d?schema=%FF",
        "postgres://u@h/d?pooling=yes", "postgres://u@h/d?Schema=a",
        "postgres://u@h/d?schema=pg_toast",
    ])
    func `that is wrong is an error without the password`(url: String) {
        let hidden = url.replacing("u@", with: "u:hunter2@")
        let error = #expect(throws: CentralError.self) { try PostgresAddress(url: hidden) }
        #expect(error?.message.contains("hunter2") == false)
    }
}
