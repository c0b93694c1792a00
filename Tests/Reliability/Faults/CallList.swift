import Foundation
import StrataCrashWorker
import StrataPlatform
import Testing

/// The calls that a session makes to its files, in their order.
struct CallList: Sendable {
    /// The class, the name and the path of each.
    let lines: [String]
    /// The class of each.
    let classes: [String]

    /// Lists those of a session that nothing disturbs.
    init(of mode: CrashMode, generations: Int, options: [String] = []) throws {
        try self.init(in: try LedgerDirectory(mode, options: options), generations: generations)
    }

    /// Lists those of a session over the stores of a directory.
    init(in directory: LedgerDirectory, generations: Int) throws {
        let list = FileManager.default.temporaryDirectory.appendingPathComponent("strata-calls-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: list) }
        let report = try WorkerClient().run("ledger", directory.arguments("\(generations)"), plan: "dir=\(directory.path);list=\(list)")
        #expect(report.has("saved \(generations)"), "\(report.lines)")
        lines = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map(String.init)
        classes = lines.map { line in line.prefix { $0 != " " }.description }
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

    /// The plan that hits the call at an index, alone or with those that follow: of its own class, or of all that change something.
    func plan(at index: Int, _ kind: FaultPlan.Kind, count: Int, isWide: Bool) -> FaultPlan {
        let own = classes[index]
        let counted = isWide && CallList.changing.contains(own) ? CallList.changing : [own]
        let number = classes[...index].count { counted.contains($0) }
        // A call that is interrupted for ever is repeated for ever, and bytes that go one by one take as long.
        let isEndless = count == 0 && (kind == .fail(EINTR) || kind == .one)
        return FaultPlan(calls: counted, at: number, count: kind.ends ? 1 : isEndless ? 6 : count, kind: kind)
    }

    static let bursts = [1, 2, 6, 0]

    /// A plan that the generator chooses.
    func randomPlan(_ random: inout some RandomNumberGenerator) -> FaultPlan? {
        guard let index = classes.indices.randomElement(using: &random) else { return nil }
        return randomPlan(at: index, &random)
    }

    func randomPlan(at index: Int, _ random: inout some RandomNumberGenerator) -> FaultPlan? {
        guard let kind = CallList.kinds(classes[index]).randomElement(using: &random) else { return nil }
        return plan(at: index, kind, count: CallList.bursts.randomElement(using: &random) ?? 1, isWide: Bool.random(using: &random))
    }
}
