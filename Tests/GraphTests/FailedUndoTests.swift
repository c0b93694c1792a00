import Strata
import StrataInMemory
import Testing

@Suite("An undo over reads that fail")
struct FailedUndoTests {
    @Test("It throws and leaves everything as it was, and succeeds when the store can be read again")
    func undo() throws {
        var failures = 0
        for first in 0..<12 {
            let coordinator = try Zoo.coordinator()
            let context = ManagedObjectContext(coordinator)
            let (ann, bob, eve) = (context.person("Ann"), context.person("Bob"), context.person("Eve"))
            let rex = Pet(context: context)
            rex[Pet.owner] = ann
            ann[Person.spouse] = bob
            try context.save()
            context.undoManager = UndoManager()
            rex[Pet.owner] = eve
            ann[Person.spouse] = eve
            ann[Person.age] = 9
            context.delete(bob)
            try context.save()
            context.refreshAllObjects()
            var thrown: (any Error)?
            let start = coordinator.seen.attempts
            coordinator.change { $0.failingAttempts = start + first..<start + first + 1 }
            do { try context.undo() } catch { thrown = error }
            coordinator.change { $0.failingAttempts = 0..<0 }
            if thrown != nil {
                failures += 1
                #expect(thrown is RecordingCoordinator.Failure)
                #expect(!context.hasChanges)
                #expect(context.undoManager?.undoCount == 1)
                #expect(rex[Pet.owner] === eve)
                #expect(ann[Person.spouse] === eve)
                #expect(ann[Person.age] == 9)
                try context.undo()
            }
            #expect(rex[Pet.owner] === ann)
            #expect(ann[Person.spouse] === bob)
            #expect(bob[Person.spouse] === ann)
            #expect(ann[Person.age] != 9)
            #expect(eve[Person.pets].isEmpty)
            #expect(eve[Person.spouse] == nil)
            try context.save()
        }
        #expect(failures > 0)
    }
}
