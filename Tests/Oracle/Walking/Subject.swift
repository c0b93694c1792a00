import Strata
import StrataModel

/// The framework, as walks use it: contexts over a store, in which objects are known by their tags.
final class Subject {
    let schema: Schema
    private let model: ManagedObjectModel
    private let description: StoreDescription
    private let hasUndo: Bool
    private(set) var coordinator: FailingCoordinator
    private(set) var contexts: [ManagedObjectContext] = []
    private(set) var objects: [[Int: ManagedObject]] = []
    /// Those that were here once: contexts keep none alive that is not changed, and what was read is not to be read again.
    private var held: [[ObjectIdentifier: ManagedObject]] = []

    init(_ walk: Walk, _ description: StoreDescription) throws {
        schema = walk.schema
        hasUndo = walk.hasUndo
        model = try walk.schema.model()
        self.description = description
        let base = PersistentStoreCoordinator(model: model)
        try base.addStore(description)
        coordinator = FailingCoordinator(base)
        makeContexts(walk.hasStranger ? 3 : 2)
    }

    private func makeContexts(_ count: Int) {
        let parent = ManagedObjectContext(coordinator)
        contexts = [parent, ManagedObjectContext(parent: parent)]
        if count > 2 { contexts.append(ManagedObjectContext(coordinator)) }
        if hasUndo { for context in contexts { context.undoManager = UndoManager() } }
        objects = Array(repeating: [:], count: contexts.count)
        held = Array(repeating: [:], count: contexts.count)
    }

    /// Closes the store and opens it again.
    func reopen() throws {
        for store in coordinator.base.stores { try coordinator.base.remove(store) }
        let base = PersistentStoreCoordinator(model: model)
        try base.addStore(description)
        coordinator = FailingCoordinator(base)
        let policies = contexts.map(\.mergePolicy)
        makeContexts(contexts.count)
        for (context, policy) in zip(contexts, policies) { context.mergePolicy = policy }
    }

    /// A context that knows nothing yet.
    func freshContext() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

    // MARK: - Objects

    func object(_ at: Int, _ tag: Int) throws -> ManagedObject {
        guard let object = objects[at][tag] else { throw Mismatch("context \(at) has no object \(tag)") }
        return object
    }

    func insert(_ at: Int, _ kind: Int, _ tag: Int) throws {
        let object = try contexts[at].insert(schema.kinds[kind].name)
        try object.setValue(tag, forKey: "tag")
        objects[at][tag] = object
    }

    func relate(_ at: Int, _ tag: Int, _ end: Int, _ others: [Int]) throws {
        let destinations = try others.map { try object(at, $0) }
        try object(at, tag).setValue(schema.ends[end].value(destinations), forKey: schema.ends[end].name)
    }

    /// Finds the objects again that a context has, those that were here, and others with changes; what else it made of IDs does not count.
    func rebuild(_ at: Int) throws {
        for object in objects[at].values { held[at][ObjectIdentifier(object)] = object }
        var found: [Int: ManagedObject] = [:]
        for object in contexts[at].registeredObjects where !object.isDeleted {
            guard object.hasChanges || held[at][ObjectIdentifier(object)] != nil,
                let tag = try object.value(forKey: "tag") as? Int, !object.isDeleted
            else { continue }
            if found.updateValue(object, forKey: tag) != nil { throw Mismatch("context \(at) has two objects \(tag)") }
        }
        objects[at] = found
    }

    /// Reads all that there is.
    func load(_ at: Int) throws {
        for object in objects[at].values { held[at][ObjectIdentifier(object)] = object }
        held[at] = held[at].filter { $0.value.managedObjectContext != nil && $0.value.isDeleted }
        objects[at] = try Subject.load(contexts[at], schema)
        for object in objects[at].values { held[at][ObjectIdentifier(object)] = object }
    }

    static func load(_ context: ManagedObjectContext, _ schema: Schema) throws -> [Int: ManagedObject] {
        var found: [Int: ManagedObject] = [:]
        for root in schema.roots {
            for object in try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: schema.kinds[root].name)) {
                guard let tag = try object.value(forKey: "tag") as? Int else { throw Mismatch("\(object) has no tag") }
                if found.updateValue(object, forKey: tag) != nil { throw Mismatch("there are two objects \(tag)") }
                for relationship in object.entity.relationships { _ = try object.objectIDs(forRelationshipNamed: relationship.name) }
            }
        }
        return found
    }

    // MARK: - What there is

    /// What a context sees.
    func graph(_ at: Int) throws -> NaiveGraph { try Subject.graph(objects[at], schema, "context \(at)") }

    /// What is stored.
    func storedGraph() throws -> NaiveGraph {
        let context = freshContext()
        return try withExtendedLifetime(context) { try Subject.graph(Subject.load(context, schema), schema, "the store") }
    }

    private static func graph(_ objects: [Int: ManagedObject], _ schema: Schema, _ source: String) throws -> NaiveGraph {
        var graph = NaiveGraph(schema)
        let tags = Dictionary(objects.map { (ObjectIdentifier($1), $0) }) { first, _ in first }
        for (tag, object) in objects where !object.isDeleted && object.managedObjectContext != nil {
            guard let kind = schema.kinds.firstIndex(where: { $0.name == object.entity.name }) else {
                throw Mismatch("\(object.entity.name)?")
            }
            let values = try schema.fields(of: kind).map { field -> Int? in
                guard let value = try object.value(forKey: field.name) else { return nil }
                guard let number = field.type.number(value) else { throw Mismatch("\(tag).\(field.name) is \(value)") }
                return number
            }
            var naive = NaiveObject(kind: kind, values: values)
            for end in schema.ends(of: kind) {
                let others: [ManagedObject] =
                    switch try object.value(forKey: schema.ends[end].name) {
                    case let one as ManagedObject: [one]
                    case let many as Set<ManagedObject>: Array(many)
                    case let ordered as [ManagedObject]: ordered
                    default: []
                    }
                if others.isEmpty { continue }
                naive.refs[end] = try others.map { other in
                    if let known = tags[ObjectIdentifier(other)] { return known }
                    guard let tag = try other.value(forKey: "tag") as? Int else {
                        throw Mismatch("\(tag).\(schema.ends[end].name) leads to nothing in \(source)")
                    }
                    return tag
                }
            }
            graph.objects[tag] = naive
        }
        return graph
    }

    /// The tag of an object of a context by its ID.
    func tag(_ at: Int, _ id: ObjectID) -> Int? { objects[at].first { $0.value.objectID == id }?.key }

    func tags(_ at: Int, _ query: NaiveQuery) throws -> [Int] {
        try contexts[at].fetch(request(query)).map { object in
            guard let tag = try object.value(forKey: "tag") as? Int else { throw Mismatch("\(object) has no tag") }
            return tag
        }
    }

    func request(_ query: NaiveQuery) throws -> ObjectFetchRequest<ManagedObject> {
        ObjectFetchRequest<ManagedObject>(
            entityName: schema.kinds[query.kind].name, try QueryPredicate(format: query.format(query.condition, schema)),
            sort: query.isSorted ? [QuerySort("number"), QuerySort("tag")] : [], limit: query.isSorted ? query.limit : nil,
            offset: query.isSorted ? query.offset : 0)
    }
}

/// What is other than the oracle says.
struct Mismatch: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
