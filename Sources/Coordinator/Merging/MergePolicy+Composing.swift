import StrataModel
import StrataText

extension MergePolicy {
    /// Returns a policy for each of some entities.
    ///
    /// ```swift
    /// context.mergePolicy = .byEntity(["Draft": .overwrite, "Account": .byProperty(["balance": .error])], otherwise: .rollback)
    /// ```
    /// An entity that is not named has the policy of its nearest ancestor that is.
    ///
    /// - Parameters:
    ///   - policies: The policies by the name of the entity.
    ///   - other: The policy of all other entities.
    public static func byEntity(_ policies: [String: MergePolicy], otherwise other: MergePolicy = .error) -> MergePolicy {
        MergePolicy("byEntity(\(named(policies)), otherwise: \(other))") { conflict in
            let names = [conflict.entity.name] + conflict.entity.superentityNames
            let policy = names.lazy.compactMap { policies[$0] }.first ?? other
            return try policy.resolve(conflict)
        }
    }

    /// Returns a policy for each of some properties, where others changed the object meanwhile.
    ///
    /// Each attribute and to-one relationship has its own policy, as if it were all of the object:
    /// ``mergeByPropertyStoreTrump`` keeps the store's change, ``mergeByPropertyObjectTrump`` saves the change made
    /// here, ``overwrite`` saves the object's value in any case, ``rollback`` keeps the store's in any case. ``error``
    /// refuses different changes on both sides, and saves what was changed here alone. A custom policy gets the whole
    /// conflict.
    ///
    /// Where the object as a whole is concerned, as it was deleted on one side, or has the unique values of another
    /// one, `otherwise` alone decides.
    ///
    /// - Parameters:
    ///   - policies: The policies by the name of the property; a composite attribute is one value, with its own policy
    ///     or else the first that names any of its elements.
    ///   - other: The policy of all other properties.
    public static func byProperty(_ policies: [String: MergePolicy], otherwise other: MergePolicy = .error) -> MergePolicy {
        // A composite attribute has one policy, also where that is given for one of its elements.
        let inner = policies.filter { $0.key.contains(".") }.sortedByKey()
        return MergePolicy("byProperty(\(named(policies)), otherwise: \(other))") { conflict in
            guard conflict.reason == .changed, !conflict.isDeletion else { return try other.resolve(conflict) }
            var resolved: [String: Value] = [:]
            let names = conflict.values.keys.filter { conflict.entity.attribute(named: $0)?.isDerived != true }.sorted()
            // The elements of a composite attribute are one value.
            let properties = Dictionary(grouping: names) { conflict.entity.attribute(named: $0)?.compositeName ?? $0 }
            for (property, elements) in properties {
                let change = PropertyChange(elements, conflict)
                let named = policies[property] ?? inner.first { $0.key.hasPrefix(property + ".") }?.value
                let policy = named ?? other
                guard let winner = change.winner(try policy.resolve(conflict)) else { return .error }
                for (name, value) in zip(elements, winner) where value != (conflict.stored[name] ?? .null) { resolved[name] = value }
            }
            return .values(resolved)
        }
    }

    private static func named(_ policies: [String: MergePolicy]) -> String {
        policies.sortedByKey().map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}

/// A property on both sides of a conflict: the values of a composite attribute's elements, or one value.
private struct PropertyChange {
    let names: [String]
    let values: [Value]
    let base: [Value]
    let stored: [Value]

    init(_ names: [String], _ conflict: MergeConflict) {
        self.names = names
        values = names.map { conflict.values[$0] ?? .null }
        base = names.map { conflict.base[$0] ?? .null }
        stored = names.map { conflict.stored[$0] ?? .null }
    }

    /// Returns the values of the property after the conflict; `nil` where it is refused.
    func winner(_ resolution: MergePolicy.Resolution) -> [Value]? {
        let (isChangedHere, isChangedThere) = (values != base, stored != base)
        switch resolution {
        case .error where isChangedHere && isChangedThere && values != stored: return nil
        case .error, .mergeByPropertyObjectTrump: return isChangedHere ? values : stored
        case .mergeByPropertyStoreTrump: return isChangedHere && !isChangedThere ? values : stored
        case .overwrite: return values
        case .rollback: return stored
        case .values(let given): return zip(names, stored).map { given[$0] ?? $1 }
        }
    }
}
