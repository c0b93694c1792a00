import Foundation
import StrataGraph
import StrataModel

/// The graph's controller of managed objects, with sections named as in key-value coding.
final class FetchedResultsTracker {
    private let controller: FetchedResultsController<ManagedObject>
    private let entityName: String?
    /// Converts the graph's section names; `nil` where they are right.
    private let rename: ((String) -> String)?

    init(
        _ request: ObjectFetchRequest<ManagedObject>, _ graph: ManagedObjectContext, _ path: String?,
        _ onChange: @escaping (FetchedResultsChanges<ManagedObject>) -> Void
    ) {
        entityName = request.entityName
        let attribute = path.flatMap { path in
            request.entityName.flatMap { graph.model.entity(named: $0) }?.savedAttribute(at: path, in: graph.model)
        }
        if let path, attribute == nil {
            // A key of the class; the graph cannot know what its value depends on.
            controller = FetchedResultsController(request, context: graph, sectionName: { SectionName.of($0, path) })
        } else {
            controller = FetchedResultsController(request, context: graph, sectionNameKeyPath: path)
        }
        rename = SectionName.renaming(attribute?.type)
        controller.onChange = onChange
    }

    /// Returns whether the tracker is for a request's entity.
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

    /// The names of the sections, and their numbers of objects.
    var sections: [(name: String, count: Int)] {
        (controller.sections ?? []).map { (rename?($0.name) ?? $0.name, $0.numberOfObjects) }
    }

    func indexPath(of object: ManagedObject) -> IndexPath? { controller.indexPath(forObject: object).map { IndexPath($0) } }
}

extension IndexPath {
    init(_ path: ResultIndexPath) { self.init(item: path.item, section: path.section) }
}

extension EntityDescription {
    /// Returns the persistent attribute at the end of a path of to-one relationships; `nil` for any other path.
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
