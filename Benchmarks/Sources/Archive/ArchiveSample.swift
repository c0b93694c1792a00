/// Picks a small archive out of a large one.
public enum ArchiveSample {
    /// The stanzas reached from the roots over dependencies, breadth first, then evenly spread packages whose needs are met
    /// by what is there already, then any; `count` packages at most, in the order of the index.
    public static func pick(_ count: Int, from stanzas: [PackageStanza], roots: [String]) -> [PackageStanza] {
        var byName: [String: PackageStanza] = [:]
        for stanza in stanzas where byName[stanza.package] == nil { byName[stanza.package] = stanza }
        var picked: Set<String> = []
        var queue = roots
        var next = 0
        while next < queue.count && picked.count < count {
            let name = queue[next]
            next += 1
            guard let stanza = byName[name], picked.insert(name).inserted else { continue }
            queue += stanza.needs
        }
        let closed = stanzas.filter { !picked.contains($0.package) && $0.needs.allSatisfy(picked.contains) }
        for candidates in [closed, stanzas] where picked.count < count {
            let open = candidates.filter { !picked.contains($0.package) }
            let stride = max(1, open.count / (count - picked.count))
            for index in Swift.stride(from: 0, to: open.count, by: stride) where picked.count < count {
                picked.insert(open[index].package)
            }
        }
        return stanzas.filter { picked.contains($0.package) }
    }
}

extension PackageStanza {
    /// What it cannot do without: the preferred alternatives of `Pre-Depends` and `Depends`.
    fileprivate var needs: [String] {
        dependencies.filter { $0.kind == .preDepends || $0.kind == .depends }.compactMap(\.alternatives.first?.name)
    }
}
