import StrataModel

/// The changes of an event, for all live queries.
final class ChangeSummary {
    var tally: ChangeTally { event.tally }
    let isAll: Bool
    private let event: ContextEvent
    /// The changed objects that still exist.
    private(set) lazy var touched = Set([event.updated, event.refreshed].joined().lazy.map { ObjectIdentifier($0) })

    init(_ event: ContextEvent) {
        self.event = event
        isAll = event.kind == .didReset || (event.kind == .didMerge && event.merged == nil)
    }

    func touches(_ members: some Collection<ObjectIdentifier>) -> Bool {
        if members.isEmpty || (event.updated.isEmpty && event.refreshed.isEmpty) { return false }
        return members.count < touched.count ? members.contains(where: touched.contains) : touched.contains(where: members.contains)
    }
}
