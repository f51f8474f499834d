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
                count += 1
                guard count <= mostNames else { throw .tooManyRelations(most: mostNames) }
                guard let name = reading.name(before: [",", "."]) else { throw .badRelations }
                path.append(name)
            } while reading.skip(".")
            root.add(path[...])
        } while reading.skip(",")
        return root.children
    }

    private mutating func add(_ path: ArraySlice<String>) {
        guard let name = path.first else { return }
        let known = children.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        if known == nil { children.append(RelatedTree(name: name)) }
        children[known ?? children.count - 1].add(path.dropFirst())
    }
}
