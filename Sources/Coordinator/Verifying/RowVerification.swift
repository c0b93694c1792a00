import StrataStore

/// Finds unreadable values and dangling references in the rows and links of one snapshot.
struct RowVerification {
    private let model: ManagedObjectModel
    private let roots: [EntityIndex]
    private let entities: Set<EntityIndex>
    private let limit: Int
    private var problems: [StoreProblem] = []
    /// The entity of each object of a hierarchy, by reference.
    private var objects: [EntityIndex: [Int64: EntityIndex]] = [:]
    /// The partner of each object's one-to-one relationship, by reference.
    private var partners: [Property: [Int64: Int64]] = [:]
    /// Whether another program wrote the store, which may have other rules.
    private let isForeign: Bool
    private var unique = UniquenessVerification()

    /// A relationship, in the entity that declares it.
    private struct Property: Hashable {
        let entity: EntityIndex
        let name: String
    }

    private static let rowsAtOnce = 4096
    private static let noOrderKey = "the member has no order key"

    init(model: ManagedObjectModel, entities: Set<EntityIndex>, isForeign: Bool, limit: Int) {
        self.model = model
        self.isForeign = isForeign
        self.entities = entities
        self.limit = limit
        roots = Set(entities.map { model.entities[$0].root }).sorted()
    }

    private var isEnough: Bool { problems.count >= limit }

    /// - Returns: The problems, up to the limit.
    mutating func run(_ reader: any StoreReader) throws -> [StoreProblem] {
        for root in roots {
            let all = try reader.answer(FetchPlan(model.entities[root], .references)).requireReferences()
            let hierarchy = model.entities[root].hierarchy
            for stray in all where !hierarchy.contains(stray.entity) {
                report(.file, "the row is listed with an entity that cannot be there", root, stray.reference)
            }
            objects[root] = Dictionary(all.lazy.filter { hierarchy.contains($0.entity) }.map { ($0.reference, $0.entity) }) { first, _ in
                first
            }
        }
        for root in roots where !isEnough { try checkRows(root, reader) }
        if !isEnough { checkPairs() }
        for table in model.linkTables where !isEnough && (entities.contains(table.first.entity) || entities.contains(table.second.entity)) {
            try checkLinks(table, reader)
        }
        return Array(problems.prefix(max(0, limit)))
    }

    private mutating func checkRows(_ root: EntityIndex, _ reader: any StoreReader) throws {
        for slice in (objects[root] ?? [:]).keys.sorted().slices(of: RowVerification.rowsAtOnce) where !isEnough {
            try checkRows(Array(slice), root, reader)
        }
    }

    /// Checks some rows together, or one by one where one of them prevents the others from being read.
    private mutating func checkRows(_ references: [Int64], _ root: EntityIndex, _ reader: any StoreReader) throws {
        do { check(try reader.rows(root: root, references: references), references, root) } catch let error as StoreError {
            guard error.code == .corrupt else { throw error }
            if references.count == 1 { return report(.value, error.message, root, references[0], error.key) }
            for reference in references where !isEnough { try checkRows([reference], root, reader) }
        }
    }

    private mutating func check(_ rows: [Row], _ references: [Int64], _ root: EntityIndex) {
        if rows.count < references.count {
            for missing in Set(references).subtracting(rows.map(\.reference)) {
                report(.file, "the row is listed and not there", root, missing)
            }
        }
        let indices: Range<EntityIndex> = model.entities.typedIndices()
        for row in rows {
            guard indices.contains(row.entityIndex) else {
                report(.file, "the row is of an entity that the model does not have", root, row.reference)
                continue
            }
            let entity = model.entities[row.entityIndex]
            if !isForeign { checkValues(row, entity) }
            for property in entity.properties {
                if let attribute = property.attribute, attribute.declaration.allowsExternalStorage, let slot = attribute.slot,
                    let value = row.unavailableValue(slot)
                {
                    report(.value, StoreError(value, .verify).message, root, row.reference, attribute.name)
                }
                guard let relationship = property.relationship, case .toOne(let slot, let entitySlot, let order) = relationship.storage,
                    let reference = row.integer(slot)
                else { continue }
                check(relationship, of: row, leadsTo: reference, entitySlot.flatMap { row.integer($0) })
                // Members that contexts added at the same time may have equal keys.
                if let order, !isForeign, row.order(order) == nil {
                    report(.reference, RowVerification.noOrderKey, root, row.reference, relationship.name)
                }
            }
        }
    }

    /// Checks what holds for each row that Strata writes: required values, and unique ones.
    private mutating func checkValues(_ row: Row, _ entity: EntityDescription) {
        for attribute in entity.attributes where attribute.requiresValue && !attribute.isDerived {
            if let slot = attribute.slot, row.isNull(slot) {
                report(.value, "a value is required", entity.root, row.reference, attribute.name)
            }
        }
        for attribute in entity.attributes {
            guard let slot = attribute.slot, let range = attribute.type.integerRange, let value = row.integer(slot), !range.contains(value)
            else {
                continue
            }
            report(.value, "\(value) is no \(attribute.type)", entity.root, row.reference, attribute.name)
        }
        for constraint in entity.uniquenessConstraints {
            if let other = unique.other(than: row, constraint, entity) {
                report(
                    .value, "\(entity.rootName) \(other) has the same unique value", entity.root, row.reference,
                    constraint.names.joined(separator: ", "))
            }
        }
    }

