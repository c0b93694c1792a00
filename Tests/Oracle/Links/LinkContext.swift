import Strata

/// A context of a link walk, with what the oracle knows of it.
///
/// What a context has not read it learns from its children: what they had read of what they changed.
final class LinkContext {
    let context: ManagedObjectContext
    let parent: LinkContext?
    private(set) var owners: [ManagedObject] = []
    private(set) var members: [ManagedObject] = []
    /// What it read, or gave to its parent or the store.
    private(set) var base: Links
    /// What it sees.
    private(set) var view: Links
    private var undo: [Links] = []
    private var redo: [Links] = []
    /// Whether it has read all links at the beginning.
    private var isLoaded = false
    /// Whether it reads the relationship at its owners, rather than the inverse alone.
    private(set) var readsOwners = true

    init(_ context: ManagedObjectContext, parent: LinkContext? = nil, isManyToMany: Bool) {
        self.context = context
        self.parent = parent
        base = Links(isManyToMany: isManyToMany)
        view = base
    }

    /// Finds the objects, with their rows.
    func find() throws {
        func all(_ entity: String) throws -> [ManagedObject] {
            try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity, sort: [QuerySort("number")]))
        }
        (owners, members) = (try all("Owner"), try all("Member"))
    }

    /// Reads all links at some ends.
    func load(_ relationship: LinkRelationship, atOwners: Bool, atMembers: Bool) throws {
        readsOwners = atOwners
        if atOwners { for owner in owners { _ = try owner.value(forKey: relationship.name) } }
        if atMembers, let inverse = relationship.inverse { for member in members { _ = try member.value(forKey: inverse) } }
    }

    /// Takes note that it knows all links.
    func didLoad(_ stored: Links) {
        (base, view) = (stored, stored)
        isLoaded = true
    }

    // MARK: - What the oracle does

    func set(_ owner: Int, _ member: Int, _ isLinked: Bool) {
        undo.append(view)
        redo = []
        view.set(owner, member, isLinked)
    }

    /// - Returns: Whether there was a step.
    func goBack() -> Bool {
        guard let step = undo.popLast() else { return false }
        redo.append(view)
        view = step
        return true
    }

    /// - Returns: Whether there was a step.
    func goForth() -> Bool {
        guard let step = redo.popLast() else { return false }
        undo.append(view)
        view = step
        return true
    }

    /// Gives what was changed to the parent, or to the store.
    ///
    /// - Returns: Whether anything was.
    func didSave(_ stored: inout Links) -> Bool {
        let changes = view.changes(since: base)
        if let parent {
            parent.base.learn(base, of: changes.keys)
            parent.view.merge(changes)
        } else {
            stored.merge(changes)
        }
        base = view
        if !isLoaded {
            base.forget()
            view.forget()
        }
        return !changes.isEmpty
    }
}
