import StrataModel
import StrataStore

/// The differences of a past state of a store from a later one, by the before-images of the transactions between them.
final class HistoricalState: Sendable {
    /// The to-one references of past rows to an object.
    struct Inverse: Hashable {
        let root: EntityIndex
        let slot: Slot
        let owner: Int64
    }

    /// An object at an end of links.
    struct LinkEnd: Hashable {
        let table: Int
        let side: LinkSide
        let owner: Int64
    }

    /// The rows that changed, by the roots of their hierarchies and their references; `nil` for objects inserted since.
    let rows: [EntityIndex: [Int64: Row?]]
    /// The past rows by what they reference.
    let members: [Inverse: [Row]]
    /// The links that changed, by both ends; `nil` for those that did not exist.
    let links: [LinkEnd: [LinkID: Link?]]

    var isEmpty: Bool { rows.isEmpty && links.isEmpty }

    init(_ rows: [EntityIndex: [Int64: Row?]], _ changed: [LinkID: Link?], _ model: ManagedObjectModel) {
        self.rows = rows
        var members: [Inverse: [Row]] = [:]
        for (root, rows) in rows {
            for case let row? in rows.values {
                for (slot, description) in model.entities[row.entityIndex].layout.indexedSlots where description.kind == .reference {
                    if let owner = row.integer(slot) { members[Inverse(root: root, slot: slot, owner: owner), default: []].append(row) }
                }
            }
        }
        self.members = members
        var links: [LinkEnd: [LinkID: Link?]] = [:]
        for (id, link) in changed {
            links[LinkEnd(table: id.table, side: .first, owner: id.first), default: [:]][id] = link
            links[LinkEnd(table: id.table, side: .second, owner: id.second), default: [:]][id] = link
        }
        self.links = links
    }
}

/// Collects the before-images of transactions, the oldest first.
struct HistoricalStateBuilder {
    private struct Image {
        let entity: EntityDescription
        var version: UInt32
        /// Whether the values are all of the row's; the later state has the others.
        var isWhole = false
        /// The values, each with the version of the row that had it.
        var values: [Slot: (version: UInt32, value: HistoryBody.Preserved?)] = [:]
    }

    private let model: ManagedObjectModel
    private let path: String?
    /// Whether transactions commit in the order in which they are added; else the versions of rows decide.
    ///
    /// Not the versions where they do: an XML store that another coordinator saved has versions that follow from the values.
    private let ordersHistory: Bool
    /// The number of the last transaction whose order keys are not those of the rows.
    var lastForeignOrder: Int64 = 0
    /// The images; `nil` for objects that did not exist.
    private var images: [RowID: Image?] = [:]
    private var links: [LinkID: Link?] = [:]

    init(_ model: ManagedObjectModel, path: String?, ordersHistory: Bool) {
        (self.model, self.path, self.ordersHistory) = (model, path, ordersHistory)
    }

    /// Adds a transaction.
    ///
    /// - Throws: `StoreError` with `historyTokenExpired` for one without before-images, and for a migration; `corrupt`,
    ///   `unsupportedVersion`.
    mutating func add(_ record: HistoryRecord) throws(StoreError) {
        if (try? HistoryOrigin(record.origin))?.kind == .migration {
            throw StoreError(historyTokenExpired: "the store was migrated after the token", path: path)
        }
        let body = try HistoryBody(record.body, path: path, includesValues: true)
        if body.changes.isEmpty { return }
        guard let values = body.values else {
            throw StoreError(historyTokenExpired: "a transaction after the token was made without values", path: path)
        }
        if record.number <= lastForeignOrder && values.hasOrders {
            throw StoreError(historyTokenExpired: "the store was converted since, and has other order keys", path: path)
        }
        for change in body.changes where change.kind == .insert {
            let id = RowID(try entity(body.entities[change.entity].name).index, change.reference, model)
            if images[id] == nil { images[id] = .some(nil) }
        }
        try add(values)
    }

    private mutating func add(_ values: HistoryValues) throws(StoreError) {
        var names: [Int: (entity: EntityDescription, slots: [Slot])] = [:]
        for row in values.rows {
            if names[row.entity] == nil { names[row.entity] = try slots(values.entities[row.entity]) }
            guard let (entity, slots) = names[row.entity] else { continue }
            let id = RowID(entity.index, row.reference, model)
            var image = Image(entity: entity, version: row.version)
            switch images[id] {
            case .some(.none): continue
            case .some(.some(let known)):
                if known.isWhole { continue }
                image = known
            case .none: break
            }
            for (index, value) in row.values {
                let (slot, kind) = (slots[index], values.entities[row.entity].slots[index].kind)
                if let known = image.values[slot], ordersHistory || known.version <= row.version { continue }
                image.values[slot] = (row.version, try resolved(value, kind, values))
            }
            if !ordersHistory { image.version = min(image.version, row.version) }
            image.isWhole = row.isWhole
            images[id] = image
        }
        for (table, link, existed) in values.links {
            let id = LinkID(link, try self.table(values.tables[table]))
            switch links[id] {
            case .some(.some(let known)) where existed: links[id] = .some(known.filled(from: link))
            case .some: break
            case .none: links[id] = .some(existed ? link : nil)
            }
        }
    }

