import StrataStore

/// Connects the rows of a file: checks every id, and sets the entities of references, the orders and the links.
struct GraphAssembler {
    private struct ToOne {
        let reference: Slot
        let entity: Slot?
        let order: Slot?
        let destination: Range<EntityIndex>
        let relationship: RelationshipDescription
    }

    private let model: ManagedObjectModel
    private let errors: XMLErrors
    private let content: DocumentContent
    private let table: ReferenceTable
    private let numbers: ObjectNumbers
    private let toOnes: [[ToOne]]
    private let ids: ObjectIDs
    private var ends: LinkEnds
    /// The numbers of links to owners with a visible list, and of those that the lists have.
    private var (ownedLinks, listedLinks) = (0, 0)

    private var rows: [Row] { content.rows }

    /// The links that the file has at one end alone.
    var problems: [StoreProblem] { ends.problems }

    /// Connects rows that have no other user yet.
    init(
        _ model: ManagedObjectModel, _ content: DocumentContent, _ numbers: ObjectNumbers, _ ids: ObjectIDs, _ errors: XMLErrors
    ) throws(StoreError) {
        self.model = model
        self.content = content
        self.errors = errors
        self.numbers = numbers
        self.ids = ids
        ends = LinkEnds(model)
        table = ReferenceTable(content.rows.map { numbers.number(of: $0) })
        if let duplicate = table.duplicate { throw errors.corrupt("duplicate key: two objects have the id \(ids.text(duplicate))") }
        toOnes = model.entities.map { entity in
            entity.properties.compactMap { property in
                guard let relationship = property.relationship, case .toOne(let reference, let entity, let order) = relationship.storage
                else { return nil }
                let destination = model.entities[relationship.destination].hierarchy
                return ToOne(reference: reference, entity: entity, order: order, destination: destination, relationship: relationship)
            }
        }
    }

    /// Completes the rows and returns the links of every table.
    mutating func connect() throws(StoreError) -> [Int: [Link]] {
        for row in rows { try connectToOnes(of: row) }
        for row in rows { try pairToOnes(of: row) }
        var links = LinkCollector(model)
        for list in content.lists {
            let owner = rows[list.owner]
            guard let relationship = model.entities[owner.entityIndex].properties[list.property].relationship else { continue }
            switch relationship.storage {
            case .inverse(let property): try connect(owner, relationship, property, content.destinations[list.destinations])
            case .links(let table, let side):
                for reference in content.destinations[list.destinations] {
                    links.add(owner.reference, try destination(reference, of: owner, relationship).reference, table, side)
                }
            case .toOne, .none: break
            }
        }
        if listedLinks < ownedLinks { reportUnlisted() }
        orderUnlisted()
        let collected = links.links()
        for (end, owner, destination) in links.oneSided {
            guard let relationship = model.entities[end.entity].properties[end.property].relationship,
                let row = self.table.ordinal(numbers.number(owner, end.entity)).map({ rows[$0] })
            else { continue }
            ends.add(row, id(row), to: id(destination, relationship.destination), relationship)
        }
        return collected
    }

    private mutating func connectToOnes(of row: Row) throws(StoreError) {
        for toOne in toOnes[row.entityIndex] {
            guard let reference = row.integer(toOne.reference) else { continue }
            let destination = try destination(reference, of: row, toOne.relationship, toOne.destination)
            if let slot = toOne.entity { GraphAssembler.fill(row, slot, Int64(destination.entityIndex.rawValue)) }
            if !toOne.relationship.isHidden, case .inverse? = model.inverse(of: toOne.relationship)?.storage { ownedLinks += 1 }
        }
    }

