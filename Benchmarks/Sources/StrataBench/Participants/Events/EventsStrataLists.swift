import BenchPeers
import Strata
import StrataWorkload

/// What an application shows of many events.
extension EventsStrata {
    static var listSteps: [EventStep] {
        [SQLiteChoice.name, LMDBChoice.name].contains(Choice.name) ? EventLists.steps : []
    }

    private func fetch(
        _ request: ObjectFetchRequest<EventObject>, _ answer: @Sendable @escaping ([EventObject]) -> Answer
    ) throws -> Answer {
        let container = try container.opened(by: "Strata")
        return try container.newBackgroundContext().performAndWait { context in answer(try context.fetch(request)) }
    }

    func page(from rank: Int64) throws -> Answer {
        let request = ObjectFetchRequest<EventObject>(EventObject.rank >= rank, sort: [QuerySort("rank")], limit: EventWork.pageSize)
        return try fetch(request) { EventLists.page($0) }
    }

    func latestPage() throws -> Answer {
        let request = ObjectFetchRequest<EventObject>(sort: [QuerySort("time", ascending: false)], limit: EventWork.pageSize)
        return try fetch(request) { EventLists.latest($0) }
    }

    func count(bucket: Int64, after time: Double) throws -> Answer {
        let request = ObjectFetchRequest<EventObject>(EventObject.bucket == bucket && EventObject.time > time)
        return Answer(count: try context().count(for: request))
    }

    func search(_ text: String, first count: Int) throws -> Answer {
        let request = ObjectFetchRequest<EventObject>(
            EventObject.detail.contains(text, .caseInsensitive), sort: [QuerySort("title")], limit: count)
        return try fetch(request) { EventLists.found($0) }
    }

    func updateDurably(_ id: Int64, delay: Double) throws {
        let container = try container.opened(by: "Strata")
        try container.newBackgroundContext().performAndWait { context in
            for object in try objectIDs([id], context) {
                guard let event = try context.existingObject(with: object) as? EventObject else { continue }
                event[EventObject.time] = event.time + delay
            }
            try context.save()
        }
    }
}
