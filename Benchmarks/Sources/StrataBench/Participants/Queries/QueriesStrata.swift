import Strata
import StrataWorkload

/// Queries through the whole stack, from predicate to object.
final class QueriesStrata<Choice: StoreChoice>: QueryParticipant {
    static var name: String { Choice.name }
    static var kind: ParticipantKind { .strata }
    static var reference: String { "raw SQLite" }

    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init(directory: String) throws {
        let model = try ManagedObjectModel {
            Entity("Event", class: EventObject.self) {
                for part in EventObject.attributes { part }
                FetchIndex("byRank", on: "rank")
                Unique("title")
            }
        }
        container = try PersistentContainer(model: model, stores: [Choice.store(directory)])
        context = ManagedObjectContext(container.coordinator)
    }

    func close() throws { for store in container.coordinator.stores { try container.coordinator.remove(store) } }

    func perform(_ step: QueryStep, _ work: QueryWork) throws -> Answer? {
        context.reset()
        switch step {
        case .parse: return try parse()
        case .batchInsert: return try insert(work.events)
        case .byID: return try byID(work.ids)
        case .byKey: return try byKey(work.titles)
        case .group: return try group()
        case .search:
            return Answer(
                count: try context.count(for: ObjectFetchRequest<EventObject>(EventObject.detail.contains(work.text, .caseInsensitive))))
        case .batchUpdate:
            let later = try QueryExpression(format: "time + 60.0")
            let update = BatchUpdateRequest(entityName: "Event", EventObject.bucket < 20, set: ["time": later])
            return Answer(count: try context.execute(update).count)
        case .batchDelete:
            let delete = BatchDeleteRequest(fetchRequest: ObjectFetchRequest<EventObject>(EventObject.bucket >= 80))
            return Answer(count: try context.execute(delete).count)
        }
    }

    private func parse() throws -> Answer {
        var answer = Answer()
        for number in 0..<10_000 {
            let predicate = try QueryPredicate(format: #"age >= %d AND name BEGINSWITH[cd] %@ AND company.name == "Acme""#, number, "A")
            if case .and = predicate { answer.count += 1 }
        }
        return answer
    }

    private func insert(_ events: [Event]) throws -> Answer {
        var next = events.makeIterator()
        return Answer(
            count: try context.execute(
                BatchInsertRequest(
                    entityName: "Event",
                    rowHandler: { row in
                        guard let event = next.next() else { return true }
                        row[EventObject.id] = event.id
                        row[EventObject.time] = event.time
                        row[EventObject.title] = event.title
                        row[EventObject.detail] = event.detail
                        row[EventObject.address] = event.address
                        row[EventObject.rank] = event.rank
                        row[EventObject.bucket] = event.bucket
                        return false
                    })
            ).count)
    }

    /// References count from 1, as keys do.
    private func byID(_ ids: [Int64]) throws -> Answer {
        guard let scope = try context.fetchObjectIDs(ObjectFetchRequest<EventObject>(limit: 1)).first?.scope else { return Answer() }
        var answer = Answer()
        for id in ids {
            let object = try context.existingObject(with: ObjectID(scope: scope, reference: id))
            if let event = object as? EventObject { answer.add(event) }
        }
        return answer
    }

    private func byKey(_ titles: [String]) throws -> Answer {
        var answer = Answer()
        for title in titles {
            for event in try context.fetch(ObjectFetchRequest<EventObject>(EventObject.title == title)) { answer.add(event) }
        }
        return answer
    }

    private func group() throws -> Answer {
        let request = ObjectFetchRequest<EventObject>().grouped(
            by: ["bucket"], computing: [.count(as: "events"), .sum("rank", as: "ranks")])
        var answer = Answer()
        for group in try context.fetchDictionaries(request) {
            guard case .int(let bucket) = group["bucket"], case .int(let events) = group["events"], case .int(let ranks) = group["ranks"]
            else { continue }
            answer.add(bucket: bucket, events: events, ranks: ranks)
        }
        return answer
    }
}
