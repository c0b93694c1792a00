public import StrataModel

extension StoreError {
    /// Creates the error of a read that needs an unavailable value.
    public init(_ value: UnavailableValue, _ operation: StoreError.Operation, entity: String? = nil, key: String? = nil) {
        let what =
            switch value.reason {
            case .missing: "the file of an external value is missing"
            case .damaged: "checksum mismatch in the file of an external value"
            }
        self.init(.corrupt, operation, what, path: value.path, entity: entity, key: key, underlying: value)
    }
}
