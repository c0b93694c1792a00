import StrataEvaluation
import StrataQuery
import StrataStore

/// The model of histories, over which conditions on transactions and changes are evaluated.
enum HistoryModel {
    /// A model without errors: it is declared here.
    private static let declared = Result {
        try ManagedObjectModel {
            Entity("Transaction") {
                Attribute("author", .string)
                Attribute("contextName", .string)
                Attribute("processID", .string)
                Attribute("bundleID", .string)
                Attribute("storeID", .string)
                Attribute("timestamp", .date)
                Attribute("transactionNumber", .integer64)
                Attribute("kind", .integer64)
                Relationship("changes", to: "Change", inverse: "transaction", .toMany)
            }
            Entity("Change") {
                Attribute("changeType", .integer64)
                Attribute("entityName", .string)
                Attribute("changedObjectID", .string)
                Attribute("updatedProperties", .string)
                Relationship("transaction", to: "Transaction", inverse: "changes")
            }
        }
    }

    /// Compiles a condition on transactions or changes; throws `QueryError` where it does not fit.
    static func test(_ predicate: QueryPredicate, _ entity: String) throws -> RowPredicate {
        let model = try declared.get()
        guard let entity = model.entity(named: entity) else { throw ProgrammerFault() }
        return RowPredicate(try predicate.resolved(for: entity, in: model))
    }

    private struct ProgrammerFault: Error {}

    /// A transaction with its changes, as rows.
    struct Rows: RowResolver {
        let transaction: Row
        let changes: [Row]
        let storeID: StoreID? = nil

        init(_ transaction: HistoryTransaction) throws {
            let model = try declared.get()
            var writer = RowWriter()
            func row(_ name: String, _ reference: Int64, _ values: [String: Value]) -> Row? {
                guard let entity = model.entity(named: name) else { return nil }
                writer.begin(entity, reference: reference, version: 1)
                for attribute in entity.attributes {
                    if let slot = attribute.slot, let value = values[attribute.name] { writer.set(value, at: slot, attribute.slotKind) }
                }
                if case .toOne(let slot, _, _)? = entity.relationship(named: "transaction")?.storage { writer.set(integer: 1, at: slot) }
                return writer.finish()
            }
            func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
            let origin = transaction.origin
            let own = row(
                "Transaction", 1,
                [
                    "author": text(origin.author), "contextName": text(origin.contextName), "processID": text(origin.processName),
                    "bundleID": text(origin.bundleID ?? origin.processName), "storeID": .string(transaction.storeID.rawValue),
                    "timestamp": .date(transaction.date), "transactionNumber": .int(transaction.number),
                    "kind": .int(Int64(origin.kind.rawValue)),
                ])
            guard let own else { throw ProgrammerFault() }
            self.transaction = own
            changes = transaction.changes.enumerated().compactMap { index, change in
                let names = change.changedProperties.isEmpty ? "" : ",\(change.changedProperties.joined(separator: ",")),"
                return row(
                    "Change", Int64(index) + 1,
                    [
                        "changeType": .int(Int64(change.kind.rawValue)), "entityName": .string(change.objectID.entity.name),
                        "changedObjectID": .string(change.objectID.uriRepresentation), "updatedProperties": .string(names),
                    ])
            }
        }

        func row(root: EntityIndex, reference: Int64) throws -> Row? {
            if root == transaction.entityIndex { return transaction }
            return reference > 0 && reference <= changes.count ? changes[Int(reference) - 1] : nil
        }

        func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] { changes }
    }
}
