extension StoreError {
    /// The same failure, met in the course of another operation.
    public func during(_ operation: String) -> StoreError {
        if operation == self.operation { return self }
        return StoreError(
            code, operation, message, path: path, entity: entity, key: key, underlying: underlying, recovery: recovery,
            conflicts: conflicts)
    }
}
