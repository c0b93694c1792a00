#if Operations
    import Strata

    /// The attributes of an operation by OpenTelemetry's semantic conventions for databases.
    struct OperationAttributes: Hashable {
        let kind: StoreOperation.Kind
        let entity: String?
        let type: StoreType?
        let error: String?

        init(_ completed: CompletedOperation) {
            kind = completed.operation.kind
            entity = completed.operation.entity
            // Of stores of several kinds the first one's.
            type = completed.stores.first?.type
            error = completed.error.map { error in
                switch error {
                case let error as StoreError: error.code.description
                case is SaveConflictError: "conflict"
                default: "\(Swift.type(of: error))"
                }
            }
        }

        /// The name of the operation, as a label.
        var operation: String { kind.rawValue }

        var system: String { type.map(OperationAttributes.system) ?? "strata" }

        /// Returns the name of a kind of store: a registered one, or the store's own in lower case.
        static func system(_ type: StoreType) -> String { type.rawValue.lowercased() }

        /// The attributes as labels of a metric.
        var dimensions: [(String, String)] {
            var dimensions = [("db.system.name", system), ("db.operation.name", operation)]
            if let entity { dimensions.append(("db.collection.name", entity)) }
            if let error { dimensions.append(("error.type", error)) }
            return dimensions
        }
    }
#endif
