public import StrataModel
import StrataStore

/// The objects of a fetch as a collection that loads their rows batch by batch, on access.
///
/// The objects and their order are those of the fetch; the collection holds little more than their IDs, and the two
/// batches used last. Other objects live as long as the application retains them, and are read again afterwards. An
/// object whose row cannot be read is a fault as any other.
public struct FetchedObjects<Element: ManagedObject>: RandomAccessCollection {
    private let batches: FetchedBatches

    init(_ batches: FetchedBatches) { self.batches = batches }

    public var startIndex: Int { 0 }
    public var endIndex: Int { batches.ids.count }

    /// The object at an index; reads the rows of its batch where they are not loaded.
    ///
    /// - Complexity: O(1), and a round trip where the batch is not loaded.
    public subscript(index: Int) -> Element {
        if !indices.contains(index) { programmerError("there is no result \(index) among \(count)") }
        guard let object = batches.object(at: index) as? Element
        else { programmerError("the object's class was not known to be \(Element.self) when it was fetched") }
        return object
    }

    /// The IDs, as they were when the objects were fetched.
    public var objectIDs: [ObjectID] { batches.ids }
}

final class FetchedBatches {
    private static let keptCount = 2

    let ids: [ObjectID]
    private let context: ManagedObjectContext
    private let size: Int
    private let prepare: ([ManagedObject]) throws -> Void
    /// Objects without a permanent ID.
    private let new: [Int: ManagedObject]
    private var kept: [(batch: Int, objects: [ManagedObject])] = []

    /// - Parameter prepare: Prepares the objects of a loaded batch.
    init(_ ids: [ObjectID], _ context: ManagedObjectContext, size: Int, prepare: @escaping ([ManagedObject]) throws -> Void) {
        self.ids = ids
        self.context = context
        self.size = size
        self.prepare = prepare
        var new: [Int: ManagedObject] = [:]
        for (index, id) in ids.enumerated() where id.isTemporary { new[index] = context.fault(with: id) }
        self.new = new
    }

    func object(at index: Int) -> ManagedObject {
        let batch = index / size
        if let known = kept.first(where: { $0.batch == batch }) { return known.objects[index - batch * size] }
        let objects = load(batch)
        if kept.count == FetchedBatches.keptCount { kept.removeFirst() }
        kept.append((batch, objects))
        return objects[index - batch * size]
    }

    private func load(_ batch: Int) -> [ManagedObject] {
        let range = batch * size..<Swift.min((batch + 1) * size, ids.count)
        let objects = range.map { new[$0] ?? context.fault(with: ids[$0]) }
        do {
            try context.loader.loadRows(of: objects)
            try prepare(objects)
        } catch {
            context.lastFaultError = error
        }
        return objects
    }
}

extension ManagedObjectContext {
    /// Returns the objects that a request describes, with rows that come as they are looked at,
    /// ``ObjectFetchRequest/fetchBatchSize`` at a time, 100 by default; so do the destinations to prefetch.
    ///
    /// ```swift
    /// var request = ObjectFetchRequest<Person>(sort: [Person.name.ascending])
    /// request.fetchBatchSize = 50
    /// for person in try context.fetchLazily(request).prefix(10) { print(person.name ?? "") }
    /// ```
    /// - Throws: As ``fetch(_:)``; once the objects are settled, what keeps a batch from being read is in
    ///   ``lastFaultError``.
    public func fetchLazily<Result: ManagedObject>(_ request: ObjectFetchRequest<Result>) throws -> FetchedObjects<Result> {
        let entity = try entity(of: request.untyped)
        for index in entity.entities(includingSubentities: request.includesSubentities) {
            let other = model.entities[index]
            guard other.isAbstract || other.managedObjectClass is Result.Type
            else { throw StoreError(.unknownEntity, .fetch, "objects of \(other.name) are no \(Result.self)", entity: other.name) }
        }
        let ids = try fetchObjectIDs(request)
        let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : 100
        return FetchedObjects(
            FetchedBatches(ids, self, size: size) { [unowned self] objects in
                if !request.relationshipKeyPathsForPrefetching.isEmpty {
                    try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, entity)
                }
                if !request.returnsObjectsAsFaults { for object in objects { object.fireFault() } }
            })
    }
}
