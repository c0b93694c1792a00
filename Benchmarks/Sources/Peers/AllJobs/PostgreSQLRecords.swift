import DebianArchive

/// Rows of `ArchiveSchema` as structs, by position.
extension PostgreSQLRows {
    func version(_ row: Int32) -> Version {
        Version(
            id: integer(row, 0),
            package: integer(row, 1),
            section: integer(row, 2),
            maintainer: integer(row, 3),
            version: text(row, 4),
            architecture: text(row, 5),
            priority: text(row, 6),
            summary: text(row, 7),
            homepage: optionalText(row, 8),
            installedSize: integer(row, 9),
            size: integer(row, 10),
            sha256: blob(row, 11),
            tags: []
        )
    }

    func dependency(_ row: Int32) -> Dependency {
        Dependency(
            id: integer(row, 0),
            version: integer(row, 1),
            kind: integer(row, 2),
            group: integer(row, 3),
            alternative: integer(row, 4),
            targetName: text(row, 5),
            target: optionalInteger(row, 6),
            relation: text(row, 7),
            constraint: text(row, 8)
        )
    }
}

extension BinaryRow {
    mutating func add(_ row: Version) {
        add(row.id)
        add(row.package)
        add(row.section)
        add(row.maintainer)
        add(row.version)
        add(row.architecture)
        add(row.priority)
        add(row.summary)
        add(row.homepage)
        add(row.installedSize)
        add(row.size)
        add(row.sha256)
    }

    mutating func add(_ row: Dependency) {
        add(row.id)
        add(row.version)
        add(row.kind)
        add(row.group)
        add(row.alternative)
        add(row.targetName)
        add(row.target)
        add(row.relation)
        add(row.constraint)
    }

    private mutating func add(_ text: String?) { if let text { add(text) } else { addNull() } }

    private mutating func add(_ number: Int64?) { if let number { add(number) } else { addNull() } }
}
