import StrataCoordinator
import StrataGraph

/// A query generation that contexts can be pinned to: that of another context, or the ``current`` one.
///
/// The generation is held as long as a token or a context references it. Two tokens of one generation are equal.
// Unchecked: all that it holds is a constant.
public final class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
    /// The state of the stores when a context first reads them.
    public static let current = NSQueryGenerationToken(.current)

    let token: QueryGenerationToken

    init(_ token: QueryGenerationToken) { self.token = token }

    /// Returns the token itself, as it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NSQueryGenerationToken)?.token == token }
    public override var hash: Int { token.hashValue }
    public override var description: String { "<NSQueryGenerationToken: \(token)>" }
}

extension NSManagedObjectContext {
    /// The query generation that the context reads from, that of the parent for a child; `nil` for the current data.
    public final var queryGenerationToken: NSQueryGenerationToken? {
        madeGraph?.queryGenerationToken.map { $0 == .current ? .current : NSQueryGenerationToken($0) }
    }

    /// Pins the context to a query generation of its stores, of any type: `current` for their state at the next read,
    /// the token of another context for the state that that one sees, `nil` for none.
    ///
    /// Saving, resetting, refreshing all objects and merging read the stores' current state, and pin it.
    ///
    /// - Throws: An `NSError` with the code `NSPersistentStoreUnsupportedRequestTypeError` for children, foreign
    ///   tokens.
    public final func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try cocoa { try graph.setQueryGenerationFrom(generation?.token) }
        readState.isPinned = generation != nil
    }

    /// The query generation for notifications: of a context that is about to be pinned anew the one that it reads next.
    final var pinnedGeneration: NSQueryGenerationToken? {
        queryGenerationToken ?? ((parent ?? self).readState.isPinned ? .current : nil)
    }
}
