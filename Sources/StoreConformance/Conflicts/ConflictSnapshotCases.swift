import Strata
import StrataTestModels

/// The snapshots of both sides in a conflict.
enum ConflictSnapshotCases {
    private static let accounts = ModelResult.declared {
        Entity("Account") {
            Attributes(["name": .string, "mail": .string])
            Unique("mail")
        }
    }

    private static func account(_ context: ManagedObjectContext, _ name: String, _ mail: String) throws -> ManagedObject {
        let account = try context.insert("Account")
        try account.setValue(name, forKey: "name")
        try account.setValue(mail, forKey: "mail")
        return account
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A conflict over a version has the values of the context, of what it read, and of the store", in: .conflicts) {
            environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            let ada = Person("Ada", context, age: 1, company: company)
            try context.save()
            let other = stack.context()
            try other.named("Ada", Person.self).age = 2
            try other.save()
            ada.age = 3
            let conflict = try unwrap(expectConflict(context).first)
            try expectEqual(conflict.objectID, ada.objectID)
            try expectEqual(conflict.objectSnapshot["age"], .int(3))
            try expectEqual(conflict.cachedSnapshot?["age"], .int(1))
            try expectEqual(conflict.persistedSnapshot?["age"], .int(2))
            try expectEqual(conflict.objectSnapshot["company"], .objectID(company.objectID))
            try expectEqual(conflict.persistedSnapshot?["company"], .objectID(company.objectID))
            try expect(conflict.objectSnapshot["skills"] == nil, "to-many relationships are no part of it")
            // The error said which object it was, and not of which properties.
            let stale = try unwrap(conflict.staleProperties.first)
            try expectEqual(conflict.staleProperties.map(\.name), ["age"])
            try expectEqual([stale.contextValue, stale.cachedValue, stale.storeValue], [.int(3), .int(1), .int(2)])
            try expect(stale.isChangedInContext, "changed in the context")
            try expect(stale.isChangedInStore, "changed in the store")
            let text = "was changed by another context or process (version \(conflict.newVersionNumber) now)"
            try expect("\(conflict)".hasSuffix("\(text); age: 3 in the context, 1 when it was read, 2 in the store"), "\(conflict)")
            try expect(conflict.newVersionNumber > conflict.oldVersionNumber && conflict.oldVersionNumber > 0, "\(conflict)")
        }
        ConformanceCase("A conflict over an object that someone else deleted has no values of the store, and version 0", in: .conflicts) {
            environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let ada = Person("Ada", context, age: 1)
            try context.save()
            let other = stack.context()
            other.delete(try other.named("Ada", Person.self))
            try other.save()
            ada.age = 3
            let conflict = try unwrap(expectConflict(context).first)
            try expectEqual(conflict.objectSnapshot["age"], .int(3))
            try expectEqual(conflict.cachedSnapshot?["age"], .int(1))
            try expect(conflict.persistedSnapshot == nil, "\(conflict.persistedSnapshot ?? [:])")
            try expectEqual(conflict.staleProperties, [])
            try expectEqual(conflict.newVersionNumber, 0)
            try expect(conflict.oldVersionNumber > 0, "no version that was read")
        }
        ConformanceCase("A policy is given the versions of both sides", in: .conflicts) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let ada = Person("Ada", context, age: 1)
            try context.save()
            let other = stack.context()
            try other.named("Ada", Person.self).age = 2
            try other.save()
            context.mergePolicy = MergePolicy("versions") { conflict in
                conflict.newVersionNumber > conflict.oldVersionNumber && conflict.oldVersionNumber > 0 ? .overwrite : .error
            }
            ada.age = 3
            try context.save()
            try expectEqual(try stack.context().named("Ada", Person.self).age, 3)
        }
        ConformanceCase("A conflict over a constraint has the object in the store, and the one that was to be saved", in: .conflicts) {
            environment in
            let stack = try environment.stack(accounts)
            let context = stack.context()
            let old = try account(context, "old", "x")
            try context.save()
            let other = stack.context()
            let new = try account(other, "new", "x")
            let error = try expectThrows(SaveConflictError.self) { try other.save() }
            let conflict = try unwrap(error.constraintConflicts.first)
            try expectEqual(error.constraintConflicts.count, 1)
            try expectEqual(conflict.constraint, ["mail"])
            try expectEqual(conflict.constraintValues, ["mail": .string("x")])
            try expectEqual(conflict.databaseObjectID, old.objectID)
            try expectEqual(conflict.databaseSnapshot?["name"], .string("old"))
            try expectEqual(conflict.conflictingObjectIDs, [new.objectID])
            try expectEqual(conflict.conflictingSnapshots.map { $0["name"] }, [.string("new")])
            try expect(!conflict.isWithinContext, "the store has one")
        }
        ConformanceCase("A conflict over a constraint among unsaved objects names them all, and none in the store", in: .conflicts) {
            environment in
            let stack = try environment.stack(accounts)
            let context = stack.context()
            let twins = [try account(context, "a", "x"), try account(context, "b", "x")]
            let error = try expectThrows(SaveConflictError.self) { try context.save() }
            let conflict = try unwrap(error.constraintConflicts.first)
            try expect(conflict.isWithinContext && conflict.databaseObjectID == nil && conflict.databaseSnapshot == nil, "\(conflict)")
            try expectEqual(Set(conflict.conflictingObjectIDs), Set(twins.map(\.objectID)))
            try expectEqual(Set(conflict.conflictingSnapshots.compactMap { $0["name"] }), [.string("a"), .string("b")])
        }
        ConformanceCase("A conflict over a constraint among changed objects names them all", in: .conflicts) { environment in
            let stack = try environment.stack(accounts)
            let context = stack.context()
            let (a, b) = (try account(context, "a", "1"), try account(context, "b", "2"))
            try context.save()
            for object in [a, b] { try object.setValue("x", forKey: "mail") }
            let error = try expectThrows(SaveConflictError.self) { try context.save() }
            let conflict = try unwrap(error.constraintConflicts.first)
            try expect(conflict.isWithinContext, "\(conflict)")
            try expectEqual(Set(conflict.conflictingObjectIDs), [a.objectID, b.objectID])
        }
    }
}