    private mutating func check(_ relationship: RelationshipDescription, of row: Row, leadsTo reference: Int64, _ noted: Int64?) {
        let destination = model.destination(of: relationship)
        let root = model.entities[row.entityIndex].root
        guard let entity = objects[destination.root]?[reference] else {
            return report(.reference, "there is no \(destination.name) \(reference)", root, row.reference, relationship.name)
        }
        guard destination.hierarchy.contains(entity), noted == nil || noted == Int64(entity.rawValue) else {
            let name = model.entities[entity].name
            return report(.reference, "\(destination.rootName) \(reference) is a \(name)", root, row.reference, relationship.name)
        }
        if let inverse = model.inverse(of: relationship), !inverse.isToMany {
            partners[Property(entity: relationship.declaringEntity, name: relationship.name), default: [:]][row.reference] = reference
        }
    }

    private mutating func checkPairs() {
        for (pair, partners) in partners.sorted(by: { ($0.key.entity, $0.key.name) < ($1.key.entity, $1.key.name) }) {
            let entity = model.entities[pair.entity]
            guard let relationship = entity.relationship(named: pair.name), let inverse = model.inverse(of: relationship) else { continue }
            let back = self.partners[Property(entity: inverse.declaringEntity, name: inverse.name)] ?? [:]
            for (own, other) in partners.sortedByKey() where back[other] != own {
                report(.reference, "\(inverse.name) of its destination \(other) does not lead back", entity.root, own, pair.name)
            }
        }
    }

    private mutating func checkLinks(_ table: LinkTable, _ reader: any StoreReader) throws {
        var seen: Set<Link> = []
        for link in try reader.links(of: table) where !isEnough {
            for side in [LinkSide.first, .second] {
                let end = model.entities[table.end(side).entity]
                if let entity = objects[end.root]?[link.reference(side)], end.hierarchy.contains(entity) { continue }
                let other = table.end(side.opposite)
                report(
                    .link, "there is no \(end.name) \(link.reference(side))", model.entities[other.entity].root,
                    link.reference(side.opposite), model.entities[other.entity].properties[other.property].name)
            }
            if !seen.insert(Link(first: link.first, second: link.second)).inserted {
                let entity = model.entities[table.first.entity]
                report(.link, "\(link.second) is linked twice", entity.root, link.first, entity.properties[table.first.property].name)
                continue
            }
            for side in table.isReflexive ? [LinkSide.first] : [.first, .second] where !isForeign {
                let entity = model.entities[table.end(side).entity]
                guard let relationship = entity.properties[table.end(side).property].relationship, relationship.isOrdered,
                    link.order(side) == nil
                else { continue }
                report(.link, RowVerification.noOrderKey, entity.root, link.reference(side), relationship.name)
            }
        }
        guard table.isReflexive else { return }
        for link in seen.sorted(by: { ($0.first, $0.second) < ($1.first, $1.second) })
        where !isEnough && !seen.contains(Link(first: link.second, second: link.first)) {
            let entity = model.entities[table.first.entity]
            report(.link, "\(link.second) does not lead back", entity.root, link.first, entity.properties[table.first.property].name)
        }
    }

    private mutating func report(
        _ kind: StoreProblem.Kind, _ message: String, _ root: EntityIndex, _ reference: Int64, _ key: String? = nil
    ) {
        let entity = objects[root]?[reference] ?? root
        problems.append(StoreProblem(kind, message, entity: model.entities[entity].name, reference: reference, key: key))
    }
}

/// Finds rows with the same values of a uniqueness constraint.
private struct UniquenessVerification {
    private struct Key: Hashable {
        let entity: EntityIndex
        let names: [String]
        let values: [Value]
    }

    private var references: [Key: Int64] = [:]

    /// Returns the row before with the same values; nil and NaN are the same as no other.
    mutating func other(than row: Row, _ constraint: UniquenessConstraint, _ entity: EntityDescription) -> Int64? {
        let values = constraint.slots.map { row.value($0, entity.layout.slots[$0].kind) }
        if values.contains(where: { $0.isNull || $0.isNaN }) { return nil }
        // Equal texts may have different bytes, which stores distinguish, and so may zeros.
        let stored = values.map { value -> Value in
            switch value {
            case .string(let text): .data(Data(text.utf8))
            case .double(let number): .int(Int64(bitPattern: number.bitPattern))
            case .date(let date): .int(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern))
            default: value
            }
        }
        let key = Key(entity: constraint.declaringEntity, names: constraint.names, values: stored)
        let known = references[key]
        if known == nil { references[key] = row.reference }
        return known
    }
}
