/// What a manager holds, told by pictures: each step as what there was before it and after it.
struct UndoOracle {
    enum Part {
        case graph(Int, before: OwnersPicture, after: OwnersPicture)
        case number(before: Int, after: Int)
    }

    struct Group {
        var name = ""
        var parts: [Part] = []
        var isOfEvent = false
    }

    let groupsByEvent: Bool
    /// What the contexts have, and had when their changes were registered last.
    var graphs: [OwnersPicture]
    private var registered: [OwnersPicture]
    /// What an application keeps.
    private(set) var number = 0
    private(set) var open: [Group] = []
    private(set) var undone: [Group] = []
    private(set) var done: [Group] = []

    init(groupsByEvent: Bool, contexts: Int) {
        self.groupsByEvent = groupsByEvent
        graphs = Array(repeating: OwnersPicture(), count: contexts)
        registered = graphs
    }

    /// The name of the step that is taken back next.
    var undoName: String { (open.contains { !$0.parts.isEmpty } ? open.first : done.last)?.name ?? "" }
    /// Whether a group is open that did not begin by itself.
    var hasGroup: Bool { open.contains { !$0.isOfEvent } }

    // MARK: - Registering

    private mutating func push(_ group: Group) { if !group.parts.isEmpty { done.append(group) } }

    private mutating func beginEvent() { if groupsByEvent && open.isEmpty { open.append(Group(isOfEvent: true)) } }

    private mutating func register(_ parts: [Part]) {
        if parts.isEmpty { return }
        undone = []
        beginEvent()
        if open.isEmpty { push(Group(parts: parts)) } else { open[open.count - 1].parts += parts }
    }

    /// Registers what contexts changed.
    mutating func collect() {
        let changed = graphs.indices.filter { graphs[$0] != registered[$0] }
        register(changed.map { .graph($0, before: registered[$0], after: graphs[$0]) })
        registered = graphs
    }

    mutating func setNumber(_ new: Int) {
        register([.number(before: number, after: new)])
        number = new
    }

    mutating func setName(_ name: String) {
        collect()
        beginEvent()
        if open.isEmpty && !done.isEmpty { done[done.count - 1].name = name }
        for index in open.indices { open[index].name = name }
    }

    // MARK: - Groups

    mutating func begin() {
        beginEvent()
        if !open.isEmpty { collect() }
        open.append(Group())
    }

    mutating func end() {
        collect()
        guard let group = open.popLast() else { return }
        if open.isEmpty { push(group) } else { open[open.count - 1].parts += group.parts }
    }

    // MARK: - Going back and forth

    mutating func undo() {
        collect()
        if !open.isEmpty { end() }
        if let group = done.popLast() { undone.append(reverse(group)) }
    }

    mutating func redo() {
        collect()
        if !open.isEmpty { end() }
        if let group = undone.popLast() { done.append(reverse(group)) }
    }

    private mutating func reverse(_ group: Group) -> Group {
        var opposite = Group(name: group.name)
        for part in group.parts.reversed() {
            switch part {
            case .graph(let index, let before, let after):
                graphs[index] = before
                opposite.parts.append(.graph(index, before: after, after: before))
            case .number(let before, let after):
                number = before
                opposite.parts.append(.number(before: after, after: before))
            }
        }
        registered = graphs
        return opposite
    }

    // MARK: - Forgetting

    /// Forgets a context's steps, as it goes back to what it was at its last save.
    mutating func forget(_ index: Int, as saved: OwnersPicture) {
        func without(_ group: Group) -> Group {
            var group = group
            group.parts.removeAll { if case .graph(index, _, _) = $0 { true } else { false } }
            return group
        }
        open = open.map(without)
        done = done.map(without).filter { !$0.parts.isEmpty }
        undone = undone.map(without).filter { !$0.parts.isEmpty }
        graphs[index] = saved
        registered[index] = saved
    }
}
