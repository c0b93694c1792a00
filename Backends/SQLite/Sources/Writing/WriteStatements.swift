import StrataModel
import StrataStore

/// The statements that write rows of a store through one connection, with what binds the rows to them, kept from save to save.
struct WriteStatements {
    /// By entity.
    private var inserts: [EntityIndex: InsertStatements] = [:]
    private var updates: [UpdateStatement.Shape: UpdateStatement] = [:]
    /// By entity.
    private var deletes: [EntityIndex: DeleteStatements] = [:]

    /// What changes differ in is up to a program.
    private static let mostUpdates = 256

    mutating func insert(_ entity: EntityIndex, _ make: () throws -> InsertStatements) rethrows -> InsertStatements {
        try WriteStatements.kept(entity, in: &inserts, make)
    }

    mutating func update(_ shape: UpdateStatement.Shape, _ make: () throws -> UpdateStatement) rethrows -> UpdateStatement {
        if updates.count >= WriteStatements.mostUpdates && updates[shape] == nil { updates = [:] }
        return try WriteStatements.kept(shape, in: &updates, make)
    }

    mutating func delete(_ entity: EntityIndex, _ make: () throws -> DeleteStatements) rethrows -> DeleteStatements {
        try WriteStatements.kept(entity, in: &deletes, make)
    }

    private static func kept<Key, Statements>(
        _ key: Key, in statements: inout [Key: Statements], _ make: () throws -> Statements
    ) rethrows -> Statements {
        if let known = statements[key] { return known }
        let made = try make()
        statements[key] = made
        return made
    }
}
