import StrataEngine
public import StrataModel
import StrataModelFiles
public import StrataStore

extension SQLiteDriver {
    /// The model that Apple's Core Data keeps, compiled and compressed, in the table `Z_MODELCACHE`.
    ///
    /// - Returns: `nil` where there is no table, or what is in it cannot be read: it is a copy that the store does without.
    /// - Throws: As `metadata(at:)`.
    public func foreignModel(at location: StoreLocation) throws -> ManagedObjectModel? {
        guard let path = location.path else { return nil }
        return try StoreError.naming(.migrate, path: path) {
            let connection = try SQLiteDriver.readingStore(path, .migrate)
            guard try SchemaInspector(connection).hasTable("Z_MODELCACHE") else { return nil }
            let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
            guard try statement.step(.migrate), let bytes = unsafe statement.blobBytes(0) else { return nil }
            return try? ModelFile(modelCache: unsafe Array(bytes)).model()
        }
    }
}
