import StrataWorkload

/// Events as class instances in a dictionary, with a dictionary for the index: the floor under an in-memory store.
final class EventsDictionary: EventParticipant {
    static let name = "Dictionary of objects"
    static let kind = ParticipantKind.raw
    static let grouping = ProcessGrouping.whole
    static let steps: [EventStep] = [
        .insert, .fetchAll, .ranges, .byID, .count, .grouping, .readUpdate, .update, .readDelete, .delete, .singles, .verify,
    ]
    /// There is nothing to read.
    static let equivalents: [EventStep: EventStep] = [.update: .readUpdate, .delete: .readDelete]

    private final class Object: EventFields {
        let id: Int64
        var time: Double
        let title: String
        let detail: String
        let address: String
        let rank: Int64
        let bucket: Int64

        init(_ event: Event) {
            id = event.id
            time = event.time
            title = event.title
            detail = event.detail
            address = event.address
            rank = event.rank
            bucket = event.bucket
        }
    }

    var kept: Any?
    private var objects: [Int64: Object] = [:]
    private var byRank: [(rank: Int64, object: Object)] = []

    init(directory: String) {}

    func insert(_ events: [Event]) -> Answer {
        objects.reserveCapacity(events.count)
        byRank.reserveCapacity(events.count)
        for event in events {
            let object = Object(event)
            objects[event.id] = object
            byRank.append((event.rank, object))
        }
        byRank.sort { ($0.rank, $0.object.id) < ($1.rank, $1.object.id) }
        return Answer(count: objects.count)
    }

    func fetchAll(touching: Bool) -> Answer {
        let all = Array(objects.values)
        var answer = Answer()
        for object in all { answer.add(object) }
        kept = all
        return answer
    }

    private func place(of rank: Int64) -> Int {
        var low = 0
        var high = byRank.count
        while low < high {
            let middle = (low + high) / 2
            if byRank[middle].rank < rank { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func ranges(_ ranges: [ClosedRange<Int64>]) -> Answer {
        var answer = Answer()
        for range in ranges {
            let found = byRank[place(of: range.lowerBound)..<place(of: range.upperBound + 1)].map(\.object)
            for object in found { answer.add(object) }
        }
        return answer
    }

    func byID(_ ids: [Int64]) -> Answer {
        var answer = Answer()
        for id in ids {
            if let object = objects[id] { answer.add(object) }
        }
        return answer
    }

    func count() -> Answer { Answer(count: objects.count) }

    func grouping() -> Answer {
        var groups: [Int64: (count: Int64, sum: Int64)] = [:]
        for object in objects.values {
            groups[object.bucket, default: (0, 0)].count += 1
            groups[object.bucket, default: (0, 0)].sum += object.rank
        }
        var answer = Answer()
        for (bucket, group) in groups { answer.add(bucket: bucket, events: group.count, ranks: group.sum) }
        return answer
    }

    func update(_ ids: [Int64], delay: Double) -> Answer {
        var answer = Answer()
        for id in ids {
            guard let object = objects[id] else { continue }
            object.time += delay
            answer.count += 1
        }
        return answer
    }

    func delete(_ ids: [Int64]) -> Answer {
        let gone = Set(ids)
        let before = objects.count
        for id in gone { objects[id] = nil }
        byRank.removeAll { gone.contains($0.object.id) }
        return Answer(count: before - objects.count)
    }

    func insertSingly(_ events: [Event]) -> Answer {
        for event in events {
            let object = Object(event)
            objects[event.id] = object
            byRank.insert((event.rank, object), at: place(of: event.rank + 1))
        }
        return Answer(count: events.count)
    }
}
