import Strata

@testable import StrataConformance

/// Steps in which a link is changed twice, while another context saves the first of these changes.
enum UndoLinkMergeCases {
    private static let links = [("Keeper", "patients"), ("Parade", "stars")]

    /// What a step does to a link after another context saved the change that the step began with.
    private enum Ending: CaseIterable { case deletesOwner, deletesMember, changesBack }

    /// Links dog `m` to owner `o`, or unlinks it.
    private static func link(_ isLinked: Bool, _ entity: String, _ key: String, _ context: ManagedObjectContext) throws {
        let owner = try context.one(entity, "o")
        try owner.relate(unwrap(owner.entity.relationship(named: key)), to: isLinked ? [context.one("Dog", "m")] : [])
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // The two changes cancelled each other out in the step, and its undo took back what the other context had
        // saved.
        ConformanceCase("Undo of a step that changes a link and changes it back keeps what another context saved in between", in: .undo) {
            environment in
            for (entity, key) in links {
                for isAdded in [true, false] {
                    for ending in Ending.allCases {
                        let label = "\(entity).\(key) \(isAdded) \(ending)"
                        let stack = try environment.stack(Models.zoo.get(), label)
                        let first = stack.context()
                        try first.add(entity, "o")
                        try first.add("Dog", "m")
                        try link(!isAdded, entity, key, first)
                        try first.save()
                        let (here, there) = (stack.context(), stack.context())
                        here.undoManager = UndoManager()
                        let (owner, member) = (try here.one(entity, "o"), try here.one("Dog", "m"))
                        try link(isAdded, entity, key, here)
                        try link(isAdded, entity, key, there)
                        here.mergeChanges(fromRemoteContextSave: try there.save().changes)
                        switch ending {
                        case .deletesOwner: here.delete(owner)
                        case .deletesMember: here.delete(member)
                        case .changesBack: try link(!isAdded, entity, key, here)
                        }
                        try here.processPendingChanges()
                        try here.undo()
                        try expect(!here.hasChanges, "\(label): there are changes")
                        let relationship = try unwrap(owner.entity.relationship(named: key))
                        try expectEqual(try owner.namesOfMembers(relationship), isAdded ? ["m"] : [], label)
                        try here.redo()
                        try here.undo()
                        try here.save()
                        let stored = try stack.context().one(entity, "o")
                        try expectEqual(try stored.namesOfMembers(relationship), isAdded ? ["m"] : [], label)
                    }
                }
            }
        }
    }
}
