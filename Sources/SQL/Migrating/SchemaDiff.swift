/// The difference between the schema of a store and that of another version of its model: what `ALTER TABLE` changes.
public struct SchemaDiff<Dialect: SQLDialect> {
    /// A column of an entity table.
    public typealias Column = Dialect.Column

    /// An entity table that stays, with the changes of its columns.
    public struct Table {
        /// The table before.
        public let old: EntityTable<Dialect>
        /// The table afterwards.
        public let new: EntityTable<Dialect>
        /// The columns that stay, as they were and as they are afterwards.
        public fileprivate(set) var kept: [(old: Column, new: Column)] = []
        /// The earlier columns that the table no longer has.
        public fileprivate(set) var dropped: [Column] = []
        /// The columns that are new.
        public fileprivate(set) var added: [Column] = []
        /// The numbers of entities afterwards, by those before.
        public fileprivate(set) var numbers: [Int: Int] = [:]
        /// The columns that hold numbers of entities, by their names afterwards, with the numbers afterwards by those before.
        public fileprivate(set) var numberColumns: [(name: String, numbers: [Int: Int])] = []
        /// The values that rows get in columns.
        public fileprivate(set) var defaults: [ColumnDefault] = []

        /// Returns the value that all rows get in a new column; `nil` where some get another one, or none.
        public func commonValue(of column: Column) -> Value? {
            let fills = defaults.filter { $0.column == column.name && !$0.isForMissing }
            guard let value = fills.first?.value, fills.count == numbers.count, fills.allSatisfy({ $0.value == value }) else { return nil }
            return value
        }
    }

    /// The entity tables that stay.
    public private(set) var tables: [Table] = []
    /// The join tables that stay, as they were and as they are afterwards.
    public private(set) var joins: [(old: JoinTable<Dialect>, new: JoinTable<Dialect>)] = []
    /// The entity tables that are new.
    public private(set) var newTables: [EntityTable<Dialect>] = []
    /// The join tables that are new.
    public private(set) var newJoins: [JoinTable<Dialect>] = []
    /// The entity tables that the store no longer has.
    public private(set) var droppedTables: [EntityTable<Dialect>] = []
    /// The join tables that the store no longer has.
    public private(set) var droppedJoins: [JoinTable<Dialect>] = []
    /// The tables before with the entities, by their numbers before, that no object may be one of afterwards.
    public private(set) var refused: [(table: EntityTable<Dialect>, entities: [Int: (target: EntityDescription, reason: String)])] = []

    private let routes: MigrationRoutes
    private let old: StoreSchema<Dialect>
    private let new: StoreSchema<Dialect>

    /// The difference that a migration makes.
    ///
    /// - Returns: `nil` where objects change in a way that takes more.
    public init?(_ migration: StoreMigration, from old: StoreSchema<Dialect>, to new: StoreSchema<Dialect>) {
        guard let routes = migration.routes else { return nil }
        self.routes = routes
        self.old = old
        self.new = new
        guard findTables(), findJoins() else { return nil }
        findRefused(migration)
    }

    // MARK: - Entities

    private mutating func findTables() -> Bool {
        var used: Set<EntityIndex> = []
        for (root, table) in new.tables.sortedByKey() {
            let origins = table.hierarchy.compactMap { origin(of: routes.destination.entities[$0]) }
            guard let first = origins.first else {
                newTables.append(table)
                continue
            }
            // Of each hierarchy all entities stay, in one hierarchy.
            guard let before = old.tables[first.root], before.columns.allSatisfy(\.isPresent), used.insert(first.root).inserted,
                Set(origins.map(\.index)) == Set(before.hierarchy),
                before.hierarchy.allSatisfy({ routes.reference(0, of: $0) == 0 && routes.target(of: $0)?.root == root })
            else { return false }
            guard let found = difference(before, table) else { return false }
            tables.append(found)
        }
        droppedTables = old.tables.filter { !used.contains($0.key) }.map(\.value)
        return true
    }

    private mutating func findRefused(_ migration: StoreMigration) {
        for (_, table) in old.tables.sortedByKey() {
            var entities: [Int: (target: EntityDescription, reason: String)] = [:]
            for index in table.hierarchy {
                guard let target = routes.target(of: index), let reason = migration.refusal(of: target) else { continue }
                entities[table.number(of: index)] = (target, reason)
            }
            if !entities.isEmpty { refused.append((table, entities)) }
        }
    }

