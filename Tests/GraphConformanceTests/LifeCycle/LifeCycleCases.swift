import Strata

@testable import StrataConformance

/// What objects hear of their own life.
enum LifeCycleCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("An object is notified of its insertion, its saves and its deletion", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let witness = Witness(context: context)
            try expectEqual(witness[Witness.name], "unnamed")
            try context.save()
            witness[Witness.name] = "x"
            try context.save()
            try context.save()
            context.delete(witness)
            try context.save()
            try expectEqual(witness.heard, ["insert", "willSave", "didSave", "willSave", "didSave", "deletion", "willSave", "didSave"])
        }
        ConformanceCase("An object notified of its deletion's save is deleted, with the values it had", in: .lifeCycle) { environment in
            // Only objects that stayed were notified of the save: a resource of a deleted one, such as a file, could
            // not be removed.
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let (witness, other, forgotten) = (Witness(context: context), Witness(context: context), Witness(context: context))
            witness[Witness.name] = "file"
            context.delete(forgotten)
            try context.save()
            var heard: [String] = []
            for object in [witness, other] {
                object.onDidSave = { heard.append("\($0[Witness.name] ?? "nil") \($0.isDeleted) \($0.managedObjectContext != nil)") }
            }
            other[Witness.name] = "other"
            context.delete(witness)
            try context.save()
            try expectEqual(heard, ["other false true", "file true true"])
            try expect(witness.managedObjectContext == nil && !context.hasChanges, "the deleted object is left in the context")
            try expectEqual(forgotten.heard, ["insert", "deletion"])
        }
        // They had left the context, and their values with it: the event did not have the values of deleted objects.
        ConformanceCase("The event of a save has the deleted objects with the values they had", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.company)
            for isChild in [false, true] {
                let parent = stack.context()
                let context = isChild ? ManagedObjectContext(parent: parent) : parent
                let acme = Company(context: context)
                let (ann, bob) = (Person("Ann", context, age: 3, company: acme), Person("Bob", context, company: acme))
                try context.save()
                var seen: [String] = []
                let subscription = context.observeEvents { event in
                    guard event.kind == .didSave else { return }
                    for case let person as Person in event.deleted {
                        seen.append("\(person.name ?? "nil") \(person.age ?? -1) \(person.isDeleted) \(context.hasChanges)")
                        seen.append(acme.people.map { $0.name ?? "nil" }.joined())
                    }
                }
                context.delete(ann)
                try context.save()
                try expectEqual(seen, ["Ann 3 true false", "Bob"])
                try expect(ann.managedObjectContext == nil && ann.name == nil && !ann.isDeleted, "the deleted object is left")
                try expect(!context.registeredObjects.contains(ann) && !context.hasChanges, "the deleted object is registered")
                context.delete(bob)
                try context.save()
                try expectEqual(seen.suffix(2), ["Bob -1 true false", ""])
                withExtendedLifetime(subscription) {}
            }
        }
        // Each prepared the other for its deletion, without end.
        ConformanceCase("Objects that delete each other as they are deleted go once", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let (first, second) = (Witness(context: context), Witness(context: context))
            try context.save()
            first.onDeletion = { _ in context.delete(second) }
            second.onDeletion = { _ in context.delete(first) }
            context.delete(first)
            try expectEqual(context.deletedObjects, [first, second])
            try context.save()
            try expectEqual(try stack.context().all("Witness").count, 0)
            for witness in [first, second] { try expectEqual(witness.heard.filter { $0 == "deletion" }.count, 1) }
        }
        ConformanceCase("An object is notified of its values, once per fault", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            _ = Witness(context: context)
            try context.save()
            let other = stack.context()
            let witness = try unwrap(other.fetch(ObjectFetchRequest<Witness>()).first)
            try expectEqual(witness.heard, [])
            _ = witness[Witness.name]
            _ = witness[Witness.saves]
            try expectEqual(witness.heard, ["fetch"])
            other.refresh(witness, mergeChanges: false)
            _ = witness[Witness.name]
            try expectEqual(witness.heard, ["fetch", "willTurnIntoFault", "didTurnIntoFault", "fetch"])
        }
        ConformanceCase("Changes that an object makes before its save are saved too", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let witness = Witness(context: context)
            witness.onWillSave = { witness in if witness[Witness.saves] == 0 { witness[Witness.saves] = 1 } }
            try context.save()
            try expect(!context.hasChanges, "the change is still pending")
            try expectEqual(witness.heard, ["insert", "willSave", "willSave", "didSave"])
            try expectEqual(try unwrap(stack.reopened().context().fetch(ObjectFetchRequest<Witness>()).first)[Witness.saves], 1)
        }
        ConformanceCase("Objects that an object makes before its save are saved too", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let witness = Witness(context: context)
            var made = false
            witness.onWillSave = { witness in
                guard !made, let context = witness.managedObjectContext else { return }
                made = true
                Witness(context: context)[Witness.name] = "made"
            }
            try context.save()
            try expectEqual(try stack.context().names(of: Witness.self), ["made", "unnamed"])
        }
        ConformanceCase("A save that fails is not heard of as done", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let witness = Witness(context: context)
            witness.complaint = Witness.Complaint()
            try expectThrows(ValidationError.self) { try context.save() }
            try expectEqual(witness.heard, ["insert", "willSave"])
        }
    }
}
