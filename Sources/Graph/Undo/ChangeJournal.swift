import StrataModel

/// The states of a context's objects before each change; only a context with an undo manager has it.
final class ChangeJournal {
    private unowned let context: ManagedObjectContext
    let backend: any UndoBackend
    private var group = ChangeGroup()
    private var histories: [ObjectIdentifier: History] = [:]
    /// The number of histories at the last cleanup.
    private var lastCount = 0
    private var mode = Mode.steps

    /// The records of an object in all groups.
    private struct History {
        weak var life: Life?
        /// The records of changes that the context has not saved.
        var unsaved: [WeakRecord] = []
        /// The number of records at the last cleanup.
        private var lastCount = 0

        var hasEnded: Bool { life == nil && unsaved.allSatisfy { $0.record == nil } }

        mutating func add(_ record: ChangeGroup.Record) {
            if unsaved.count > 64, unsaved.count > 2 * lastCount {
                unsaved.removeAll { $0.record == nil }
                lastCount = unsaved.count
            }
            unsaved.append(WeakRecord(record: record))
        }
    }

    private struct WeakRecord {
        weak var record: ChangeGroup.Record?
    }

    /// The group that changes are recorded in.
    private enum Mode {
        /// The current group, where registration is enabled.
        case steps
        /// An earlier group: the changes follow from its deletions.
        case consequences(ChangeGroup)
        case paused
    }

    init(_ context: ManagedObjectContext, _ backend: any UndoBackend) {
        self.context = context
        self.backend = backend
    }

    private var isKept: Bool {
        switch mode {
        case .steps: backend.isUndoRegistrationEnabled
        case .consequences: true
        case .paused: false
        }
    }

    /// Takes the changes since the last time; `nil` without any.
    func takeGroup() -> ChangeGroup? {
        if group.isEmpty { return nil }
        let taken = group
        group = ChangeGroup()
        taken.dropUnchanged(in: context)
        return taken.isEmpty ? nil : taken
    }

    func forgetGroup() { group = ChangeGroup() }

    /// Runs `body` without recording its changes, of merges and conflict resolutions.
    func pausing<R>(_ body: () throws -> R) rethrows -> R { try with(.paused, body) }

    /// Runs `body`, whose changes follow from the deletion of an object, and are recorded in its group.
    func keepingConsequences<R>(of deleted: ManagedObject, _ body: () throws -> R) rethrows -> R {
        let records = histories[ObjectIdentifier(deleted)]?.unsaved.compactMap(\.record) ?? []
        guard let step = records.last(where: { $0.existed == true })?.group else { return try pausing(body) }
        return try with(.consequences(step), body)
    }

    private func with<R>(_ mode: Mode, _ body: () throws -> R) rethrows -> R {
        let before = self.mode
        self.mode = mode
        defer { self.mode = before }
        return try body()
    }

    /// Returns the record of an object in the current group, new if necessary.
    private func record(of object: ManagedObject) -> ChangeGroup.Record {
        let group = if case .consequences(let step) = mode { step } else { group }
        if let record = group.record(of: object) { return record }
        if histories.count > 64, histories.count > 2 * lastCount {
            histories = histories.filter { !$0.value.hasEnded }
            lastCount = histories.count
        }
        let record = group.addRecord(of: object)
        histories[ObjectIdentifier(object), default: History()].add(record)
        return record
    }

    // MARK: - Insertions and deletions

    /// Records that an object is inserted or removed.
    ///
    /// - Parameters:
    ///   - existed: Whether it existed until now.
    ///   - hadValues: Whether it was registered until now, possibly deleted.
    func willChangeExistence(of object: ManagedObject, existed: Bool, hadValues: Bool) {
        guard isKept else { return }
        let record = record(of: object)
        if record.existed == nil {
            record.existed = existed
            record.hadValues = hadValues
        }
        if record.life == nil { record.life = life(of: object) ?? beginLife(of: object) }
    }

    /// Keeps the values of an object that is about to leave the context, where undo can restore it.
    func keepSnapshot(of object: ManagedObject) { life(of: object)?.snapshot = DeletedObjectSnapshot(of: object, in: context) }

    /// Loads what undo needs of objects that are about to be saved: the destinations of deleted ones, which the save
    /// deletes, and relationships that others may have saved meanwhile.
    func willSave(_ objects: [ManagedObject]) throws {
        for object in objects where !object.isNew && !object.isInaccessible {
            guard let history = histories[ObjectIdentifier(object)] else { continue }
            if object.isDeleted, history.life != nil {
                for relationship in object.entity.relationships where relationship.isToMany {
                    // Other contexts may have added links since, which are deleted and restored with the object.
                    if case .links = relationship.storage { try context.reloadLinks(relationship, of: [object.objectID]) }
                    _ = try object.loadedState(relationship)
                }
            }
            for relationship in history.unsaved.lazy.compactMap(\.record).flatMap(\.unloadedRelationships) {
                _ = try object.loadedState(relationship)
            }
        }
    }

    /// Records that objects were saved: keeps the values of deleted ones that undo can restore.
    func didSave(_ objects: [ManagedObject]) {
        for object in objects {
            let unsettled = histories[ObjectIdentifier(object)]?.unsaved.filter { weak in
                guard let record = weak.record else { return false }
                let isSettled = record.settle(in: context)
                // The current group may change more after the save.
                return !isSettled || record.group === group
            }
            if let unsettled { histories[ObjectIdentifier(object)]?.unsaved = unsettled }
            if object.isDeleted && !object.isInaccessible { keepSnapshot(of: object) }
        }
    }

