import StrataCoordinator
import StrataGraph

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
        settings.isPinned = generation != nil
    }

    /// The query generation for notifications: of a context that is about to be pinned anew the one that it reads next.
    final var pinnedGeneration: NSQueryGenerationToken? {
        queryGenerationToken ?? ((parent ?? self).settings.isPinned ? .current : nil)
    }
}
