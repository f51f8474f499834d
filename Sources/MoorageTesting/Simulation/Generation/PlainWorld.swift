extension SimulatedWorld {
    /// Three tables that everyone has: a parent with a unique number, its children, and a tree with a
    /// composite key.
    static let plainTables: [TableModel] = [
        TableModel(
            name: "parent",
            columns: [
                .init(name: "id", kind: .text, isKey: true), .init(name: "a", kind: .text),
                .init(name: "b", kind: .text), .init(name: "code", kind: .integer, isUnique: true),
            ]),
        TableModel(
            name: "child",
            columns: [
                .init(name: "id", kind: .text, isKey: true),
                .init(name: "parent", kind: .text, isNotNull: true, foreignKey: 0),
                .init(name: "c", kind: .text), .init(name: "d", kind: .text),
            ],
            foreignKeys: [
                .init(
                    columns: ["parent"], parent: 0, onDelete: "NO ACTION", onUpdate: "NO ACTION",
                    isDeferred: false)
            ]),
        TableModel(
            name: "node",
            columns: [
                .init(name: "x", kind: .integer, isKey: true),
                .init(name: "y", kind: .text, isKey: true),
                .init(name: "up_x", kind: .integer, foreignKey: 0),
                .init(name: "up_y", kind: .text, foreignKey: 0), .init(name: "v", kind: .text),
            ],
            foreignKeys: [
                .init(
                    columns: ["up_x", "up_y"], parent: 2, onDelete: "CASCADE",
                    onUpdate: "NO ACTION",
                    isDeferred: false)
            ]),
    ]
}
