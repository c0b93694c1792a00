/// The answers to what an application shows of many events, from what a participant fetched.
package enum EventLists {
    /// All steps, after the insert.
    package static let steps: [EventStep] = [
        .insert, .startToPage, .page, .sortedPage, .countWhere, .sortedSearch, .pagesBesideWriter,
    ]

    /// Touches every field, and adds each rank: events of equal ranks come in any order.
    package static func page(_ events: some Sequence<some EventFields>) -> Answer {
        answer(events) { $0.add($1.rank) }
    }

    /// Touches every field, and adds each time.
    package static func latest(_ events: some Sequence<some EventFields>) -> Answer {
        answer(events) { $0.add($1.time) }
    }

    /// Touches every field, and adds each of them.
    package static func found(_ events: some Sequence<some EventFields>) -> Answer {
        var answer = Answer()
        for event in events { answer.add(event) }
        return answer
    }

    private static func answer<Fields: EventFields>(
        _ events: some Sequence<Fields>, _ add: (inout Checksum, Fields) -> Void
    ) -> Answer {
        var touched = Answer()
        var answer = Answer()
        for event in events {
            touched.add(event)
            answer.row { add(&$0, event) }
        }
        withExtendedLifetime(touched) {}
        return answer
    }
}
