import CoreData
import Foundation

/// The favorites, best first, for a view that applies differences.
final class FavoritesList: NSObject, NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<Recipe>
    /// The IDs that the view shows; each difference is applied to them.
    private(set) var ids: [NSManagedObjectID] = []
    /// How many differences the view has applied.
    private(set) var differences = 0

    init(_ context: NSManagedObjectContext) {
        let request = Recipe.sortedFetchRequest
        request.predicate = NSPredicate(format: "isFavorite == YES")
        request.sortDescriptors = [
            NSSortDescriptor(keyPath: \Recipe.rating, ascending: false), NSSortDescriptor(keyPath: \Recipe.name, ascending: true),
        ]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
    }

    func performFetch() throws {
        try controller.performFetch()
        ids = controller.fetchedObjects?.map(\.objectID) ?? []
    }

    var names: [String] {
        ids.compactMap { (controller.managedObjectContext.object(with: $0) as? Recipe)?.name }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        if !diff.isEmpty { differences += 1 }
        ids = ids.applying(diff) ?? ids
    }
}
