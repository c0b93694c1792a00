/// What stands for one fetched results controller: the one that was made with a class of results, and the one that delegates are given.
public protocol FetchedResultsIdentity: AnyObject {
    /// The same object for all that stand for one controller.
    var identity: AnyObject { get }
}

extension NSFetchedResultsController: FetchedResultsIdentity {
    public final var identity: AnyObject { state }
}

/// Whether two objects stand for the same controller.
public func === (a: (any FetchedResultsIdentity)?, b: (any FetchedResultsIdentity)?) -> Bool { a?.identity === b?.identity as AnyObject? }

/// Whether two objects stand for different controllers.
public func !== (a: (any FetchedResultsIdentity)?, b: (any FetchedResultsIdentity)?) -> Bool { !(a === b) }

/// The controller that a program made, of whatever class of results: its overrides hold for all that stand for it.
protocol FetchedResultsSource: AnyObject {
    /// The controller as delegates are given it.
    var erased: NSFetchedResultsController<any NSFetchRequestResult> { get }
    /// Has the controller fetch what another request says.
    func ask<Other>(_ request: NSFetchRequest<Other>)
    func performFetch() throws
    func sectionIndexTitle(forSectionName sectionName: String) -> String?
    var sectionIndexTitles: [String] { get }
    func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int
}
