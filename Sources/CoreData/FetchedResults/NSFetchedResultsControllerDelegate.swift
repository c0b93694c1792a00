/// Receives the changes of the results of a controller, on the context's queue, when an event of the context ends.
///
/// All methods are optional. They are called in this order: will change, each section, each object, did change. One
/// that takes differences is the only one called, where there are no sections. Apple's method with a snapshot is left
/// out: the type is one of UIKit and AppKit.
///
/// The controller that is passed is one of any results. If the program made it for a class, it is another object that
/// shares its state with the program's: `==` and `===` between the two are true, while `ObjectIdentifier` and casts
/// tell them apart.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
    /// Called for each object that was inserted, deleted, moved or updated; the controller has the new results already.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - anObject: The managed object.
    ///   - indexPath: Its index path before the change; `nil` for an inserted object.
    ///   - type: The kind of change; an object that moved may have other values, too.
    ///   - newIndexPath: Its index path after the change; `nil` for a deleted object.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Called for each deleted section, the last one first, and then for each inserted one, the first one first.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - sectionInfo: The section; a deleted one as it was.
    ///   - sectionIndex: Its index: before the change for a deleted section, after it for an inserted one.
    ///   - type: Insert or delete.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType)

    /// Called before the changes of an event are reported.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Called after the changes of an event were reported.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// Returns the index title of a section; the first letter of its name in upper case by default.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, sectionIndexTitleForSectionName sectionName: String
    ) -> String?

    /// Called with the difference of the results' IDs, instead of the other methods, for a controller without sections.
    ///
    /// Applying it to the old IDs gives the new ones: an object that was saved for the first time has another ID. An
    /// object that was updated without moving is not part of the difference.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
}

extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Returns the first letter of the name, as a capital.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, sectionIndexTitleForSectionName sectionName: String
    ) -> String? { FetchedResultsState.firstLetter(of: sectionName) }

    /// Has the controller call the other methods.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        // The default implementation: the delegate does not take differences.
        controller.state.delegateTakesDifferences = false
    }
}
