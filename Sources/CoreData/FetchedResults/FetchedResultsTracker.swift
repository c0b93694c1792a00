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

/// The names of sections, as key-value coding writes the values at the end of their path.
enum SectionName {
    static func of(_ object: ManagedObject, _ path: String) -> String {
        text((object as? NSManagedObject)?.value(forKeyPath: path))
    }

    /// Returns the name of the section of any result: a dictionary has the whole path as a key.
    static func of(_ result: AnyObject, _ path: String, in context: NSManagedObjectContext) -> String {
        switch result {
        case let dictionary as NSDictionary: text(dictionary.object(forKey: path))
        case let id as NSManagedObjectID: text(context.object(with: id).value(forKeyPath: path))
        default: ""
        }
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil, is NSNull: ""
        case let text as String: text
        case let number as NSNumber where number.isFloatingPoint: number.description.withoutFractionOfZero
        case let value?: "\(value)"
        }
    }

    /// Returns the conversion from the graph's names for values of a type to those of key-value coding's numbers.
    static func renaming(_ type: AttributeType?) -> ((String) -> String)? {
        switch type {
        case .boolean: { $0 == "true" ? "1" : $0 == "false" ? "0" : $0 }
        case .double, .float: { $0.withoutFractionOfZero }
        default: nil
        }
    }

    /// Returns the error of an object that is not adjacent to those of its section.
    static func outOfOrder(_ name: String, at index: Int) -> NSError {
        let reason =
            "The fetched object at index \(index) has an out of order section name '\(name)'. Objects must be sorted by section name"
        return NSError(domain: NSCocoaErrorDomain, code: NSCoreDataError, userInfo: ["reason": reason])
    }
}

extension String {
    /// The text of a number as Foundation writes it: a whole one without a fraction.
    fileprivate var withoutFractionOfZero: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}
