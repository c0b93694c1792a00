import Strata
import StrataStore

/// What a store held at tokens of its history, to compare it with reads of the past.
struct Moments {
    private let entities: [String]
    /// Conditions on objects of the first entity.
    private let conditions: [String]
    private(set) var all: [(token: HistoryToken, contents: [String])] = []

    init(of entities: [String], conditions: [String] = []) { (self.entities, self.conditions) = (entities, conditions) }

    /// Notes what the stores hold now; returns the token.
    @discardableResult
    mutating func note(_ stack: ConformanceStack) throws -> HistoryToken {
        let token = try stack.coordinator.history.currentToken()
        all.append((token, try contents(stack.context())))
        return token
    }

    /// Compares what contexts of the past read, each in a new one.
    func verify(_ stack: ConformanceStack, since first: Int = 0, line: Int = #line) throws {
        for (index, moment) in all.enumerated().dropFirst(first) {
            let context = stack.context()
            try context.setQueryGeneration(asOf: moment.token)
            try expectEqual(try contents(context), moment.contents, "moment \(index)", line: line)
            // A server has few connections, of which each state has one.
            try context.setQueryGenerationFrom(nil)
        }
    }

    /// Everything that a context reads, a line for each object and each query.
    private func contents(_ context: ManagedObjectContext) throws -> [String] {
        var lines: [String] = []
        for entity in entities {
            // By relationships first, from faults.
            lines += try context.dump([entity])
            for object in try context.all(entity, sort: [QuerySort("name")]) {
                let values = try object.entity.attributes.map { "\($0.name)=\(String(describing: try object.value(forKey: $0.name)))" }
                lines.append("\(object.objectID.entity.name) \(object.objectID.reference) \(values.joined(separator: " "))")
            }
            let request = ObjectFetchRequest<ManagedObject>(entityName: entity, sort: [QuerySort("name")])
            lines.append("\(try context.count(for: request)) \(try context.fetchObjectIDs(request).map(\.reference))")
            let groups = try context.fetchDictionaries(request.grouped(by: ["name"], computing: [.count()]))
            lines.append("\(groups.map { "\($0["name"] ?? .null) \($0["count"] ?? .null)" })")
        }
        for text in conditions {
            let request = ObjectFetchRequest<ManagedObject>(
                entityName: entities[0], try QueryPredicate(format: text), sort: [QuerySort("name", ascending: false)])
            lines.append("\(text): \(try inOrder(context.fetch(request))) \(try context.count(for: request))")
            var some = request
            (some.fetchLimit, some.fetchOffset) = (2, 1)
            lines.append("\(text): \(try inOrder(context.fetch(some)))")
        }
        return lines
    }
}

extension ConformanceEnvironment {
    /// Opens a store with a history of values; `nil` for one that cannot hold a state, as one from outside.
    func valuesStack(_ model: ModelResult, _ name: String = "store") throws -> ConformanceStack? {
        let stack = try historyStack(model, HistoryPolicy(keepsValues: true), name)
        if try stack.store().holdSnapshot() != nil { return stack }
        try expectStoreError(.unsupported) {
            try stack.context().setQueryGeneration(asOf: stack.coordinator.history.currentToken())
        }
        return nil
    }
}