    /// Completes the links of one-to-one relationships that one end alone names, and leaves out those whose other end
    /// names another object.
    private mutating func pairToOnes(of row: Row) throws(StoreError) {
        for toOne in toOnes[row.entityIndex] {
            guard let inverse = model.inverse(of: toOne.relationship), case .toOne(let slot, _, _) = inverse.storage,
                let reference = row.integer(toOne.reference)
            else { continue }
            let destination = try destination(reference, of: row, toOne.relationship, toOne.destination)
            let other = destination.integer(slot)
            if other == row.reference { continue }
            ends.add(row, id(row), to: id(destination), insteadOf: other.map { id($0, row.entityIndex) }, toOne.relationship)
            if other == nil {
                try link(destination, inverse, to: row)
            } else {
                for slot in [toOne.reference, toOne.entity].compactMap(\.self) { GraphAssembler.clear(row, slot) }
            }
        }
    }

    private func link(_ row: Row, _ relationship: RelationshipDescription, to destination: Row) throws(StoreError) {
        guard case .toOne(let slot, let entitySlot, _) = relationship.storage else { return }
        _ = try self.destination(destination.reference, of: row, relationship)
        GraphAssembler.fill(row, slot, destination.reference)
        if let entitySlot { GraphAssembler.fill(row, entitySlot, Int64(destination.entityIndex.rawValue)) }
    }

    /// Sets the order of the destinations of a to-many relationship, and their owner if the file has it in the list
    /// alone.
    private mutating func connect(
        _ owner: Row, _ relationship: RelationshipDescription, _ property: Int, _ references: ArraySlice<Int64>
    ) throws(StoreError) {
        var order: OrderKey?
        for reference in references {
            let destination = try destination(reference, of: owner, relationship)
            guard let inverse = model.entities[destination.entityIndex].properties[property].relationship,
                case .toOne(let slot, _, let orderSlot) = inverse.storage
            else { continue }
            let other = destination.integer(slot)
            if let other, other != owner.reference {
                if inverse.isHidden {
                    throw StoreError(
                        .unsupported, errors.operation,
                        "\(id(destination)) belongs to \(id(other, owner.entityIndex)) and \(id(owner)): without an inverse it can belong to "
                            + "one of them only",
                        path: errors.path, entity: model.entities[owner.entityIndex].name, key: relationship.name)
                }
                ends.add(owner, id(owner), to: id(destination), insteadOf: id(other, owner.entityIndex), relationship)
                continue
            }
            if other == nil { try link(destination, inverse, to: owner) }
            if !inverse.isHidden {
                listedLinks += 1
                if other == nil {
                    ends.add(owner, id(owner), to: id(destination), relationship)
                    ownedLinks += 1
                }
            }
            guard let orderSlot, destination.isNull(orderSlot) else { continue }
            let key = OrderKey(after: order)
            order = key
            GraphAssembler.fill(destination, orderSlot, key.rawValue)
        }
    }

    /// Reports objects with an owner that are missing in its list.
    private mutating func reportUnlisted() {
        struct Key: Hashable {
            let owner: Int64
            let destination: Int64
            let name: String
        }
        var listed: Set<Key> = []
        for list in content.lists {
            let owner = rows[list.owner]
            guard let relationship = model.entities[owner.entityIndex].properties[list.property].relationship,
                case .inverse = relationship.storage
            else { continue }
            for reference in content.destinations[list.destinations] {
                listed.insert(Key(owner: owner.reference, destination: reference, name: relationship.name))
            }
        }
        for row in rows {
            for toOne in toOnes[row.entityIndex] {
                guard !toOne.relationship.isHidden, let inverse = model.inverse(of: toOne.relationship), case .inverse = inverse.storage,
                    let owner = row.integer(toOne.reference),
                    !listed.contains(Key(owner: owner, destination: row.reference, name: inverse.name))
                else { continue }
                ends.add(row, id(row), to: id(owner, toOne.relationship.destination), toOne.relationship)
            }
        }
    }

