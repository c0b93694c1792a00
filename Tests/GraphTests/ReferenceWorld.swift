import FoundationEssentials
import Strata
import StrataTestModels
import StrataTestRandom
import StrataTestSupport

/// Some contexts over one store that change, relate, delete and save the same objects at random, and what must hold in the store after
/// every save.
struct ReferenceWorld {
    static let model = Result.declared {
        Entity("Item") { Attribute("name", .integer64) }
        Entity("Owner", parent: "Item") {
            Relationships(["nullified": .toMany("Member.nullifying"), "queue": .ordered("Member.queuing")])
            Relationship("left", to: "Member", inverse: "leaving", .toMany, deleteRule: .noAction)
            Relationship("cascaded", to: "Member", inverse: "cascading", .toMany, deleteRule: .cascade)
            Relationship("denied", to: "Member", inverse: "denying", .toMany, deleteRule: .deny)
            Relationships(["slips": .toMany("Slip.owner"), "parts": .toMany("Part")])
            Relationship("line", to: "Part", .ordered, deleteRule: .cascade)
            Relationships([
                "partner": .toOne("Member.partnering"), "twin": .toOne("Owner.twin"), "tags": .toMany("Tag.owners"),
                "shelf": .ordered("Tag.shelves"),
            ])
            Relationship("doomedTags", to: "Tag", inverse: "dooming", .toMany, deleteRule: .cascade)
            Relationship("keptTags", to: "Tag", inverse: "keeping", .toMany, deleteRule: .deny)
        }
        Entity("Chief", parent: "Owner") { Relationship("deputy", to: "Chief") }
        Entity("Member", parent: "Item") {
            Relationships([
                "nullifying": .toOne("Owner.nullified"), "queuing": .toOne("Owner.queue"), "leaving": .toOne("Owner.left"),
                "cascading": .toOne("Owner.cascaded"), "denying": .toOne("Owner.denied"), "partnering": .toOne("Owner.partner"),
                "liking": .toOne("Owner"),
            ])
        }
        Entity("Slip", parent: "Item") { Relationship("owner", to: "Owner", inverse: "slips").required }
        Entity("Part", parent: "Item")
        Entity("Tag", parent: "Item") {
            Relationships([
                "owners": .toMany("Owner.tags"), "shelves": .ordered("Owner.shelf"), "dooming": .toMany("Owner.doomedTags"),
                "keeping": .toMany("Owner.keptTags"),
            ])
        }
    }

    /// A context with the objects that it has seen.
    private struct Editor {
        let context: ManagedObjectContext
        var known: [ManagedObject] = []
        /// Those that may be changed.
        var live: [ManagedObject] { known.filter { $0.managedObjectContext === context && !$0.isDeleted } }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let coordinator: PersistentStoreCoordinator
    private var editors: [Editor] = []
    private var random: SeededGenerator
    private var nextName: Int64 = 1
    /// What was done, a line each.
    private(set) var story: [String] = []
    private(set) var saves = 0

