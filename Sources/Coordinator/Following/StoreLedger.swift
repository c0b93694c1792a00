import StrataModel
import StrataStore

/// What the listeners of a coordinator know of a store, by the events that they were told: what differs in the store is what others changed.
///
/// It changes as events go out, in their order. What the store holds is read now and then, while the coordinator may save; so what is read
/// may be older than what was told since, and ``tell(_:since:)`` goes by that: versions of rows only grow.
struct StoreLedger: Sendable {
    /// What a save of the coordinator made of a row after the contents were read.
    private struct Touched {
        /// The row; `nil` where it is gone.
        var row: LedgerRow?
        /// The number of the save.
        var save: Int
    }

    private struct LinkPlace: Hashable {
        let table: Int
        let ends: LedgerContents.Ends
    }

    private let shape: FollowedShape
    private let scopes: ObjectIDScopes
    private let storeID: StoreID
    private var model: ManagedObjectModel { shape.model }
    private(set) var contents: LedgerContents
    private var touched: [RowID: Touched] = [:]
    /// The number of the save that last changed a link, of those after the contents were read.
    private var touchedLinks: [LinkPlace: Int] = [:]
    /// How many saves of the coordinator were told.
    private(set) var saves = 0
    /// Whether so much was saved since the contents were read that reading them again saves memory: a noted row takes several times what a read
    /// one takes.
    var isCrowded: Bool { touched.count + touchedLinks.count > 2_000 + rowCount / 8 }
    /// How many rows the contents have; each save asks.
    private var rowCount: Int

    init(_ contents: LedgerContents, _ shape: FollowedShape, _ scopes: ObjectIDScopes, _ storeID: StoreID) {
        self.contents = contents
        rowCount = contents.rowCount
        self.shape = shape
        self.scopes = scopes
        self.storeID = storeID
    }

    private func known(_ id: RowID) -> LedgerRow? {
        if let touched = touched[id] { return touched.row }
        return contents.trees[id.root]?[id.reference]
    }

    private func id(_ entity: EntityIndex, _ reference: Int64) -> ObjectID { ObjectID(scope: scopes[entity], reference: reference) }

    // MARK: - The coordinator's own saves

    /// Takes in what a save of the coordinator changes, which is told next.
    ///
    /// - Returns: What others did before to the objects that it changes, and was not told yet.
    mutating func take(_ own: OwnChanges) -> SaveEvent.StoreChanges {
        saves += 1
        var before = Outcome(SaveEvent.StoreChanges(storeID: storeID))
        func tellInsertion(_ rowID: RowID, _ entity: EntityIndex) {
            if before.inserted.insert(rowID).inserted { before.changes.inserted.append(SavedObject(id: id(entity, rowID.reference))) }
        }
        func tellWhereUnknown(_ entity: EntityIndex, _ reference: Int64) {
            let rowID = RowID(entity, reference, model)
            guard touched[rowID] == nil, known(rowID) == nil else { return }
            tellInsertion(rowID, entity)
            touched[rowID] = Touched(row: .unread(entity), save: saves)
        }
        for row in own.inserted {
            touched[RowID(row.entityIndex, row.reference, model)] = Touched(row: LedgerRow(row, shape), save: saves)
        }
        for update in own.updated {
            let rowID = RowID(update.row.entityIndex, update.row.reference, model)
            let new = LedgerRow(update.row, shape)
            defer { touched[rowID] = Touched(row: new, save: saves) }
            guard let old = known(rowID) else {
                tellInsertion(rowID, update.row.entityIndex)
                before.owners += owners(nil, new)
                continue
            }
            if let expected = update.expectedVersion, expected == old.version { continue }
            let entity = model.entities[update.row.entityIndex]
            let others = old.differences(from: new)?.filter { !update.slots.contains($0) } ?? []
            if others.isEmpty { continue }
            before.update(rowID, id(entity.index, rowID.reference), entity.properties(ofSlots: others))
            before.owners += owners(old, new, others)
        }
        for deletion in own.deleted {
            let rowID = RowID(deletion.entity, deletion.reference, model)
            if known(rowID) == nil { tellInsertion(rowID, deletion.entity) }
            touched[rowID] = Touched(row: nil, save: saves)
        }
        for change in own.links {
            // Both ends are told as changed: who was never told of one of them is told that it is there.
            for (side, reference) in ends(of: change) { tellWhereUnknown(side.entity, reference) }
            take(change)
        }
        for change in own.relationships { tellWhereUnknown(change.entity, change.reference) }
        for owner in before.owners {
            guard !before.inserted.contains(owner.rowID), let row = known(owner.rowID) else { continue }
            before.update(owner.rowID, id(row.entity, owner.rowID.reference), [owner.name])
        }
        return before.changes
    }

    private func ends(of change: LinkChange) -> [(side: LinkTable.End, reference: Int64)] {
        let table = model.linkTables[change.table]
        return [(table.first, change.link.first), (table.second, change.link.second)]
    }