    private func origin(of entity: EntityDescription) -> EntityDescription? {
        routes.mapping.mapping(to: entity).source.flatMap { routes.source.entity(named: $0) }
    }

    private func difference(_ before: EntityTable<Dialect>, _ after: EntityTable<Dialect>) -> Table? {
        var table = Table(old: before, new: after)
        var taken: [Int: Int] = [:]
        var isNew = Set(after.columns.indices)
        for index in after.hierarchy {
            let entity = routes.destination.entities[index]
            guard let origin = origin(of: entity) else { continue }
            table.numbers[before.number(of: origin.index)] = after.number(of: index)
            var matched: Set<Int> = []
            for property in entity.properties {
                guard let pairs = slots(of: property, in: entity, origin) else { return nil }
                for (oldSlot, newSlot) in pairs {
                    let column = after.columns(of: index)[newSlot]
                    guard let oldSlot else { continue }
                    let other = before.columns(of: origin.index)[oldSlot]
                    // Entities that share a column share it before and after.
                    guard taken[other, default: column] == column, isNew.contains(column) || taken[other] == column else { return nil }
                    let (a, b) = (before.columns[other], after.columns[column])
                    guard a.canBecome(b) else { return nil }
                    if taken[other] == nil { table.kept.append((a, b)) }
                    taken[other] = column
                    isNew.remove(column)
                    matched.insert(other)
                }
            }
            // A property that the entity loses may be another one's still: its values would stay.
            for column in Set(before.columns(of: origin.index)).subtracting(matched)
            where taken[column] != nil || mayBeKept(column, before) { return nil }
        }
        table.added = isNew.sorted().map { after.columns[$0] }
        table.dropped = before.columns.indices.filter { taken[$0] == nil }.map { before.columns[$0] }
        guard addNumbersAndDefaults(&table) else { return nil }
        return table
    }

    /// Whether an entity of a table still has a property that a column is of.
    private func mayBeKept(_ column: Int, _ table: EntityTable<Dialect>) -> Bool {
        table.hierarchy.contains { index in
            guard table.columns(of: index).contains(column), let target = routes.target(of: index) else { return false }
            return target.properties.contains { property in
                let name = table.columns[column].property
                // Those that the model made are in no mapping.
                if let relationship = property.relationship, case .relationship(let old)? = routes.origin(of: relationship, in: target) {
                    return old.name == name
                }
                return routes.origin(of: property.name, in: target)?.name == name
            }
        }
    }

    /// Returns the slots of a property with those that it comes from, `nil` for one that is new.
    ///
    /// - Returns: `nil` where the content of a slot changes.
    private func slots(
        of property: PropertyDescription, in entity: EntityDescription, _ origin: EntityDescription
    ) -> [(old: Slot?, new: Slot)]? {
        switch property {
        case .attribute(let attribute):
            guard let slot = attribute.slot else { return [] }
            return [(routes.origin(of: attribute.name, in: entity)?.attribute?.slot, slot)]
        case .relationship(let relationship):
            guard case .toOne(let reference, let number, let order) = relationship.storage else { return [] }
            guard let found = routes.origin(of: relationship, in: entity) else {
                return [(nil, reference)] + [number, order].compactMap { $0.map { (nil, $0) } }
            }
            guard case .relationship(let old) = found, case .toOne(let oldReference, let oldNumber, let oldOrder) = old.storage,
                (number == nil) == (oldNumber == nil), (order == nil) == (oldOrder == nil)
            else { return nil }
            let target = routes.destination.destination(of: relationship)
            let destinations = routes.source.entities[old.destination].hierarchy
            guard destinations.allSatisfy({ routes.target(of: $0)?.isKind(of: target) == true && routes.reference(0, of: $0) == 0 })
            else { return nil }
            // At most one object may reference each.
            let isOneToOne = routes.destination.inverse(of: relationship)?.isToMany == false
            if isOneToOne && routes.source.inverse(of: old)?.isToMany != false { return nil }
            return [(oldReference, reference)] + [(oldNumber, number), (oldOrder, order)].compactMap { old, new in new.map { (old, $0) } }
        }
    }

