import StrataCoordinator
import StrataGraph
import StrataModel
import StrataStore

/// Inserts many objects into their store at once, without holding them in memory.
///
/// Nothing is validated; the context's merge policy resolves conflicts with uniqueness constraints.
open class NSBatchInsertRequest: NSPersistentStoreRequest, ExecutableRequest {
    private enum Source {
        case dictionaries([[String: Any]])
        case dictionaryHandler((NSMutableDictionary) -> Bool)
        case objectHandler((NSManagedObject) -> Bool)
    }

    /// The name of the entity.
    public final let entityName: String
    private let givenEntity: NSEntityDescription?
    private var source: Source
    /// The kind of the result; the status by default.
    open var resultType: NSBatchInsertRequestResultType = .statusOnly

    private init(_ name: String, _ entity: NSEntityDescription?, _ source: Source) {
        entityName = name
        givenEntity = entity
        self.source = source
        super.init()
    }

    /// Inserts an object for each dictionary.
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.init(entityName, nil, .dictionaries(dictionaries))
    }

    /// Inserts an object for each dictionary.
    public convenience init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.init(entity.name ?? "", entity, .dictionaries(dictionaries))
    }

    /// Inserts an object for each dictionary that a handler fills, until the handler returns true.
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(entityName, nil, .dictionaryHandler(handler))
    }

    /// Inserts an object for each dictionary that a handler fills, until the handler returns true.
    public convenience init(entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(entity.name ?? "", entity, .dictionaryHandler(handler))
    }

    /// Inserts each object that a handler fills, until the handler returns true; the object it receives has no context.
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(entityName, nil, .objectHandler(handler))
    }

    /// Inserts each object that a handler fills, until the handler returns true; the object it receives has no context.
    public convenience init(entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(entity.name ?? "", entity, .objectHandler(handler))
    }

    /// The entity, where it was given, or is in a model that is used.
    open var entity: NSEntityDescription { givenEntity ?? ModelsInUse.entity(named: entityName) }

    /// The values of each object.
    open var objectsToInsert: [[String: Any]]? {
        get { if case .dictionaries(let dictionaries) = source { dictionaries } else { nil } }
        set { source = .dictionaries(newValue ?? []) }
    }

    /// Fills the next object's dictionary, and returns true once there are no more objects.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)? {
        get { if case .dictionaryHandler(let handler) = source { handler } else { nil } }
        set { if let newValue { source = .dictionaryHandler(newValue) } }
    }

    /// Fills the next object, and returns true once there are no more objects.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)? {
        get { if case .objectHandler(let handler) = source { handler } else { nil } }
        set { if let newValue { source = .objectHandler(newValue) } }
    }

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    /// Returns a request that inserts the same.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchInsertRequest(entityName, givenEntity, source)
        take(copy)
        copy.resultType = resultType
        return copy
    }

    final func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let entity = try context.graph.entity(named: entityName)
        var index = 0
        let source = source
        var request = BatchInsertRequest(entityName: entityName) { (row: inout [String: Value]) in
            guard let values = NSBatchInsertRequest.values(of: source, at: index, entity) else { return true }
            row = try BatchValues.row(values, entity)
            index += 1
            return false
        }
        request.resultType = BatchResultType(rawValue: Int(resultType.rawValue)) ?? .statusOnly
        request.mergesIntoContexts = false
        request.affectedStores = try affectedStores?.map { try $0.opened }
        // It may update objects that a uniqueness constraint finds.
        defer { context.outdateRows() }
        return NSBatchInsertResult(BatchResults.result(try context.graph.execute(request)), resultType)
    }

    /// Returns the values of the next object; `nil` after the last one.
    private static func values(of source: Source, at index: Int, _ entity: EntityDescription) -> [String: Any]? {
        switch source {
        case .dictionaries(let dictionaries): return index < dictionaries.count ? dictionaries[index] : nil
        case .dictionaryHandler(let handler):
            let dictionary = NSMutableDictionary()
            return handler(dictionary) ? nil : dictionary as? [String: Any] ?? [:]
        case .objectHandler(let handler):
            let objectClass = entity.objectClass as? NSManagedObject.Type ?? NSManagedObject.self
            let object = objectClass.init(.unattached(entity))
            object.beginWithoutContext()
            return handler(object) ? nil : object.valuesToInsert
        }
    }
}

extension NSManagedObject {
    /// The values by name, except nil and those of transient and derived properties.
    fileprivate var valuesToInsert: [String: Any] {
        let entity = (self as ManagedObject).entity
        let attributes = entity.attributes.filter { $0.compositeName == nil && !$0.isDerived && !$0.isTransient }
        let names = attributes.map(\.name) + entity.compositeAttributes.map(\.name)
        return Dictionary(uniqueKeysWithValues: names.compactMap { name in primitiveValue(forKey: name).map { (name, $0) } })
    }
}

/// Conversion of the values of batch requests to rows.
enum BatchValues {
    /// Converts the values of a dictionary to a row; throws `unknownKey` or `wrongValue`.
    static func row(_ dictionary: [String: Any], _ entity: EntityDescription) throws -> [String: Value] {
        var row: [String: Value] = [:]
        for (key, given) in dictionary {
            let attribute = entity.attribute(named: key)
            switch Boxing.unboxed(given, attribute?.type) {
            case nil: row[key] = .null
            case let object as NSManagedObject: row[key] = .objectID((object as ManagedObject).objectID)
            case let value? where attribute?.type == .transformable:
                guard let data = try attribute?.declaration.transformer?.data(from: value) ?? value as? Data else {
                    throw misfit(key, value, entity)
                }
                row[key] = .data(data)
            case let value as any ValueConvertible: row[key] = value.value
            case let value as any BinaryInteger:
                guard let exact = Int64(exactly: value) else { throw misfit(key, value, entity) }
                row[key] = .int(exact)
            case let value?: throw misfit(key, value, entity)
            }
        }
        return row
    }

    private static func misfit(_ key: String, _ value: Any, _ entity: EntityDescription) -> StoreError {
        StoreError(.wrongValue, .insert, "\(key) does not take a value of type \(type(of: value))", entity: entity.name, key: key)
    }
}
