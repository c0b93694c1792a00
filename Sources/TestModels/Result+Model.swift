public import StrataModel

extension Result<ManagedObjectModel, any Error> {
    /// Returns the model of some parts, or the error that these have.
    public static func declared(@ModelBuilder _ parts: () -> [any ModelElement]) -> Self {
        Self { try ManagedObjectModel(parts) }
    }
}
