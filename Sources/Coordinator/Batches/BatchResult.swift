public import StrataModel

/// The kind of a batch request's result; raw values are Core Data's.
public enum BatchResultType: Int, Sendable, Hashable {
    /// Only the success.
    case statusOnly = 0
    /// The IDs of the objects.
    case objectIDs = 1
    /// The number of objects.
    case count = 2
}

/// The result of a batch request.
public struct BatchResult: Sendable {
    /// The requested kind.
    public let resultType: BatchResultType
    /// The number of inserted, updated or deleted objects, without those that delete rules reached.
    public let count: Int
    /// The IDs of these objects, where requested: inserted ones in the order of the source, others in that of the
    /// fetch.
    public let objectIDs: [ObjectID]
    /// All changes, including those of delete rules, to merge into contexts; empty unless IDs were requested.
    public let changes: RemoteChanges

    /// Creates a result, for a custom coordinator.
    public init(_ resultType: BatchResultType, count: Int, objectIDs: [ObjectID] = [], changes: RemoteChanges = RemoteChanges()) {
        self.resultType = resultType
        self.count = count
        self.objectIDs = objectIDs
        self.changes = changes
    }
}

/// The error of a batch insert with refused objects, whose unique values other objects have.
///
/// All others were inserted, unless the request ``BatchInsertRequest/isAllOrNothing``.
public struct BatchInsertError: Error, Sendable, CustomStringConvertible {
    /// An object that was refused.
    public struct Collision: Sendable {
        /// The index of the object in the source, from 0.
        public let index: Int
        /// The names of the constraint's attributes.
        public let constraint: [String]
        /// The values of the object, by name of attribute.
        public let values: [String: Value]
        /// The object with the same values.
        public let existing: ObjectID
    }

    /// The inserted objects.
    public let inserted: [ObjectID]
    /// The refused objects, at least one.
    public let collisions: [Collision]

    /// Creates an error of refused objects, with the inserted ones.
    public init(inserted: [ObjectID], collisions: [Collision]) {
        self.inserted = inserted
        self.collisions = collisions
    }

    /// 133021, Core Data's code of a broken constraint.
    public var cocoaCode: Int { 133021 }

    public var description: String {
        let first = collisions.prefix(3).map {
            "object \($0.index) has the same \($0.constraint.joined(separator: ", ")) as \($0.existing)"
        }
        let rest = collisions.count > 3 ? " and \(collisions.count - 3) more" : ""
        return "\(collisions.count) objects were refused, \(inserted.count) inserted: \(first.joined(separator: "; "))\(rest)"
    }
}
