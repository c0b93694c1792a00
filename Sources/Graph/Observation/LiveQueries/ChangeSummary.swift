import StrataModel

/// What an event changed, for all who follow a query.
final class ChangeSummary {
    /// What was changed, entity by entity.
    var tally: ChangeTally { event.tally }
    /// Whether anything may have changed.
    let isAll: Bool
    private let event: ContextEvent
    /// The objects that changed, and stay.
    private(set) lazy var touched = Set([event.updated, event.refreshed].joined().lazy.map { ObjectIdentifier($0) })

    init(_ event: ContextEvent) {
        self.event = event
        isAll = event.kind == .didReset || (event.kind == .didMerge && event.merged == nil)
    }

    /// Returns whether any of some objects changed, and stays.
    func touches(_ members: some Collection<ObjectIdentifier>) -> Bool {
        if members.isEmpty || (event.updated.isEmpty && event.refreshed.isEmpty) { return false }
        return members.count < touched.count ? members.contains(where: touched.contains) : touched.contains(where: members.contains)
    }
}
