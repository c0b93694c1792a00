import BenchLMDB
import StrataWorkload

/// What an application shows of many events: a page by the index, and what a scan of all packed values finds.
extension EventsRawLMDB {
    static var listSteps: [EventStep] { Order.isDeferred ? [] : EventLists.steps.filter { ![.sortedPage, .sortedSearch].contains($0) } }

    func page(from rank: Int64) throws -> Answer {
        let databases = try environment.databases
        return try environment.read { transaction in
            var events: [Event] = []
            try withUnsafeBytes(of: rank) { low in
                try transaction.scan(databases[1], from: low) { _, value in
                    let id = value.loadUnaligned(as: Int64.self)
                    if let bytes = try transaction.get(databases[0], id) { events.append(Self.event(id, bytes)) }
                    return events.count < EventWork.pageSize
                }
            }
            return EventLists.page(events)
        }
    }

    func count(bucket: Int64, after time: Double) throws -> Answer {
        let database = try environment.databases[0]
        return try environment.read { transaction in
            var answer = Answer()
            try transaction.scan(database) { _, value in
                guard value.loadUnaligned(fromByteOffset: 8, as: Int64.self) == bucket else { return }
                let bits = value.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
                if Double(bitPattern: bits) > time { answer.count += 1 }
            }
            return answer
        }
    }

    func updateDurably(_ id: Int64, delay: Double) throws { _ = try update([id], delay: delay) }
}
