/// Receives the changes of the results of a ``FetchedResultsController``, on the context's thread.
///
/// The order of calls for each change: will change, each section, each object, did change, the snapshot, and the
/// changes as a whole. All methods are optional.
public protocol FetchedResultsControllerDelegate<Result>: AnyObject {
    /// The class of the results.
    associatedtype Result: ManagedObject

    /// Called before the changes of one event are delivered; the controller has the new results already.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Result>)
    /// Called for each section that came or went.
    func controller(_ controller: FetchedResultsController<Result>, didChange section: FetchedResultsChanges<Result>.SectionChange)
    /// Called for each object that came, went, moved or was changed, in this order.
    func controller(_ controller: FetchedResultsController<Result>, didChange object: FetchedResultsChanges<Result>.ObjectChange)
    /// Called after the changes of one event were delivered.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Result>)
    /// Called with the results as they are now, by ID.
    func controller(_ controller: FetchedResultsController<Result>, didChangeContentWith snapshot: FetchedResultsSnapshot)
    /// Called with all changes of one event.
    func controller(_ controller: FetchedResultsController<Result>, didChangeContentWith changes: FetchedResultsChanges<Result>)
    /// Called where the results could not be fetched anew; the controller keeps those that it has.
    func controller(_ controller: FetchedResultsController<Result>, didFailWith error: any Error)
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Result>) {}
    public func controller(
        _ controller: FetchedResultsController<Result>, didChange section: FetchedResultsChanges<Result>.SectionChange
    ) {}
    public func controller(_ controller: FetchedResultsController<Result>, didChange object: FetchedResultsChanges<Result>.ObjectChange) {}
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Result>) {}
    public func controller(_ controller: FetchedResultsController<Result>, didChangeContentWith snapshot: FetchedResultsSnapshot) {}
    public func controller(_ controller: FetchedResultsController<Result>, didChangeContentWith changes: FetchedResultsChanges<Result>) {}
    public func controller(_ controller: FetchedResultsController<Result>, didFailWith error: any Error) {}
}
