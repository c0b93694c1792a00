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

    /// What a model declares, but for its entities' sub-entities.
    private struct Contents {
        var listed: [NSEntityDescription] = []
        var entitiesByConfiguration: [String: [NSEntityDescription]] = [:]
        var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
        var versionIdentifiers: Set<AnyHashable> = []
    }

    private let frozen = Mutex<Frozen?>(nil)
    private let hashes = Mutex<KnownHashes?>(nil)
    private let ownChanges = Atomic<Int>(0)
    private final var contents = Contents()
    private let unread = UnreadVersion()

    /// Reads the file of a listed version at the first use of what it declares.
    private final var read: Contents {
        _read {
            unread.fill(self)
            yield contents
        }
        _modify {
            unread.fill(self)
            yield &contents
        }
    }
    private final var listed: [NSEntityDescription] {
        get { read.listed }
        set { read.listed = newValue }
    }
    final var entitiesByConfiguration: [String: [NSEntityDescription]] {
        get { read.entitiesByConfiguration }
        _modify { yield &read.entitiesByConfiguration }
    }
    final var templates: [String: NSFetchRequest<any NSFetchRequestResult>] {
        get { read.templates }
        _modify { yield &read.templates }
    }

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

    /// Returns the configuration that a store is opened with: where the model has none, a name means all entities, as in Core Data.
    final func openedConfiguration(_ name: String?) -> String? { name.flatMap { entitiesByConfiguration.isEmpty ? nil : $0 } }

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
    open var versionIdentifiers: Set<AnyHashable> {
        get { read.versionIdentifiers }
        set {
            checkIsEditable()
            read.versionIdentifiers = newValue
        }
    }

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
        guard entityNames == other.entityNames else { return false }
        // The hashes of a listed version tell it apart from others without its file.
        if unread.isPending || other.unread.isPending, entityVersionHashesByName != other.entityVersionHashesByName { return false }
        return versionIdentifiers == other.versionIdentifiers && entitiesByName == other.entitiesByName
            && entitiesByConfiguration.mapValues { Set($0.map(\.name)) } == other.entitiesByConfiguration.mapValues { Set($0.map(\.name)) }
    }

    /// Hashes the names of the entities.
    open override var hash: Int { entityNames.hashValue }

    /// Returns the compiled model, made at the first call, which freezes the model; throws if it is invalid.
    final func compiled() throws -> ManagedObjectModel {
        unread.fill(self)
        return try frozen.withLock { known in
            if let known { return known.compiled }
            if let failure = unread.failure { throw cocoaError(failure) }
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
        if let known = currentHashes { return known }
        let changes = changeCount
        return hashes.withLock { known in
            if let known, known.changes == changes { return known }
            let made = KnownHashes(changes, try? declared())
            known = made
            return made
        }
    }

    /// The version hashes that were computed or listed for the model as it is; `nil` if they have to be computed.
    private var currentHashes: KnownHashes? {
        let changes = unread.isPending ? nil : changeCount
        return hashes.withLock { known in changes == nil || known?.changes == changes ? known : nil }
    }

    /// The names of the entities, without reading the file of a listed version.
    final var entityNames: Set<String> {
        if unread.isPending, let known = currentHashes { return Set(known.byName.keys) }
        return Set(entities.compactMap(\.name))
    }

    /// The layout hashes of entities whose version hashes leave out what decides the layout of their rows.
    final var layoutHashes: [String: [UInt8]] {
        unread.fill(self)
        let known = knownHashes
        if let layouts = known.layouts { return layouts }
        let made = KnownHashes(known.changes, try? declared(), byName: known.byName)
        hashes.withLock { if $0?.changes == known.changes { $0 = made } }
        return made.layouts ?? [:]
    }

    /// Takes the version hashes that a compiled model lists for this version; those of other entities are none of its.
    final func take(listedHashes: [String: Data]) {
        let isListed = Set(listedHashes.keys) == Set(entitiesByName.keys)
        let listed = isListed ? KnownHashes(changes: changeCount, byName: listedHashes, layouts: nil) : nil
        hashes.withLock { $0 = listed }
    }

    /// Lets a new model be read from a file at its first use for more than the version hashes that are listed for it.
    final func readLater(from path: String, listedHashes: [String: Data]) {
        hashes.withLock { $0 = KnownHashes(changes: changeCount, byName: listedHashes, layouts: nil) }
        unread.set(path, listedHashes)
    }

    /// Counts a change of the model, before it is made.
    final func noteChange() { ownChanges.add(1, ordering: .releasing) }

    private var changeCount: Int { ownChanges.load(ordering: .acquiring) &+ ModelChanges.count }

    /// Returns the model in Strata's terms as it is now, without classes unless it is frozen; it stays editable.
    final func declared() throws -> ManagedObjectModel {
        if let model = frozen.withLock({ $0?.compiled }) { return model }
        unread.fill(self)
        if let failure = unread.failure { throw cocoaError(failure) }
        return try declared(listedWithSubentities, findsClasses: false)
    }
}

/// Core Data's message for a change to a model in use.
let immutableModel = "Can't modify an immutable model."
