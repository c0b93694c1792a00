import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        try log.tracing(.request, "batch insert of \(request.entityName)", \.count) { try carryOut(request) }
    }

    private func carryOut(_ request: BatchInsertRequest) throws -> BatchResult {
        let entity = try entity(named: request.entityName, .batchInsert)
        guard !entity.isAbstract else {
            throw StoreError(.unknownEntity, .batchInsert, "the entity is abstract", entity: entity.name)
        }
        let affected = request.affectedStores?.map(\.id)
        func entry() throws -> StoreEntry { try entryForNewObjects(of: entity, among: affected, .batchInsert) }
        _ = try entry()
        defer { gate.awaitSnapshots() }
        return try BatchInserter(request, entity, model).run {
            let origin = origin(request.origin, reachesAllContexts: request.mergesIntoContexts)
            try write(toStore: entry, by: origin, isRepeatable: $0(), changes: $1, $2)
        }
    }
}
