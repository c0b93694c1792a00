import StrataSQL

/// An advisory lock of the server, which is on no table: for work that one session does at a time.
struct AdvisoryLock {
    /// The purpose: the first of the lock's two numbers.
    enum Space: Int {
        /// Moving the sequence of a hierarchy.
        case sequence = 0x5374_7261
        /// A listener exists.
        case listening = 0x5374_7263
        /// Creating or removing a store.
        case creation = 0x5374_7361
        /// Resolving a prepared save.
        case preparedSave = 0x5374_7362
        /// Repeating a transaction after a serialization failure.
        case repetition = 0x5374_7264
        /// Migrating a store in stages.
        case stages = 0x5374_7363
    }

    private let space: Space
    /// The second number, which identifies the object within the space.
    private let key: SQLText

    /// - Parameter name: Identifies the lock within its space: a parameter, or a text in quotes.
    init(_ space: Space, hashOf name: SQLText) {
        self.space = space
        key = "pg_catalog.hashtext(\(name))"
    }

    init(_ space: Space, name: String) { self.init(space, hashOf: "\(bind: .text(name))") }

    /// The lock of a relation, by its OID.
    init(_ space: Space, relation: QualifiedName) {
        self.space = space
        key = "(\(relation: relation)::pg_catalog.regclass::oid::bigint & 2147483647)::integer"
    }

    /// `pg_catalog.pg_advisory_lock(1400140385, pg_catalog.hashtext($1))`.
    func call(_ function: StaticString) -> SQLText { SQLText("pg_catalog.\(function)(\(number: space.rawValue), \(key))") }

    /// Returns the statement that acquires, tries to acquire, or releases the lock.
    func statement(_ function: StaticString) -> SQLText { SQLText("SELECT \(call(function))") }
}
