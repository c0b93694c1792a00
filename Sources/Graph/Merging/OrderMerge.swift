/// A three-way merge of orders.
enum OrderMerge {
    /// Returns the members of both orders, each once.
    ///
    /// Without moves here, their order holds, and members added here follow the same member as here. With moves here,
    /// the order here holds, and members added there follow the same member as there. Members behind none of the common
    /// ones come first or last, theirs first.
    ///
    /// - Parameters:
    ///   - base: The common ancestor.
    ///   - mine: The order here, without what they removed.
    ///   - theirs: The order to apply the changes to, without what was removed here.
    /// - Complexity: O(n).
    static func merge<Member: Hashable>(base: [Member], mine: [Member], theirs: [Member]) -> [Member] {
        let (own, other) = (Set(mine), Set(theirs))
        let shared = Set(base).intersection(own).intersection(other)
        return moves(mine, madeOf: base, shared) ? weave(theirs, into: mine, own) : weave(mine, into: theirs, other)
    }

    static func apply<Member: Hashable>(_ mine: [Member], madeOf base: [Member], to theirs: [Member]) -> [Member] {
        let (known, own, other) = (Set(base), Set(mine), Set(theirs))
        return merge(
            base: base, mine: mine.filter { other.contains($0) || !known.contains($0) },
            theirs: theirs.filter { own.contains($0) || !known.contains($0) })
    }

    static func moves<Member: Hashable>(_ mine: [Member], madeOf base: [Member]) -> Bool {
        moves(mine, madeOf: base, Set(base).intersection(mine))
    }

    private static func moves<Member: Hashable>(_ mine: [Member], madeOf base: [Member], _ shared: Set<Member>) -> Bool {
        mine.filter(shared.contains) != base.filter(shared.contains)
    }

    /// Inserts added members of an order into another one.
    private static func weave<Member: Hashable>(_ added: [Member], into order: [Member], _ members: Set<Member>) -> [Member] {
        guard let last = added.lastIndex(where: members.contains) else { return order + added }
        var first: [Member] = []
        var following: [Member: [Member]] = [:]
        var anchor: Member?
        for member in added[..<last] {
            if members.contains(member) {
                anchor = member
            } else if let anchor {
                following[anchor, default: []].append(member)
            } else {
                first.append(member)
            }
        }
        return first + order.flatMap { [$0] + (following[$0] ?? []) } + added[(last + 1)...]
    }
}
