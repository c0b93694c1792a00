import StrataStore

/// The digests of a store's rows as the listeners of a coordinator know them by its events: rows with other digests are
/// remote changes.
///
/// It changes as events are delivered, in order. The coordinator may save while the store is read: a reading may be
/// older than an event that was delivered since, which ``update(to:since:)`` detects by the row versions, which only
/// grow.
struct RowDigestIndex: Sendable {
    /// A row that a save of the coordinator changed after the last reading.
    private typealias Touched = (row: RowDigest?, save: Int)

    private let schema: TrackedSchema
    private let scopes: ObjectIDScopes
    private let storeID: StoreID
    private var model: ManagedObjectModel { schema.model }
    private(set) var contents: StoreDigest
    private var touched: [RowID: Touched] = [:]
    /// The number of the save that last changed a link after the last reading.
    private var touchedLinks: [LinkID: Int] = [:]
    private(set) var saves = 0
    /// Whether so much was saved since the last reading that another one saves memory: a touched row takes several
    /// times the memory of a read one.
    var isCrowded: Bool { touched.count + touchedLinks.count > 2_000 + rowCount / 8 }
    /// The number of rows, cached as each save needs it.
    private var rowCount: Int

    init(_ contents: StoreDigest, _ schema: TrackedSchema, _ scopes: ObjectIDScopes, _ storeID: StoreID) {
        self.contents = contents
        rowCount = contents.rowCount
        self.schema = schema
        self.scopes = scopes
        self.storeID = storeID
    }

    private func known(_ id: RowID) -> RowDigest? {
        if let touched = touched[id] { return touched.row }
        return contents.hierarchies[id.root]?[id.reference]
    }

    private func id(_ entity: EntityIndex, _ reference: Int64) -> ObjectID { ObjectID(scope: scopes[entity], reference: reference) }

    // MARK: - The coordinator's own saves

    /// Records the changes of the coordinator's own save, whose event is delivered next; returns earlier remote changes
    /// of the same objects, which were not reported yet.
    mutating func record(_ own: OwnChanges) -> SaveEvent.StoreChanges {
        saves += 1
        var before = RemoteChangesFound(storeID)
        func reportInsertion(_ rowID: RowID, _ entity: EntityIndex) {
            if before.inserted.insert(rowID).inserted { before.changes.inserted.append(SavedObject(id: id(entity, rowID.reference))) }
        }
        func reportUnknown(_ entity: EntityIndex, _ reference: Int64) {
            let rowID = RowID(entity, reference, model)
            guard touched[rowID] == nil, known(rowID) == nil else { return }
            reportInsertion(rowID, entity)
            // Only its existence is known.
            touched[rowID] = (RowDigest(entity: entity, version: 0, digests: [], owners: [], tombstone: nil), saves)
        }
        for row in own.inserted {
            touched[RowID(row.entityIndex, row.reference, model)] = (RowDigest(row, schema), saves)
        }
        for update in own.updated {
            let rowID = RowID(update.row.entityIndex, update.row.reference, model)
            let new = RowDigest(update.row, schema)
            defer { touched[rowID] = (new, saves) }
            guard let old = known(rowID) else {
                reportInsertion(rowID, update.row.entityIndex)
                before.owners += schema.changedOwners(nil, new)
                continue
            }
            if let expected = update.expectedVersion, expected == old.version { continue }
            let entity = model.entities[update.row.entityIndex]
            let others = old.differences(from: new)?.filter { !update.slots.contains($0) } ?? []
            if others.isEmpty { continue }
            before.updated.add(id(entity.index, rowID.reference), entity.properties(ofSlots: others))
            before.owners += schema.changedOwners(old, new, others)
        }
        for deletion in own.deleted {
            let rowID = RowID(deletion.entity, deletion.reference, model)
            if known(rowID) == nil { reportInsertion(rowID, deletion.entity) }
            touched[rowID] = (nil, saves)
        }
        for change in own.links {
            // The event has both ends as changed: an end that the listeners do not know is an insertion.
            for (side, reference) in ends(of: change) { reportUnknown(side.entity, reference) }
            record(change)
        }
        for change in own.relationships { reportUnknown(change.entity, change.reference) }
        for owner in before.owners {
            guard !before.inserted.contains(owner.rowID), let row = known(owner.rowID) else { continue }
            before.updated.add(id(row.entity, owner.rowID.reference), [owner.name])
        }
        return before.all
    }

