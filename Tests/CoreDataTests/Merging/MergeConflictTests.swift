import CoreData
import Testing

/// A conflict of two contexts had the values that the object was read with as the coordinator's, and the coordinator's as the store's: a policy
/// that took the newer of two dates, as they are written for Apple's systems, took its own.
@Suite("Merge conflicts")
struct MergeConflictTests {
    /// Lets the object win, but keeps the larger size.
    private final class LargerSize: NSMergePolicy, @unchecked Sendable {
        private(set) var versions: [[Int]] = []

        init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            for conflict in list {
                versions.append([conflict.oldVersionNumber, conflict.newVersionNumber])
                let theirs = conflict.cachedSnapshot?["size"] as? Int ?? 0
                let mine = conflict.sourceObject.value(forKey: "size") as? Int ?? 0
                conflict.sourceObject.setValue(max(mine, theirs), forKey: "size")
            }
            try super.resolve(optimisticLockingConflicts: list)
        }
    }

    /// Has two contexts set an object's size, this one last, and calls back before it saves.
    private func conflict(
        mine: Int, theirs: Int?, _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void
    ) throws {
        let context = try MemoryStack.context("Thing", [("name", .stringAttributeType), ("size", .integer16AttributeType)])
        let other = MemoryStack.context(of: context.persistentStoreCoordinator)
        try context.performAndWait {
            let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            thing.setValue("a", forKey: "name")
            try context.save()
            let id = thing.objectID
            try other.performAndWait {
                let theirThing = try other.existingObject(with: id)
                if let theirs { theirThing.setValue(theirs, forKey: "size") } else { other.delete(theirThing) }
                try other.save()
            }
            thing.setValue(mine, forKey: "size")
            try body(context, thing)
        }
    }

    @Test("What stands against an object is what its coordinator has") func snapshots() throws {
        try conflict(mine: 3, theirs: 8) { context, thing in
            let failure = #expect(throws: (any Error).self) { try context.save() }
            let error = try #require(failure) as NSError
            #expect(error.code == NSManagedObjectMergeError)
            let conflicts = try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.sourceObject === thing)
            #expect(conflicts.first?.objectSnapshot?["size"] as? Int == 3)
            #expect(conflicts.first?.cachedSnapshot?["size"] as? Int == 8)
            #expect(conflicts.first?.persistedSnapshot == nil)
        }
    }

    @Test("A deleted object has no values and no version") func deletion() throws {
        try conflict(mine: 3, theirs: nil) { context, _ in
            let failure = #expect(throws: (any Error).self) { try context.save() }
            let error = try #require(failure) as NSError
            let conflict = (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first
            #expect(conflict?.newVersionNumber == 0)
            #expect(conflict?.cachedSnapshot == nil)
        }
    }

    @Test("A policy decides by the others' values", arguments: [(3, 8), (8, 3)]) func policy(_ mine: Int, _ theirs: Int) throws {
        try conflict(mine: mine, theirs: theirs) { context, thing in
            let policy = LargerSize()
            context.mergePolicy = policy
            try context.save()
            #expect(policy.versions == [[1, 2]])
            #expect(thing.value(forKey: "size") as? Int == 8)
        }
    }
}
