import StrataModel

// Single steps in ordered relationships: they leave the other destinations alone, of which there may be many.

extension ManagedObject {
    /// Inserts a destination before the one at an index, or at the end, or moves it there; maintains the inverse.
    ///
    /// - Throws: As `set(_:_:)`.
    final func insertMember(_ object: ManagedObject, at index: Int, _ relationship: RelationshipDescription) throws {
        if isDetached {
            let order = try readMembers(relationship)
            let (before, after) = (order[..<index].filter { $0 !== object }, order[index...].filter { $0 !== object })
            return try set(before + [object] + after, relationship)
        }
        try changingMember(relationship) { state in
            try requireEnds(of: relationship, [object], [])
            let isPassed = state.index(of: object.objectID).map { $0 < index } ?? false
            try addMember(object, relationship)
            move(object.objectID, to: isPassed ? index - 1 : index, relationship, state)
        }
    }

    /// Moves the destination at an index to another index.
    ///
    /// - Throws: As `set(_:_:)`.
    final func moveMember(at index: Int, to other: Int, _ relationship: RelationshipDescription) throws {
        if isDetached {
            var order = try readMembers(relationship)
            order.insert(order.remove(at: index), at: other)
            return try set(order, relationship)
        }
        try changingMember(relationship) { state in if let id = state.member(at: index) { move(id, to: other, relationship, state) } }
    }

    /// Removes the destination at an index, and its inverse.
    ///
    /// - Throws: As `set(_:_:)`.
    final func dropMember(_ object: ManagedObject, at index: Int, _ relationship: RelationshipDescription) throws {
        if isDetached {
            var order = try readMembers(relationship)
            order.remove(at: index)
            return try set(order, relationship)
        }
        try changingMember(relationship) { state in
            try requireEnds(of: relationship, [], [object.objectID])
            try removeMember(object, relationship)
            // Another context may have moved it, so that nothing is to be removed at the inverse.
            guard state.member(at: index) == object.objectID else { return }
            managedObjectContext?.tracker.reorder(state.order.filter { $0 != object.objectID }, of: relationship, state, of: self)
        }
    }

    /// Replaces the destinations in a range of indexes by others, step by step; those that are destinations already are
    /// moved.
    ///
    /// - Throws: As `set(_:_:)`.
    final func replaceMembers(in positions: Range<Int>, with members: [ManagedObject], _ relationship: RelationshipDescription) throws {
        var new: Set<ObjectIdentifier> = []
        let members = members.filter { new.insert(ObjectIdentifier($0)).inserted }
        let removed = positions.compactMap { index in member(at: index, relationship).map { (index, $0) } }.filter {
            !new.contains(ObjectIdentifier($1))
        }
        // One round trip for all.
        try requireEnds(of: relationship, members, removed.map(\.1.objectID))
        for (index, member) in removed.reversed() { try dropMember(member, at: index, relationship) }
        var position = positions.lowerBound
        for member in members {
            let isPassed = index(ofMember: member, relationship).map { $0 < position } ?? false
            try insertMember(member, at: position, relationship)
            if !isPassed { position += 1 }
        }
    }

    private func move(_ id: ObjectID, to index: Int, _ relationship: RelationshipDescription, _ state: ToManyState) {
        managedObjectContext?.tracker.move(id, to: index, of: relationship, state, of: self)
    }

    /// Runs a change of a loaded relationship; throws the error of an earlier failed read, with nothing changed.
    private func changingMember(_ relationship: RelationshipDescription, _ body: (ToManyState) throws -> Void) throws {
        try requireSettled(relationship)
        try body(try loadedState(relationship))
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didAssign(self, relationship.name) }
    }
}
