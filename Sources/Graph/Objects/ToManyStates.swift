/// The states of an object's to-many relationships.
struct ToManyStates: Sequence, IteratorProtocol {
    fileprivate(set) var state: ToManyState?

    mutating func next() -> (property: Int, state: ToManyState)? {
        guard let state else { return nil }
        self.state = state.next
        return (state.property, state)
    }
}

extension ManagedObject {
    final var toManyStates: ToManyStates { extra?.toManyStates ?? ToManyStates(state: nil) }
}
