/// Matches renamed names.
enum Renaming {
    struct Name {
        let name: String
        /// The renaming identifier, or the name.
        let canonical: String
        /// Another name that the identifier may have: that of an element which was no element before.
        let alternative: String?
        let isRenamed: Bool

        init(_ name: String, _ identifier: String?, alternative: String? = nil) {
            self.name = name
            self.alternative = alternative
            canonical = identifier ?? name
            isRenamed = identifier != nil && identifier != name || alternative != nil
        }
    }

    /// Returns the indexes of the old names by those of the new ones; `ambiguity` makes the error for two of one.
    static func pairs(
        _ old: [Name], _ new: [Name], _ ambiguity: (_ name: String, _ other: String, _ origin: String) -> MappingError
    ) throws(MappingError) -> [Int: Int] {
        let byName = Dictionary(old.enumerated().map { ($1.name, $0) }) { first, _ in first }
        let byCanonical = Dictionary(old.enumerated().map { ($1.canonical, $0) }) { first, _ in first }
        var pairs: [Int: Int] = [:]
        var taken: [Int: Int] = [:]
        // Renamed in an earlier version, and not renamed again.
        for (index, name) in new.enumerated() where name.isRenamed {
            guard let origin = byName[name.name], old[origin].canonical == name.canonical else { continue }
            pairs[index] = origin
            taken[origin] = index
        }
        // Renaming identifiers have precedence over names.
        for (index, name) in new.enumerated() where name.isRenamed && pairs[index] == nil {
            let named = byName[name.canonical] ?? byCanonical[name.canonical]
            guard let origin = named ?? name.alternative.flatMap({ byName[$0] ?? byCanonical[$0] }) else { continue }
            if let other = taken[origin] { throw ambiguity(name.name, new[other].name, old[origin].name) }
            pairs[index] = origin
            taken[origin] = index
        }
        // A name in both versions matches itself, before an identifier that another once had.
        for known in [byName, byCanonical] {
            for (index, name) in new.enumerated() where pairs[index] == nil {
                guard let origin = known[name.name], taken[origin] == nil else { continue }
                pairs[index] = origin
                taken[origin] = index
            }
        }
        return pairs
    }
}
