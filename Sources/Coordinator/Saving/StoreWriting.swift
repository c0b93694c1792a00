import StrataEngine
import StrataFiles
import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    /// Changes several stores: all of them, or none, also across a crash.
    ///
    /// The turn of every store is held while `fill` says what changes in it, so that what it reads of them stays as it is until then.
    ///
    /// - Parameters:
    ///   - entries: The stores; asked for again where one was replaced by another while its turn was waited for.
    ///   - checksReferences: Whether the changes may lead to what is not there, or delete what others lead to: it is a conflict then.
    ///   - fill: Sets the changes of each part; rows may have temporary references. Where there is one part only, it may also have
    ///     the store change rows by itself.
    /// - Returns: The parts with the changes that took effect, without those that `fill` left empty.
    /// - Throws: ``SaveConflictError``; ``StoreError``; what `fill` throws.
    func write(
        to entries: @autoclosure () throws -> [StoreEntry], checksReferences: Bool, _ fill: (inout [SavePart]) throws -> Void
    ) throws -> [SavePart] {
        var parts = try begin(entries)
        do {
            try fill(&parts)
            for part in parts where part.isUnchanged { part.transaction.rollback() }
            parts.removeAll(where: \.isUnchanged)
            let planned = parts.map(\.changes.inserted)
            let references = try reserveReferences(parts)
            for place in parts.indices { parts[place].changes = try references.resolve(parts[place].changes, model: model) }
            let durable = parts.filter(\.isDurable).map(\.entry)
            let global = durable.count > 1 ? GlobalSave(durable) : nil
            if let global { for place in parts.indices { try global.mark(&parts[place]) } }
            try apply(parts, planned, checksReferences)
            for part in parts { try part.transaction.prepare() }
            try global?.decide(&parts, model: model)
            if parts.count > 1 {
                var missed: [GlobalSave.Missed] = []
                try gate.commit {
                    missed = try global?.commit(&parts) ?? []
                    if missed.isEmpty { try commitRest(&parts) }
                }
                // Outside of the gate: this waits for the turns of the stores.
                do { try global?.finish(missed, model: model) } catch {
                    // The save is decided, also for stores in memory.
                    try commitRest(&parts)
                    throw error
                }
            }
            try commitRest(&parts)
            gate.awaitSnapshots()
            return parts
        } catch {
            for part in parts where !part.isOver { part.transaction.rollback() }
            if let error = error as? FileError { throw StoreError(error, "save", path: error.path) }
            throw error
        }
    }

    /// Takes the turns of several stores, always in the order of the UUIDs: two saves over the same stores cannot wait for each other.
    private func begin(_ entries: () throws -> [StoreEntry]) throws -> [SavePart] {
        while true {
            var parts: [SavePart] = []
            do {
                for entry in try entries().sorted(by: { $0.store.uuid < $1.store.uuid }) where parts.last?.entry !== entry {
                    parts.append(SavePart(entry: entry, transaction: try entry.beginWrite(model)))
                }
                return parts
            } catch {
                for part in parts { part.transaction.rollback() }
                if !(error is StoreEntry.Replaced) { throw error }
            }
        }
    }

    /// Changes one store through its transaction, which takes effect as a whole, or not at all where anything throws.
    func write<T>(toStore entry: () throws -> StoreEntry, _ body: (StoreEntry, any StoreTransaction) throws -> T) throws -> T {
        while true {
            let entry = try entry()
            do { return try entry.write(model) { try body(entry, $0) } } catch is StoreEntry.Replaced {}
        }
    }

    /// Commits what is not committed yet: stores in memory go last, as nothing about them can fail.
    private func commitRest(_ parts: inout [SavePart]) throws {
        for place in parts.indices.sorted(by: { parts[$0].isDurable && !parts[$1].isDurable }) where !parts[place].isOver {
            try parts[place].transaction.commit()
            parts[place].isOver = true
        }
    }

    private func reserveReferences(_ parts: [SavePart]) throws -> ReferenceMap {
        var references = ReferenceMap(parts.flatMap { $0.changes.inserted.filter { $0.reference < 0 } })
        for part in parts {
            let new = part.changes.inserted.filter { $0.reference < 0 }
            for (root, rows) in Dictionary(grouping: new, by: { model.entities[$0.entityIndex].root }).sorted(by: { $0.key < $1.key }) {
                let first = try part.transaction.reserveReferences(rows.count, root: root)
                for (offset, row) in rows.enumerated() { references.add(row.reference, first + Int64(offset)) }
            }
        }
        return references
    }

    /// - Parameter planned: The new rows of each part with their temporary references, by which conflicts name them.
    private func apply(_ parts: [SavePart], _ planned: [[Row]], _ checksReferences: Bool) throws {
        var linked: [[StoreConflict]] = Array(repeating: [], count: parts.count)
        var conflicts: [SaveConflictError.Conflict] = []
        func note(_ found: [StoreConflict], _ place: Int) {
            if found.isEmpty { return }
            let names = TemporaryNames(planned[place], parts[place].changes.inserted, model)
            let described = ConflictDescriber(parts[place].changes, model)
            conflicts += names.inOrder(found).map { names.conflict($0, parts[place].entry.scopes, described.values(of: $0)) }
        }
        func check(_ part: SavePart) -> ReferenceCheck { ReferenceCheck(part.changes, rules, in: part.entry) }
        for (place, part) in parts.enumerated() where !part.changes.isEmpty {
            linked[place] = checksReferences ? try check(part).linked(part.transaction) : []
            note(try part.transaction.apply(part.changes), place)
        }
        // Who meets a row that is not the one expected first learns that: what it leads to may be another thing then.
        if conflicts.isEmpty && checksReferences {
            for (place, part) in parts.enumerated() where !part.changes.isEmpty {
                note(linked[place] + (try check(part).conflicts(part.transaction)), place)
            }
        }
        if conflicts.isEmpty { return }
        // Versions come before constraints on every store, and over all of them: a constraint that stale values break may not be broken
        // by those that are left when their conflict is resolved.
        let stale = conflicts.filter { !$0.isConstraint }
        throw SaveConflictError(conflicts: stale.isEmpty ? conflicts : stale)
    }
}

