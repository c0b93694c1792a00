/// A step of a walk, as data: it names objects by their tags, so that it means the same when others before it are left out.
indirect enum Operation: Codable {
    case insert(at: Int, kind: Int, tag: Int)
    case set(at: Int, tag: Int, field: Int, value: Int?)
    case relate(at: Int, tag: Int, end: Int, to: [Int])
    case delete(at: Int, tag: Int)
    case undo(at: Int)
    case redo(at: Int)
    /// Where it cannot be saved, what was changed may be taken back.
    case save(at: Int, rollsBack: Bool)
    /// Reads everything anew.
    case sync(at: Int)
    case refresh(at: Int, tag: Int)
    case rollback(at: Int)
    case fetch(at: Int, NaiveQuery)
    case batchInsert(kind: Int, tags: [Int], number: Int)
    case batchUpdate(kind: Int, least: Int, number: Int)
    case batchDelete(kind: Int, number: Int)
    /// Does something with nothing in memory, while reads fail from the given one on.
    case failing(read: Int, Operation)
    case policy(at: Int, Int)
    case reopen

    /// The context that it is about; `nil` where it is about the store.
    var contextIndex: Int? {
        switch self {
        case .insert(let at, _, _), .set(let at, _, _, _), .relate(let at, _, _, _), .delete(let at, _), .undo(let at), .redo(let at),
            .save(let at, _), .sync(let at), .refresh(let at, _), .rollback(let at), .fetch(let at, _), .policy(let at, _):
            at
        case .failing(_, let inner): inner.contextIndex
        case .batchInsert, .batchUpdate, .batchDelete, .reopen: nil
        }
    }
}

/// A request for objects, as data.
struct NaiveQuery: Codable {
    indirect enum Condition: Codable {
        case all
        case number(Comparison, Int)
        case code(Int?)
        /// Of a to-one relationship: whether there is a destination.
        case leadsSomewhere(end: Int, Bool)
        case count(end: Int, Comparison, Int)
        case any(end: Int, Comparison, Int)
        case and(Condition, Condition)
        case or(Condition, Condition)
        case not(Condition)
    }

    enum Comparison: String, Codable { case less = "<", equal = "==", greater = ">" }

    let kind: Int
    let condition: Condition
    let isSorted: Bool
    let limit: Int?
    let offset: Int
}

/// What failed, or must not fail again: a model, and what is done to it.
struct Walk: Codable {
    var schema: Schema
    var operations: [Operation]
    /// Whether there is a child context, and another one over the coordinator.
    var hasStranger: Bool
    var hasUndo: Bool
}
