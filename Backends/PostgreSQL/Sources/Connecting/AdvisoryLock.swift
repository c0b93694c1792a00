import StrataSQL

/// A lock of the server's that is on no table, for what only one does at a time.
struct AdvisoryLock {
    /// What it is for: the first of the lock's two numbers.
    enum Space: Int {
        /// A hierarchy's sequence is moved.
        case sequence = 0x5374_7261
        /// Somebody listens.
        case listening = 0x5374_7263
        /// A store is made, or removed.
        case creation = 0x5374_7361
        /// Somebody works on a prepared save.
        case preparedSave = 0x5374_7362
        /// A transaction is repeated that met others.
        case repetition = 0x5374_7264
        /// A store goes through stages.
        case stages = 0x5374_7363
    }

    private let space: Space
    /// The second number.
    private let key: SQLText

    /// - Parameter name: What tells locks of a space apart: a parameter, or a text in quotes.
    init(_ space: Space, hashOf name: SQLText) {
        self.space = space
        key = "pg_catalog.hashtext(\(name))"
    }

    init(_ space: Space, name: String) { self.init(space, hashOf: "\(bind: .text(name))") }

    /// The lock of a relation, by its number.
    init(_ space: Space, relation: QualifiedName) {
        self.space = space
        key = "(\(relation: relation)::pg_catalog.regclass::oid::bigint & 2147483647)::integer"
    }

    /// `pg_catalog.pg_advisory_lock(1400140385, pg_catalog.hashtext($1))`.
    func call(_ function: StaticString) -> SQLText { SQLText("pg_catalog.\(function)(\(number: space.rawValue), \(key))") }

    /// What takes the lock, tries to, or lets it go.
    func statement(_ function: StaticString) -> SQLText { SQLText("SELECT \(call(function))") }
}
