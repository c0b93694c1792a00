import StrataModel
import StrataModelFiles

/// The mapping of the objects of one version of a model to those of another one.
///
/// ```swift
/// let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
/// try NSMigrationManager(sourceModel: first, destinationModel: second).migrateStore(
///     from: old, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
/// ```
/// Mapping models are read as Xcode writes them, `.xcmappingmodel`, and as the plugin `CoreDataClasses` makes resources of them,
/// `.cdm`; those that Xcode compiled cannot be read.
open class NSMappingModel: NSObject {
    /// The origin of a mapping model, while it is unchanged.
    private struct Origin {
        let mapping: MappingModel
        var wording: [[String?]]
    }

    private final var mappings: [NSEntityMapping]?
    private final var origin: Origin?
    /// The file that is read once both models are known.
    private final var file: MappingFile?

    /// Creates a mapping model from a file.
    ///
    /// Its models are looked for at the paths that the file names, relative to its own folder and the folders above,
    /// and among the resources of the program; where they are not found, the mappings are available as soon as a
    /// migration manager, which has both models, uses it. `nil` where there is no mapping model, or none that can be
    /// read. For a compiled `.cdm`, the `.xcmappingmodel` beside it is read.
    public convenience init?(contentsOf url: URL?) {
        guard let existing = url.map(MappingModelLocator.existing), let file = MappingModelLocator.file(at: existing) else { return nil }
        self.init()
        self.file = file
        if let (source, destination) = MappingModelLocator.models(of: file) { try? resolve(source, destination) }
    }

    /// Creates the mapping model between two models from a file in some bundles, or in the whole program for `nil`.
    ///
    /// A file that names its models' versions fits if the versions of these names are the models; one whose versions
    /// are not found fits if the models have all that it names. `nil` if none fits.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?, destinationModel: NSManagedObjectModel?
    ) {
        guard let source = try? sourceModel?.declared(), let destination = try? destinationModel?.declared(),
            let mapping = MappingModelLocator.mapping(from: source, to: destination, in: bundles)
        else { return nil }
        do { try self.init(mapping) } catch { return nil }
    }

    /// Infers a mapping model: entities and properties are matched by their names and renaming identifiers, and numbers
    /// become those of the new type.
    ///
    /// The mappings of entities have the names that Core Data gives them, such as `IEM_Transform_Person`.
    ///
    /// - Throws: An `NSError` with the code `NSInferredMappingModelError` where a change cannot be inferred.
    public class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        do {
            let mapping = try NSMappingModel(
                MappingModel.inferredWithNumbers(from: sourceModel.declared(), to: destinationModel.declared()))
            for entity in mapping.entityMappings {
                entity.name = entity.inferredName
                entity.userInfo = entity.inferredInfo(sourceModel, destinationModel)
            }
            mapping.origin?.wording = mapping.entityMappings.map(\.wording)
            return mapping
        } catch { throw cocoaError(error) }
    }

    convenience init(_ mapping: MappingModel) throws {
        self.init()
        try take(mapping)
    }

    /// The mappings of entities, in the order in which they are carried out.
    open var entityMappings: [NSEntityMapping]! {
        get { mappings ?? [] }
        set {
            mappings = newValue
            file = nil
        }
    }

    /// The mappings of entities by their names.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((mappings ?? []).map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// Returns whether another mapping model has equal mappings of entities, in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSMappingModel).map { ($0.mappings ?? []) == (mappings ?? []) } ?? false
    }
    /// The hash value of the mappings of entities.
    open override var hash: Int { (mappings ?? []).hashValue }

    private func take(_ mapping: MappingModel) throws {
        let made = try mapping.entityMappings.map { try NSEntityMapping($0, in: mapping) }
        mappings = made
        origin = Origin(mapping: mapping, wording: made.map(\.wording))
    }

    /// Reads the file for its models; throws if it does not fit them.
    final func resolve(_ source: ManagedObjectModel, _ destination: ManagedObjectModel) throws {
        guard mappings == nil, let file else { return }
        do { try take(file.mapping(from: source, to: destination)) } catch { throw cocoaError(error) }
    }

    /// The mapping that a store can execute by itself: the origin, if it needs no policy and was not changed.
    final var storeMapping: MappingModel? {
        guard let origin, origin.mapping.entityMappings.allSatisfy({ $0.policy == nil }), origin.wording == mappings?.map(\.wording)
        else { return nil }
        return origin.mapping
    }
}