    private mutating func take(_ change: LinkChange) {
        guard contents.links[change.table] != nil else { return }
        let ends = LedgerContents.Ends(change.link)
        let known = contents.links[change.table]?[ends]
        switch change.kind {
        case .order where known == nil: return
        case .put, .order:
            var places = known ?? LedgerContents.Places(change.link)
            places.inFirst = change.link.orderInFirst ?? places.inFirst
            places.inSecond = change.link.orderInSecond ?? places.inSecond
            contents.links[change.table]?[ends] = places
        case .remove: contents.links[change.table]?[ends] = nil
        }
        touchedLinks[LinkPlace(table: change.table, ends: ends)] = saves
    }

    // MARK: - What others changed

    /// Takes in what the store was found to hold.
    ///
    /// - Parameter start: How many saves of the coordinator had been told when the reading began: what these changed was read, what later
    ///   ones changed may or may not have been.
    /// - Returns: What others changed, and whether the store has to be read once more for what could not be told.
    mutating func tell(_ found: LedgerContents, since start: Int) -> (changes: SaveEvent.StoreChanges, isUnsure: Bool) {
        var outcome = Outcome(SaveEvent.StoreChanges(storeID: storeID))
        var left: [RowID: Touched] = [:]
        for root in shape.roots {
            compare(root, contents.trees[root] ?? LedgerTree(), found.trees[root] ?? LedgerTree(), &outcome)
        }
        for (rowID, touch) in touched.sorted(by: { ($0.key.root, $0.key.reference) < ($1.key.root, $1.key.reference) }) {
            let now = found.trees[rowID.root]?[rowID.reference]
            if touch.save <= start {
                tell(rowID, touch.row, now, &outcome)
            } else if resolve(rowID, touch.row, now, &outcome) {
                left[rowID] = touch
            }
        }
        touched = left
        var links = found.links
        for table in shape.tables { compare(table, found, &links, start, &outcome) }
        for owner in outcome.owners { tell(owner.rowID, owner.name, found, &outcome) }
        contents = LedgerContents(trees: found.trees, links: links, at: found.position)
        rowCount = contents.rowCount
        touchedLinks = touchedLinks.filter { $0.value > start }
        return (outcome.changes, outcome.isUnsure)
    }

    /// What comes together as everything is compared.
    private struct Outcome {
        var changes: SaveEvent.StoreChanges
        /// Those whose to-many relationships have other members, or another order, with their names.
        var owners: [(rowID: RowID, name: String)] = []
        var isUnsure = false
        var inserted: Set<RowID> = []
        var deleted: Set<RowID> = []
        /// The places of updated objects.
        var updated: [RowID: Int] = [:]

        init(_ changes: SaveEvent.StoreChanges) { self.changes = changes }

        mutating func update(_ rowID: RowID, _ id: ObjectID, _ properties: [String]) {
            guard let place = updated[rowID] else {
                updated[rowID] = changes.updated.count
                changes.updated.append(SavedObject(id: id, changedProperties: properties))
                return
            }
            let known = changes.updated[place].changedProperties
            changes.updated[place] = SavedObject(
                id: id, changedProperties: known + properties.filter { !known.contains($0) })
        }
    }

    /// Compares the rows that no save of the coordinator touched.
    private func compare(_ root: EntityIndex, _ old: LedgerTree, _ new: LedgerTree, _ outcome: inout Outcome) {
        var (before, after) = (0, 0)
        while before < old.count || after < new.count {
            let (oldReference, newReference) = (
                before < old.count ? old.references[before] : .max, after < new.count ? new.references[after] : .max
            )
            let reference = min(oldReference, newReference)
            let (isOld, isNew) = (before < old.count && oldReference == reference, after < new.count && newReference == reference)
            defer {
                if isOld { before += 1 }
                if isNew { after += 1 }
            }
            let rowID = RowID(root: root, reference: reference)
            if !touched.isEmpty && touched[rowID] != nil { continue }
            if isOld && isNew {
                let isSameVersion = old.version(at: before) == new.version(at: after)
                if isSameVersion && !hasDerived(new.entity(at: after)) { continue }
            }
            tell(rowID, isOld ? old.row(at: before) : nil, isNew ? new.row(at: after) : nil, &outcome)
        }
    }

    private func hasDerived(_ entity: EntityIndex) -> Bool { !model.entities[entity].derivedAttributes.isEmpty }

