import Foundation
import GRDB

@main
struct Notes {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { return print("Notes FILE add TEXT | list | sync | watch") }
        let database = try DatabasePool(path: arguments[1])
        let replica = try await openReplica(database)
        switch arguments[2] {
        case "add":
            try await database.write { db in
                try Note(text: arguments.dropFirst(3).joined(separator: " ")).insert(db)
            }
        case "sync":
            try await replica.sync()
        case "watch":
            await replica.start()
            let notes = ValueObservation.tracking { try Note.order(Column("text")).fetchAll($0) }
            for try await notes in notes.values(in: database) {
                print("--- \(notes.map(\.text).joined(separator: ", "))")
            }
        default:
            let notes = try await database.read { try Note.order(Column("text")).fetchAll($0) }
            for note in notes { print(note.text) }
        }
    }
}
