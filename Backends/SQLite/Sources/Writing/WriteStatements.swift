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
        if let known = inserts[entity] { return known }
        let made = try make()
        inserts[entity] = made
        return made
    }

    mutating func update(_ shape: UpdateStatement.Shape, _ make: () throws -> UpdateStatement) rethrows -> UpdateStatement {
        if let known = updates[shape] { return known }
        let made = try make()
        if updates.count == WriteStatements.mostUpdates { updates = [:] }
        updates[shape] = made
        return made
    }

    mutating func delete(_ entity: EntityIndex, _ make: () throws -> DeleteStatements) rethrows -> DeleteStatements {
        if let known = deletes[entity] { return known }
        let made = try make()
        deletes[entity] = made
        return made
    }
}