    private func ends(of change: LinkChange) -> [(side: LinkTable.End, reference: Int64)] {
        let table = model.linkTables[change.table]
        return [(table.first, change.link.first), (table.second, change.link.second)]
    }

    private mutating func record(_ change: LinkChange) {
        guard contents.links[change.table] != nil else { return }
        let ends = StoreDigest.Ends(change.link)
        let known = contents.links[change.table]?[ends]
        switch change.kind {
        case .order where known == nil: return
        case .put, .order:
            var positions = known ?? StoreDigest.Positions(change.link)
            positions.inFirst = change.link.orderInFirst ?? positions.inFirst
            positions.inSecond = change.link.orderInSecond ?? positions.inSecond
            contents.links[change.table]?[ends] = positions
        case .remove: contents.links[change.table]?[ends] = nil
        }
        touchedLinks[LinkID(table: change.table, first: ends.first, second: ends.second)] = saves
    }

    // MARK: - Remote changes

    /// Compares a reading with what the listeners know, which it becomes.
    ///
    /// - Parameter start: The number of the coordinator's saves that were delivered when the reading began: it has
    ///   their changes, and may or may not have those of later saves.
    /// - Returns: The remote changes, and whether to read the store again for changes that could not be distinguished
    ///   from the coordinator's.
    mutating func update(to found: StoreDigest, since start: Int) -> (changes: SaveEvent.StoreChanges, isUnsure: Bool) {
        var result = RemoteChangesFound(storeID)
        for root in schema.roots where found.changed[root] == nil {
            compare(root, contents.hierarchies[root] ?? RowDigestTable(), found.hierarchies[root] ?? RowDigestTable(), &result)
        }
        let whole = found.hierarchies.isEmpty ? [:] : touched.filter { found.changed[$0.key.root] == nil }
        for (rowID, touch) in whole.sorted(by: { ($0.key.root, $0.key.reference) < ($1.key.root, $1.key.reference) }) {
            let now = found.hierarchies[rowID.root]?[rowID.reference]
            if touch.save <= start { report(rowID, touch.row, now, &result) } else if resolve(rowID, touch.row, now, &result) { continue }
            touched[rowID] = nil
        }
        for (root, rows) in found.changed.sortedByKey() {
            for (reference, now) in rows.sortedByKey() { update(RowID(root: root, reference: reference), to: now, since: start, &result) }
        }
        contents.hierarchies.merge(found.hierarchies) { $1 }
        var links = found.links
        for table in schema.tables where links[table.index] != nil { compare(table, found, &links, start, &result) }
        for owner in result.owners { report(owner.rowID, owner.name, &result) }
        contents.links.merge(links) { $1 }
        contents.position = found.position
        rowCount = contents.rowCount
        touchedLinks = touchedLinks.filter { $0.value > start }
        return (result.all, result.isUnsure || isCrowded)
    }

    /// Takes a row as known of which others may have changed something.
    private mutating func update(_ rowID: RowID, to now: RowDigest?, since start: Int, _ result: inout RemoteChangesFound) {
        if let touch = touched[rowID], touch.save > start {
            if !resolve(rowID, touch.row, now, &result) { touched[rowID] = (now, start) }
            return
        }
        let old = known(rowID)
        if old == nil && now == nil { return }
        report(rowID, old, now, &result)
        touched[rowID] = (now, start)
    }

    /// Returns the entity of a row that is there now.
    private func entity(_ rowID: RowID) -> EntityIndex? {
        if let touched = touched[rowID] { return touched.row?.entity }
        guard let hierarchy = contents.hierarchies[rowID.root] else { return nil }
        return hierarchy.index(of: rowID.reference).map { hierarchy.entity(at: $0) }
    }

