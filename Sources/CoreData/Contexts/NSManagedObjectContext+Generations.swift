import StrataCoordinator
import StrataGraph

extension NSManagedObjectContext {
    /// The state of the stores that the context reads, of a child that of its parent; none where it reads what they hold.
    public final var queryGenerationToken: NSQueryGenerationToken? {
        madeGraph?.queryGenerationToken.map { $0 == .current ? .current : NSQueryGenerationToken($0) }
    }

    /// Pins the context to a state of its stores, of whatever type they are: `current` for what they hold at the next read, the token of another
    /// context for what that one sees, `nil` for none.
    ///
    /// Saving, resetting, refreshing all objects and merging what others saved work upon what the stores hold by then, and pin the context anew.
    ///
    /// - Throws: An `NSError` with the code `NSPersistentStoreUnsupportedRequestTypeError` for a child, and for a token of another coordinator.
    public final func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try cocoa { try graph.setQueryGenerationFrom(generation?.token) }
        settings.isPinned = generation != nil
    }

    /// The state that notifications tell: of a context that is just about to be pinned anew the one that it reads next.
    final var pinnedGeneration: NSQueryGenerationToken? {
        queryGenerationToken ?? ((parent ?? self).settings.isPinned ? .current : nil)
    }
}
