public import Strata

extension JSON {
    /// Creates a transaction with its changes.
    public init(_ transaction: HistoryTransaction) {
        self = .object([
            "number": .int(transaction.number), "storeID": .string("\(transaction.storeID)"), "date": Value.date(transaction.date).json,
            "kind": .string("\(transaction.origin.kind)"), "author": JSON(transaction.author), "contextName": JSON(transaction.contextName),
            "processName": JSON(transaction.origin.processName),
            "changes": .array(
                transaction.changes.map { change in
                    .object([
                        "objectID": .string(change.objectID.uriRepresentation), "kind": .string("\(change.kind)"),
                        "changedProperties": .array(change.changedProperties.map { .string($0) }),
                        "tombstone": .object(change.tombstone.mapValues(\.json)),
                    ])
                }),
        ])
    }
}
