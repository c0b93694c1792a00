public import StrataModel

/// Objects went on changing themselves, or making others, at each call of ``ManagedObject/willSave()``; nothing was saved.
///
/// What the first two calls changed is still there, as it is where a save fails for another reason; the changes of the others are reverted.
/// Set a value in `willSave()` only where it differs from the one that is there, or by ``ManagedObjectMembers/setPrimitiveValue(_:forKey:)``,
/// which is not called again for it.
public struct UnstableSaveError: Error, Sendable, CustomStringConvertible {
    /// The objects that never rested, the first few of them; temporary IDs where they are new.
    ///
    /// A new object that such a call inserted is in no context any more.
    public let objectIDs: [ObjectID]
    /// The names of the entities of all objects that never rested, in order.
    public let entities: [String]
    /// How often the objects were told.
    public let rounds: Int

    init(_ objects: [ManagedObject], rounds: Int) {
        objectIDs = objects.prefix(10).map(\.objectID)
        entities = Set(objects.map(\.entity.name)).sorted()
        self.rounds = rounds
    }

    /// `NSCoreDataError`, Core Data's code of what has no other.
    public var cocoaCode: Int { 134060 }

    public var description: String {
        let list = objectIDs.map { $0.isTemporary ? "a new \($0.entity.name)" : $0.description }.joined(separator: ", ")
        return "\(list): \(entities.joined(separator: ", ")) changes itself, or makes others, at each willSave(), \(rounds) times in a row"
    }
}
