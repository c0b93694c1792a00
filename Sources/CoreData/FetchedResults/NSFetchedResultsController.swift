import StrataModel

/// The results of a fetch, in sections, kept up to date with their context; reports changes by index path.
///
/// It follows its context: pending changes, undo, child contexts and merged changes. Results other than managed
/// objects, such as dictionaries, are not updated; nor are any results after a reset of the context, until the next
/// ``performFetch()``. It belongs to the queue of its context.
///
/// Each fetch computes the sections, and no file caches them: a cache's name has no effect, and the request may be
/// changed at any time, for the next ``performFetch()``.
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
    final let state: FetchedResultsState
    private final let request: NSFetchRequest<ResultType>
    /// The form of this controller that delegates get.
    private final var erasedForm: NSFetchedResultsController<any NSFetchRequestResult>?
    private final var typed: (version: Int, objects: [ResultType])?

    /// Creates a controller; ``performFetch()`` fetches the results.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request. It sorts by section first: objects of one section have to follow each other.
    ///   - context: The context of the results.
    ///   - sectionNameKeyPath: The path of the value that determines the section, through relationships, or any other
    ///     key of `value(forKey:)`; with `nil` all results are in one section.
    ///   - name: The name of a cache, which has no effect here.
    /// - Precondition: The request has sort descriptors; an empty list of them leaves the order to the store.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext, sectionNameKeyPath: String?,
        cacheName name: String?
    ) {
        guard fetchRequest.sortDescriptors != nil else {
            programmerError("An instance of NSFetchedResultsController requires a fetch request with sort descriptors")
        }
        request = fetchRequest
        state = FetchedResultsState(context, sectionNameKeyPath, cacheName: name)
        super.init()
        state.original = self
    }

    fileprivate init(erasing request: NSFetchRequest<ResultType>, _ state: FetchedResultsState) {
        (self.request, self.state) = (request, state)
        super.init()
        if let erasedForm = (self as AnyObject) as? NSFetchedResultsController<any NSFetchRequestResult> { state.erasedForm = erasedForm }
    }

    /// The controller that the program made, if this one is its form for delegates.
    private var original: (any FetchedResultsSource)? {
        guard let original = state.original, original !== self as AnyObject else { return nil }
        return original
    }

    // MARK: - What was given

    /// The fetch request.
    open var fetchRequest: NSFetchRequest<ResultType> { request }
    /// The context of the results.
    open var managedObjectContext: NSManagedObjectContext { state.context }
    /// The path of the value by which the results are put into sections.
    open var sectionNameKeyPath: String? { state.sectionNameKeyPath }
    /// The name of the cache that was given.
    open var cacheName: String? { state.cacheName }
    /// Receives the changes; a weak reference.
    open var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { state.delegate }
        set { state.delegate = newValue }
    }

    /// Has no effect: there are no caches.
    open class func deleteCache(withName name: String?) {}

    // MARK: - Results

    /// Fetches the results, and tracks them from now on; the delegate gets later changes only.
    ///
    /// - Throws: An `NSError` of the fetch, or of sections with gaps. The results are unchanged then.
    open func performFetch() throws {
        if let original {
            original.adopt(request)
            return try original.performFetch()
        }
        try state.performFetch(request)
        if let erasedForm, erasedForm !== self as AnyObject { request.takeAll(erasedForm.request) }
    }

    /// The results, in their order; `nil` before the first ``performFetch()``.
    open var fetchedObjects: [ResultType]? {
        guard let objects = state.objects else { return nil }
        if let typed, typed.version == state.version { return typed.objects }
        var checked: AnyClass?
        for object in objects where type(of: object) != checked {
            checkClass(object)
            checked = type(of: object)
        }
        // Right: each object was checked to be a result, and arrays of references to objects have one layout.
        let results = unsafe unsafeBitCast(objects, to: [ResultType].self)
        typed = (state.version, results)
        return results
    }

    @discardableResult
    private func checkClass(_ object: AnyObject) -> ResultType {
        guard let result = object as? ResultType else {
            programmerError("a fetched results controller for \(ResultType.self) found an object of \(type(of: object))")
        }
        return result
    }

    /// Returns the result at an index path, `[section, item]`.
    ///
    /// - Precondition: There is a result at the index path.
    open func object(at indexPath: IndexPath) -> ResultType {
        let sections = state.sections ?? []
        guard sections.indices.contains(indexPath.section) else { programmerError("no section at index \(indexPath.section)") }
        let results = sections[indexPath.section].results
        guard indexPath.item >= 0, indexPath.item < results.count else {
            programmerError("no object at index \(indexPath.item) in section at index \(indexPath.section)")
        }
        return checkClass(results[results.startIndex + indexPath.item])
    }

    /// Returns the index path of a result, `[section, item]`; `nil` for other objects.
    open func indexPath(forObject object: ResultType) -> IndexPath? { state.indexPath(of: object) }

    // MARK: - Sections

    /// The sections, in their order; `nil` before the first ``performFetch()``.
    ///
    /// There is one where there is no path of section names.
    open var sections: [any NSFetchedResultsSectionInfo]? { state.sections }

    /// Returns the index title of a section: the delegate's, by default the first letter of the name in upper case.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        if let original { return original.sectionIndexTitle(forSectionName: sectionName) }
        guard let delegate = state.delegate else { return FetchedResultsState.firstLetter(of: sectionName) }
        return delegate.controller(erased, sectionIndexTitleForSectionName: sectionName)
    }

    /// The index titles of the sections that have one, in the order of the sections; several sections may have the same.
    open var sectionIndexTitles: [String] {
        if let original { return original.sectionIndexTitles }
        return titledSections.map(\.title)
    }

    private var titledSections: [(title: String, section: Int)] {
        (state.sections ?? []).enumerated().compactMap { index, section in
            sectionIndexTitle(forSectionName: section.name).map { ($0, index) }
        }
    }

    /// Returns the index of the section of an index title.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - sectionIndex: The index of the title in ``sectionIndexTitles``.
    /// - Precondition: The title is in ``sectionIndexTitles`` at the index.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        if let original { return original.section(forSectionIndexTitle: title, at: sectionIndex) }
        let titled = titledSections
        guard titled.indices.contains(sectionIndex), titled[sectionIndex].title == title else {
            programmerError("Index title at \(sectionIndex) is not equal to '\(title)'")
        }
        return titled[sectionIndex].section
    }

    // MARK: - Comparing

    /// Returns whether another object is a form of the same controller.
    open override func isEqual(_ object: Any?) -> Bool { (object as? any FetchedResultsIdentity)?.identity === state }
    open override var hash: Int { ObjectIdentifier(state).hashValue }
}

extension NSFetchedResultsController: FetchedResultsSource {
    var erased: NSFetchedResultsController<any NSFetchRequestResult> {
        if let erasedForm { return erasedForm }
        if let same = (self as AnyObject) as? NSFetchedResultsController<any NSFetchRequestResult> { return same }
        let request = NSFetchRequest<any NSFetchRequestResult>()
        self.request.takeAll(request)
        let made = NSFetchedResultsController<any NSFetchRequestResult>(erasing: request, state)
        erasedForm = made
        return made
    }

    func adopt<Other>(_ request: NSFetchRequest<Other>) { request.takeAll(self.request) }
}
