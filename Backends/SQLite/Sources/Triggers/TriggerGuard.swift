import CStrataSQLite
import StrataSQL

/// Says which triggers of a database may use its location indexes.
///
/// A database may come from anywhere, so SQLite is told not to trust its schema: then no trigger writes a virtual table, as a location index
/// is one. Where there are such indexes the schema is trusted instead, and this guard, which SQLite asks about all that a statement
/// does, refuses to all triggers but those that keep the indexes what they are refused otherwise.
@safe final class TriggerGuard {
    /// The tables that have triggers, in upper case.
    let tables: Set<String>
    /// The triggers that are not known to be Core Data's.
    let foreign: [String]
    /// Those that keep location indexes.
    private let trusted: Set<String>
    /// The words of the statements of location indexes, by the indexes' names in upper case.
    private let indexes: [String: Set<String>]
    /// The tables that are no virtual ones.
    private var ordinary: Set<String> = ["SQLITE_MASTER", "SQLITE_SCHEMA", "SQLITE_SEQUENCE"]
    /// The functions that do no harm.
    private var innocuous: Set<String> = []
    /// Whether the database has virtual tables.
    let isNeeded: Bool
    /// The trigger that was refused something.
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

    /// The words behind the module's name, the columns among them, where a virtual table is a location index of Core Data's.
    ///
    /// The table itself is not asked, as its module may be missing.
    private static func wordsOfLocationIndex(_ sql: String) -> Set<String>? {
        let words = SQLWords.of(sql)
        guard words.count > 5, words[3].hasPrefix("Z_"), words[4] == "USING", words[5] == "RTREE" else { return nil }
        return Set(words[6...])
    }

    /// The name of the location index that a trigger keeps.
    func locationIndex(ofTrigger name: String) -> String? {
        guard trusted.contains(name) else { return nil }
        return indexes.keys.filter { name.uppercased().hasPrefix($0 + "_") }.max { $0.count < $1.count }
    }

    /// The words of the statement that made a location index, its columns among them.
    func words(ofLocationIndex name: String) -> Set<String> { indexes[name] ?? [] }

    // MARK: - Guarding

    /// Has SQLite ask the guard, which has to live as long as the connection, or until another one is set.
    func stand(on handle: OpaquePointer) {
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

    /// What to say of a statement that was refused; `nil` where no trigger is the reason.
    func refusal(code: Int32, message: String) -> String? {
        if code & 0xFF == SQLITE_AUTH || message.hasPrefix("not authorized"), let refused {
            return "the trigger “\(refused)” is not one of Core Data's, and is not trusted with what it does: \(message)"
        }
        guard message.hasPrefix("unsafe use of") else { return nil }
        return "a trigger that is not one of Core Data's (\(foreign.joined(separator: ", "))) is not trusted with what it does: \(message)"
    }
}

extension Connection {
    /// Reads the triggers that there are now, and lets those that keep Core Data's location indexes do so.
    func trustTriggers() throws {
        let found = try TriggerGuard(self)
        unsafe found.stand(on: handle)
        triggers = found
        // How rows are inserted depends on them.
        writes = WriteStatements()
        try execute(found.isNeeded ? "PRAGMA trusted_schema = ON" : "PRAGMA trusted_schema = OFF", .save)
    }
}
