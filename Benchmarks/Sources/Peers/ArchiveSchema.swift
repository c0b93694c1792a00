import Foundation

/// The tables that raw SQLite and GRDB share, so that both do the same reads and writes.
enum ArchiveSchema {
    static let tables = [
        "CREATE TABLE section (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        "CREATE TABLE maintainer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL)",
        "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        "CREATE TABLE package (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        """
        CREATE TABLE version (
            id INTEGER PRIMARY KEY, package INTEGER NOT NULL REFERENCES package ON DELETE CASCADE,
            section INTEGER NOT NULL REFERENCES section, maintainer INTEGER NOT NULL REFERENCES maintainer,
            version TEXT NOT NULL, architecture TEXT NOT NULL, priority TEXT NOT NULL, summary TEXT NOT NULL, homepage TEXT,
            installed_size INTEGER NOT NULL, size INTEGER NOT NULL, sha256 BLOB NOT NULL)
        """,
        """
        CREATE TABLE version_tag (
            version INTEGER NOT NULL REFERENCES version ON DELETE CASCADE, tag INTEGER NOT NULL REFERENCES tag,
            PRIMARY KEY (version, tag)) WITHOUT ROWID
        """,
        """
        CREATE TABLE dependency (
            id INTEGER PRIMARY KEY, version INTEGER NOT NULL REFERENCES version ON DELETE CASCADE, kind INTEGER NOT NULL,
            "group" INTEGER NOT NULL, alternative INTEGER NOT NULL, target_name TEXT NOT NULL,
            target INTEGER REFERENCES package ON DELETE SET NULL, relation TEXT NOT NULL, "constraint" TEXT NOT NULL)
        """,
    ]

    private static let indexed =
        [
            "version_by_package": "version (package)",
            "version_by_section": "version (section)",
            "version_by_maintainer": "version (maintainer)",
            "version_by_installed_size": "version (installed_size)",
            "version_tag_by_tag": "version_tag (tag, version)",
            "dependency_by_version": "dependency (version)",
            "dependency_by_target": "dependency (target)",
        ] as KeyValuePairs

    static var indexNames: [String] { indexed.map(\.key) }

    static var indexes: [String] { indexed.map { "CREATE INDEX \($0) ON \($1)" } }

    static let entities = [
        ("section", "sections"), ("maintainer", "maintainers"), ("tag", "tags"), ("package", "packages"), ("version", "versions"),
        ("dependency", "dependencies"),
    ]

    static let versionColumns = """
        v.id, v.package, v.section, v.maintainer, v.version, v.architecture, v.priority, v.summary, v.homepage, v.installed_size,
        v.size, v.sha256
        """

    static let groupBySection = """
        SELECT s.name, COUNT(*), SUM(v.installed_size) FROM version v JOIN section s ON s.id = v.section GROUP BY v.section
        """

    /// A statement of SQLite's as PostgreSQL takes it.
    static func postgreSQL(_ sql: String) -> String {
        let words = [("INTEGER", "BIGINT"), ("BLOB", "BYTEA"), ("REAL", "DOUBLE PRECISION"), (" WITHOUT ROWID", "")]
        return words.reduce(sql) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    static let versionsByName = """
        SELECT \(versionColumns), s.name, m.name, m.email FROM package p JOIN version v ON v.package = p.id
        JOIN section s ON s.id = v.section JOIN maintainer m ON m.id = v.maintainer WHERE p.name = ?
        """

    static let tagsOfVersion = "SELECT t.name FROM version_tag l JOIN tag t ON t.id = l.tag WHERE l.version = ?"

    static let versionsByTag = """
        SELECT \(versionColumns) FROM tag t JOIN version_tag l ON l.tag = t.id JOIN version v ON v.id = l.version
        WHERE t.name = ?
        """

    static let dependencyTargets = """
        SELECT d.target FROM version v JOIN dependency d ON d.version = v.id
        WHERE v.package = ? AND d.kind <= ? AND d.target IS NOT NULL
        """
}
