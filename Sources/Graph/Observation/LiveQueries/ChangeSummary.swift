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

    func touches(_ isMember: (ObjectIdentifier) -> Bool) -> Bool {
        event.updated.contains { isMember(ObjectIdentifier($0)) } || event.refreshed.contains { isMember(ObjectIdentifier($0)) }
    }
}
