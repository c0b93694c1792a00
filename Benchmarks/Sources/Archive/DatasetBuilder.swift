extension Dataset {
    /// Builds the tables from stanzas: names become keys, dependency names are resolved to packages.
    ///
    /// Linear.
    public init(_ stanzas: [PackageStanza]) {
        var sectionKeys: [String: Int64] = [:]
        var maintainerKeys: [MaintainerName: Int64] = [:]
        var tagKeys: [String: Int64] = [:]
        var packageKeys: [String: Int64] = [:]
        var seen: Set<[String]> = []
        packageKeys.reserveCapacity(stanzas.count)
        versions.reserveCapacity(stanzas.count)
        for stanza in stanzas where packageKeys[stanza.package] == nil {
            packages.append(name: stanza.package)
            packageKeys[stanza.package] = Int64(packages.count)
        }
        for stanza in stanzas {
            guard let package = packageKeys[stanza.package] else { continue }
            guard seen.insert([stanza.package, stanza.version, stanza.architecture]).inserted else {
                repeated += 1
                continue
            }
            let section = sectionKeys.key(for: stanza.section) { sections.append(name: stanza.section) }
            let maintainer = maintainerKeys.key(for: stanza.maintainer) {
                maintainers.append(name: stanza.maintainer.name, email: stanza.maintainer.email)
            }
            let links = stanza.tags.map { name in tagKeys.key(for: name) { tags.append(name: name) } }
            let version = Version(
                id: Int64(versions.count + 1),
                package: package,
                section: section,
                maintainer: maintainer,
                version: stanza.version,
                architecture: stanza.architecture,
                priority: stanza.priority,
                summary: stanza.summary,
                homepage: stanza.homepage,
                installedSize: stanza.installedSize,
                size: stanza.size,
                sha256: stanza.sha256,
                tags: links
            )
            versions.append(version)
            for (group, dependency) in stanza.dependencies.enumerated() {
                for (place, target) in dependency.alternatives.enumerated() {
                    dependencies.append(
                        Dependency(
                            id: Int64(dependencies.count + 1),
                            version: version.id,
                            kind: dependency.kind.rawValue,
                            group: Int64(group),
                            alternative: Int64(place),
                            targetName: target.name,
                            target: packageKeys[target.name],
                            relation: target.relation,
                            constraint: target.version
                        )
                    )
                }
            }
        }
    }
}

extension Dictionary where Value == Int64 {
    /// The key given to a value, a new one (counted from 1) after calling `add` with it.
    fileprivate mutating func key(for value: Key, add: () -> Void) -> Int64 {
        if let known = self[value] { return known }
        let new = Int64(count + 1)
        add()
        self[value] = new
        return new
    }
}
