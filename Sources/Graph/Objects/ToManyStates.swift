import StrataModel

/// What is known of the to-many relationships of one object, one after the other.
struct ToManyStates: Sequence, IteratorProtocol {
    private var state: ToManyState?

    init(beginningWith state: ToManyState?) { self.state = state }

    mutating func next() -> (property: Int, state: ToManyState)? {
        guard let state else { return nil }
        self.state = state.next
        return (state.property, state)
    }
}

extension ManagedObject {
    /// What is known of the object's to-many relationships.
    final var toManyStates: ToManyStates { extra?.toManyStates ?? ToManyStates(beginningWith: nil) }
}
