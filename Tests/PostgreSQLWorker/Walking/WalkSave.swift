import Strata
import StrataTestRandom

/// The changes of one save, and what is said of them.
///
/// What is said are words: `+name` for a new object, `~name` for one whose history gets the save's tag, `#name` for one whose hits are counted up,
/// `-name` for one that may be gone afterwards, `!name` for one that is, `?name` for one that a policy may bring back, and `name>folder` for a
/// document that gets there.
struct WalkSave {
    let tag: String
    let context: ManagedObjectContext
    private(set) var words: [String] = []
    private(set) var touched: [ManagedObject] = []
    /// Whether the changes are as right upon what others make of the objects, but for the histories.
    private(set) var isRepeatable = true
    private var count = 0

    init(_ tag: String, _ context: ManagedObjectContext) throws {
        (self.tag, self.context) = (tag, context)
        let mark = try context.insert("Mark")
        mark[WalkKeys.tag] = tag
        mark[WalkKeys.size] = 1
    }

    private mutating func name() -> String {
        count += 1
        return "\(tag).\(count)"
    }

    private func all(_ entity: String) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity)).filter { !$0.isDeleted }
    }

    private func one(_ entity: String, _ random: inout SeededGenerator) throws -> ManagedObject? {
        let all = try all(entity)
        return all.isEmpty ? nil : random.pick(all)
    }

    // MARK: - What may not be lost

    /// Adds the tag to an object's history.
    mutating func touch(_ object: ManagedObject) {
        guard let name = object[WalkKeys.name], let history = object[WalkKeys.history], !touched.contains(object) else { return }
        object[WalkKeys.history] = history + " " + tag
        touched.append(object)
        words.append("~" + name)
    }

    /// Adds the tag again, to what others made of the histories meanwhile.
    func touchAgain() {
        for object in touched {
            guard let history = object.committedValues(forKeys: ["history"])["history"] as? String else { continue }
            object[WalkKeys.history] = history + " " + tag
        }
    }

    mutating func touchOne(_ random: inout SeededGenerator) throws {
        guard let object = try one(random.pick(WalkModel.told), &random) else { return }
        touch(object)
    }

    mutating func transfer(_ random: inout SeededGenerator) throws {
        guard let one = try one("Account", &random), let other = try self.one("Account", &random), one != other else { return }
        guard let mine = one[WalkKeys.balance], let theirs = other[WalkKeys.balance] else { return }
        let amount = Int.random(in: 1...9, using: &random)
        one[WalkKeys.balance] = mine - amount
        other[WalkKeys.balance] = theirs + amount
        touch(one)
        isRepeatable = false
    }

    /// What ``WalkPolicies/sum`` adds up.
    mutating func hit(_ random: inout SeededGenerator) throws {
        guard let object = try one(random.pick(WalkModel.told), &random), let hits = object[WalkKeys.hits],
            let name = object[WalkKeys.name], !words.contains("#" + name)
        else { return }
        object[WalkKeys.hits] = hits + 1
        words.append("#" + name)
    }

    // MARK: - What anybody may change

    mutating func note(_ random: inout SeededGenerator, isOverwriting: Bool) throws {
        let entities = isOverwriting ? ["Label", "Cover"] : WalkModel.told + ["Label", "Cover"]
        guard let object = try one(random.pick(entities), &random) else { return }
        object[WalkKeys.note] = tag
    }

    mutating func insert(_ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try make("Person")
        case 1:
            guard let owner = try one("Person", &random) else { return }
            let folder = try make("Folder")
            folder[WalkKeys.owner] = owner
        case 2...4:
            guard let folder = try one("Folder", &random) else { return }
            let document = try make(random.next().isMultiple(of: 2) ? "Document" : "Sheet")
            move(document, in: folder, &random)
        case 5:
            let cover = try make("Cover")
            cover[WalkKeys.document] = try one("Document", &random)
        default:
            let label = try context.insert("Label")
            label[WalkKeys.name] = "l\(Int.random(in: 0..<6, using: &random))"
            label[WalkKeys.note] = tag
            if let document = try one("Document", &random) { document[WalkKeys.labels].append(label) }
        }
    }

    @discardableResult
    private mutating func make(_ entity: String) throws -> ManagedObject {
        let (object, name) = (try context.insert(entity), name())
        object[WalkKeys.name] = name
        // A cover goes with its document.
        if entity != "Cover" { words.append("+" + name) }
        return object
    }

    private mutating func move(_ document: ManagedObject, in folder: ManagedObject, _ random: inout SeededGenerator) {
        guard let name = document[WalkKeys.name], let target = folder[WalkKeys.name] else { return }
        var documents = folder[WalkKeys.documents].filter { $0 != document }
        documents.insert(document, at: Int.random(in: 0...documents.count, using: &random))
        folder[WalkKeys.documents] = documents
        words.append("\(name)>\(target)")
    }

    mutating func relate(_ random: inout SeededGenerator) throws {
        guard let document = try one("Document", &random), let folder = try one("Folder", &random) else { return }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: move(document, in: folder, &random)
        case 1: folder[WalkKeys.documents] = folder[WalkKeys.documents].shuffled(using: &random)
        case 2:
            let labels = try all("Label").shuffled(using: &random)
            document[WalkKeys.labels] = Array(labels.prefix(Int.random(in: 0...4, using: &random)))
        case 3: document[WalkKeys.labels] = document[WalkKeys.labels].shuffled(using: &random)
        case 4:
            guard let friend = try one("Document", &random) else { return }
            if document[WalkKeys.friends].remove(friend) == nil { document[WalkKeys.friends].insert(friend) }
        case 5: document[WalkKeys.cover] = try one("Cover", &random)
        case 6:
            guard let other = try one("Document", &random) else { return }
            let (mine, theirs) = (document[WalkKeys.cover], other[WalkKeys.cover])
            document[WalkKeys.cover] = theirs
            other[WalkKeys.cover] = mine
        case 7: folder[WalkKeys.parent] = try one("Folder", &random)
        default: folder[WalkKeys.owner] = try one("Person", &random)
        }
    }

    mutating func delete(_ random: inout SeededGenerator, isCertain: Bool) throws {
        let entity = random.pick(["Document", "Document", "Label", "Cover", "Cover", "Person", "Folder"])
        guard let object = try one(entity, &random) else { return }
        isRepeatable = false
        // What is walked on does not run out.
        if entity != "Cover", try all(entity).count < 3 { return }
        // The names of labels are given again.
        if entity != "Label", let name = object[WalkKeys.name] { words += isCertain ? ["-" + name, "!" + name] : ["-" + name] }
        context.delete(object)
    }

    /// Says of what a policy may bring back that it may; neighbors are among it, as their positions in an order change.
    mutating func sayWhatMayReturn() {
        // A new document gets a position among the others, too.
        let new = context.insertedObjects.filter { $0.entity.rootName == "Document" }
        for object in context.updatedObjects.union(context.deletedObjects).union(new) {
            let isDocument = object.entity.rootName == "Document"
            for other in isDocument ? [object] + (object[WalkKeys.folder]?[WalkKeys.documents] ?? []) : [object] {
                if let name = other[WalkKeys.name] { words.append("?" + name) }
            }
        }
    }
}
