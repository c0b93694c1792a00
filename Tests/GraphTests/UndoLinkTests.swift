import Strata
import StrataTestModels
import Testing

@Suite("Relationships of objects that an undo inserts or deletes")
struct UndoLinkTests {
    private static let model = Result.declared {
        Entity("Squad") { Relationships(["members": .ordered("Member.squads"), "guests": .toMany("Member.host")]) }
        Entity("Member") {
            Relationships([
                "squads": .ordered("Squad.members"), "host": .toOne("Squad.guests"), "mate": .toOne("Member.mateOf"),
                "mateOf": .toOne("Member.mate"), "twin": .toOne("Member.twin"),
            ])
        }
    }

    private let context: ManagedObjectContext

    init() throws {
        let coordinator = try PersistentStoreCoordinator(inMemory: Self.model.get())
        context = ManagedObjectContext(coordinator)
        context.undoManager = UndoManager()
    }

    /// Members whose insertion was undone after a save stay as deleted objects, with what they lead to: a squad that left for good under the permanent ID
    /// that it had got, and came back with another one, was a ghost in what they led to when they came back, too.
    @Test("What comes back with another ID is led to by what was deleted meanwhile", arguments: [false, true])
    func otherID(givesPermanentIDs: Bool) throws {
        let squad = try context.insert("Squad")
        try context.processPendingChanges()
        let (member, guest) = (try context.insert("Member"), try context.insert("Member"))
        try squad.setValue([member], forKey: "members")
        try guest.setValue(squad, forKey: "host")
        try context.processPendingChanges()
        context.delete(squad)
        try context.save()
        #expect(squad.managedObjectContext == nil)
        try context.undo()
        if givesPermanentIDs { try context.obtainPermanentIDs(for: [squad]) }
        try context.undo()
        #expect(member.isDeleted)
        #expect(guest.isDeleted)
        try context.undo()
        #expect(squad.managedObjectContext == nil)
        #expect((try member.value(forKey: "squads") as? [ManagedObject])?.isEmpty == true)
        try context.redo()
        try context.redo()
        #expect(try member.value(forKey: "squads") as? [ManagedObject] == [squad])
        #expect(try squad.value(forKey: "members") as? [ManagedObject] == [member])
        #expect(try guest.value(forKey: "host") as? ManagedObject === squad)
        #expect(try squad.value(forKey: "guests") as? Set<ManagedObject> == [guest])
        try context.save()
        let other = ManagedObjectContext(context.coordinator)
        let stored = try #require(try other.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Squad")).first)
        #expect((try stored.value(forKey: "members") as? [ManagedObject])?.count == 1)
        #expect((try stored.value(forKey: "guests") as? Set<ManagedObject>)?.count == 1)
    }

    /// A child deleted an object, saved, took that back, and saved again: what the parent's object had led to was no part of the step, and lost by its
    /// undo.
    @Test("The undo of a child's revival leaves what the revived object led to before")
    func revival() throws {
        let (squad, member, other) = (try context.insert("Squad"), try context.insert("Member"), try context.insert("Member"))
        try squad.setValue([member, other], forKey: "members")
        try member.setValue(squad, forKey: "host")
        try member.setValue(member, forKey: "mate")
        try context.processPendingChanges()
        let child = ManagedObjectContext(parent: context)
        child.undoManager = UndoManager()
        child.delete(child.object(with: member.objectID))
        try child.save()
        #expect(member.isDeleted)
        try child.undo()
        try child.save()
        #expect(!member.isDeleted)
        // There, deleted, and there before that; and forth again.
        let undoManager = try #require(context.undoManager)
        for step in [{}, undoManager.undo, undoManager.undo, undoManager.redo, undoManager.redo, undoManager.undo, undoManager.undo] {
            try step()
            let isBack = !member.isDeleted
            #expect(isBack == (undoManager.redoCount != 1))
            #expect(try squad.value(forKey: "members") as? [ManagedObject] == (isBack ? [member, other] : [other]))
            #expect(try squad.value(forKey: "guests") as? Set<ManagedObject> == (isBack ? [member] : []))
            guard isBack else { continue }
            #expect(try member.value(forKey: "mate") as? ManagedObject === member)
            #expect(try member.value(forKey: "mateOf") as? ManagedObject === member)
            #expect(try member.value(forKey: "host") as? ManagedObject === squad)
        }
    }

