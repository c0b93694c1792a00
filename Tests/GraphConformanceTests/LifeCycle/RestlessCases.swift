import Strata

@testable import StrataConformance

/// Objects that change themselves, or make others, at each save.
enum RestlessCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        // Each save called the next one, until the stack was at its end.
        ConformanceCase("An object that saves its context in willSave is refused, and saved", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let witness = Witness(context: context)
            var refusals: [StoreError.Code] = []
            witness.onWillSave = { witness in
                do { try witness.managedObjectContext?.save() } catch { refusals += [(error as? StoreError)?.code].compactMap(\.self) }
            }
            try context.save()
            try expectEqual(refusals, [.unsupported])
            try expectEqual(try stack.context().names(of: Witness.self).count, 1)
        }
        // The save gave up silently after a thousand rounds, and stored what the last one had left.
        ConformanceCase("An object that changes at every willSave fails the save, which names it", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let (quiet, restless) = (Witness(context: context), Witness(context: context))
            try context.save()
            quiet[Witness.name] = "quiet"
            restless[Witness.name] = "restless"
            restless.onWillSave = { $0[Witness.saves] = ($0[Witness.saves] ?? 0) + 1 }
            let error = try expectThrows(UnstableSaveError.self) { try context.save() }
            try expectEqual(error.objectIDs, [restless.objectID])
            try expectEqual(error.entities, ["Witness"])
            try expectEqual(error.rounds, 1000)
            // What the first two calls did stays, as it does where validation fails.
            try expectEqual(restless[Witness.saves], 2)
            try expectEqual(restless[Witness.name], "restless")
            try expect(restless.isUpdated && quiet.isUpdated, "the changes are gone")
            try expectEqual(try stack.context().names(of: Witness.self), ["unnamed", "unnamed"])
            restless.onWillSave = nil
            try context.save()
            try expectEqual(try stack.reopened().context().names(of: Witness.self), ["quiet", "restless"])
        }
        ConformanceCase("Objects that make another one at every willSave fail the save, and leave", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            @Sendable func multiply(_ witness: Witness) {
                // Each calls this once: it is the new ones that never end.
                guard witness[Witness.saves] == 0, let context = witness.managedObjectContext else { return }
                witness[Witness.saves] = 1
                for _ in 0..<2 { Witness(context: context).onWillSave = multiply }
            }
            let first = Witness(context: context)
            first.onWillSave = multiply
            let error = try expectThrows(UnstableSaveError.self) { try context.save() }
            try expectEqual(error.entities, ["Witness"])
            try expectEqual(error.objectIDs.count, 10)
            try expect(context.insertedObjects.count <= 8, "\(context.insertedObjects.count) objects are left")
            try expect(first.isInserted, "the first one is gone")
            for witness in context.insertedObjects { (witness as? Witness)?.onWillSave = nil }
            let count = context.insertedObjects.count
            try context.save()
            try expectEqual(try stack.reopened().context().all("Witness").count, count)
        }
        ConformanceCase("A chain of objects that each make the next one before a save is saved", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            @Sendable func extend(_ witness: Witness) {
                guard let number = witness[Witness.saves], number < 200, witness[Witness.name] == "unnamed",
                    let context = witness.managedObjectContext
                else { return }
                witness[Witness.name] = "link"
                let next = Witness(context: context)
                next[Witness.saves] = number + 1
                next.onWillSave = extend
            }
            Witness(context: context).onWillSave = extend
            try context.save()
            try expectEqual(try stack.reopened().context().all("Witness").count, 201)
        }
        ConformanceCase("A child whose objects never rest saves nothing to its parent", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let parent = stack.context()
            let child = stack.child(of: parent)
            let witness = Witness(context: child)
            witness.onWillSave = { $0[Witness.saves] = ($0[Witness.saves] ?? 0) + 1 }
            try expectThrows(UnstableSaveError.self) { try child.save() }
            try expect(!parent.hasChanges && child.hasChanges, "the parent has it")
        }
        ConformanceCase("A primitive value set before a save is saved without another call", in: .lifeCycle) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let witness = Witness(context: context)
            var calls = 0
            witness.onWillSave = { witness in
                calls += 1
                try? witness.setPrimitiveValue(calls, forKey: "saves")
            }
            try context.save()
            try expectEqual(calls, 1)
            witness[Witness.name] = "x"
            try context.save()
            try expectEqual(calls, 2)
            try expectEqual(try unwrap(stack.reopened().context().fetch(ObjectFetchRequest<Witness>()).first)[Witness.saves], 2)
        }
    }
}