    init(_ description: StoreDescription, seed: UInt64) throws {
        coordinator = PersistentStoreCoordinator(model: try Self.model.get())
        try coordinator.addStore(description)
        random = SeededGenerator(seed: seed)
        let policies = [MergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback]
        for number in 0..<3 {
            let context = ManagedObjectContext(coordinator)
            // One in two meets conflicts as errors.
            context.mergePolicy = below(2) == 0 ? .error : policies[below(policies.count)]
            editors.append(Editor(context: context))
            story.append("\(number) has the policy \(context.mergePolicy)")
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private mutating func note(_ editor: Int, _ what: String) { story.append("\(editor) \(what)") }

    // MARK: - Changes

    /// Does something, and where it saves, looks at the store.
    mutating func step() throws {
        let e = below(editors.count)
        switch below(100) {
        case 0..<14: try insert(e)
        case 14..<55: try relate(e)
        case 55..<60: try load(e)
        case 60..<68: delete(e)
        case 68..<84: try save(e)
        case 84..<89: try fetch(e)
        case 89..<92: refresh(e)
        case 92..<94:
            note(e, "processes pending changes")
            try editors[e].context.processPendingChanges()
        case 94..<96: try batchDelete(e)
        case 96..<98: try tell(e)
        case 98:
            note(e, "rolls back")
            editors[e].context.rollback()
        default:
            note(e, "resets")
            editors[e].context.reset()
            editors[e].known = []
        }
    }

    private func label(_ object: ManagedObject) -> String {
        let name = (try? object.value(forKey: "name") as? Int).map { "\($0)" } ?? "?"
        return "\(object.entity.name) \(name) (\(object.objectID.isTemporary ? "new" : "p\(object.objectID.reference)"))"
    }

    private mutating func insert(_ e: Int) throws {
        let name = ["Owner", "Owner", "Chief", "Member", "Member", "Member", "Slip", "Part", "Tag", "Tag"][below(10)]
        let owners = editors[e].live.filter { $0.entity.name == "Owner" || $0.entity.name == "Chief" }
        if name == "Slip" && owners.isEmpty { return }
        let object = try editors[e].context.insert(name)
        try object.setValue(nextName, forKey: "name")
        nextName += 1
        editors[e].known.append(object)
        note(e, "inserts \(label(object))")
        if name == "Slip" { try object.setValue(owners[below(owners.count)], forKey: "owner") }
    }

    private mutating func relate(_ e: Int) throws {
        let live = editors[e].live
        guard !live.isEmpty else { return try fetch(e) }
        let object = live[below(live.count)]
        let relationships = object.entity.relationships
        guard !relationships.isEmpty else { return }
        let relationship = relationships[below(relationships.count)]
        let destination = editors[e].context.model.destination(of: relationship)
        // Now and then to what is about to be deleted, or gone.
        let includesDeleted = below(8) == 0
        let candidates = editors[e].known.filter {
            $0.managedObjectContext === editors[e].context && $0.entity.isKind(of: destination) && (includesDeleted || !$0.isDeleted)
        }
        let other = candidates.isEmpty ? nil : candidates[below(candidates.count)]
        if !relationship.isToMany {
            if !relationship.isOptional && other == nil { return }
            let value = relationship.isOptional && below(5) == 0 ? nil : other
            note(e, "sets \(label(object)).\(relationship.name) to \(value.map(label) ?? "nil")")
            try object.setValue(value, forKey: relationship.name)
            return
        }
        guard let other else { return }
        if relationship.isOrdered {
            guard var members = try object.value(forKey: relationship.name) as? [ManagedObject] else { return }
            if let index = members.firstIndex(of: other) { members.remove(at: index) }
            if below(4) > 0 { members.insert(other, at: below(members.count + 1)) }
            members.removeAll { $0.managedObjectContext == nil || $0.isDeleted && $0 !== other }
            note(e, "orders \(label(object)).\(relationship.name) as \(members.map(label))")
            try object.setValue(members, forKey: relationship.name)
        } else {
            guard var members = try object.value(forKey: relationship.name) as? Set<ManagedObject> else { return }
            if members.remove(other) == nil { members.insert(other) }
            members = members.filter { $0.managedObjectContext != nil && (!$0.isDeleted || $0 === other) }
            note(e, "makes \(label(object)).\(relationship.name) \(members.map(label).sorted())")
            try object.setValue(members, forKey: relationship.name)
        }
    }

    private mutating func load(_ e: Int) throws {
        note(e, "loads everything")
        for object in editors[e].live {
            for relationship in object.entity.relationships { _ = try object.objectIDs(forRelationshipNamed: relationship.name) }
        }
    }

    private mutating func delete(_ e: Int) {
        let live = editors[e].live
        guard !live.isEmpty else { return }
        let object = live[below(live.count)]
        note(e, "deletes \(label(object))")
        editors[e].context.delete(object)
    }

    // MARK: - Stores

    private mutating func fetch(_ e: Int) throws {
        note(e, "fetches")
        for object in try editors[e].context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Item"))
        where !editors[e].known.contains(where: { $0 === object }) {
            editors[e].known.append(object)
        }
    }

    private mutating func refresh(_ e: Int) {
        let live = editors[e].live
        guard !live.isEmpty else { return }
        let mergeChanges = below(2) == 0
        if below(3) == 0 {
            note(e, "refreshes everything")
            editors[e].context.refreshAllObjects()
        } else {
            let object = live[below(live.count)]
            note(e, "refreshes \(label(object))\(mergeChanges ? ", merging" : "")")
            editors[e].context.refresh(object, mergeChanges: mergeChanges)
        }
    }

    private mutating func batchDelete(_ e: Int) throws {
        // Not the owners: a batch is not validated, and would empty what is required.
        let name = ["Member", "Slip", "Part", "Tag"][below(4)]
        let saved = editors[e].known.filter { $0.managedObjectContext != nil && $0.entity.name == name && !$0.objectID.isTemporary }
        guard !saved.isEmpty else { return }
        var request = BatchDeleteRequest(objectIDs: [saved[below(saved.count)].objectID])
        request.resultType = .objectIDs
        let listeners = editors.indices.filter { _ in below(2) == 0 }
        note(e, "batch-deletes \(name) \(saved[0].objectID.reference), and tells \(listeners)")
        let changes = try coordinator.execute(request).changes
        for listener in listeners { editors[listener].context.mergeChanges(fromRemoteContextSave: changes) }
        try check()
    }

    /// Has a context hear of everything that is there and of what is gone.
    private mutating func tell(_ e: Int) throws {
        note(e, "hears of all changes")
        let ids = editors[e].known.filter { $0.managedObjectContext != nil && !$0.objectID.isTemporary }.map(\.objectID)
        var changes = RemoteChanges()
        for id in ids {
            if try coordinator.row(for: id) == nil { changes.deleted.append(id) } else { changes.updated.append(id) }
        }
        editors[e].context.mergeChanges(fromRemoteContextSave: changes)
    }

    private mutating func save(_ e: Int) throws {
        note(e, "saves")
        let context = editors[e].context
        do {
            try context.save()
            saves += 1
            if context.hasChanges { throw Failure(description: "changes are left after the save") }
        } catch let error where error is SaveConflictError || error is ValidationError {
            note(e, "could not: \(error)")
            switch below(4) {
            case 0: context.rollback()
            case 1: context.refreshAllObjects()
            case 2:
                try tell(e)
                context.rollback()
            default: break
            }
        }
        try check()
    }

    // MARK: - What must hold

    /// Looks at the whole store: by its rows and links, and through a context that has seen nothing.
    ///
    /// - Throws: What does not hold.
    func check() throws {
        for store in coordinator.stores {
            let problems = try coordinator.verify(store)
            if !problems.isEmpty { throw Failure(description: "\(problems)") }
        }
        let context = ManagedObjectContext(coordinator)
        let objects = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Item"))
        let byID = Dictionary(objects.map { ($0.objectID, $0) }) { first, _ in first }
        for object in objects {
            for relationship in object.entity.relationships {
                let ids = try object.objectIDs(forRelationshipNamed: relationship.name)
                func fail(_ what: String) -> Failure { Failure(description: "\(label(object)).\(relationship.name) \(what)") }
                if Set(ids).count != ids.count { throw fail("has one destination twice") }
                if ids.isEmpty && !relationship.isOptional { throw fail("is required and missing") }
                let inverse = context.model.inverse(of: relationship)
                for id in ids {
                    guard let destination = byID[id] else { throw fail("leads to nothing, \(id)") }
                    guard let inverse, !inverse.isHidden else { continue }
                    if try !destination.objectIDs(forRelationshipNamed: inverse.name).contains(object.objectID) {
                        throw fail("has \(label(destination)), which does not lead back")
                    }
                }
            }
        }
        withExtendedLifetime(byID) {}
    }
}
