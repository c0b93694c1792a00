import Strata
import StrataModel
import StrataTestRandom

/// Goes on a walk with a family of contexts that change one relationship, and another context that changes it in the store in between.
///
/// The oracle is a three-way merge in each step from a context to what it saves to: what was changed of what was read is changed there.
final class LinkWalker {
    private static let ownerCount = 2
    private static let memberCount = 4

    private let relationship: LinkRelationship
    private let coordinator: PersistentStoreCoordinator
    private var random: SeededGenerator
    private var stored: Links
    private var family: [LinkContext] = []
    private let hasUndo: Bool
    /// The links that are changed again and again.
    private var focus: [(owner: Int, member: Int)] = []
    private var isStoreChangedByOthers = false
    /// What was done.
    private(set) var log: [String] = []

    init(_ relationship: LinkRelationship, seed: UInt64, _ store: StoreDescription) throws {
        self.relationship = relationship
        random = SeededGenerator(seed: seed)
        hasUndo = random.pick([true, false, false])
        stored = Links(isManyToMany: relationship.isManyToMany)
        coordinator = PersistentStoreCoordinator(model: try LinkRelationship.model())
        try coordinator.addStore(store)
        try fill()
        try makeFamily()
        let links = (0..<Self.ownerCount).flatMap { owner in (0..<Self.memberCount).map { (owner: owner, member: $0) } }
        focus = random.pick([true, false, false]) ? links : [random.pick(links), random.pick(links)]
    }

    private func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private func fill() throws {
        let context = ManagedObjectContext(coordinator)
        func make(_ entity: String, _ count: Int) throws -> [ManagedObject] {
            try (0..<count).map { number in
                let object = try context.insert(entity)
                try object.setValue(number, forKey: "number")
                return object
            }
        }
        let (owners, members) = (try make("Owner", Self.ownerCount), try make("Member", Self.memberCount))
        for (owner, object) in owners.enumerated() {
            let chosen = members.indices.filter { member in
                let isFree = relationship.isManyToMany || !owners.indices.contains { stored.contains($0, member) }
                let isChosen = isFree && below(2) == 0
                if isChosen || owner == 0 || relationship.isManyToMany { stored.set(owner, member, isChosen) }
                return isChosen
            }
            try set(chosen.shuffled(using: &random).map { members[$0] }, object)
            log.append("owner \(owner) \(chosen)")
        }
        try context.save()
    }

    /// Makes a context over the store, its child, and often a child of that or another child.
    ///
    /// Those without children have read all links.
    private func makeFamily() throws {
        let isManyToMany = relationship.isManyToMany
        let top = LinkContext(ManagedObjectContext(coordinator), isManyToMany: isManyToMany)
        top.context.mergePolicy = .mergeByPropertyObjectTrump
        func child(of parent: LinkContext) -> LinkContext {
            LinkContext(ManagedObjectContext(parent: parent.context), parent: parent, isManyToMany: isManyToMany)
        }
        family = [top, child(of: top)]
        if below(2) == 0 { family.append(child(of: family[1])) }
        if below(3) == 0 { family.append(child(of: top)) }
        for (number, context) in family.enumerated() {
            try context.find()
            let isLeaf = isLeaf(context)
            let isLoaded = isLeaf || below(3) == 0
            if isLoaded {
                let chosen = random.pick(loadableEnds)
                try context.load(relationship, atOwners: chosen != 1, atMembers: chosen != 0)
            }
            // The rows of members were fetched.
            if isLoaded || !isManyToMany { context.didLoad(stored) }
            if isLeaf && hasUndo { context.context.undoManager = UndoManager() }
            log.append(
                "context \(number) of \(self.number(context.parent) ?? -1), \(isLoaded ? "loaded" : "not loaded"), owners \(context.readsOwners)"
            )
        }
    }

    private func number(_ context: LinkContext?) -> Int? { family.firstIndex { $0 === context } }
    private func isLeaf(_ context: LinkContext) -> Bool { context.parent != nil && !family.contains { $0.parent === context } }

    /// Which ends may be loaded: those of owners, of members, or both.
    ///
    /// What a change reads late is read as it is then, which the oracle does not know.
    private var loadableEnds: [Int] {
        // An ordered end is read to be changed, and an undo reads what it changes.
        if relationship.name == "chain" || hasUndo { return [2] }
        return relationship.isOrdered || relationship.inverse == nil ? [0, 2] : [0, 1, 2]
    }

    // MARK: - Steps

