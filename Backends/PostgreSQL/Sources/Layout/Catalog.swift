import StrataEngine

/// The names of the model's entities, properties and indexes in the schema: assigned when the store is created, and read from its catalogue
/// later.
struct Catalog: Sendable, Hashable {
    /// The part of the model that a name belongs to.
    struct Key: Sendable, Hashable {
        enum Role: String, Sendable {
            case table, sequence, column, entityColumn = "entity column", orderColumn = "order column"
            case linkTable = "link table", firstColumn = "first column", secondColumn = "second column"
            case firstOrder = "first order", secondOrder = "second order", index
            case primaryKey = "primary key", linkKey = "link key", linkIndex = "link index"
        }

        let role: Role
        let entity: String
        var property = ""
    }

    /// The numbers of the entities, by their names.
    var numbers: [String: Int] = [:]
    var names: [Key: String] = [:]

    init() {}

    /// Assigns the names of a model's tables and columns, over the whole model, so that they do not depend on the configuration.
    ///
    /// - Parameter known: The numbers of entities that have one already.
    init(_ model: ManagedObjectModel, numbers known: [String: Int] = [:]) {
        var registry = NameRegistry(reserved: StoreTables.relations)
        numbers = known
        var last = known.values.max() ?? 0
        for entity in model.entities {
            if numbers[entity.name] == nil {
                last += 1
                numbers[entity.name] = last
            }
            guard entity.superentity == nil else { continue }
            let table = registry.take(entity.name)
            names[Key(role: .table, entity: entity.name)] = table
            names[Key(role: .sequence, entity: entity.name)] = registry.take(table + "_reference")
            names[Key(role: .primaryKey, entity: entity.name)] = registry.take(table + "_key")
            addColumns(of: entity, model)
        }
        for link in model.linkTables { add(link, model, &registry) }
        for entity in model.entities {
            let table = names[Key(role: .table, entity: entity.rootName)] ?? ""
            for index in ModelIndex.declared(by: entity) {
                names[index.key] = registry.take(table + "_" + NameRegistry.plain(index.words))
            }
        }
    }

    private mutating func addColumns(of root: EntityDescription, _ model: ManagedObjectModel) {
        var registry = NameRegistry(reserved: [EntityTable.id, EntityTable.entity, EntityTable.version] + StoreTables.systemColumns)
        for index in root.hierarchy {
            let entity = model.entities[index]
            for property in entity.properties {
                switch property {
                case .attribute(let attribute):
                    guard attribute.declaringEntity == index, attribute.slot != nil else { continue }
                    names[Key(role: .column, entity: entity.name, property: attribute.name)] = registry.take(attribute.name)
                case .relationship(let relationship):
                    guard relationship.declaringEntity == index, case .toOne(_, let kind, let order) = relationship.storage else {
                        continue
                    }
                    func add(_ role: Key.Role, _ suffix: String) {
                        let key = Key(role: role, entity: entity.name, property: relationship.name)
                        names[key] = registry.take(NameRegistry.plain(relationship.name) + suffix)
                    }
                    add(.column, "_id")
                    if kind != nil { add(.entityColumn, "_entity") }
                    if order != nil { add(.orderColumn, "_order") }
                }
            }
        }
    }

    private mutating func add(_ link: LinkTable, _ model: ManagedObjectModel, _ registry: inout NameRegistry) {
        let (first, second) = (model.entities[link.first.entity], model.entities[link.second.entity])
        let relationship = first.properties[link.first.property].name
        func key(_ role: Key.Role) -> Key { Key(role: role, entity: first.name, property: relationship) }
        let table = registry.take(NameRegistry.plain(first.name) + "_" + NameRegistry.plain(relationship))
        names[key(.linkTable)] = table
        names[key(.linkKey)] = registry.take(table + "_key")
        names[key(.linkIndex)] = registry.take(table + "_back")
        var columns = NameRegistry(reserved: StoreTables.systemColumns)
        names[key(.firstColumn)] = columns.take(NameRegistry.plain(first.name) + "_id")
        names[key(.secondColumn)] = columns.take(NameRegistry.plain(second.name) + "_id")
        names[key(.firstOrder)] = columns.take("order_in_" + NameRegistry.plain(first.name))
        names[key(.secondOrder)] = columns.take("order_in_" + NameRegistry.plain(second.name))
    }
}

extension ModelIndex {
    var key: Catalog.Key { Catalog.Key(role: .index, entity: entity.name, property: words) }

    /// The purpose of the index, as part of its name.
    fileprivate var words: String {
        switch purpose {
        case .fetch(let name): name + " index"
        case .inverse(let name): name + " inverse"
        case .unique(let constraint): constraint.names.joined(separator: " ") + " unique"
        }
    }
}

/// The tables that every store has, whatever its model.
enum StoreTables {
    static let metadata = "strata_metadata"
    static let entities = "strata_entities"
    static let names = "strata_names"
    static let prepared = "strata_prepared"
    static let changes = "strata_changes"
    static let history = "strata_history"
    static let all = [metadata, entities, names, prepared, changes, history]
    /// Those tables and their indexes, and that of changes of other programs.
    static let relations = all.flatMap { [$0, $0 + "_pkey"] } + [ExternalTrigger.name]

    /// The system columns of every table.
    static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
}