    private func addNumbersAndDefaults(_ table: inout Table) -> Bool {
        for index in table.new.hierarchy {
            let entity = routes.destination.entities[index]
            guard origin(of: entity) != nil else { continue }
            // What depends on other values of a row takes more than a column's.
            if !routes.newRequirements(of: entity).isEmpty { return false }
            for property in entity.properties {
                switch property {
                case .attribute(let attribute):
                    guard let slot = attribute.slot else { continue }
                    if case .some = routes.filling(of: attribute, in: entity) { return false }
                    let column = table.new.column(slot, of: index)
                    let before = routes.origin(of: attribute.name, in: entity)?.attribute
                    guard let value = ColumnDefault(attribute, column, before, entity, number: table.new.number(of: index)) else {
                        return false
                    }
                    if value.isNeeded { table.defaults.append(value) }
                case .relationship(let relationship):
                    guard case .toOne(let slot, let number, _) = relationship.storage else { continue }
                    let old: RelationshipDescription? =
                        if case .relationship(let old)? = routes.origin(of: relationship, in: entity) { old } else { nil }
                    if let number, let old {
                        let column = table.new.column(number, of: index)
                        let numbers = numbers(of: routes.source.entities[old.destination].hierarchy)
                        if !table.numberColumns.contains(where: { $0.name == column.name }) {
                            table.numberColumns.append((column.name, numbers))
                        }
                    }
                    if !relationship.isOptional, !relationship.isHidden, old?.isOptional != false {
                        table.defaults.append(
                            ColumnDefault(
                                required: relationship, table.new.column(slot, of: index), entity, number: table.new.number(of: index)))
                    }
                }
            }
        }
        return true
    }

    /// Returns the numbers that entities had and have.
    private func numbers(of hierarchy: Range<EntityIndex>) -> [Int: Int] {
        Dictionary(hierarchy.compactMap { index in routes.target(of: index).map { (old.numbers[index], new.numbers[$0.index]) } }) {
            first, _ in
            first
        }
    }

    // MARK: - Links

    private mutating func findJoins() -> Bool {
        var used: Set<Int> = []
        for link in routes.destination.linkTables {
            guard let join = new.joins[link.index] else { continue }
            switch origin(of: link) {
            case .new?: newJoins.append(join)
            case .table(let number, let isSwapped)?:
                guard used.insert(number).inserted, let before = old.joins[number] else { return false }
                let oriented = isSwapped ? join.swapped : join
                guard (before.orderInFirst == nil) == (oriented.orderInFirst == nil),
                    (before.orderInSecond == nil) == (oriented.orderInSecond == nil)
                else { return false }
                joins.append((before, oriented))
            case nil: return false
            }
        }
        droppedJoins = old.joins.indices.filter { !used.contains($0) }.compactMap { old.joins[$0] }
        return true
    }

    private enum LinkOrigin {
        case new
        case table(Int, isSwapped: Bool)
    }

    /// - Returns: `nil` where the links come from elsewhere, or some of them go.
    private func origin(of link: LinkTable) -> LinkOrigin? {
        var found: LinkOrigin?
        for side in [LinkSide.first, .second] {
            let end = link.end(side)
            guard let relationship = routes.destination.entities[end.entity].properties[end.property].relationship else { return nil }
            for index in routes.destination.entities[end.entity].hierarchy {
                switch routes.origin(of: relationship, in: routes.destination.entities[index]) {
                case nil: continue
                case .relationship(let old)?:
                    guard case .links(let number, let oldSide) = old.storage else { return nil }
                    let before = routes.source.linkTables[number]
                    guard before.isReflexive == link.isReflexive, before.end(oldSide).isOrdered == end.isOrdered,
                        routes.uniformOffset(before.end(oldSide).entity, as: end.entity) == 0
                    else { return nil }
                    let isSwapped = !link.isReflexive && side != oldSide
                    if case .table(let other, let wasSwapped)? = found, other != number || wasSwapped != isSwapped { return nil }
                    found = .table(number, isSwapped: isSwapped)
                case .reverse?: return nil
                }
            }
        }
        return found ?? .new
    }
}
