import StrataModel

/// What a context's objects were before each change, for its undo manager; only a context with one has it.
final class ChangeJournal {
    private unowned let context: ManagedObjectContext
    /// What keeps the steps.
    let keeper: any StepKeeper
    private var group = ChangeGroup()
    private var lives: [ObjectIdentifier: WeakLife] = [:]
    /// The number of lives when those that ended were forgotten last.
    private var lastCount = 0
    private var isPaused = false

    private struct WeakLife {
        weak var life: Life?
    }

    init(_ context: ManagedObjectContext, _ keeper: any StepKeeper) {
        self.context = context
        self.keeper = keeper
    }

    private var isKept: Bool { !isPaused && keeper.isUndoRegistrationEnabled }

    /// Takes what was changed since the last time; `nil` where nothing was.
    func takeGroup() -> ChangeGroup? {
        if group.isEmpty { return nil }
        let taken = group
        group = ChangeGroup()
        taken.dropUnchanged(in: context)
        return taken.isEmpty ? nil : taken
    }

    /// Forgets what was changed since the last time; also of a context that goes.
    func forgetGroup() { group = ChangeGroup() }

    /// Runs `body`, whose changes are not the user's: what others saved, and what it made of conflicts.
    func pausing<R>(_ body: () throws -> R) rethrows -> R {
        let wasPaused = isPaused
        isPaused = true
        defer { isPaused = wasPaused }
        return try body()
    }

    // MARK: - Objects that come and go

    /// Takes note that an object comes or goes.
    ///
    /// - Parameters:
    ///   - existed: Whether it was there until now.
    ///   - hadValues: Whether it was here until now, be it deleted.
    func willChangeExistence(of object: ManagedObject, existed: Bool, hadValues: Bool) {
        guard isKept else { return }
        let record = group.record(of: object)
        if record.existed == nil {
            record.existed = existed
            record.hadValues = hadValues
        }
        if record.life == nil { record.life = life(of: object) }
    }

    /// Keeps what an object holds that is about to leave the context, where a step brings it back.
    func bury(_ object: ManagedObject) {
        if let life = lives[ObjectIdentifier(object)]?.life { life.remains = Remains(of: object, in: context) }
    }

    /// Keeps what those of some objects hold that a save deleted, where a step brings them back.
    func buryDeleted(of objects: [ManagedObject]) { for object in objects where object.isDeleted && !object.isGone { bury(object) } }

    /// Loads what deleted objects lead to, where a step brings them back: a save leaves no trace of it.
    ///
    /// - Throws: What a store throws.
    func loadDestinations(of objects: [ManagedObject]) throws {
        for object in objects where object.isDeleted && !object.isNew && !object.isGone {
            guard lives[ObjectIdentifier(object)]?.life != nil else { continue }
            for relationship in object.entity.relationships where relationship.isToMany { _ = try object.loadedState(relationship) }
        }
    }

    /// Has what is left of an object that is gone be what it was before some changes.
    func goBack(_ record: ChangeGroup.Record) { lives[ObjectIdentifier(record.object)]?.life?.remains?.goBack(record) }

    /// Takes note that a save takes another object's reference to a deleted one away.
    func willDetach(_ deleted: ManagedObject, from object: ManagedObject, _ relationship: RelationshipDescription) {
        lives[ObjectIdentifier(deleted)]?.life?.referrers.append((object, relationship))
    }

    private func life(of object: ManagedObject) -> Life {
        if let life = lives[ObjectIdentifier(object)]?.life { return life }
        if lives.count > 64, lives.count > 2 * lastCount {
            lives = lives.filter { $0.value.life != nil }
            lastCount = lives.count
        }
        let life = Life(object)
        lives[ObjectIdentifier(object)] = WeakLife(life: life)
        return life
    }

    // MARK: - Values

    /// Takes note that a value is about to be set.
    func willSet(_ property: Int, of object: ManagedObject) {
        guard isKept else { return }
        let record = group.record(of: object)
        guard record.hadValues else { return }
        switch object.entity.properties[property] {
        case .attribute(let attribute):
            if record.values[property] == nil { record.values[property] = object.currentValue(.attribute(attribute)) }
        case .relationship(let relationship):
            if record.destinations[property] == nil {
                record.destinations[property] = .some(object.currentDestination(relationship).map { context.fault(with: $0) })
            }
        }
    }

    // MARK: - Destinations of to-many relationships

    /// Takes note that the destinations of a relationship are about to be changed; loads them where one may lose its place, which nobody knows
    /// after a save, and where both sides say who they are, for else nobody knows which of them come and go.
    func willChangeMembers(_ relationship: RelationshipDescription, _ state: ToManyState, of object: ManagedObject, mayLose: Bool) {
        guard isKept else { return }
        if !state.isLoaded, mayLose && relationship.isOrdered || context.model.inverse(of: relationship)?.isToMany != false {
            _ = try? object.loadedState(relationship)
        }
        guard relationship.isOrdered, state.isLoaded else { return }
        let record = group.record(of: object)
        if record.hadValues, record.orders[relationship.index] == nil {
            record.orders[relationship.index] = state.order.map { context.fault(with: $0) }
        }
    }

    /// Takes note of a destination that came.
    func didAdd(_ id: ObjectID, to relationship: RelationshipDescription, of object: ManagedObject) {
        change(relationship, of: object) { $0.add(context.fault(with: id)) }
    }

    /// Takes note of a destination that went.
    func didRemove(_ id: ObjectID, from relationship: RelationshipDescription, of object: ManagedObject) {
        change(relationship, of: object) { $0.remove(context.fault(with: id)) }
    }

    /// Takes note of what `body` makes of the relationships of some objects, as it takes pending changes of them back.
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
            let record = group.record(of: object)
            guard record.hadValues, record.destinations[property] == nil else { continue }
            record.destinations[property] = .some(destination.map { context.fault(with: $0) })
        }
        for relationship in object.entity.relationships where relationship.isToMany && !relationship.isTransient {
            let (old, new) = (before.members[relationship.index], after.members[relationship.index])
            let gained = RelationshipPicture.gained(from: old, to: new)
            let lost = RelationshipPicture.gained(from: new, to: old)
            if gained.isEmpty && lost.isEmpty && old?.order == new?.order { continue }
            let record = group.record(of: object)
            if let order = old?.order, record.hadValues, record.orders[relationship.index] == nil {
                record.orders[relationship.index] = order.map { context.fault(with: $0) }
            }
            for id in lost { didRemove(id, from: relationship, of: object) }
            for id in gained { didAdd(id, to: relationship, of: object) }
        }
    }

    private func change(_ relationship: RelationshipDescription, of object: ManagedObject, _ body: (inout ChangeGroup.Members) -> Void) {
        guard isKept else { return }
        let record = group.record(of: object)
        if record.hadValues { body(&record.members[relationship.index, default: ChangeGroup.Members()]) }
    }
}
