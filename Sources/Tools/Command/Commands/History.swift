import ArgumentParser
import FoundationEssentials
import Strata
import StrataStoreTool

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Shows the transactions of a store's history, follows them, and deletes old ones.",
        subcommands: [HistoryList.self, HistoryFollow.self, HistoryConsumers.self, HistoryPurge.self], defaultSubcommand: HistoryList.self)
}

struct HistoryList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists transactions, the latest last.")

    @OptionGroup var store: StoreArguments
    @Option(help: "After the transaction of this number, or this date (ISO 8601).") var after: String?
    @Option(name: .customLong("where"), help: "A condition on transactions: author == \"import\".") var condition: String?
    @Option(
        name: .customLong("changes"),
        help: "A condition on changes: entityName == \"Order\" AND changeType == 2 (0 is an insertion, 1 an update, 2 a deletion).")
    var changes: String?
    @Option(help: "The object whose changes are listed, by its URI or the end of it, Person/p3.") var object: String?
    @Option(help: "The greatest number of transactions; the latest ones.") var limit: Int?
    @Flag(help: "Prints an object of JSON in each line, with all changes.") var json = false

    func run() throws {
        let opened = try store.openWithHistory()
        var request = HistoryRequest(after: try after.map { try HistoryPosition($0).start(in: opened) } ?? .beginning)
        request.transactionPredicate = try condition.map { try QueryPredicate(format: $0) }
        request.changePredicate = try changes.map { try QueryPredicate(format: $0) }
        if let object {
            let of = try QueryPredicate(format: "changedObjectID == %@", opened.objectID(object).uriRepresentation)
            request.changePredicate = request.changePredicate.map { $0 && of } ?? of
        }
        (request.limit, request.isReversed) = (limit, limit != nil)
        let transactions = try opened.coordinator.history.transactions(request)
        let ordered = limit == nil ? transactions : transactions.reversed()
        if json {
            for transaction in ordered { try Console.print(JSON(transaction).line) }
            return
        }
        var table = TextTable(["number", "date", "kind", "author", "inserted", "updated", "deleted"], numbers: [0, 4, 5, 6])
        for transaction in ordered { table.add(transaction.cells) }
        for line in table.lines { try Console.print(line) }
    }
}

struct HistoryFollow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow", abstract: "Prints each new transaction as an object of JSON in a line, until it is interrupted.")

    @OptionGroup var store: StoreArguments

    func run() async throws {
        let history = try store.openWithHistory().coordinator.history
        for try await transaction in try history.updates(after: history.currentToken()) {
            try Console.print(JSON(transaction).line)
            try Console.flush()
        }
    }
}

struct HistoryConsumers: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "consumers", abstract: "Lists the registered readers of the history.")

    @OptionGroup var store: StoreArguments
    @Option(help: "Removes the consumer of this name.") var remove: String?
    @OptionGroup var result: ResultArguments

    func run() throws {
        let history = try store.openWithHistory(isReadOnly: remove == nil).coordinator.history
        if let remove {
            guard try history.consumerNames().contains(remove) else {
                throw CommandFailure(.missing, "the history has no consumer \(remove)")
            }
            try history.consumer(named: remove).remove()
        }
        for name in try history.consumerNames() { try result.print(name.escaped(), ["name": .string(name)]) }
    }
}

struct HistoryPurge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Deletes old transactions, but none that a consumer has not handled.")

    @OptionGroup var store: StoreArguments
    @Option(help: "Before the transaction of this number, or this date (ISO 8601).") var before: String
    @Flag(help: "Prints how many transactions there are before it.") var dryRun = false
    @OptionGroup var result: ResultArguments

    func run() throws {
        let opened = try store.openWithHistory(isReadOnly: dryRun)
        let position = try HistoryPosition(before)
        if dryRun {
            let count = try opened.coordinator.history.transactions(after: nil).filter(position.isAfter).count
            return try result.print(
                "\(count) transactions are before it; those that a consumer has not handled would stay", ["before": .int(Int64(count))])
        }
        let count = try opened.coordinator.history.deleteTransactions(before: position.start(in: opened))
        try result.print("deleted \(count) transactions", ["deleted": .int(Int64(count))])
    }
}

/// A position in a history: the number of a transaction, or a date.
private enum HistoryPosition {
    case number(Int64)
    case date(Date)

    init(_ text: String) throws {
        if let number = Int64(text), number >= 0 {
            self = .number(number)
        } else if text.utf8.contains(UInt8(ascii: "-")), let date = DateText.date(text) {
            self = .date(date)
        } else {
            throw CommandFailure(.usage, "\(text) is neither the number of a transaction nor a date, 2026-11-30T12:00:00Z")
        }
    }

    func start(in opened: OpenStore) -> HistoryRequest.Start {
        switch self {
        case .number(let number): .token(HistoryToken([opened.store.id: number]))
        case .date(let date): .date(date)
        }
    }

    /// Returns whether the position is after a transaction.
    func isAfter(_ transaction: HistoryTransaction) -> Bool {
        switch self {
        case .number(let number): transaction.number < number
        case .date(let date): transaction.date < date
        }
    }
}

extension StoreArguments {
    /// Opens a store with a history.
    ///
    /// - Throws: `CommandFailure` where it has none.
    fileprivate func openWithHistory(isReadOnly: Bool = true) throws -> OpenStore {
        let opened = try open(isReadOnly: isReadOnly)
        if try opened.coordinator.metadata(of: opened.store).keepsHistory { return opened }
        throw CommandFailure(.missing, "\(opened.description.location) has no history")
    }
}

extension HistoryTransaction {
    fileprivate var cells: [String] {
        let counts = [HistoryChangeKind.insert, .update, .delete].map { kind in changes.count { $0.kind == kind } }
        return [String(number), DateText.text(date) ?? "", "\(origin.kind)", author ?? ""] + counts.map(String.init)
    }
}
