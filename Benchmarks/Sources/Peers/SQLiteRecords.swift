import DebianArchive

/// Reads rows of `ArchiveSchema` into structs, by position.
enum SQLiteRecords {
    static func version(_ row: SQLiteStatement) -> Version {
        Version(
            id: row.integer(0),
            package: row.integer(1),
            section: row.integer(2),
            maintainer: row.integer(3),
            version: row.text(4),
            architecture: row.text(5),
            priority: row.text(6),
            summary: row.text(7),
            homepage: row.optionalText(8),
            installedSize: row.integer(9),
            size: row.integer(10),
            sha256: row.blob(11),
            tags: []
        )
    }

    static func dependency(_ row: SQLiteStatement) -> Dependency {
        Dependency(
            id: row.integer(0),
            version: row.integer(1),
            kind: row.integer(2),
            group: row.integer(3),
            alternative: row.integer(4),
            targetName: row.text(5),
            target: row.optionalInteger(6),
            relation: row.text(7),
            constraint: row.text(8)
        )
    }
}
