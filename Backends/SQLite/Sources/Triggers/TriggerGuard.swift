import CStrataSQLite
import StrataSQL

/// Authorizes the triggers of a database that may use its location indexes.
///
/// A database may come from anywhere, so that its schema is not trusted by default: then no trigger may write a virtual
/// table, such as a location index. With such indexes the schema is trusted instead, and this authorizer, which SQLite
/// calls for all accesses of a statement, denies to all other triggers what an untrusted schema would.
@safe final class TriggerGuard {
    /// The tables that have triggers, in upper case.
    let tables: Set<String>
    /// The triggers that are not known to be Core Data's.
    let foreign: [String]
    /// The triggers that maintain location indexes.
    private let trusted: Set<String>
    /// The words of the statements of location indexes, by the indexes' names in upper case.
    private let indexes: [String: Set<String>]
    /// The tables that are not virtual.
    private var ordinary: Set<String> = ["SQLITE_MASTER", "SQLITE_SCHEMA", "SQLITE_SEQUENCE"]
    /// The functions without side effects.
    private var innocuous: Set<String> = []
    /// Whether the database has virtual tables.
    let isNeeded: Bool
    /// The trigger that was denied access.
    private(set) var refused: String?

    init(_ connection: Connection) throws {
        var indexes: [String: Set<String>] = [:]
        var isVirtual = false
        let catalogue: SQLText = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')"
        var triggers: [(name: String, table: String, sql: String)] = []
        for entry in try connection.texts(catalogue, columns: 4, .open) {
            let (name, table, sql) = (entry[1], entry[2], entry[3])
            if entry[0] == "trigger" {
                triggers.append((name, table, sql))
            } else if sql.uppercased().hasPrefix("CREATE VIRTUAL TABLE") {
                if let words = TriggerGuard.wordsOfLocationIndex(sql) { indexes[name.uppercased()] = words }
                isVirtual = true
            } else {
                ordinary.insert(name.uppercased())
            }
        }
        tables = Set(triggers.map { $0.table.uppercased() })
        isNeeded = isVirtual && !triggers.isEmpty
        var trusted: Set<String> = []
        if isNeeded {
            for trigger in triggers {
                guard let text = TriggerText(name: trigger.name, table: trigger.table, sql: trigger.sql) else { continue }
                let columns: SQLText = "SELECT upper(name) FROM pragma_table_info(\(bind: .text(trigger.table)))"
                let names = Set(try connection.texts(columns, columns: 1, .open).joined())
                if text.keepsIndex(indexes, columns: names) { trusted.insert(trigger.name) }
            }
            let functions: SQLText = "SELECT DISTINCT name FROM pragma_function_list WHERE flags & 2097152"
            innocuous = Set(try connection.texts(functions, columns: 1, .open).map { $0[0].uppercased() })
        }
        self.trusted = trusted
        self.indexes = indexes
        foreign = triggers.map(\.name).filter { !trusted.contains($0) && !$0.uppercased().hasPrefix("Z_DA_") }
    }

    /// Returns the words after the module's name, the columns among them, where a virtual table is a location index of Core Data's.
    ///
    /// The table itself is not read, as its module may be missing.
    private static func wordsOfLocationIndex(_ sql: String) -> Set<String>? {
        let words = SQLWords.of(sql)
        guard words.count > 5, words[3].hasPrefix("Z_"), words[4] == "USING", words[5] == "RTREE" else { return nil }
        return Set(words[6...])
    }

    /// Returns the name of the location index that a trigger maintains.
    func locationIndex(ofTrigger name: String) -> String? {
        guard trusted.contains(name) else { return nil }
        return indexes.keys.filter { name.uppercased().hasPrefix($0 + "_") }.max { $0.count < $1.count }
    }

    /// Returns the words of the statement that created a location index, its columns among them.
    func words(ofLocationIndex name: String) -> Set<String> { indexes[name] ?? [] }

    // MARK: - Authorizing

    /// Installs the authorizer, which has to live as long as the connection, or until another one is installed.
    func install(on handle: OpaquePointer) {
        unsafe sqlite3_set_authorizer(handle, isNeeded ? TriggerGuard.decide : nil, Unmanaged.passUnretained(self).toOpaque())
    }

    private static let decide:
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?
        ) -> Int32 = { context, action, first, second, _, trigger in
            guard let context = unsafe context, let trigger = unsafe trigger else { return SQLITE_OK }
            let names = unsafe [first, second].map { unsafe $0.map { unsafe String(cString: $0) } ?? "" }
            let guardian = unsafe Unmanaged<TriggerGuard>.fromOpaque(context).takeUnretainedValue()
            return unsafe guardian.allows(action, names[0], names[1], in: String(cString: trigger)) ? SQLITE_OK : SQLITE_DENY
        }

    private func allows(_ action: Int32, _ first: String, _ second: String, in trigger: String) -> Bool {
        if trusted.contains(trigger) { return true }
        let isAllowed =
            switch action {
            case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_READ: ordinary.contains(first.uppercased())
            case SQLITE_FUNCTION: innocuous.contains(second.uppercased())
            default: true
            }
        if !isAllowed { refused = trigger }
        return isAllowed
    }

    /// Returns the message for a denied statement; `nil` where no trigger is the cause.
    func refusal(code: Int32, message: String) -> String? {
        if code & 0xFF == SQLITE_AUTH || message.hasPrefix("not authorized"), let refused {
            return "the trigger “\(refused)” is not one of Core Data's, and is not trusted with what it does: \(message)"
        }
        guard message.hasPrefix("unsafe use of") else { return nil }
        return "a trigger that is not one of Core Data's (\(foreign.joined(separator: ", "))) is not trusted with what it does: \(message)"
    }
}

extension Connection {
    /// Reads the current triggers, and authorizes those that maintain Core Data's location indexes.
    func trustTriggers() throws {
        let found = try TriggerGuard(self)
        unsafe found.install(on: handle)
        triggers = found
        // The statements that insert rows depend on the triggers.
        storeStatements.writes = WriteStatements()
        try execute(found.isNeeded ? "PRAGMA trusted_schema = ON" : "PRAGMA trusted_schema = OFF", .save)
    }
}
