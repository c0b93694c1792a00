import Glibc

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

/// The calls that a session makes to its files, in their order.
struct CallList: Sendable {
    /// The class of each.
    let classes: [String]

    /// Reads what the library listed.
    init(_ text: String) {
        classes = text.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// The calls that change something on a disk.
    static let changing = ["create", "write", "sync", "size", "name"]

    /// Ways in which a call of a class goes wrong.
    static func kinds(_ name: String) -> [FaultPlan.Kind] {
        switch name {
        case "open": [.fail(EMFILE), .fail(EIO), .fail(ENOMEM), .fail(EACCES)]
        case "create": [.fail(EMFILE), .fail(EIO), .fail(ENOSPC), .fail(EACCES), .fail(EROFS), .kill, .killAfter]
        case "read": [.fail(EIO), .fail(EINTR), .one, .half]
        case "write": [.fail(EIO), .fail(ENOSPC), .fail(EDQUOT), .fail(EINTR), .one, .half, .torn, .kill, .killAfter]
        case "sync": [.fail(EIO), .fail(ENOSPC), .kill, .killAfter]
        case "size": [.fail(EIO), .fail(ENOSPC), .fail(EINTR), .kill, .killAfter]
        case "name": [.fail(EIO), .fail(ENOSPC), .fail(EACCES), .after(EIO), .kill, .killAfter]
        case "map": [.fail(ENOMEM)]
        case "lock": [.fail(ENOLCK), .fail(EINTR)]
        case "stat": [.fail(EIO), .fail(EACCES)]
        case "close": [.fail(EIO)]
        default: []
        }
    }

    /// The plan that hits the call at a place, alone or with those that follow: of its own class, or of all that change something.
    func plan(at place: Int, _ kind: FaultPlan.Kind, count: Int, isWide: Bool) -> FaultPlan {
        let own = classes[place]
        let counted = isWide && CallList.changing.contains(own) ? CallList.changing : [own]
        let number = classes[...place].count { counted.contains($0) }
        // A call that is interrupted for ever is repeated for ever, and bytes that go one by one take as long.
        let isEndless = count == 0 && (kind == .fail(EINTR) || kind == .one)
        return FaultPlan(calls: counted, at: number, count: kind.ends ? 1 : isEndless ? 6 : count, kind: kind)
    }

    static let bursts = [1, 2, 6, 0]

    /// A plan that the generator chooses.
    func randomPlan(_ random: inout some RandomNumberGenerator) -> FaultPlan? {
        guard let place = classes.indices.randomElement(using: &random) else { return nil }
        return randomPlan(at: place, &random)
    }

    func randomPlan(at place: Int, _ random: inout some RandomNumberGenerator) -> FaultPlan? {
        guard let kind = CallList.kinds(classes[place]).randomElement(using: &random) else { return nil }
        return plan(at: place, kind, count: CallList.bursts.randomElement(using: &random) ?? 1, isWide: Bool.random(using: &random))
    }
}
