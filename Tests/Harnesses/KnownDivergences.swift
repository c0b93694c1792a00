package import StrataConformance

extension Divergence {
    /// The divergences of the stores that come with Strata; the guide *Differences from Core Data* lists them.
    package static let known: [Divergence] =
        [
            Divergence(
                store: "sqlite", case: "A double keeps the sign of zero", reason: "SQLite keeps a zero without its sign, as an integer"),
            Divergence(
                store: "sqlite", case: "A float keeps the sign of zero", reason: "SQLite keeps a zero without its sign, as an integer"),
            Divergence(
                store: "xml",
                case: "Versions are kept",
                reason: "Core Data's XML format has no attribute for versions; an opening makes them of the values, and counts from there"
            ),
        ]
        + [
            "Text keeps NUL characters",
            "Text operators see past a NUL",
            "Rows of a batch have every type of value",
            "Batch updates of odd values come to the same by the store and in the core",
            "Batch deletions come to the same by the store and in the core",
            "Values of every type are converted",
        ].map { Divergence(store: "postgresql", case: $0, reason: "PostgreSQL's text has no NUL: a save with one is refused") }
        + [
            Divergence(
                store: "postgresql", case: "A path of /dev/null keeps nothing whatever the store",
                reason: "A store on a server is at no path"),
            Divergence(
                store: "postgresql", case: "An index serves equality, ranges, lists and prefixes, and the explanation names it",
                reason: "The server chooses how it finds rows, and reads some of a small table without an index"),
            Divergence(
                store: "postgresql", case: "A backup has what was saved before it, and restores it",
                reason: "Its server has the tools for backups: `pg_dump`; `strata backup` copies a schema"),
        ]

    /// The divergences of one of these stores, by the name of its harness.
    package static func known(of store: String) -> [Divergence] { known.filter { $0.store == store } }
}
