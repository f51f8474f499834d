import Foundation
import Moorage

/// The field-sales app of a travelling employee. Every command works on the local file alone, but
/// the first `login` and `sync`.
@main
enum Northwind {
    static func main() async {
        do {
            try await Command(Array(CommandLine.arguments.dropFirst())).run()
        } catch let error as AppError {
            fail(error.message)
        } catch let error as ReplicaError {
            fail(error.message)
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("northwind: \(message)\n".utf8))
        exit(1)
    }
}

/// What the person at the keyboard can fix.
struct AppError: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
