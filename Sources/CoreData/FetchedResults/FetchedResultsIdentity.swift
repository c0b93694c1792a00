/// The identity of a fetched results controller, shared by the program's object and the one of delegates.
public protocol FetchedResultsIdentity: AnyObject {
    /// The same object for both forms of one controller.
    var identity: AnyObject { get }
}

extension NSFetchedResultsController: FetchedResultsIdentity {
    public final var identity: AnyObject { state }
}

/// Returns whether two objects are forms of the same controller.
public func === (a: (any FetchedResultsIdentity)?, b: (any FetchedResultsIdentity)?) -> Bool { a?.identity === b?.identity as AnyObject? }

/// Returns whether two objects are forms of different controllers.
public func !== (a: (any FetchedResultsIdentity)?, b: (any FetchedResultsIdentity)?) -> Bool { !(a === b) }

/// The controller that a program made, of any class of results: its overrides hold for both forms.
protocol FetchedResultsSource: AnyObject {
    /// The controller as delegates get it.
    var erased: NSFetchedResultsController<any NSFetchRequestResult> { get }
    /// Makes the controller fetch another request.
    func adopt<Other>(_ request: NSFetchRequest<Other>)
    func performFetch() throws
    func sectionIndexTitle(forSectionName sectionName: String) -> String?
    var sectionIndexTitles: [String] { get }
    func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int
}