    /// Appends objects with an owner that are missing in its ordered relationship's list.
    private func orderUnlisted() {
        struct Key: Hashable {
            let owner: Int64
            let relationship: Int
            let entity: EntityIndex
        }
        func key(_ row: Row, _ toOne: ToOne) -> Key? {
            row.integer(toOne.reference).map {
                Key(owner: $0, relationship: toOne.relationship.index, entity: toOne.relationship.declaringEntity)
            }
        }
        var unlisted: [(row: Row, toOne: ToOne)] = []
        for row in rows {
            for toOne in toOnes[row.entityIndex] {
                if let slot = toOne.order, row.isNull(slot), !row.isNull(toOne.reference) { unlisted.append((row, toOne)) }
            }
        }
        if unlisted.isEmpty { return }
        var last: [Key: OrderKey] = [:]
        for row in rows {
            for toOne in toOnes[row.entityIndex] {
                guard let slot = toOne.order, let order = row.order(slot), let key = key(row, toOne) else { continue }
                last[key] = max(last[key] ?? 0, order)
            }
        }
        for (row, toOne) in unlisted.sorted(by: { $0.row.reference < $1.row.reference }) {
            guard let slot = toOne.order, let key = key(row, toOne) else { continue }
            let order = OrderKey(after: last[key])
            last[key] = order
            GraphAssembler.fill(row, slot, order.rawValue)
        }
    }

    private func destination(
        _ reference: Int64, of owner: Row, _ relationship: RelationshipDescription, _ hierarchy: Range<EntityIndex>? = nil
    ) throws(StoreError) -> Row {
        let hierarchy = hierarchy ?? model.entities[relationship.destination].hierarchy
        guard let ordinal = table.ordinal(numbers.number(reference, relationship.destination)) else {
            throw corrupt("\(id(owner)) names \(id(reference, relationship.destination)), which does not exist", owner, relationship)
        }
        let row = rows[ordinal]
        guard hierarchy.contains(row.entityIndex) else {
            let expected = model.entities[relationship.destination].name
            throw corrupt("\(id(owner)) names \(id(row)), which is no \(expected)", owner, relationship)
        }
        return row
    }

    /// Returns the error of a relationship of an object.
    private func corrupt(_ message: String, _ owner: Row, _ relationship: RelationshipDescription) -> StoreError {
        errors.corrupt(message, entity: model.entities[owner.entityIndex].name, key: relationship.name)
    }

    /// Returns the id of a row in the file.
    private func id(_ row: Row) -> String { id(row.reference, row.entityIndex) }

    private func id(_ reference: Int64, _ entity: EntityIndex) -> String { ids.text(numbers.number(reference, entity)) }

    /// Sets a slot of a row that was packed without its content.
    private static func fill(_ row: Row, _ slot: Slot, _ value: Int64) {
        guard let start = unsafe row.bytes.baseAddress else { return }
        // The row's memory belongs to its writer, and only this reader has it yet.
        let base = unsafe UnsafeMutableRawPointer(mutating: start)
        unsafe base.storeBytes(of: value, toByteOffset: RowLayout.offset(ofSlot: slot), as: Int64.self)
        let bitmap = RowLayout.offset(ofBitmapOfSlot: slot)
        let present = unsafe base.load(fromByteOffset: bitmap, as: UInt64.self)
        unsafe base.storeBytes(of: present | RowLayout.bit(ofSlot: slot), toByteOffset: bitmap, as: UInt64.self)
    }

    /// Removes the value of a slot of a row.
    private static func clear(_ row: Row, _ slot: Slot) {
        guard let start = unsafe row.bytes.baseAddress else { return }
        let base = unsafe UnsafeMutableRawPointer(mutating: start)
        unsafe base.storeBytes(of: 0, toByteOffset: RowLayout.offset(ofSlot: slot), as: Int64.self)
        let bitmap = RowLayout.offset(ofBitmapOfSlot: slot)
        let present = unsafe base.load(fromByteOffset: bitmap, as: UInt64.self)
        unsafe base.storeBytes(of: present & ~RowLayout.bit(ofSlot: slot), toByteOffset: bitmap, as: UInt64.self)
    }
}