    /// Tells what became of a row.
    private func tell(_ rowID: RowID, _ old: LedgerRow?, _ new: LedgerRow?, _ outcome: inout Outcome) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?):
            outcome.owners += owners(nil, new)
            outcome.inserted.insert(rowID)
            outcome.changes.inserted.append(SavedObject(id: id(new.entity, rowID.reference)))
        case (let old?, nil):
            outcome.owners += owners(old, nil)
            outcome.deleted.insert(rowID)
            let id = id(old.entity, rowID.reference)
            outcome.changes.deleted.append(SavedObject(id: id))
            if let tombstone = old.tombstone {
                outcome.changes.tombstones[id] = tombstone.values(of: model.entities[old.entity].preservedAttributes)
            }
        case (let old?, let new?):
            let slots = old.differences(from: new)
            tell(rowID, new.entity, slots, old.version == new.version, &outcome)
            outcome.owners += owners(old, new, slots)
        }
    }

    /// The owners that a row left and joined, and those among whose members it changed its place.
    ///
    /// - Parameter slots: The slots that differ; `nil` where all may.
    private func owners(_ old: LedgerRow?, _ new: LedgerRow?, _ slots: [Slot]? = nil) -> [(rowID: RowID, name: String)] {
        let areAlike = old?.entity == new?.entity && old?.owners.count == new?.owners.count
        return [old, new].compactMap { $0 }.flatMap { row in
            zip(shape.memberships(of: row.entity), row.owners).enumerated().compactMap { place, pair in
                let (membership, owner) = pair
                let isSame = areAlike && old?.owners[place] == new?.owners[place]
                let isMoved = membership.order.map { slots?.contains($0) != false } == true
                return owner == 0 || isSame && !isMoved ? nil : (RowID(root: membership.root, reference: owner), membership.name)
            }
        }
    }

    /// Tells that a to-many relationship has other members, or another order, unless its owner came or went.
    private func tell(_ rowID: RowID, _ name: String, _ found: LedgerContents, _ outcome: inout Outcome) {
        if let touched = touched[rowID], touched.row == nil { return }
        guard let tree = found.trees[rowID.root], let place = tree.place(of: rowID.reference), !outcome.inserted.contains(rowID) else {
            return
        }
        outcome.update(rowID, id(tree.entity(at: place), rowID.reference), [name])
    }

    /// Tells that a row has other contents in some slots, where it has.
    ///
    /// - Parameters:
    ///   - slots: The slots; `nil` where all may be.
    ///   - isSameVersion: Whether only what is derived can have changed.
    private func tell(_ rowID: RowID, _ index: EntityIndex, _ slots: [Slot]?, _ isSameVersion: Bool, _ outcome: inout Outcome) {
        let entity = model.entities[index]
        var slots = slots ?? Array(entity.layout.placedSlots.map(\.slot))
        if isSameVersion {
            let derived = Set(entity.derivedAttributes.compactMap(\.slot))
            slots = slots.filter(derived.contains)
            if slots.isEmpty { return }
        }
        outcome.update(rowID, id(index, rowID.reference), entity.properties(ofSlots: slots))
    }

    /// Tells what can be known of a row that a save of the coordinator touched since the reading began.
    ///
    /// - Returns: Whether what the save made of it stays what is known.
    private func resolve(_ rowID: RowID, _ told: LedgerRow?, _ found: LedgerRow?, _ outcome: inout Outcome) -> Bool {
        guard let told else { return true }
        guard let found else {
            // It was read before the save, or somebody deleted it since.
            outcome.isUnsure = true
            return true
        }
        // Versions only grow: an older one was read before the save, and a later one is others'.
        if found.version > told.version {
            tell(rowID, told, found, &outcome)
            return false
        }
        if found.version == told.version, told.differences(from: found)?.isEmpty != true { outcome.isUnsure = true }
        return true
    }

    private func compare(
        _ table: LinkTable, _ found: LedgerContents, _ links: inout [Int: [LedgerContents.Ends: LedgerContents.Places]], _ start: Int,
        _ outcome: inout Outcome
    ) {
        let (old, new) = (contents.links[table.index] ?? [:], found.links[table.index] ?? [:])
        func isSettled(_ ends: LedgerContents.Ends) -> Bool {
            guard let save = touchedLinks[LinkPlace(table: table.index, ends: ends)], save > start else { return true }
            // What was told stays what is known.
            links[table.index]?[ends] = old[ends]
            outcome.isUnsure = true
            return false
        }
        for (ends, places) in new where old[ends] != places && isSettled(ends) { tell(table, ends, found, &outcome) }
        for ends in old.keys where new[ends] == nil && isSettled(ends) { tell(table, ends, found, &outcome) }
    }

    /// Tells a link that came, went, or has another place, to both ends; of an end that came or went with it nothing more is told.
    private func tell(_ table: LinkTable, _ ends: LedgerContents.Ends, _ found: LedgerContents, _ outcome: inout Outcome) {
        let sides = [(table.first, ends.first), (table.second, ends.second)].map { side, reference in
            (side: side, rowID: RowID(side.entity, reference, model))
        }
        // Links go with an object; who deleted it here has told what that changes, also where it was read before.
        let isGone = sides.contains { side in
            if let touched = touched[side.rowID], touched.row == nil { return true }
            return found.trees[side.rowID.root]?.place(of: side.rowID.reference) == nil && !outcome.deleted.contains(side.rowID)
        }
        if isGone { return }
        for (side, rowID) in sides where !outcome.inserted.contains(rowID) && !outcome.deleted.contains(rowID) {
            guard let tree = found.trees[rowID.root], let place = tree.place(of: rowID.reference) else { continue }
            outcome.update(
                rowID, id(tree.entity(at: place), rowID.reference), [model.entities[side.entity].properties[side.property].name])
        }
    }
}
