import Foundation
import StrataGraph
import StrataModel

/// The graph's controller of managed objects, with sections named as key-value coding names them.
final class FetchedResultsTracker {
    private let controller: FetchedResultsController<ManagedObject>
    private let entityName: String?
    /// How values at the end of the path are written; `nil` where the graph's way is the right one.
    private let rename: ((String) -> String)?

    init(
        _ request: ObjectFetchRequest<ManagedObject>, _ graph: ManagedObjectContext, _ path: String?,
        _ hear: @escaping (FetchedResultsChanges<ManagedObject>) -> Void
    ) {
        entityName = request.entityName
        let attribute = path.flatMap { path in
            request.entityName.flatMap { graph.model.entity(named: $0) }?.savedAttribute(at: path, in: graph.model)
        }
        if let path, attribute == nil {
            // Whatever else the class answers for; the graph cannot know what that depends on.
            controller = FetchedResultsController(request, context: graph, sectionName: { SectionName.of($0, path) })
        } else {
            controller = FetchedResultsController(request, context: graph, sectionNameKeyPath: path)
        }
        rename = SectionName.renaming(attribute?.type)
        controller.onChange = hear
    }

    /// Whether the tracker is one for a request's entity.
    func follows(_ request: ObjectFetchRequest<ManagedObject>, _ graph: ManagedObjectContext) -> Bool {
        controller.context === graph && request.entityName == entityName
    }

    func performFetch(_ request: ObjectFetchRequest<ManagedObject>) throws {
        let before = controller.fetchRequest
        controller.fetchRequest = request
        do { try controller.performFetch() } catch {
            controller.fetchRequest = before
            throw error
        }
    }

    var objects: [ManagedObject] { controller.fetchedObjects ?? [] }

    /// The names of the sections, and how many objects are in each.
    var sections: [(name: String, count: Int)] {
        (controller.sections ?? []).map { (rename?($0.name) ?? $0.name, $0.numberOfObjects) }
    }

    func indexPath(of object: ManagedObject) -> IndexPath? { controller.indexPath(forObject: object).map { IndexPath($0) } }
}

extension IndexPath {
    init(_ place: ResultIndexPath) { self.init(item: place.item, section: place.section) }
}

extension EntityDescription {
    /// The attribute that stores keep at the end of a path through to-one relationships; `nil` for any other path.
    fileprivate func savedAttribute(at path: String, in model: ManagedObjectModel) -> AttributeDescription? {
        var entity = self
        var steps = path.split(separator: ".", omittingEmptySubsequences: false)[...]
        while let step = steps.first, let relationship = entity.relationship(named: String(step)), !relationship.isToMany {
            entity = model.destination(of: relationship)
            steps = steps.dropFirst()
        }
        let attribute = entity.attribute(named: steps.joined(separator: "."))
        return attribute?.isTransient == false ? attribute : nil
    }
}