/// The part of a save that goes to one store.
struct SavePart {
    let entry: StoreEntry
    let transaction: any StoreTransaction
    var changes = ChangeSet()
    /// Whether the store changed rows by itself, besides the changes.
    var changedItself = false
    /// Whether the transaction was committed, or is not to be touched any more.
    var isOver = false

    var isUnchanged: Bool { changes.isEmpty && !changedItself }
    var isDurable: Bool { entry.keepsFiles }
}

/// Names new rows as their plan does: the references that a failed save gave them mean nothing afterwards.
private struct TemporaryNames {
    private struct Key: Hashable {
        let root: Int
        let reference: Int64
    }

    private var temporary: [Key: Int64] = [:]
    /// The places of the new rows in their plan.
    private var places: [Key: Int] = [:]
    private let entities: [Int]
    private let model: ManagedObjectModel
    private let scopes: ObjectIDScopes

    init(_ planned: [Row], _ resolved: [Row], _ model: ManagedObjectModel) {
        self.model = model
        scopes = ObjectIDScopes(model: model, storeUUID: nil)
        entities = resolved.map(\.entityIndex)
        for (place, (before, after)) in zip(planned, resolved).enumerated() {
            let key = Key(root: model.entities[after.entityIndex].root, reference: after.reference)
            places[key] = place
            if before.reference < 0 { temporary[key] = before.reference }
        }
    }

    /// The conflicts in an order that does not depend on the store, and of two new rows with the same values the later one's.
    func inOrder(_ conflicts: [StoreConflict]) -> [StoreConflict] {
        func key(_ conflict: StoreConflict) -> (Int, Int64) { (model.entities[conflict.entity].root, conflict.reference) }
        return conflicts.map(ofLaterRow).sorted { key($0) < key($1) }
    }

    private func ofLaterRow(_ conflict: StoreConflict) -> StoreConflict {
        let root = model.entities[conflict.entity].root
        guard case .constraint(let names, let other) = conflict.reason, let place = places[Key(root: root, reference: conflict.reference)],
            let later = places[Key(root: root, reference: other)], place < later
        else { return conflict }
        return StoreConflict(entity: entities[later], reference: other, reason: .constraint(names, other: conflict.reference))
    }

    func conflict(_ conflict: StoreConflict, _ saved: ObjectIDScopes, _ values: [String: Value]) -> SaveConflictError.Conflict {
        let root = model.entities[conflict.entity].root
        func id(_ reference: Int64, _ entity: Int) -> ObjectID {
            let own = temporary[Key(root: root, reference: reference)]
            return ObjectID(scope: (own == nil ? saved : scopes)[entity], reference: own ?? reference)
        }
        var (reason, otherID): (StoreConflict.Reason, ObjectID?) = (conflict.reason, nil)
        var related: [ObjectReference] = []
        switch conflict.reason {
        case .constraint(let names, let other):
            let found = id(other, root)
            (reason, otherID) = (.constraint(names, other: found.reference), found)
        case .missingDestination(_, let destination): related = [destination]
        case .referenced(_, let others): related = others
        case .changed, .deleted: break
        }
        return SaveConflictError.Conflict(
            objectID: id(conflict.reference, conflict.entity), reason: reason, otherID: otherID, values: values,
            relatedIDs: related.map { ObjectID(scope: saved[$0.entity], reference: $0.reference) })
    }
}
