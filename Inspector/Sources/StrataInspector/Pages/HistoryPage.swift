import Hummingbird
import Strata
import StrataStoreTool

/// The transactions of the stores' histories, the latest first, or those that changed an object.
struct HistoryPage: Page {
    private let reader: PageReader
    private let object: String?
    private let transactions: [HistoryTransaction]
    private let hasMore: Bool

    init(_ reader: PageReader) throws {
        self.reader = reader
        object = try reader.values.text("object").map { _ in try reader.objectID("object").uriRepresentation }
        let limit = try reader.limit()
        var request = HistoryRequest()
        let stores = try reader.storesWithHistory()
        request.affectedStores = stores
        request.isReversed = true
        request.limit = limit + 1
        if let before = reader.values.text("before") {
            guard let number = Int64(before) else { throw PageError(.badRequest, "before is the number of a transaction") }
            request.transactionPredicate = try QueryPredicate(format: "transactionNumber < %lld", number)
        }
        request.changePredicate = try object.map { try QueryPredicate(format: "changedObjectID == %@", $0) }
        let found = stores.isEmpty ? [] : try reader.container.history.transactions(request)
        (transactions, hasMore) = (Array(found.prefix(limit)), found.count > limit)
    }

    let title = "History"

    var content: HTML {
        element(.h1) { "History" }
        if let object { element(.p) { element(.code) { object } } }
        if transactions.isEmpty { element(.p) { "There are no transactions: stores keep a history where they are opened with one." } }
        element(.div, .class("scroll"), .set("tabindex", "0"), .set("role", "region"), .label("Transactions")) {
            element(.table) {
                element(.thead) {
                    element(.tr) {
                        element(.th, .set("scope", "col"), .class("number")) { "Number" }
                        for name in ["Date", "Kind", "Author"] { element(.th, .set("scope", "col")) { name } }
                        for name in ["Inserted", "Updated", "Deleted"] { element(.th, .set("scope", "col"), .class("number")) { name } }
                    }
                }
                element(.tbody) { HTML(transactions.map(row)) }
            }
        }
        if hasMore, let last = transactions.last {
            element(.nav, .class("pager"), .label("Pages")) {
                element(.a, .set("rel", "next"), .href(reader.links.page(.history, next(last)))) { "Earlier" }
            }
        }
    }

    private func row(_ transaction: HistoryTransaction) -> HTML {
        element(.tr) {
            element(.th, .set("scope", "row"), .class("number")) {
                element(
                    .a,
                    .href(
                        reader.links.page(
                            .transaction, ("store", "\(transaction.storeID)"), ("number", String(transaction.number))))
                ) { Int(transaction.number).grouped }
            }
            element(.td) { Value.date(transaction.date).cell }
            element(.td) { "\(transaction.origin.kind)" }
            element(.td) { transaction.author ?? "" }
            for kind in [HistoryChangeKind.insert, .update, .delete] {
                element(.td, .class("number")) { transaction.changes.count { $0.kind == kind }.grouped }
            }
        }
    }

    private func next(_ last: HistoryTransaction) -> FormValues { reader.values.replacing("before", with: String(last.number)) }

    var json: JSON {
        .object([
            "transactions": .array(transactions.map { JSON($0) }),
            "next": hasMore ? JSON(transactions.last.map { reader.links.page(.history, asJSON: true, next($0)).text }) : .null,
        ])
    }
}

/// A transaction with its changes.
struct TransactionPage: Page {
    private let reader: PageReader
    private let transaction: HistoryTransaction

    init(_ reader: PageReader) throws {
        self.reader = reader
        guard let number = reader.values.text("number").flatMap({ Int64($0) }), number > 0,
            let store = try reader.storesWithHistory().first(where: { "\($0.id)" == reader.values["store"] })
        else { throw PageError(.notFound, "no store has such a transaction") }
        var request = HistoryRequest(after: .token(HistoryToken([store.id: number - 1])))
        request.affectedStores = [store]
        request.limit = 1
        guard let found = try reader.container.history.transactions(request).first, found.number == number else {
            throw PageError(.notFound, "the store has no transaction \(number)")
        }
        transaction = found
    }

    var title: String { "Transaction \(transaction.number)" }
    var entities: [String]? { [] }

    var content: HTML {
        element(.h1) { title }
        element(.dl, .class("facts")) {
            for (name, value) in facts {
                element(.div) {
                    element(.dt) { name }
                    element(.dd) { value }
                }
            }
        }
        element(.div, .class("scroll"), .set("tabindex", "0"), .set("role", "region"), .label("Changes")) {
            element(.table) {
                element(.thead) {
                    element(.tr) { for name in ["Object", "Change", "Properties"] { element(.th, .set("scope", "col")) { name } } }
                }
                element(.tbody) {
                    for change in transaction.changes.prefix(reader.options.greatestPageSize) {
                        element(.tr) {
                            element(.th, .set("scope", "row")) { ValueView(links: reader.links).html(.objectID(change.objectID)) }
                            element(.td) { "\(change.kind)" }
                            element(.td) { change.changedProperties.joined(separator: ", ") }
                        }
                    }
                }
            }
        }
        if transaction.changes.count > reader.options.greatestPageSize {
            element(.p) { "The first \(reader.options.greatestPageSize.grouped) of \(transaction.changes.count.formatted("change"))." }
        }
    }

    private var facts: [(String, String)] {
        [
            ("date", Value.date(transaction.date).cell), ("kind", "\(transaction.origin.kind)"), ("author", transaction.author ?? ""),
            ("context", transaction.contextName ?? ""), ("process", transaction.origin.processName ?? ""),
        ].filter { !$0.1.isEmpty }
    }

    var json: JSON { JSON(transaction) }
}

extension PageReader {
    fileprivate func storesWithHistory() throws -> [any PersistentStore] {
        try container.coordinator.stores.filter { try container.coordinator.metadata(of: $0).keepsHistory }
    }
}