    /// A deleted object keeps its own end of a link: one whose partner was revived without it lost that, and the undo of the revival did not give it
    /// back.
    @Test("The undo of the revival of one of two leaves both as they were deleted", arguments: [false, true])
    func revivalOfOne(deletesMemberFirst: Bool) throws {
        let (squad, member) = (try context.insert("Squad"), try context.insert("Member"))
        try squad.setValue([member], forKey: "members")
        try member.setValue(squad, forKey: "host")
        try context.processPendingChanges()
        let child = ManagedObjectContext(parent: context)
        child.undoManager = UndoManager()
        let objects = [squad, member].map { child.object(with: $0.objectID) }
        for object in deletesMemberFirst ? objects.reversed() : objects { child.delete(object) }
        try child.save()
        try child.undo()
        child.delete(objects[1])
        try child.save()
        #expect(!squad.isDeleted)
        #expect(member.isDeleted)
        for _ in 0..<2 {
            try context.undo()
            #expect(squad.isDeleted)
            #expect(member.isDeleted)
            try context.undo()
            #expect(try squad.value(forKey: "members") as? [ManagedObject] == [member])
            #expect(try member.value(forKey: "squads") as? [ManagedObject] == [squad])
            #expect(try member.value(forKey: "host") as? ManagedObject === squad)
            #expect(try squad.value(forKey: "guests") as? Set<ManagedObject> == [member])
            try context.redo()
            try context.redo()
            #expect(!squad.isDeleted)
            #expect(member.isDeleted)
            #expect((try squad.value(forKey: "members") as? [ManagedObject])?.isEmpty == true)
        }
    }

    /// A fault that had gained a member and lost it again was kept as changed: there was a step more, which took nothing back.
    @Test("What comes and goes within an event is no step, where what it was related to is a fault", arguments: ["host", "squads"])
    func comingAndGoing(key: String) throws {
        let squad = try context.insert("Squad")
        try context.save()
        let undoManager = try #require(context.undoManager)
        undoManager.removeAllActions()
        context.refresh(squad, mergeChanges: false)
        let member = try context.insert("Member")
        try member.setValue(key == "host" ? squad : [squad], forKey: key)
        context.delete(member)
        try context.processPendingChanges()
        #expect(undoManager.undoCount == 0)
    }

    /// Members that are read anew before the delete rules of one are followed forget it as a saved one, and the undo made it one that had never
    /// left, though no store had it there.
    @Test("A member that was deleted before it was saved there comes back to an owner that was read anew meanwhile")
    func ownerReadAnew() throws {
        let (squad, member) = (try context.insert("Squad"), try context.insert("Member"))
        try context.save()
        try member.setValue(squad, forKey: "host")
        try context.processPendingChanges()
        context.delete(member)
        context.refreshAllObjects()
        try context.undo()
        #expect(!member.isDeleted)
        #expect(try member.value(forKey: "host") as? ManagedObject === squad)
        #expect(try squad.value(forKey: "guests") as? Set<ManagedObject> == [member])
    }

    /// The redo set the deleted object's end as if it stayed, which took the partner from whom the step had given it to afterwards.
    @Test("A step that relates, deletes and relates again can be redone", arguments: [false, true])
    func relatedAgain(isSaved: Bool) throws {
        let (member, other) = (try context.insert("Member"), try context.insert("Member"))
        try context.save()
        context.undoManager = UndoManager()
        try context.undoManager?.group {
            try member.setValue(other, forKey: "twin")
            context.delete(other)
            try context.processPendingChanges()
            try member.setValue(member, forKey: "twin")
        }
        if isSaved { try context.save() }
        for _ in 1...2 {
            try context.undo()
            #expect(try member.value(forKey: "twin") == nil)
            #expect(try other.value(forKey: "twin") == nil)
            #expect(!other.isDeleted)
            try context.redo()
            #expect(try member.value(forKey: "twin") as? ManagedObject === member)
            #expect(other.isDeleted || other.managedObjectContext == nil)
        }
    }
}
