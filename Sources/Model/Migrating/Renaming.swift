/// Finds what was renamed.
enum Renaming {
    /// A name as a model spells it.
    struct Name {
        let name: String
        /// The name by which versions of the model know each other's.
        let canonical: String
        /// Another name that the identifier may mean: an element's own, of what was no element then.
        let alternative: String?
        let isRenamed: Bool

        init(_ name: String, _ identifier: String?, alternative: String? = nil) {
            self.name = name
            self.alternative = alternative
            canonical = identifier ?? name
            isRenamed = identifier != nil && identifier != name || alternative != nil
        }
    }

    /// The places of the old names by those of the new ones.
    ///
    /// - Parameter ambiguity: Makes the error for a new name, another one, and the old one that both were.
    static func pairs(
        _ old: [Name], _ new: [Name], _ ambiguity: (_ name: String, _ other: String, _ origin: String) -> MappingError
    ) throws(MappingError) -> [Int: Int] {
        let byName = Dictionary(old.enumerated().map { ($1.name, $0) }) { first, _ in first }
        let byCanonical = Dictionary(old.enumerated().map { ($1.canonical, $0) }) { first, _ in first }
        var pairs: [Int: Int] = [:]
        var taken: [Int: Int] = [:]
        // What was renamed before, and is not renamed again.
        for (place, name) in new.enumerated() where name.isRenamed {
            guard let origin = byName[name.name], old[origin].canonical == name.canonical else { continue }
            pairs[place] = origin
            taken[origin] = place
        }
        // What a renaming identifier says goes before what a name seems to say.
        for (place, name) in new.enumerated() where name.isRenamed && pairs[place] == nil {
            let named = byName[name.canonical] ?? byCanonical[name.canonical]
            guard let origin = named ?? name.alternative.flatMap({ byName[$0] ?? byCanonical[$0] }) else { continue }
            if let other = taken[origin] { throw ambiguity(name.name, new[other].name, old[origin].name) }
            pairs[place] = origin
            taken[origin] = place
        }
        // A name that is in both goes with itself, before one that returns to what another had once.
        for known in [byName, byCanonical] {
            for (place, name) in new.enumerated() where pairs[place] == nil {
                guard let origin = known[name.name], taken[origin] == nil else { continue }
                pairs[place] = origin
                taken[origin] = place
            }
        }
        return pairs
    }
}
