import Strata

enum WalkPolicies {
    /// Adds what both sides added to an object's hits.
    static let sum = MergePolicy("sum") { conflict in
        guard conflict.reason == .changed, case .int(let mine)? = conflict.values["hits"], case .int(let theirs)? = conflict.stored["hits"],
            case .int(let before)? = conflict.base["hits"]
        else { return .error }
        return .values(["hits": .int(mine + theirs - before)])
    }

    static let trumping: [MergePolicy] = [.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback, .overwrite]
}
