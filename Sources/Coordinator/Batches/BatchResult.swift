public import StrataModel

/// What a batch request answers; raw values are Core Data's.
public enum BatchResultType: Int, Sendable, Hashable {
    /// Nothing but that it was done.
    case statusOnly = 0
    /// The IDs of the objects.
    case objectIDs = 1
    /// The number of objects.
    case count = 2
}

/// What a batch request did.
public struct BatchResult: Sendable {
    /// What was asked for.
    public let resultType: BatchResultType
    /// The number of objects that the request inserted, updated or deleted, without those that delete rules reached.
    public let count: Int
    /// The IDs of these objects, where they were asked for: inserted ones in the order of the source, others in that of the fetch.
    public let objectIDs: [ObjectID]
    /// All changes, those of delete rules too, to merge into contexts; empty unless IDs were asked for.
    public let changes: RemoteChanges

    /// Creates a result, as a coordinator of one's own answers it.
    public init(_ resultType: BatchResultType, count: Int, objectIDs: [ObjectID] = [], changes: RemoteChanges = RemoteChanges()) {
        self.resultType = resultType
        self.count = count
        self.objectIDs = objectIDs
        self.changes = changes
    }
}

/// A batch insert that refused objects, because others have the values that a constraint keeps unique.
///
/// All others were inserted.
public struct BatchInsertError: Error, Sendable, CustomStringConvertible {
    /// An object that was refused.
    public struct Collision: Sendable {
        /// The index of the object in the source, from 0.
        public let index: Int
        /// The names of the attributes that the constraint is over.
        public let constraint: [String]
        /// The values of the object, by name of attribute.
        public let values: [String: Value]
        /// The object that has the same values.
        public let existing: ObjectID
    }

    /// The objects that the request inserted.
    public let inserted: [ObjectID]
    /// The objects that it refused, at least one.
    public let collisions: [Collision]

    /// Creates an error about objects that collided, while those that are named were inserted.
    public init(inserted: [ObjectID], collisions: [Collision]) {
        self.inserted = inserted
        self.collisions = collisions
    }

    /// 133021, Core Data's number of a broken constraint.
    public var cocoaCode: Int { 133021 }

    public var description: String {
        let first = collisions.prefix(3).map {
            "object \($0.index) has the same \($0.constraint.joined(separator: ", ")) as \($0.existing)"
        }
        let rest = collisions.count > 3 ? " and \(collisions.count - 3) more" : ""
        return "\(collisions.count) objects were refused, \(inserted.count) inserted: \(first.joined(separator: "; "))\(rest)"
    }
}
