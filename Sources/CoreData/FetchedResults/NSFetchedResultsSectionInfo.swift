/// The results of a controller that have one section name.
///
/// It is a snapshot: later changes are in other ones.
public protocol NSFetchedResultsSectionInfo: AnyObject {
    /// The common value of the objects; empty without a section name key path.
    var name: String { get }
    /// The index title; see ``NSFetchedResultsController/sectionIndexTitle(forSectionName:)``.
    var indexTitle: String? { get }
    /// The number of objects.
    var numberOfObjects: Int { get }
    /// The objects, in their order.
    var objects: [Any]? { get }
}

/// A snapshot of a section.
final class FetchedSection: NSFetchedResultsSectionInfo {
    let name: String
    let results: ArraySlice<AnyObject>
    private weak let state: FetchedResultsState?

    init(_ name: String, _ results: ArraySlice<AnyObject>, of state: FetchedResultsState) {
        (self.name, self.results, self.state) = (name, results, state)
    }

    var indexTitle: String? { state?.indexTitle(of: name) }
    var numberOfObjects: Int { results.count }
    var objects: [Any]? { Array(results) }
}
