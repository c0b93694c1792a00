import StrataPlatform

/// What is to go wrong in a process.
struct FaultPlan: Sendable, CustomStringConvertible {
    /// What becomes of a call.
    enum Kind: Sendable, Hashable {
        /// It fails, nothing is done.
        case fail(Int32)
        /// It is done, but reported as failed.
        case after(Int32)
        /// A single byte is transferred, or half of what was asked.
        case one, half
        /// The process ends before it, after it, or in its middle.
        case kill, killAfter, torn

        var isAfter: Bool { if case .after = self { true } else { false } }
        var ends: Bool { self == .kill || self == .killAfter || self == .torn }
    }

    /// The classes of calls that count, as the library names them; all where there are none.
    var calls: [String] = []
    /// Which of them is hit, from 1.
    var at: Int
    /// How many in a row; 0 for all from then on.
    var count = 1
    var kind: Kind

    /// What the library is told.
    func text(_ directory: String) -> String { "dir=\(directory);" + description }

    var description: String {
        let what =
            switch kind {
            case .fail(let code): "do=fail;errno=\(code)"
            case .after(let code): "do=after;errno=\(code)"
            case .one: "do=one"
            case .half: "do=half"
            case .kill: "do=kill"
            case .killAfter: "do=killafter"
            case .torn: "do=torn"
            }
        return "\(calls.isEmpty ? "" : "calls=\(calls.joined(separator: ","));")at=\(at);count=\(count);\(what)"
    }
}