    func run(steps: Int) throws {
        let leaves = family.filter(isLeaf)
        for _ in 0..<steps {
            let leaf = random.pick(leaves)
            switch below(10) {
            case 0...3: try change(leaf)
            case 4, 5: try save(leaf)
            case 6: try save(random.pick(Array(family.dropFirst())))
            // The save of an order reads it, and the context goes by what it has read from then on.
            case 7 where !relationship.isOrdered: try save(family[0])
            case 8 where hasUndo: try goBackOrForth(leaf)
            default: try changeStore()
            }
            for leaf in leaves where leaf.readsOwners {
                try compare(leaf.owners, leaf.view, "context \(number(leaf) ?? -1)")
            }
        }
        for context in family.reversed().dropLast() { try save(context) }
        let orders = leaves.count == 1 && relationship.isOrdered && !isStoreChangedByOthers ? try leaves[0].owners.map(numbers) : nil
        try save(family[0])
        let fresh = LinkContext(ManagedObjectContext(coordinator), isManyToMany: relationship.isManyToMany)
        try fresh.find()
        try compare(fresh.owners, stored, "stored")
        if let orders, try fresh.owners.map(numbers) != orders {
            throw Mismatch("stored orders \(try fresh.owners.map(numbers)), expected \(orders)")
        }
        for store in coordinator.stores {
            let problems = try coordinator.verify(store)
            if !problems.isEmpty { throw Mismatch("\(problems)") }
        }
    }

    private func change(_ leaf: LinkContext) throws {
        let (owner, member) = random.pick(focus)
        let isLinked = leaf.view.contains(owner, member)
        // Where only the inverse is loaded, nothing is to be read.
        let way = leaf.readsOwners ? below(3) : random.pick([0, 2])
        try set(!isLinked, leaf.owners[owner], leaf.members[member], way)
        leaf.set(owner, member, !isLinked)
        try leaf.context.processPendingChanges()
        log.append("context \(number(leaf) ?? -1) \(isLinked ? "removes" : "adds") \(owner)-\(member) by way \(way)")
    }

    private func changeStore() throws {
        let other = LinkContext(ManagedObjectContext(coordinator), isManyToMany: relationship.isManyToMany)
        try other.find()
        let (owner, member) = random.pick(focus)
        let isLinked = stored.contains(owner, member)
        try set(!isLinked, other.owners[owner], other.members[member], below(3))
        try other.context.save()
        stored.set(owner, member, !isLinked)
        isStoreChangedByOthers = true
        log.append("another context \(isLinked ? "removes" : "adds") \(owner)-\(member)")
    }

    private func save(_ context: LinkContext) throws {
        let saved = try context.context.save()
        let isChanged = context.didSave(&stored)
        log.append("context \(number(context) ?? -1) saves")
        if !isChanged && !saved.isEmpty && context.parent == nil && !relationship.isOrdered { throw Mismatch("something was saved") }
    }

    private func goBackOrForth(_ leaf: LinkContext) throws {
        if below(3) > 0 {
            guard leaf.goBack() else { return }
            try leaf.context.undo()
            log.append("context \(number(leaf) ?? -1) goes back")
        } else if leaf.goForth() {
            try leaf.context.redo()
            log.append("context \(number(leaf) ?? -1) goes forth")
        }
    }

    // MARK: - Links

    private func set(_ members: [ManagedObject], _ owner: ManagedObject) throws {
        try owner.setValue(relationship.isOrdered ? members : Set(members), forKey: relationship.name)
    }

    /// Makes a link, or removes it: from the inverse, by setting all destinations, or one by one.
    private func set(_ isLinked: Bool, _ owner: ManagedObject, _ member: ManagedObject, _ way: Int) throws {
        if way == 0, let inverse = relationship.inverse {
            if !relationship.isManyToMany { return try member.setValue(isLinked ? owner : nil, forKey: inverse) }
            return try set(isLinked, member, inverse, owner)
        }
        if way != 1 { return try set(isLinked, owner, relationship.name, member) }
        var members = try destinations(owner)
        if isLinked { members.insert(member, at: below(members.count + 1)) } else { members.removeAll { $0 === member } }
        try set(members, owner)
    }

    private func set(_ isLinked: Bool, _ object: ManagedObject, _ name: String, _ other: ManagedObject) throws {
        if object.entity.relationship(named: name)?.isOrdered == true {
            let members = try object.mutableOrderedSetValue(forKey: name)
            if isLinked { members.insert(other, at: below(members.count + 1)) } else { members.remove(other) }
        } else {
            let members = try object.mutableSetValue(forKey: name)
            if isLinked { members.insert(other) } else { members.remove(other) }
        }
    }

    private func destinations(_ owner: ManagedObject) throws -> [ManagedObject] {
        switch try owner.value(forKey: relationship.name) {
        case let many as Set<ManagedObject>: Array(many)
        case let ordered as [ManagedObject]: ordered
        default: []
        }
    }

    private func numbers(_ owner: ManagedObject) throws -> [Int] {
        try destinations(owner).map { member in
            guard let number = try member.value(forKey: "number") as? Int else { throw Mismatch("a member without a number") }
            return number
        }
    }

    private func compare(_ owners: [ManagedObject], _ links: Links, _ what: String) throws {
        for (owner, object) in owners.enumerated() {
            let (found, expected) = (try numbers(object), (0..<Self.memberCount).filter { links.contains(owner, $0) })
            if found.sorted() != expected { throw Mismatch("\(what), owner \(owner): \(found), expected \(expected)") }
        }
    }
}
