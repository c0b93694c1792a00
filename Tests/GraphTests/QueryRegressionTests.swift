import FoundationEssentials
import Strata
import StrataEvaluation
import StrataTestModels
import StrataTestSupport
import Testing

/// Each test opens with what went wrong once.
@Suite("Queries that went wrong once")
struct QueryRegressionTests {
    private let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel {
            Entity("Node") {
                Attributes(["name": .string, "weight": .decimal, "age": .integer16])
                Relationships([
                    "mother": .toOne("Node.children"), "children": .toMany("Node.mother"), "place": .toOne("Place.nodes"),
                ])
            }
            Entity("Place", attributes: ["name": .string], relationships: ["nodes": .toMany("Node.place")])
        }
    }

    /// A store in which Eve is the mother of Ann and Bob, and Ann of Carl.
    private func family(_ store: TestStore, _ directory: TemporaryDirectory) throws -> ManagedObjectContext {
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path, name: "family")])
        let context = ManagedObjectContext(container.coordinator)
        var nodes: [String: ManagedObject] = [:]
        for (index, (name, mother)) in [("Eve", nil), ("Ann", "Eve"), ("Bob", "Eve"), ("Carl", "Ann")].enumerated() {
            let node = try context.insert("Node")
            try node.setValue(name, forKey: "name")
            try node.setValue(index + 1, forKey: "age")
            if let mother { try node.setValue(nodes[mother], forKey: "mother") }
            nodes[name] = node
        }
        let place = try context.insert("Place")
        try place.setValue("Home", forKey: "name")
        try nodes["Carl"]?.setValue(place, forKey: "place")
        try context.save()
        return context
    }

    private func names(_ context: ManagedObjectContext, _ format: String, _ arguments: (any QueryArgument)?...) throws -> [String] {
        let predicate = try QueryPredicate(format: format, argumentArray: arguments)
        let found = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Node", predicate, sort: [QuerySort("name")]))
        return found.compactMap { (try? $0.value(forKey: "name")) as? String }
    }

    @Test("A path behind a parenthesised to-many path starts at its elements", arguments: TestStore.allCases)
    func paths(_ store: TestStore) throws {
        // The walk went on from the whole written path, so that this asked for the mothers of the grandchildren.
        let directory = try TemporaryDirectory()
        let context = try family(store, directory)
        #expect(try names(context, "ANY (children.mother).name == 'Eve'") == ["Eve"])
        #expect(try names(context, "children.mother[FIRST].name == 'Ann'") == ["Ann"])
    }

    @Test("The greatest limit and offset are no overflow", arguments: TestStore.allCases)
    func limits(_ store: TestStore) throws {
        // The sum of limit and offset trapped where something else was to be laid over the answer.
        let directory = try TemporaryDirectory()
        let context = try family(store, directory)
        _ = try context.insert("Node")
        #expect(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Node", limit: .max)).count == 5)
        #expect(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Node", limit: .max, offset: .max)).isEmpty)
    }

    @Test("Objects of different entities with one reference are different", arguments: TestStore.allCases)
    func objects(_ store: TestStore) throws {
        // SQLite compared the bare keys once a function hid the path.
        let directory = try TemporaryDirectory()
        let context = try family(store, directory)
        let place = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Place")).first)
        #expect(try names(context, "noindex:(mother) == %@", place).isEmpty)
        #expect(try names(context, "TERNARY(age > 3, place, mother) == %@", place) == ["Carl"])
    }

    @Test("A decimal that is no number follows all others", arguments: TestStore.allCases)
    func decimals(_ store: TestStore) throws {
        // It counted as equal to every number, so that no order held.
        let directory = try TemporaryDirectory()
        let context = try family(store, directory)
        for (node, weight) in zip(
            try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Node", sort: [QuerySort("age")])),
            [3, nil, 1, 2] as [Decimal?])
        {
            try node.setValue(weight ?? Decimal.nan, forKey: "weight")
        }
        try context.save()
        let sorted = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Node", sort: [QuerySort("weight")]))
        #expect(sorted.compactMap { (try? $0.value(forKey: "name")) as? String } == ["Bob", "Carl", "Eve", "Ann"])
    }

    @Test("What is constant is one moment and one value", arguments: TestStore.allCases)
    func constants(_ store: TestStore) throws {
        // Each now() was a moment of its own.
        let directory = try TemporaryDirectory()
        let context = try family(store, directory)
        #expect(try names(context, "now() == now()").count == 4)
        #expect(try names(context, "age > 1 + 2") == ["Carl"])
    }

    @Test("BETWEEN with another number of bounds than two is an error")
    func bounds() throws {
        // It was never met, and its negation always.
        let entity = try #require(model.entity(named: "Node"))
        for format in ["age BETWEEN {age}", "age BETWEEN {age, 3, age}"] {
            let error = #expect(throws: QueryError.self) { try QueryPredicate(format: format).resolved(for: entity, in: model) }
            #expect(error?.reason == .typeMismatch)
        }
    }

    @Test("A variable that a subquery assigns means nothing outside of it")
    func assignments() throws {
        // It named a row that was out of sight.
        let entity = try #require(model.entity(named: "Node"))
        let predicate = try QueryPredicate(format: "SUBQUERY(children, $e, ($n := $e.age) > 3).@count > 0 AND $n > 3")
        let error = #expect(throws: QueryError.self) { try predicate.resolved(for: entity, in: model) }
        #expect(error?.reason == .unboundVariable)
    }

    @Test("A path of a hundred thousand names is refused at once")
    func longPath() throws {
        // It was followed, table by table.
        let entity = try #require(model.entity(named: "Node"))
        let path = Array(repeating: "mother", count: 100_000).joined(separator: ".") + ".name"
        let error = #expect(throws: QueryError.self) { try (key(path) == "x").resolved(for: entity, in: model) }
        #expect(error?.reason == .tooDeep)
    }

    @Test("ANY goes through two collections as one", arguments: TestStore.allCases)
    func unions(_ store: TestStore) throws {
        // Only IN took them.
        let directory = try TemporaryDirectory()
        let context = try family(store, directory)
        #expect(try names(context, "ANY (children.name UNION children.children.name) == 'Carl'") == ["Ann", "Eve"])
    }

    @Test("FETCH runs in conditions of fetches, of groups and of batch requests", arguments: TestStore.allCases)
    func fetches(_ store: TestStore) throws {
        // Only a fetch's own condition ran it.
        let directory = try TemporaryDirectory()
        let context = try family(store, directory)
        #expect(try names(context, "mother IN FETCH('Node', 'age < 2', NO)") == ["Ann", "Bob"])
        let groups = ObjectFetchRequest<ManagedObject>(entityName: "Node").grouped(
            by: ["mother.name"], computing: [.count(as: "number")],
            having: try QueryPredicate(format: "number == FETCH('Place', NULL, YES)"))
        #expect(try context.fetchDictionaries(groups).count == 2)
        let update = BatchUpdateRequest(
            entityName: "Node", try QueryPredicate(format: "SELF IN FETCH('Node', 'age == 1', NO)"),
            set: ["age": try QueryExpression(format: "FETCH('Node', NULL, YES) + age")])
        #expect(try context.execute(update).count == 1)
        let delete = ObjectFetchRequest<ManagedObject>(
            entityName: "Node", try QueryPredicate(format: "mother IN FETCH('Node', 'age < 3', NO)"))
        #expect(try context.execute(BatchDeleteRequest(fetchRequest: delete)).count == 1)
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Node")) == 3)
    }

    @Test("An explanation says what a fetch of groups does, and that changes lie over the answer")
    func explanations() throws {
        // Both were explained as a plain fetch of rows.
        let directory = try TemporaryDirectory()
        let context = try family(.sqlite, directory)
        let groups = ObjectFetchRequest<ManagedObject>(entityName: "Node").grouped(by: ["age"], computing: [.sum("age")])
        let explanation = try context.explain(groups)
        #expect(explanation.stores.first?.plan.isComputed == true, "\(explanation.stores)")
        let byPlace = ObjectFetchRequest<ManagedObject>(entityName: "Node", try QueryPredicate(format: "place.name == 'Home'"))
        #expect(try context.explain(byPlace).pendingObjects == 0)
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Place")).first?.setValue("Away", forKey: "name")
        #expect(try context.explain(byPlace).pendingObjects == 1)
    }

    @Test("A to-one path over changed objects is still asked of the stores", arguments: TestStore.allCases)
    func changedDestinations(_ store: TestStore) throws {
        // Every row of the entity came, to be tested in the core.
        let directory = try TemporaryDirectory()
        let coordinator = RecordingCoordinator(try #require(try family(store, directory).coordinator as? PersistentStoreCoordinator))
        let context = ManagedObjectContext(coordinator)
        let eve = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Node", key("name") == "Eve")).first)
        let place = try #require(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Place")).first)
        #expect(try names(context, "place.name == 'Home'") == ["Carl"])
        try place.setValue("Away", forKey: "name")
        #expect(try names(context, "place.name == 'Home'").isEmpty)
        #expect(try names(context, "place.name == 'Away'") == ["Carl"])
        #expect(try names(context, "place.name != 'Home'") == ["Ann", "Bob", "Carl", "Eve"])
        try eve.setValue("Eva", forKey: "name")
        #expect(try names(context, "mother.mother.name == 'Eva'") == ["Carl"])
        #expect(try names(context, "mother.name == 'Eve'").isEmpty)
        #expect(try names(context, "mother.name == 'Eva' AND age > 2") == ["Bob"])
        #expect(try names(context, "name > mother.name") == ["Carl"])
        let asked = try #require(coordinator.seen.plan?.predicate)
        #expect("\(asked)".contains("mother IN"), "\(asked)")
        context.delete(place)
        #expect(try names(context, "place.name == nil") == ["Ann", "Bob", "Carl", "Eva"])
        #expect(try names(context, "place.name == 'Home' OR name == 'Bob'") == ["Bob"])
        #expect(
            try context.count(
                for: ObjectFetchRequest<ManagedObject>(entityName: "Node", try QueryPredicate(format: "place.name == 'Home'"))) == 0
        )
    }
}