    /// Compares the rows that no save of the coordinator touched.
    private func compare(_ root: EntityIndex, _ old: RowDigestTable, _ new: RowDigestTable, _ result: inout RemoteChangesFound) {
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
                if isSameVersion && model.entities[new.entity(at: after)].derivedAttributes.isEmpty { continue }
            }
            report(rowID, isOld ? old.row(at: before) : nil, isNew ? new.row(at: after) : nil, &result)
        }
    }

    private func report(_ rowID: RowID, _ old: RowDigest?, _ new: RowDigest?, _ result: inout RemoteChangesFound) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?):
            result.owners += schema.changedOwners(nil, new)
            result.inserted.insert(rowID)
            result.changes.inserted.append(SavedObject(id: id(new.entity, rowID.reference)))
        case (let old?, nil):
            result.owners += schema.changedOwners(old, nil)
            result.deleted.insert(rowID)
            let id = id(old.entity, rowID.reference)
            result.changes.deleted.append(SavedObject(id: id))
            if let tombstone = old.tombstone {
                result.changes.tombstones[id] = tombstone.values(of: model.entities[old.entity].preservedAttributes)
            }
        case (let old?, let new?):
            let slots = old.differences(from: new)
            report(rowID, new.entity, slots, old.version == new.version, &result)
            result.owners += schema.changedOwners(old, new, slots)
        }
    }

    /// Reports that a to-many relationship has other members, or another order, unless its owner was inserted or
    /// deleted.
    private func report(_ rowID: RowID, _ name: String, _ result: inout RemoteChangesFound) {
        guard let entity = entity(rowID), !result.inserted.contains(rowID) else { return }
        result.updated.add(id(entity, rowID.reference), [name])
    }

    /// Reports changed slots of a row, where there are any.
    ///
    /// - Parameters:
    ///   - slots: The slots; `nil` where all may have changed.
    ///   - isSameVersion: Whether only derived values can have changed.
    private func report(_ rowID: RowID, _ index: EntityIndex, _ slots: [Slot]?, _ isSameVersion: Bool, _ result: inout RemoteChangesFound) {
        let entity = model.entities[index]
        var slots = slots ?? Array(entity.layout.indexedSlots.map(\.slot))
        if isSameVersion {
            let derived = Set(entity.derivedAttributes.compactMap(\.slot))
            slots = slots.filter(derived.contains)
            if slots.isEmpty { return }
        }
        result.updated.add(id(index, rowID.reference), entity.properties(ofSlots: slots))
    }

    /// Reports the remote changes of a row that a save of the coordinator touched since the reading began, as far as
    /// known; returns whether the row of the save stays the known one.
    private func resolve(_ rowID: RowID, _ saved: RowDigest?, _ found: RowDigest?, _ result: inout RemoteChangesFound) -> Bool {
        guard let saved else { return true }
        guard let found else {
            // It was read before the save, or deleted by others since.
            result.isUnsure = true
            return true
        }
        // Versions only grow: an older one was read before the save, and a later one is a remote change.
        if found.version > saved.version {
            report(rowID, saved, found, &result)
            return false
        }
        if found.version == saved.version, saved.differences(from: found)?.isEmpty != true { result.isUnsure = true }
        return true
    }

    private func compare(
        _ table: LinkTable, _ found: StoreDigest, _ links: inout [Int: [StoreDigest.Ends: StoreDigest.Positions]], _ start: Int,
        _ result: inout RemoteChangesFound
    ) {
        let (old, new) = (contents.links[table.index] ?? [:], found.links[table.index] ?? [:])
        func isSettled(_ ends: StoreDigest.Ends) -> Bool {
            guard let save = touchedLinks[LinkID(table: table.index, first: ends.first, second: ends.second)], save > start else {
                return true
            }
            // The link of the delivered event stays the known one.
            links[table.index]?[ends] = old[ends]
            result.isUnsure = true
            return false
        }
        for (ends, positions) in new where old[ends] != positions && isSettled(ends) { report(table, ends, &result) }
        for ends in old.keys where new[ends] == nil && isSettled(ends) { report(table, ends, &result) }
    }

    /// Reports an inserted, deleted or moved link as a change of both ends, unless the end itself was inserted or
    /// deleted.
    private func report(_ table: LinkTable, _ ends: StoreDigest.Ends, _ result: inout RemoteChangesFound) {
        let sides = [(table.first, ends.first), (table.second, ends.second)].map { side, reference in
            (side: side, rowID: RowID(side.entity, reference, model))
        }
        // The links of an object are deleted with it: the event of a deletion here has reported that, also where the
        // link was read before.
        if sides.contains(where: { entity($0.rowID) == nil && !result.deleted.contains($0.rowID) }) { return }
        for (side, rowID) in sides where !result.inserted.contains(rowID) {
            guard let entity = entity(rowID) else { continue }
            result.updated.add(id(entity, rowID.reference), [model.entities[side.entity].properties[side.property].name])
        }
    }
}
