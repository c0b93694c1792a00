import StrataModel

extension ManagedObjectContext {
    /// The greatest number of calls of `willSave()` in one save.
    private static let greatestRounds = 1000
    /// The rounds that are not reverted: most objects are stable in the second one, and no state is kept for them.
    private static let freeRounds = 2

    /// Calls `willSave()` on objects, again where they change; throws ``UnstableSaveError`` where some change at every
    /// call; what applying delete rules throws.
    func announceSave(_ objects: [ManagedObject]) throws {
        var round = objects
        var before: ChangeSnapshot?
        // Objects that each make several others would fill the memory before there were too many rounds.
        var callsLeft = 0
        for number in 0..<ManagedObjectContext.greatestRounds {
            if round.isEmpty { return }
            if number == ManagedObjectContext.freeRounds {
                before = ChangeSnapshot(tracker.changed)
                callsLeft = max(100_000, 16 * tracker.changed.count)
            }
            if before != nil {
                callsLeft -= round.count
                if callsLeft < 0 { return try giveUp(on: round, after: number, before) }
            }
            round = try tracker.noting {
                round.forEachUncounted { if $0.hasChanges && !$0.isForgotten { $0.willSave() } }
                try applyDeleteRules()
            }
        }
        if !round.isEmpty { try giveUp(on: round, after: ManagedObjectContext.greatestRounds, before) }
    }

    private func giveUp(on objects: [ManagedObject], after rounds: Int, _ before: ChangeSnapshot?) throws {
        let error = UnstableSaveError(objects, rounds: rounds)
        if let before { restore(before) }
        throw error
    }

    /// Restores the changes of an earlier moment; objects inserted since are removed.
    ///
    /// IDs are left to the caller.
    func restore(_ snapshot: ChangeSnapshot) {
        let known = Set(snapshot.objects.map { ObjectIdentifier($0) })
        let made = tracker.changed.filter { $0.isNew && !known.contains(ObjectIdentifier($0)) }
        tracker.restore(snapshot)
        for object in made where object.managedObjectContext === self { drop(object) }
    }
}
