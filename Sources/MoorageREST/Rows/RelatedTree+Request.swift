import MoorageHub

extension RelatedTree {
    /// More relations than any answer is made of.
    static let mostNames = 16

    /// Reads paths of relations: `customer,order_details.product_id`. What several paths begin with
    /// is read once.
    static func all(of text: String) throws(RESTProblem) -> [RelatedTree] {
        var root = RelatedTree(name: "")
        var reading = NameReading(text)
        var count = 0
        repeat {
            var path: [String] = []
            repeat {
                guard let name = reading.name(before: [",", "."]) else { throw .badRelations }
                guard path.count < mostNames else { throw .tooManyRelations(most: mostNames) }
                path.append(name)
            } while reading.skip(".")
            count += root.add(path[...])
            guard count <= mostNames else { throw .tooManyRelations(most: mostNames) }
        } while reading.skip(",")
        return root.children
    }

    /// Adds a path, and says how many of its relations were not there yet.
    private mutating func add(_ path: ArraySlice<String>) -> Int {
        guard let name = path.first else { return 0 }
        let known = children.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        if known == nil { children.append(RelatedTree(name: name)) }
        let added = children[known ?? children.count - 1].add(path.dropFirst())
        return known == nil ? added + 1 : added
    }
}
