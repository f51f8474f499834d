import Foundation
import GRDB
import Moorage
import MoorageRESTHub

/// An app whose users are in a REST API. Every command but `sync` and `watch` works without the API.
@main enum RESTBackend {
    private static let usage = """
        usage: restbackend [--file users.db] [--api http://127.0.0.1:8000] <command>

          add <name> <email>     a new user
          email <name> <email>   another address for a user
          remove <name>
          list
          sync                   send what waits, and get what others changed
          watch                  stay in sync, and print the users that there are
          refused                what the API did not accept, and why
          conflicts              what lost against a change of others
        """

    static func main() async {
        do {
            var words = Array(CommandLine.arguments.dropFirst())
            let file = option("--file", in: &words) ?? "users.db"
            let address = option("--api", in: &words) ?? "http://127.0.0.1:8000"
            guard let api = URL(string: address) else { throw AppError(usage) }
            let users = try Users(file: file)
            let replica = try await replica(of: users, with: api)
            try await run(words, users, replica)
        } catch {
            let message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
            FileHandle.standardError.write(Data("restbackend: \(message)\n".utf8))
            exit(1)
        }
    }

    private static func option(_ name: String, in words: inout [String]) -> String? {
        guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
        defer { words.removeSubrange(place...place + 1) }
        return words[place + 1]
    }

    private static func run(_ words: [String], _ users: Users, _ replica: Replica) async throws {
        switch (words.first, words.count) {
        case ("add", 3): try await users.add(name: words[1], email: words[2])
        case ("email", 3): try await users.setEmail(words[2], of: words[1])
        case ("remove", 2): try await users.remove(words[1])
        case ("list", 1): show(try await users.all())
        case ("sync", 1):
            let summary = try await replica.sync()
            print("Sent \(summary.changesPushed), refused \(summary.changesRefused).")
        case ("watch", 1): try await watch(users, replica)
        case ("refused", 1):
            for change in try await replica.refusedChanges.fetch() {
                print("\(text(change.after["name"])): \(change.message)")
            }
        case ("conflicts", 1):
            for change in try await replica.overruledChanges.fetch() {
                print(
                    "mine \(text(change.mine?["email"])), theirs \(text(change.theirs?["email"]))")
            }
        default: throw AppError(usage)
        }
    }

    /// Runs until somebody ends the program. Changes that other programs make in the file go up, too.
    private static func watch(_ users: Users, _ replica: Replica) async throws {
        await replica.start()
        let observation = ValueObservation.tracking { try User.order(Column("name")).fetchAll($0) }
        for try await all in observation.values(in: users.database) {
            print("\(all.count) users")
            show(all)
        }
    }

    private static func show(_ users: [User]) {
        for user in users { print("\(user.name)  \(user.email)") }
        fflush(nil)
    }

    private static func text(_ value: Value?) -> String {
        if case .text(let text)? = value { text } else { "-" }
    }
}
