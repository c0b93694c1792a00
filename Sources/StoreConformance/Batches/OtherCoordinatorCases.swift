import Strata

/// What another coordinator saves in the file of a store.
enum OtherCoordinatorCases {
    /// Two coordinators with one file, in which are 1 a and 2 b.
    private static func two(_ environment: ConformanceEnvironment) throws -> (ConformanceStack, ConformanceStack) {
        let first = try environment.stack(Models.users)
        let context = first.context()
        for (id, name) in [("1", "a"), ("2", "b")] { try context.add("User", name).setValue(id, forKey: "id") }
        try context.save()
        return (first, try environment.stack(Models.users))
    }

    private static func changes(
        _ stack: ConformanceStack, inserted: [ManagedObject] = [], updated: [ManagedObject] = [], deleted: [ObjectID] = []
    ) -> RemoteChanges {
        RemoteChanges(
            uris: [
                .inserted: inserted.map(\.objectID.uriRepresentation), .updated: updated.map(\.objectID.uriRepresentation),
                .deleted: deleted.map(\.uriRepresentation),
            ], in: stack.coordinator)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("What another coordinator saved is there once it is merged", in: .batches, requires: .file) { environment in
            // A store that keeps its file in memory went on with what it had loaded.
            let (here, there) = try two(environment)
            let (own, other) = (here.context(), there.context())
            let (a, b) = (try own.one("User", "a"), try own.one("User", "b"))
            let (theirs, gone) = (try other.one("User", "a"), try other.one("User", "b"))
            let goneID = gone.objectID
            try expect(try a.text("id") == "1" && b.text("id") == "2", "the values are not there")
            try theirs.setValue("x", forKey: "name")
            let new = try other.add("User", "c")
            try new.setValue("3", forKey: "id")
            other.delete(gone)
            try other.save()
            let merged = changes(here, inserted: [new], updated: [theirs], deleted: [goneID])
            ManagedObjectContext.mergeChanges(fromRemoteContextSave: merged, into: [own])
            try expectEqual(try a.text("name"), "x")
            try expect(try b.isDeleted && b.text("name") == nil, "the deleted object is there")
            try expectEqual(try own.users(), ["1 x 1", "3 c 1"])
            // And may be saved over, on both sides.
            try a.setValue("y", forKey: "name")
            try own.save()
            other.refresh(theirs, mergeChanges: false)
            try expectEqual(try theirs.text("name"), "y")
            try new.setValue("d", forKey: "name")
            try other.save()
            own.refreshAllObjects()
            try expectEqual(try own.users(), ["1 y 1", "3 d 1"])
            try there.close()
            try expectEqual(try here.reopened().context().users(), ["1 y 1", "3 d 1"])
        }
        ConformanceCase(
            "What another coordinator saved is not saved over unseen once it is merged elsewhere", in: .batches, requires: .file
        ) {
            environment in
            // A format without versions must not give changed rows the version that they had.
            let (here, there) = try two(environment)
            let (own, sibling, other) = (here.context(), here.context(), there.context())
            let (a, b) = (try own.one("User", "a"), try own.one("User", "b"))
            try a.setValue("mine", forKey: "name")
            try b.setValue("mine", forKey: "name")
            let theirs = try other.one("User", "a")
            try theirs.setValue("theirs", forKey: "name")
            try other.save()
            sibling.mergeChanges(fromRemoteContextSave: changes(here, updated: [theirs]))
            try expectEqual(try expectConflict(own).map(\.objectID), [a.objectID])
            own.refresh(a, mergeChanges: true)
            try own.save()
            try there.close()
            try expectEqual(try here.reopened().context().users(), ["1 mine 1", "2 mine 1"])
        }
    }
}
