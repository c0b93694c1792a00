import FoundationEssentials
public import Strata
import StrataModelFiles

/// A model by the path of its file, or of a store that keeps it.
public struct ModelSource {
    private static let endings = ["xcdatamodeld", "xcdatamodel", "momd", "mom", "omo"]

    private let path: String
    private let version: String?
    private let schema: String?

    /// Creates the source of a model.
    ///
    /// - Parameters:
    ///   - path: The path of a model file, or a store that keeps its model.
    ///   - version: The version of a model file; `nil` for the current one.
    ///   - schema: The schema of a store in a PostgreSQL database.
    public init(_ path: String, version: String? = nil, schema: String? = nil) {
        self.path = path
        self.version = version
        self.schema = schema
    }

    /// Whether the path is that of a model file.
    public var isModelFile: Bool { ModelSource.endings.contains(URL(filePath: path).pathExtension) }

    /// Reads the model.
    ///
    /// - Throws: `ModelFileError`, `StoreError`; `CommandFailure` where a store keeps no model.
    public func model() throws -> ManagedObjectModel {
        if isModelFile { return try ModelFile(contentsOf: path).model(version: version) }
        return try ModelSource.kept(by: StoreDescription(readingStoreAt: path, schema: schema))
    }

    /// Returns the model that a store keeps, in Core Data's stores the compiled one of their cache.
    public static func kept(by description: StoreDescription) throws -> ManagedObjectModel {
        guard let model = try PersistentStoreCoordinator.model(ofStoreAt: description.location, description.driver) else {
            throw CommandFailure(.data, "\(description.location) keeps no model: name it with --model")
        }
        return model
    }
}
