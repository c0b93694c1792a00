/// Applies the changes of an order to another one that was made of the same.
enum OrderMerge {
    /// Returns the members of both orders, each once.
    ///
    /// Where nothing that both kept was moved here, their order holds, and what was added here stands behind the member
    /// that it stood behind. Where anything was moved here, the order here holds, and what they added stands behind the
    /// member that it stood behind. What stood behind all that both know stands at the end, theirs first; what stood
    /// before all, at the beginning.
    ///
    /// - Parameters:
    ///   - base: The order that both were made of.
    ///   - mine: The order here, without what they removed.
    ///   - theirs: The order to apply the changes to, without what was removed here.
    /// - Complexity: O(n).
    static func merge<Member: Hashable>(base: [Member], mine: [Member], theirs: [Member]) -> [Member] {
        let (own, other) = (Set(mine), Set(theirs))
        let shared = Set(base).intersection(own).intersection(other)
        return moves(mine, madeOf: base, shared) ? weave(theirs, into: mine, own) : weave(mine, into: theirs, other)
    }

    /// Applies the changes of an order to another one, without what was removed in either.
    static func apply<Member: Hashable>(_ mine: [Member], madeOf base: [Member], to theirs: [Member]) -> [Member] {
        let (known, own, other) = (Set(base), Set(mine), Set(theirs))
        return merge(
            base: base, mine: mine.filter { other.contains($0) || !known.contains($0) },
            theirs: theirs.filter { own.contains($0) || !known.contains($0) })
    }

    /// Returns whether an order has members of the one that it was made of in another order.
    static func moves<Member: Hashable>(_ mine: [Member], madeOf base: [Member]) -> Bool {
        moves(mine, madeOf: base, Set(base).intersection(mine))
    }

    private static func moves<Member: Hashable>(_ mine: [Member], madeOf base: [Member], _ shared: Set<Member>) -> Bool {
        mine.filter(shared.contains) != base.filter(shared.contains)
    }

    /// Puts what an order has besides the members of another one among these.
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
