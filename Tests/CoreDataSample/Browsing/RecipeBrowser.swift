import CoreData
import Foundation

/// The list of recipes, in sections, as a table shows it: it follows the changes of its context.
final class RecipeBrowser: NSObject, NSFetchedResultsControllerDelegate {
    /// By what the list is divided.
    enum Grouping {
        case course
        case initial
        case none
    }

    /// What a table is told.
    enum Change: Equatable {
        case insertSection(Int)
        case deleteSection(Int)
        case insert(IndexPath)
        case delete(IndexPath)
        case update(IndexPath)
        case move(IndexPath, IndexPath)
    }

    let controller: NSFetchedResultsController<Recipe>
    /// The changes of the last round.
    private(set) var changes: [Change] = []
    private(set) var rounds = 0
    private(set) var isChanging = false

    init(_ context: NSManagedObjectContext, grouping: Grouping, predicate: NSPredicate? = nil, cacheName: String? = nil) {
        let request: NSFetchRequest<Recipe> = Recipe.fetchRequest()
        request.predicate = predicate
        request.fetchBatchSize = 20
        let byName = NSSortDescriptor(keyPath: \Recipe.name, ascending: true)
        switch grouping {
        case .course: request.sortDescriptors = [NSSortDescriptor(key: "course.name", ascending: true), byName]
        case .initial, .none: request.sortDescriptors = [byName]
        }
        let section: String? =
            switch grouping {
            case .course: "course.name"
            case .initial: "initial"
            case .none: nil
            }
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section, cacheName: cacheName)
        super.init()
        controller.delegate = self
    }

    func performFetch() throws {
        try controller.performFetch()
    }

    // MARK: - What a table asks

    var numberOfSections: Int { controller.sections?.count ?? 0 }

    func numberOfRows(in section: Int) -> Int { controller.sections?[section].numberOfObjects ?? 0 }

    func title(of section: Int) -> String? { controller.sections?[section].name }

    func recipe(at indexPath: IndexPath) -> Recipe { controller.object(at: indexPath) }

    /// The list as lines of text.
    var outline: [String] {
        (0..<numberOfSections).flatMap { section in
            ["# \(title(of: section) ?? "")"]
                + (0..<numberOfRows(in: section)).map { recipe(at: IndexPath(indexes: [section, $0])).name ?? "" }
        }
    }

    // MARK: - NSFetchedResultsControllerDelegate

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        isChanging = true
        changes = []
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange sectionInfo: NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .insert: changes.append(.insertSection(sectionIndex))
        case .delete: changes.append(.deleteSection(sectionIndex))
        default: break
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert: changes.append(.insert(newIndexPath!))
        case .delete: changes.append(.delete(indexPath!))
        case .update: changes.append(.update(indexPath!))
        case .move: changes.append(.move(indexPath!, newIndexPath!))
        @unknown default: break
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        isChanging = false
        rounds += 1
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        String(sectionName.prefix(1))
    }
}
