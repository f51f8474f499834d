import Foundation
import GRDB
import Moorage
import MoorageRESTHub

extension User: Uploadable { static let path = "users" }

func replica(of users: Users, with api: URL) async throws -> Replica {
    try await RESTHub(api, [User.self], in: users.database).replica(migrator: Users.migrator)
}
