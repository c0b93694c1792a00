import StrataWorkload

/// What an application shows of many events.
extension EventsRawSQLite {
    static var listSteps: [EventStep] { Order.isDeferred ? [] : EventLists.steps }

    func reader() throws -> any EventParticipant {
        let reader = Self(path: path)
        try reader.open()
        return reader
    }

    private func events(_ rest: String, _ bind: (SQLiteStatement) -> Void = { _ in }) throws -> [Event] {
        let find = try database.statement("SELECT \(EventTableSQL.columns) FROM event \(rest)")
        bind(find)
        var events: [Event] = []
        while try find.step() { events.append(EventTableSQL.event(find)) }
        return events
    }

    func page(from rank: Int64) throws -> Answer {
        EventLists.page(try events("WHERE rank >= ? ORDER BY rank LIMIT \(EventWork.pageSize)") { $0.bind(1, rank) })
    }

    func latestPage() throws -> Answer { EventLists.latest(try events("ORDER BY time DESC LIMIT \(EventWork.pageSize)")) }

    func count(bucket: Int64, after time: Double) throws -> Answer {
        let count = try database.statement("SELECT COUNT(*) FROM event WHERE bucket = ? AND time > ?")
        count.bind(1, bucket)
        count.bind(2, time)
        var answer = Answer()
        while try count.step() { answer.count = Int(count.integer(0)) }
        return answer
    }

    func search(_ text: String, first count: Int) throws -> Answer {
        EventLists.found(try events("WHERE detail LIKE ? ORDER BY title LIMIT \(count)") { $0.bind(1, "%\(text)%") })
    }

    func updateDurably(_ id: Int64, delay: Double) throws { _ = try update([id], delay: delay) }
}
