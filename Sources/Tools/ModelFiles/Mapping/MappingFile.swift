public import StrataModel

/// A mapping model in a file of Xcode's: `.xcmappingmodel`.
///
/// ```swift
/// let file = try MappingFile(contentsOf: "Moody 4-Moody 5.xcmappingmodel")
/// let mapping = try file.mapping(from: fourth, to: fifth)
/// try PersistentStoreCoordinator.migrateStore(description, to: fifth, mapping: mapping)
/// ```
/// Such a file contains copies of both models in the editor's format, which is ignored: models have their own files.
public struct MappingFile: Sendable {
    /// The path of the file that it was read from; `nil` where it was given as bytes.
    public let path: String?
    /// Where the source's model was, as Xcode noted it; `nil` where it did not.
    public let sourceModelPath: String?
    /// Where the destination's model was, as Xcode noted it; `nil` where it did not.
    public let destinationModelPath: String?
    /// The names of the policies in the mappings, sorted: the migration needs them.
    public let policyNames: [String]
    private let entityMappings: [MappingFileEntity]

    /// Creates the mapping model at a path: a directory `.xcmappingmodel`, or the `xcmapping.xml` in it.
    ///
    /// - Throws: ``ModelFileError`` where there is no mapping model at the path, or the file cannot be read.
    public init(contentsOf path: String, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        var file = path
        while file.count > 1, file.hasSuffix("/") { file.removeLast() }
        guard FileReader.exists(file) else { throw ModelFileError(.unreadable, path: path, "there is no such file or directory") }
        if FileReader.isDirectory(file) {
            file += "/xcmapping.xml"
            guard FileReader.exists(file) else { throw ModelFileError(.missingContents, path: path, "the directory has no xcmapping.xml") }
        }
        let bytes = try FileReader.bytes(of: file, limit: limits.bytes)
        do throws(ModelFileError) { try self.init(bytes, path: file, limits: limits) } catch { throw error.at(file) }
    }

    /// Creates the mapping model in the text of a file `xcmapping.xml`.
    ///
    /// - Throws: ``ModelFileError`` where the text is no mapping model.
    public init(parsing text: some Collection<UInt8>, limits: ModelFileLimits = ModelFileLimits()) throws(ModelFileError) {
        try self.init(Array(text), path: nil, limits: limits)
    }

    private init(_ bytes: [UInt8], path: String?, limits: ModelFileLimits) throws(ModelFileError) {
        guard bytes.count <= limits.bytes else {
            throw ModelFileError(.limitExceeded, "the file has \(bytes.count) bytes; \(limits.bytes) are allowed")
        }
        let objects = try MappingFileObjects(bytes, limits: limits)
        let root = try objects.only("XDDEVMAPPINGMODEL")
        var entityMappings: [MappingFileEntity] = []
        for object in try objects.objects(root, "entitymappings", of: "XDDEVENTITYMAPPING") {
            entityMappings.append(try MappingFileEntity(object, objects, limits: limits))
        }
        self.path = path
        sourceModelPath = root.text("sourcemodelpath")
        destinationModelPath = root.text("destinationmodelpath")
        self.entityMappings = entityMappings.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }.map(
            \.element)
        policyNames = Set(entityMappings.compactMap(\.policy)).sorted()
    }

    /// Returns the mapping from one version of a model to another.
    ///
    /// Entities without a mapping have no objects, and properties without one their default; a property without an
    /// expression is copied from the property of the same name, as in Xcode; if its type changes, a policy has to set it.
    ///
    /// - Parameters:
    ///   - source: The version that stores are migrated from.
    ///   - destination: The version that stores are migrated to.
    ///   - warn: Receives a warning for each attribute that only the policy of its entity's mapping converts.
    /// - Throws: ``ModelFileError`` with the element and the line of a missing entity or property, or of a type that
    ///   changes without an expression or a policy.
    public func mapping(
        from source: ManagedObjectModel, to destination: ManagedObjectModel, warn: (ModelFileWarning) -> Void = { _ in }
    ) throws(ModelFileError) -> MappingModel {
        do throws(ModelFileError) {
            var mappings: [EntityMapping] = []
            for entity in entityMappings { mappings.append(try entity.mapping(source, destination, warn: warn)) }
            do throws(MappingError) {
                return try MappingModel(from: source, to: destination, infersRest: false) { mappings }
            } catch {
                let culprit = entityMappings.first { $0.destination == error.entity || $0.source == error.entity }
                throw ModelFileError(.inconsistent, element: culprit?.element, line: culprit?.line, error.description)
            }
        } catch {
            throw error.at(path)
        }
    }
}
