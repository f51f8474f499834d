import Foundation
import GRDB

@main
struct Notes {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { return print("Notes FILE add TEXT | list") }
        let database = try DatabasePool(path: arguments[1])
        try Note.migrator.migrate(database)
        switch arguments[2] {
        case "add":
            try await database.write { db in
                try Note(text: arguments.dropFirst(3).joined(separator: " ")).insert(db)
            }
        default:
            let notes = try await database.read { try Note.order(Column("text")).fetchAll($0) }
            for note in notes { print(note.text) }
        }
    }
}
