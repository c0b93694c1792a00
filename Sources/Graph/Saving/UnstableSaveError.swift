public import StrataModel

/// Objects changed themselves, or made others, at each call of ``ManagedObject/willSave()``; nothing was saved.
///
/// The changes of the first two calls stay, as after other failed saves; those of the others are reverted. Set a value
/// in `willSave()` only where it differs from the current one, or by
/// ``ManagedObjectMembers/setPrimitiveValue(_:forKey:)``, which does not cause another call.
public struct UnstableSaveError: Error, Sendable, CustomStringConvertible {
    /// The first few unstable objects; temporary IDs where they are new.
    ///
    /// A new object that such a call inserted is in no context any more.
    public let objectIDs: [ObjectID]
    /// The names of the entities of all unstable objects, in order.
    public let entities: [String]
    /// The number of calls.
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
