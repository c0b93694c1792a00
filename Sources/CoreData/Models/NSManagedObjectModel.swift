import StrataModel
import Synchronization

/// A model: entities and their properties, configurations and fetch request templates.
///
/// A model is made in code or read from a file, and changed by one thread at a time. The first coordinator that uses it
/// freezes it, with all of its descriptions; it may be shared between threads then, and changes trap.
open class NSManagedObjectModel: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Sendable is unchecked: one thread uses it until it is frozen, and it never changes afterwards.

    /// The compiled form of a frozen model.
    struct Frozen {
        let compiled: ManagedObjectModel
        let entities: [NSEntityDescription]
        let entitiesByName: [String: NSEntityDescription]
    }

    private let frozen = Mutex<Frozen?>(nil)
    private let hashes = Mutex<KnownHashes?>(nil)
    private let ownChanges = Atomic<Int>(0)
    private final var listed: [NSEntityDescription] = []
    final var entitiesByConfiguration: [String: [NSEntityDescription]] = [:]
    final var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]

    /// Whether the model may still be changed: no coordinator uses it.
    open var isEditable: Bool { frozen.withLock { $0 == nil } }

    final func checkIsEditable() {
        if !isEditable { programmerError(immutableModel) }
        noteChange()
    }

    // MARK: - Entities

    /// The entities, in the order in which they were given; sub-entities that were not given themselves follow.
    ///
    /// Setting them traps where the model, or the one that an entity belongs to, is frozen.
    open var entities: [NSEntityDescription] {
        get { frozen.withLock { $0?.entities } ?? listedWithSubentities }
        set {
            checkIsEditable()
            for entity in listedWithSubentities where entity.ownModel === self { entity.ownModel = nil }
            listed = newValue
            for entity in listedWithSubentities {
                entity.checkIsEditable()
                entity.ownModel = self
            }
            // Entities that leave the model leave its configurations.
            entitiesByConfiguration = entitiesByConfiguration.mapValues { $0.filter { $0.ownModel === self } }
        }
    }

    /// The entities by their names.
    open var entitiesByName: [String: NSEntityDescription] {
        frozen.withLock { $0?.entitiesByName } ?? NSManagedObjectModel.byName(listedWithSubentities)
    }

    private var listedWithSubentities: [NSEntityDescription] {
        var seen = Set(listed.map { ObjectIdentifier($0) })
        var all = listed
        func add(_ entities: [NSEntityDescription]) {
            for entity in entities {
                if seen.insert(ObjectIdentifier(entity)).inserted { all.append(entity) }
                add(entity.subentities)
            }
        }
        for entity in listed { add(entity.subentities) }
        return all
    }

    static func byName(_ entities: [NSEntityDescription]) -> [String: NSEntityDescription] {
        Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    // MARK: - Configurations

    /// The names of the configurations, which are subsets of the entities, in alphabetical order.
    open var configurations: [String] { entitiesByConfiguration.keys.sorted() }

    /// Returns the entities of a configuration; all of them for `nil` and for Core Data's name of the default one.
    ///
    /// - Returns: `nil` where the model has no configuration of the name.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration else { return entities }
        return entitiesByConfiguration[configuration] ?? (configuration == NSPersistentStore.defaultConfigurationName ? entities : nil)
    }

    /// Sets the entities of a configuration, and creates the configuration if it does not exist.
    ///
    /// Traps if the model is frozen, or an entity belongs to another model.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        checkIsEditable()
        for entity in entities where entity.model !== self {
            programmerError("Cannot set entities of configuration '\(configuration)': entity '\(entity.name ?? "")' is not in the model.")
        }
        entitiesByConfiguration[configuration] = entities
    }

    // MARK: - What goes with a model

    /// The application's identifiers of the model version; texts of a model file.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { checkIsEditable() } }

    /// Translations of names and error messages, by keys such as `Entity/Person` and `Property/name/Entity/Person`.
    ///
    /// Unlike the rest of a model it may be set at any time, before other threads use the model.
    open var localizationDictionary: [String: String]?

    /// Returns a model that is equal and may be changed: entities, properties, indexes and templates are copied too.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        copy.fill(with: ModelCopier.copies(of: entities), configurations: entitiesByConfiguration)
        for (name, template) in templates { copy.setFetchRequestTemplate(template.copyAsTemplate(), forName: name) }
        copy.versionIdentifiers = versionIdentifiers
        copy.localizationDictionary = localizationDictionary
        return copy
    }

    // MARK: - Archiving

    /// Whether archives may be read that name their classes: true.
    open class var supportsSecureCoding: Bool { true }

    /// Archives the model.
    ///
    /// Archives of Apple's systems are others. What has no text, as a condition that is a closure, is left out.
    open func encode(with coder: NSCoder) { coder.encodeDescription(ArchivedModel(self)) }

    /// Creates the model from an archive; `nil` if it contains none.
    public required convenience init?(coder: NSCoder) {
        guard let archived: ArchivedModel = coder.decodeDescription() else { return nil }
        self.init()
        archived.fill(self)
    }

    /// Takes entities, and the configurations with the entities of the same names.
    final func fill(with entities: [NSEntityDescription], configurations: [String: [NSEntityDescription]]) {
        self.entities = entities
        let byName = entitiesByName
        for (name, members) in configurations {
            setEntities(members.compactMap { $0.name.flatMap { byName[$0] } }, forConfigurationName: name)
        }
    }

    /// Returns whether two models have equal entities, configurations and version identifiers.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        if other === self { return true }
        return versionIdentifiers == other.versionIdentifiers && entitiesByName == other.entitiesByName
            && entitiesByConfiguration.mapValues { Set($0.map(\.name)) } == other.entitiesByConfiguration.mapValues { Set($0.map(\.name)) }
    }

    /// Hashes the names of the entities.
    open override var hash: Int { entitiesByName.keys.sorted().hashValue }

    /// Returns the compiled model, made at the first call, which freezes the model; throws if it is invalid.
    final func compiled() throws -> ManagedObjectModel {
        try frozen.withLock { known in
            if let known { return known.compiled }
            let entities = listedWithSubentities
            let model = try declared(entities, findsClasses: true)
            for entity in entities {
                if let name = entity.name, let compiled = model.entity(named: name) { entity.freeze(as: compiled) }
            }
            known = Frozen(compiled: model, entities: entities, entitiesByName: NSManagedObjectModel.byName(entities))
            return model
        }
    }

    /// The version hash of each entity, by name; none where the model contradicts itself.
    ///
    /// They are computed once, until a description is changed; those of a version in a compiled model are read with it.
    public final var entityVersionHashesByName: [String: Data] { knownHashes.byName }

    private var knownHashes: KnownHashes {
        let changes = changeCount
        return hashes.withLock { known in
            if let known, known.changes == changes { return known }
            let made = KnownHashes(changes, try? declared())
            known = made
            return made
        }
    }

    /// The layout hashes of entities whose version hashes leave out what decides the layout of their rows.
    final var layoutHashes: [String: [UInt8]] {
        let known = knownHashes
        if let layouts = known.layouts { return layouts }
        let made = KnownHashes(known.changes, try? declared(), byName: known.byName)
        hashes.withLock { if $0?.changes == known.changes { $0 = made } }
        return made.layouts ?? [:]
    }

    /// Takes the version hashes that a compiled model lists for this version.
    final func take(listedHashes: [String: Data]) {
        guard Set(listedHashes.keys) == Set(entitiesByName.keys) else { return }
        hashes.withLock { $0 = KnownHashes(changes: changeCount, byName: listedHashes, layouts: nil) }
    }

    /// Counts a change of the model, before it is made.
    final func noteChange() { ownChanges.add(1, ordering: .releasing) }

    private var changeCount: Int { ownChanges.load(ordering: .acquiring) &+ ModelChanges.count }

    /// Returns the model in Strata's terms as it is now, without classes unless it is frozen; it stays editable.
    final func declared() throws -> ManagedObjectModel {
        if let model = frozen.withLock({ $0?.compiled }) { return model }
        return try declared(listedWithSubentities, findsClasses: false)
    }
}

/// What a model's version is compared by, and the number of changes when it was computed.
private struct KnownHashes {
    let changes: Int
    /// The version hash of each entity, by name; none where the model contradicts itself.
    let byName: [String: Data]
    /// The layout hashes; `nil` where the version hashes were read with the model.
    let layouts: [String: [UInt8]]?
}

extension KnownHashes {
    init(_ changes: Int, _ model: ManagedObjectModel?, byName: [String: Data]? = nil) {
        self.init(
            changes: changes, byName: byName ?? model?.entityVersionHashesByName.mapValues { Data($0) } ?? [:],
            layouts: model.map { $0.layoutHashes(of: $0.entities.typedIndices()) } ?? [:])
    }
}

/// Core Data's message for a change to a model in use.
let immutableModel = "Can't modify an immutable model."

/// The number of changes of elements of composite attributes in all models.
enum ModelChanges {
    private static let changes = Atomic<Int>(0)

    static var count: Int { changes.load(ordering: .acquiring) }

    /// Counts a change, before it is made.
    static func note() { changes.add(1, ordering: .releasing) }
}