    /// Reverts changes in the snapshot of a removed object.
    func goBack(_ record: ChangeGroup.Record) { life(of: record.object)?.snapshot?.goBack(record) }

    /// Records that a save clears another object's reference to a deleted one.
    func willDetach(_ deleted: ManagedObject, from object: ManagedObject, _ relationship: RelationshipDescription) {
        life(of: deleted)?.referrers.append((object, relationship))
    }

    private func life(of object: ManagedObject) -> Life? { histories[ObjectIdentifier(object)]?.life }

    private func beginLife(of object: ManagedObject) -> Life {
        let life = Life()
        histories[ObjectIdentifier(object), default: History()].life = life
        return life
    }

    // MARK: - Values

    func willSet(_ property: Int, of object: ManagedObject) {
        guard isKept else { return }
        let record = record(of: object)
        guard record.hadValues else { return }
        switch object.entity.properties[property] {
        case .attribute(let attribute):
            // The elements of a composite attribute are merged as a whole.
            for element in object.entity.attributes(with: attribute) where record.values[element.index] == nil { keep(element, record) }
        case .relationship(let relationship):
            if record.destinations[property] == nil { keep(object.currentDestination(relationship), of: relationship, record) }
        }
    }

    // MARK: - Destinations of to-many relationships

    /// Records that the destinations of a relationship are about to change.
    ///
    /// It loads them where positions may be lost, which a save forgets, and where both sides are to-many, as no row
    /// then holds the members.
    func willChangeMembers(_ relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject, mayLose: Bool) {
        guard isKept else { return }
        if !state.isLoaded, mayLose && relationship.isOrdered || isLink(relationship) {
            _ = try? object.loadedState(relationship)
        }
        guard relationship.isOrdered, state.isLoaded else { return }
        let record = record(of: object)
        if record.hadValues, record.orders[relationship.index] == nil { keep(state.order, state, record) }
    }

    func didAdd(_ id: ObjectID, to relationship: RelationshipDescription, of object: ManagedObject) {
        change(relationship, of: object) {
            $0.add(context.fault(with: id), asSaved: isLink(relationship) && object.state(relationship).isAdded(id))
        }
    }

    func didRemove(_ id: ObjectID, from relationship: RelationshipDescription, of object: ManagedObject) {
        change(relationship, of: object) {
            $0.remove(context.fault(with: id), asSaved: isLink(relationship) && object.state(relationship).isRemoved(id))
        }
    }

    /// Records what `body` makes of the relationships of objects, as it reverts pending changes of them.
    func comparingRelationships(of objects: [ManagedObject], _ body: () -> Void) {
        guard isKept else { return body() }
        let before = objects.map { RelationshipPicture(of: $0) }
        pausing(body)
        for picture in before { note(picture) }
    }

    private func note(_ before: RelationshipPicture) {
        let object = before.object
        let after = RelationshipPicture(of: object)
        for (property, destination) in before.destinations where destination != after.destinations[property] {
            let record = record(of: object)
            guard record.hadValues, record.destinations[property] == nil else { continue }
            guard let relationship = object.entity.properties[property].relationship else { continue }
            keep(destination, of: relationship, record)
        }
        for relationship in object.entity.relationships where relationship.isToMany && !relationship.isTransient {
            let (old, new) = (before.members[relationship.index], after.members[relationship.index])
            let gained = RelationshipPicture.gained(from: old, to: new)
            let lost = RelationshipPicture.gained(from: new, to: old)
            if gained.isEmpty && lost.isEmpty && old?.order == new?.order { continue }
            let record = record(of: object)
            if let order = old?.order, record.hadValues, record.orders[relationship.index] == nil {
                keep(order, object.state(relationship), record)
            }
            for id in lost { didRemove(id, from: relationship, of: object) }
            for id in gained { didAdd(id, to: relationship, of: object) }
        }
    }

    private func change(_ relationship: RelationshipDescription, of object: ManagedObject, _ body: (inout ChangeGroup.Members) -> Void) {
        guard isKept else { return }
        let record = record(of: object)
        if record.hadValues { body(&record.members[relationship.index, default: ChangeGroup.Members()]) }
    }

    private func keep(_ attribute: AttributeDescription, _ record: ChangeGroup.Record) {
        let (object, propertySlot) = (record.object, record.object.entity.propertySlots[attribute.index])
        let isSaved = propertySlot.slot != nil && (!object.isPending(attribute.index) || object.keepsValue(propertySlot))
        record.values[attribute.index] = ChangeGroup.Before(content: object.currentValue(.attribute(attribute)), isSaved: isSaved)
    }

    private func keep(_ destination: ObjectID?, of relationship: RelationshipDescription, _ record: ChangeGroup.Record) {
        let isSaved = record.object.storedDestination(relationship).objectID == destination
        record.destinations[relationship.index] = ChangeGroup.Before(content: destination.map { context.fault(with: $0) }, isSaved: isSaved)
    }

    private func keep(_ order: [ObjectID], _ state: ToManyState, _ record: ChangeGroup.Record) {
        let members = order.map { context.fault(with: $0) }
        let saved = order == state.savedOrder ? members : state.savedOrder.map { context.fault(with: $0) }
        record.orders[state.property] = ChangeGroup.Order(members: members, saved: saved)
    }

    /// Returns whether the members' rows do not hold a relationship.
    private func isLink(_ relationship: RelationshipDescription) -> Bool { context.model.inverse(of: relationship)?.isToMany != false }
}