    /// Returns the value of a slot, with the index of a destination's entity in the model.
    private func resolved(
        _ value: HistoryBody.Preserved?, _ kind: SlotKind, _ values: HistoryValues
    ) throws(StoreError) -> HistoryBody.Preserved? {
        guard kind == .entity, case .word(let word)? = value else { return value }
        return .word(UInt64(try entity(values.entities[Int(word)].name).index.rawValue))
    }

    private func entity(_ name: String) throws(StoreError) -> EntityDescription {
        guard let entity = model.entity(named: name) else { throw ofOtherModel }
        return entity
    }

    private func slots(_ stored: HistoryValues.Entity) throws(StoreError) -> (EntityDescription, [Slot]) {
        let entity = try entity(stored.name)
        let known = entity.layout.indexedSlots.map { ($0.slot, entity.properties[$0.description.property].name, $0.description.kind) }
        var slots: [Slot] = []
        for (property, kind) in stored.slots {
            guard let slot = known.first(where: { $0.1 == property && $0.2 == kind })?.0 else { throw ofOtherModel }
            slots.append(slot)
        }
        return (entity, slots)
    }

    private func table(_ name: (entity: String, relationship: String)) throws(StoreError) -> Int {
        let table = model.linkTables.first { table in
            let entity = model.entities[table.first.entity]
            return entity.name == name.entity && entity.properties[table.first.property].name == name.relationship
        }
        guard let table else { throw ofOtherModel }
        return table.index
    }

    private var ofOtherModel: StoreError {
        StoreError(historyTokenExpired: "a transaction after the token has another version of the model", path: path)
    }

    /// Returns the past state, upon a later state with all transactions that were added, or some of them.
    ///
    /// - Throws: `StoreError` with `historyTokenExpired` where an object was deleted past the history; as reading.
    func state(before reader: any StoreReader) throws -> HistoricalState {
        var rows: [EntityIndex: [Int64: Row?]] = [:]
        var writer = RowWriter()
        for (root, images) in Dictionary(grouping: images, by: \.key.root).sortedByKey() {
            let partial = images.compactMap { id, image in image.map { !$0.isWhole } == true ? id.reference : nil }.sorted()
            let found = partial.isEmpty ? [] : try model.checked(reader.rows(root: root, references: partial), .fetch)
            let later = Dictionary(found.map { ($0.reference, $0) }) { first, _ in first }
            var past: [Int64: Row?] = [:]
            for (id, image) in images {
                past[id.reference] = .some(try image.map { try row($0, id.reference, later[id.reference], &writer) })
            }
            rows[root] = past
        }
        return HistoricalState(rows, try filledLinks(reader), model)
    }

    /// The links with order keys that no transaction changed from the later state.
    private func filledLinks(_ reader: any StoreReader) throws -> [LinkID: Link?] {
        var links = links
        for (index, images) in Dictionary(grouping: links, by: \.key.table) {
            let table = model.linkTables[index]
            let partial = images.compactMap(\.value).filter { link in
                [LinkSide.first, .second].contains { table.end($0).isOrdered && link.order($0) == nil }
            }
            if partial.isEmpty { continue }
            for later in try reader.links(of: table, .pairs(partial)) {
                let id = LinkID(later, index)
                if case .some(.some(let link)) = links[id] { links[id] = .some(link.filled(from: later)) }
            }
        }
        return links
    }

    private func row(_ image: Image, _ reference: Int64, _ later: Row?, _ writer: inout RowWriter) throws(StoreError) -> Row {
        guard image.isWhole || later?.entityIndex == image.entity.index else {
            throw StoreError(historyTokenExpired: "an object was deleted past the history", path: path)
        }
        writer.begin(image.entity, reference: reference, version: image.version)
        for (slot, description) in image.entity.layout.indexedSlots {
            if let (_, value) = image.values[slot] {
                switch value {
                case .word(let word): writer.set(integer: Int64(bitPattern: word), at: slot)
                case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
                case nil: break
                }
            } else if !image.isWhole, let later {
                writer.copy(slot, description.kind, from: later)
            }
        }
        return writer.finish()
    }
}

extension HistoryValues {
    /// Whether a row or a link has an order key.
    fileprivate var hasOrders: Bool {
        entities.contains { $0.slots.contains { $0.kind == .order } }
            || links.contains { $0.link.orderInFirst != nil || $0.link.orderInSecond != nil }
    }
}

extension Link {
    /// The link with another one's order keys where it has none.
    fileprivate func filled(from other: Link) -> Link {
        var link = self
        link.orderInFirst = orderInFirst ?? other.orderInFirst
        link.orderInSecond = orderInSecond ?? other.orderInSecond
        return link
    }
}

extension StoreError {
    init(historyTokenExpired message: String, path: String?) { self.init(.historyTokenExpired, .fetch, message, path: path) }
}
