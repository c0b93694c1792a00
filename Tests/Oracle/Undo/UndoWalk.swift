import StrataTestRandom

/// A random walk over a context with an undo manager: a model, and the operations on it.
struct UndoWalk: Codable {
    /// A change of an object, which it names by its tag: it means the same when changes before it are left out.
    enum Change: Codable {
        case insert(kind: Int, tag: Int)
        case set(tag: Int, value: Int)
        /// Sets a relationship as a whole.
        case relate(tag: Int, end: Int, to: [Int])
        /// Adds a member to a to-many relationship, which need not be loaded.
        case add(tag: Int, end: Int, other: Int)
        /// Removes a member from a to-many relationship, which need not be loaded.
        case remove(tag: Int, end: Int, other: Int)
        case delete(tag: Int)
    }

    /// How what another context saved meets a step that is not saved yet.
    enum Meeting: String, Codable, CaseIterable {
        /// It is merged when the context fetches next.
        case merge
        /// All objects are refreshed.
        case refresh
        /// Relationships are read that were not loaded; all objects are refreshed once the step is undone.
        case read
        /// The context saves the step, whose values win.
        case save
    }

    enum Operation: Codable {
        /// Makes some changes in one undo group.
        case group([Change])
        /// Makes some changes, and ends the event.
        case event([Change])
        /// Makes some changes in a new child context, each a step of its own undo manager, undoes the last ones, and
        /// saves the child.
        case child([Change], undone: Int)
        /// Saves, makes some changes in one undo group, lets another context make others of what was saved, and undoes the group.
        case meet([Change], theirs: [Change], Meeting)
        case undo
        case redo
        /// Makes some changes, which may be none, and saves.
        case save([Change])
        /// Refreshes all objects, so that relationships have to be loaded again.
        case refresh
        /// Refreshes an object, where it is there.
        case refreshObject(tag: Int)
        /// Lets go of all objects, so that those without changes are fetched again.
        case release
        case obtainPermanentIDs
        /// Compares all objects of the context with the oracle's, which loads them.
        case compare

        /// The changes that the operation makes.
        var changes: [Change] {
            get {
                switch self {
                case .group(let changes), .event(let changes), .child(let changes, _), .meet(let changes, _, _), .save(let changes): changes
                default: []
                }
            }
            set {
                switch self {
                case .group: self = .group(newValue)
                case .event: self = .event(newValue)
                case .child(_, let undone): self = .child(newValue, undone: undone)
                case .meet(_, let theirs, let meeting): self = .meet(newValue, theirs: theirs, meeting)
                case .save: self = .save(newValue)
                default: break
                }
            }
        }

        /// The changes that the other context makes.
        var theirs: [Change] {
            get { if case .meet(_, let theirs, _) = self { theirs } else { [] } }
            set { if case .meet(let changes, _, let meeting) = self { self = .meet(changes, theirs: newValue, meeting) } }
        }
    }

    var schema: Schema
    var operations: [Operation]
    /// Whether all objects are compared after each operation, which loads all relationships.
    var comparesAlways: Bool
    /// Whether all objects are refreshed before each undo and redo, which meet unloaded relationships then.
    var refreshesBeforeSteps = false
    /// Whether objects are kept alive between operations.
    var keepsObjects = true
}

extension Schema {
    /// A schema for undo walks: two or three entities, and up to six pairs of relationships, most with an ordered end.
    init(undoSeed seed: UInt64) {
        var random = SeededGenerator(seed: seed &* 37 &+ 11)
        func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        for number in 0..<(2 + below(2)) {
            kinds.append(Kind(name: "E\(number)", attributes: [Field(name: "number", type: .int, standard: number)]))
        }
        // A list and its items come first.
        ends = [
            End(name: "items", owner: 0, destination: 1, inverse: 1, shape: .ordered, rule: below(3) == 0 ? .cascade : .nullify),
            End(name: "list", owner: 1, destination: 0, inverse: 0, shape: .one, rule: .nullify),
        ]
        for number in 0..<below(6) {
            let (owner, destination, index) = (below(kinds.count), below(kinds.count), ends.count)
            if owner == destination, below(100) < 30 {
                ends.append(
                    End(
                        name: "r\(number)", owner: owner, destination: owner, inverse: index, shape: below(2) == 0 ? .one : .many,
                        rule: .nullify))
                continue
            }
            func rule() -> Rule { below(100) < 65 ? .nullify : .cascade }
            let shapes: [Shape] = [.one, .many, .ordered, .ordered]
            ends.append(
                End(
                    name: "r\(number)", owner: owner, destination: destination, inverse: index + 1, shape: random.pick(shapes),
                    rule: rule()))
            ends.append(
                End(
                    name: "b\(number)", owner: destination, destination: owner, inverse: index, shape: random.pick(shapes),
                    rule: rule()))
        }
    }
}
