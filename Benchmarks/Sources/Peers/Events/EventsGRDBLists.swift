import GRDB
import StrataWorkload

/// What an application shows of many events.
extension EventsGRDB {
    static var listSteps: [EventStep] { EventLists.steps }

    func reader() throws -> any EventParticipant {
        let reader = EventsGRDB(path: path)
        try reader.open()
        return reader
    }

    func page(from rank: Int64) throws -> Answer {
        let request = Event.filter(Column("rank") >= rank).order(Column("rank")).limit(EventWork.pageSize)
        return EventLists.page(try read { try request.fetchAll($0) })
    }

    func latestPage() throws -> Answer {
        EventLists.latest(try read { try Event.order(Column("time").desc).limit(EventWork.pageSize).fetchAll($0) })
    }

    func count(bucket: Int64, after time: Double) throws -> Answer {
        Answer(count: try read { try Event.filter(Column("bucket") == bucket && Column("time") > time).fetchCount($0) })
    }

    func search(_ text: String, first count: Int) throws -> Answer {
        let request = Event.filter(Column("detail").like("%\(text)%")).order(Column("title")).limit(count)
        return EventLists.found(try read { try request.fetchAll($0) })
    }

    func updateDurably(_ id: Int64, delay: Double) throws { _ = try update([id], delay: delay) }
}
