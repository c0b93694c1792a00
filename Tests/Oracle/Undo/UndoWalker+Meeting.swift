import Strata

// A step that is undone after another context saved: what that one saved is there, and nothing else.

extension UndoWalker {
    func meet(_ changes: [UndoWalk.Change], _ theirs: [UndoWalk.Change], _ meeting: UndoWalk.Meeting) throws {
        try context.save()
        forgetSteps()
        // Relationships are read for the first time after the other context saved.
        let objects =
            meeting == .read ? try schema.kinds.flatMap { try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: $0.name)) } : []
        if meeting == .read { context.refreshAllObjects() }
        let before = graph
        saved = graph
        try manager.group { try apply(changes, in: context, before) }
        // Changes that take each other back are no step.
        guard manager.canUndo else { return }
        let mine = graph
        graph = before
        context.automaticallyMergesChangesFromParent = meeting == .merge
        let other = ManagedObjectContext(coordinator)
        try apply(theirs, in: other, before)
        try other.save()
        let stored = graph
        let isPart = mine.contains(changesOf: stored, since: before)
        switch meeting {
        case .merge: _ = try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: schema.kinds[0].name))
        case .refresh: context.refreshAllObjects()
        case .read: try read(objects)
        case .save:
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            context.mergePolicy = .error
        }
        context.automaticallyMergesChangesFromParent = false
        if isPart, meeting == .merge || meeting == .refresh {
            graph = mine
            try compare(context, "met by \(meeting)")
        }
        try context.undo()
        graph = stored
        if meeting == .read || meeting == .save { context.refreshAllObjects() }
        if meeting != .save, !context.insertedObjects.isEmpty || context.updatedObjects.contains(where: \.hasPersistentChangedValues) {
            throw Mismatch("changes after the undo of a step met by \(meeting)")
        }
        try compare(context, "undone after \(meeting)")
        if isPart, meeting == .merge || meeting == .refresh {
            if manager.canRedo || mine.lines == stored.lines { graph = mine }
            try context.redo()
            try compare(context, "redone after \(meeting)")
            if manager.canUndo { graph = stored }
            try context.undo()
            try compare(context, "undone again after \(meeting)")
        }
        forgetSteps()
        try context.save()
        saved = graph
        try compare(ManagedObjectContext(coordinator), "stored after \(meeting)")
    }

    private func read(_ objects: [ManagedObject]) throws {
        for object in objects where !object.isDeleted {
            for relationship in object.entity.relationships { _ = try object.value(forKey: relationship.name) }
        }
    }
}

extension NaiveGraph {
    /// Whether all that another graph changed of a common base was changed here in the same way.
    func contains(changesOf other: NaiveGraph, since base: NaiveGraph) -> Bool {
        for tag in Set(base.objects.keys).union(other.objects.keys) where other.objects[tag] != base.objects[tag] {
            guard let before = base.objects[tag] else { return false }
            guard let theirs = other.objects[tag] else {
                if objects[tag] != nil { return false }
                continue
            }
            guard let mine = objects[tag] else { return false }
            for (index, value) in theirs.values.enumerated() where value != before.values[index] {
                if mine.values[index] != value { return false }
            }
            for end in schema.ends(of: before.kind) where theirs[end] != before[end] {
                let changed = Set(theirs[end]).symmetricDifference(before[end])
                if changed.contains(where: { theirs[end].contains($0) != mine[end].contains($0) }) { return false }
                if schema.ends[end].shape == .ordered, theirs[end] != mine[end] { return false }
            }
        }
        return true
    }
}
