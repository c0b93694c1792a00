/// The results of a controller that have one section name.
///
/// It tells of the moment it was asked for: later changes are in other ones.
public protocol NSFetchedResultsSectionInfo: AnyObject {
    /// What the objects have in common; empty where there is no path of section names.
    var name: String { get }
    /// What an index shows for the section; see ``NSFetchedResultsController/sectionIndexTitle(forSectionName:)``.
    var indexTitle: String? { get }
    /// The number of objects.
    var numberOfObjects: Int { get }
    /// The objects, in their order.
    var objects: [Any]? { get }
}

/// A section as a controller tells of it.
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
