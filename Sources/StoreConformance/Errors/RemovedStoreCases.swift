import Strata
import StrataTestModels

/// Contexts that go on after their store was removed.
enum RemovedStoreCases {
    private static let model = ModelResult.declared {
        Entity("Row") {
            Attribute("name", .string)
            Relationships(["next": .toOne("Row.previous"), "previous": .toOne("Row.next")])
            Relationship("parts", to: "Row", inverse: "whole", .toMany, deleteRule: .cascade)
            Relationship("whole", to: "Row", inverse: "parts")
        }
    }

    /// Checks that a coordinator refuses everything with a store that it does not have.
    static func expectForeign(
        _ store: any PersistentStore, in coordinator: PersistentStoreCoordinator, _ environment: ConformanceEnvironment
    ) throws {
        let count = coordinator.stores.count
        try expectStoreError(.noStore) { try coordinator.remove(store) }
        try expectStoreError(.noStore) { try coordinator.metadata(of: store) }
        try expectStoreError(.noStore) { try coordinator.setUserInfo(["key": .int(1)], of: store) }
        try expectStoreError(.noStore) { try coordinator.verify(store) }
        try expectStoreError(.noStore) { try coordinator.migrateStore(store, to: environment.description("elsewhere")) }
        try expectEqual(coordinator.stores.count, count)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // Requests to a store that was removed answered as if it were empty, and a deletion was saved that deleted
        // nothing.
        ConformanceCase("Requests to a removed store throw noStore", in: .errors) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let whole = try context.add("Row", "a")
            let part = try context.add("Row", "b", ["whole": whole, "previous": whole])
            try context.save()
            let reader = stack.context()
            let child = stack.child(of: reader)
            let deleter = stack.context()
            let loaded = try deleter.one("Row", "b")
            let refreshed = stack.context()
            let held = try refreshed.all("Row")
            let store = try stack.store()
            try stack.coordinator.remove(store)
            try expectForeign(store, in: stack.coordinator, environment)

            let request = ObjectFetchRequest<ManagedObject>(entityName: "Row")
            var limited = request
            limited.affectedStores = [store]
            for asked in [reader, child] {
                for request in [request, limited] {
                    try expectStoreError(.noStore) { try asked.fetch(request) }
                    try expectStoreError(.noStore) { try asked.count(for: request) }
                    try expectStoreError(.noStore) { try asked.fetchObjectIDs(request) }
                    try expectStoreError(.noStore) { try asked.fetchDictionaries(request) }
                }
                try expectStoreError(.noStore) { try asked.existingObject(with: whole.objectID) }
                try expectStoreError(.noStore) { try asked.existingObjects(with: [whole.objectID, part.objectID]) }
            }
            try expectStoreError(.noStore) { try reader.explain(request) }
            try expectStoreError(.noStore) { try reader.execute(BatchInsertRequest(entityName: "Row", objects: [["name": "c"]])) }
            try expectStoreError(.noStore) { try reader.execute(BatchUpdateRequest(entityName: "Row", set: ["name": Value.string("c")])) }
            try expectStoreError(.noStore) { try reader.execute(BatchDeleteRequest(fetchRequest: request)) }
            try expectStoreError(.noStore) { try reader.execute(BatchDeleteRequest(objectIDs: [whole.objectID])) }
            context.refresh(whole, mergeChanges: false)
            try expectEqual((context.lastFaultError as? StoreError)?.code, .noStore)
            refreshed.refreshAllObjects()
            try expectEqual((refreshed.lastFaultError as? StoreError)?.code, .noStore, "\(held)")

            deleter.delete(loaded)
            try expectStoreError(.noStore) { try deleter.save() }
            let other = stack.context()
            other.delete(other.object(with: whole.objectID))
            try expectStoreError(.noStore) { try other.save() }
            let nested = stack.child(of: stack.context())
            nested.delete(nested.object(with: whole.objectID))
            try expectStoreError(.noStore) { try nested.save() }
            let editor = stack.context()
            try editor.add("Row", "new")
            try expectStoreError(.noStore) { try editor.save() }
        }
        ConformanceCase("An entity that no open store holds is not fetched as if it had no objects", in: .federation) { environment in
            let model = try ManagedObjectModel {
                Entity("Author") { Attribute("name", .string) }
                Entity("Reader") { Attribute("name", .string) }
                EntityConfiguration("authors", "Author")
                EntityConfiguration("readers", "Reader")
            }
            let stack = try environment.stack(
                model,
                stores: [
                    environment.description("first", configuration: "authors"),
                    environment.description("second", of: environment.partner, configuration: "readers"),
                ])
            let context = stack.context()
            try context.add("Author", "a")
            try context.save()
            try expectEqual(try stack.context().all("Reader").count, 0)
            try stack.coordinator.remove(stack.store(1))
            try expectStoreError(.noStore) { try stack.context().all("Reader") }
            try expectEqual(try names(stack.context().all("Author")), ["a"])
        }
    }
}
