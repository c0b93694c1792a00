import FoundationEssentials
import Strata
import StrataTestModels

/// Composite attributes by their names, whole and by element, wherever a name is asked for.
enum CompositeNameCases {
    /// A model in which a theme needs a site, and a site a position.
    private static let strict = ModelResult.declared {
        Entity("Theme", class: Theme.self) {
            Attribute(Theme.name, .string)
            Attribute(Theme.colors).required
            Attribute("site") {
                Attribute("city", .string, validation: [.length(min: 1, max: 20)])
                Attribute("position") {
                    Attribute("latitude", .double).required
                    Attribute("longitude", .double).required
                }
                Attribute("visits", .integer32).required
            }
            Relationships(["parent": .toOne("Theme.children"), "children": .toMany("Theme.parent")])
        }
    }

    private static func failures(_ body: () throws -> Void, line: Int = #line) throws -> [String] {
        try expectThrows(ValidationError.self, line: line, body).failures.map { "\($0.key ?? "-") \($0.cocoaCode)" }
    }

    /// A theme whose visits and colour were changed here, and its position by someone else.
    private static func conflict(
        _ environment: ConformanceEnvironment, _ policy: MergePolicy
    ) throws -> (mine: Theme, context: ManagedObjectContext) {
        let stack = try CompositeCases.build(environment)
        let (context, other) = (stack.context(), stack.context())
        context.mergePolicy = policy
        let (mine, theirs) = (try context.named("a", Theme.self), try other.named("a", Theme.self))
        mine[Theme.site.visits] = 30
        mine[Theme.colors.primary] = "mine"
        theirs[Theme.site.position.latitude] = 1
        try other.save()
        return (mine, context)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A primitive composite value is the dictionary of what is here, and its fault does not fire", in: .attributes) {
            environment in
            let stack = try CompositeCases.build(environment)
            let context = stack.context()
            let id = try context.named("a", Theme.self).objectID
            let other = stack.context()
            let fault = other.object(with: id)
            try expect(try fault.primitiveValue(forKey: "site") == nil, "a fault has values")
            try expect(fault.isFault, "the fault fired")
            let a = try context.named("a", Theme.self)
            a.willAccessValue(forKey: "site.position")
            let site = try unwrap(try a.primitiveValue(forKey: "site") as? [String: Any])
            try expectEqual(site["position"] as? [String: Double], ["latitude": 41.9, "longitude": 12.5])
            try expectEqual(try a.primitiveValue(forKey: "site.position.latitude") as? Double, 41.9)
            try expectEqual(try a.primitiveValue(forKey: "colors") as? [String: String], ["primary": "red", "secondary": "black"])
            try expectStoreError(.unknownKey) { try a.primitiveValue(forKey: "colors.third") }
        }
        ConformanceCase("A primitive composite value is set as a whole or by element, without a change", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let context = stack.context()
            let a = try context.named("a", Theme.self)
            try expectEqual(a.colors, ColorScheme("red", "black"))
            try a.setPrimitiveValue(["secondary": "blue"], forKey: "colors")
            try a.setPrimitiveValue(Position(1, 2), forKey: "site.position")
            try a.setPrimitiveValue("Bari", forKey: "site.city")
            try expect(!context.hasChanges, "a primitive value is no change")
            try expectEqual(a.colors, ColorScheme(nil, "blue"))
            try expectStoreError(.unknownKey) { try a.setPrimitiveValue(["third": "x"], forKey: "colors") }
            try expectStoreError(.wrongValue) { try a.setPrimitiveValue("x", forKey: "colors") }
            a.name = "a2"
            try context.save()
            let again = try stack.reopened().context().named("a2", Theme.self)
            try expectEqual(again.colors, ColorScheme(nil, "blue"))
            try expectEqual(again.site, Site("Bari", Position(1, 2), visits: 3))
        }
        ConformanceCase("An accessor of one's own tells of a composite value by its name", in: .attributes) { environment in
            let context = try CompositeCases.build(environment).context()
            let a = try context.named("a", Theme.self)
            var told: [Set<String>?] = []
            let subscription = context.observeEvents { event in told += event.updated.map { event.changedProperties(of: $0) } }
            a.willChangeValue(forKey: "site.position")
            try a.setPrimitiveValue(Position(1, 2), forKey: "site.position")
            a.didChangeValue(forKey: "site.position")
            try context.processPendingChanges()
            withExtendedLifetime(subscription) {}
            try expectEqual(told, [["site"]])
            try expectEqual(Set(a.changedValues().keys), ["site"])
        }
        ConformanceCase("Committed composite values are had by name, by the path of one within another, and by element", in: .attributes) {
            environment in
            let context = try CompositeCases.build(environment).context()
            let a = try context.named("a", Theme.self)
            a.site = nil
            let committed = a.committedValues(forKeys: ["site.position", "site.city", "colors"])
            try expectEqual(Set(committed.keys), ["site.position", "site.city", "colors"])
            try expectEqual(committed["site.position"] as? [String: Double], ["latitude": 41.9, "longitude": 12.5])
            try expectEqual(committed["site.city"] as? String, "Rome")
            try expectEqual(Set(a.committedValues(forKeys: nil).keys), ["name", "site", "colors", "children"])
        }
        ConformanceCase("A composite value is checked on request, as a whole and by element", in: .attributes) { environment in
            let context = try environment.stack(strict).context()
            let theme = Theme("a", context, ColorScheme("red"))
            try theme.validateValue(ColorScheme("red"), forKey: "colors")
            try theme.validateValue(["city": "Rome", "visits": 1] as [String: Any], forKey: "site")
            try theme.validateValue(nil, forKey: "site")
            try expectEqual(try failures { try theme.validateValue(nil, forKey: "colors") }, ["colors 1570"])
            try expectEqual(try failures { try theme.validateValue(ColorScheme(), forKey: "colors") }, ["colors 1570"])
            try expectEqual(try failures { try theme.validateValue(["city": "Rome"], forKey: "site") }, ["site.visits 1570"])
            try expectEqual(
                try failures { try theme.validateValue(["visits": 1, "position": ["latitude": 2]] as [String: Any], forKey: "site") },
                ["site.position.longitude 1570"])
            try expectEqual(
                try failures { try theme.validateValue(["city": "", "visits": "many"], forKey: "site") },
                ["site.city 1670", "site.visits 1550"])
            try expectEqual(try failures { try theme.validateValue(["visits": 1 << 40], forKey: "site") }, ["site.visits 1610"])
            try expectEqual(try failures { try theme.validateValue("red", forKey: "colors") }, ["colors 1550"])
            try expectEqual(try failures { try theme.validateValue(3, forKey: "site.position") }, ["site.position 1550"])
            try expectStoreError(.unknownKey) { try theme.validateValue(["third": 1], forKey: "colors") }
        }
        ConformanceCase("An element is checked on request with what the others need of it", in: .attributes) { environment in
            let context = try environment.stack(strict).context()
            let theme = Theme("a", context, ColorScheme("red"))
            try theme.setValue(["visits": 1, "position": ["latitude": 1, "longitude": 2]] as [String: Any], forKey: "site")
            try theme.validateValue("Rome", forKey: "site.city")
            try theme.validateValue(nil, forKey: "site.city")
            try theme.validateValue(nil, forKey: "site.position")
            try expectEqual(try failures { try theme.validateValue("", forKey: "site.city") }, ["site.city 1670"])
            try expectEqual(try failures { try theme.validateValue(nil, forKey: "site.visits") }, ["site.visits 1570"])
            try expectEqual(try failures { try theme.validateValue(nil, forKey: "colors.primary") }, ["colors 1570"])
            try expectEqual(
                try failures { try theme.validateValue(nil, forKey: "site.position.latitude") }, ["site.position.latitude 1570"])
            try theme.validateForInsert()
            theme.colors = nil
            try theme.setValue(nil, forKey: "site.visits")
            try expectEqual(Set(try failures { try theme.validateForInsert() }), ["colors 1570", "site.visits 1570"])
            try expectEqual(Set(try expectInvalid(1560, context).map { $0.key }), ["colors", "site.visits"])
        }
        ConformanceCase("A snapshot has composite values by key, by property and by name", in: .attributes) { environment in
            let context = try CompositeCases.build(environment).context()
            let (a, d) = (try context.named("a", Theme.self), try context.named("d", Theme.self))
            a.colors?.primary = "pink"
            let (snapshot, empty) = (a.snapshot(), d.snapshot())
            try expectEqual(snapshot[Theme.colors], ColorScheme("pink", "black"))
            try expectEqual(snapshot.site, Site("Rome", Position(41.9, 12.5), visits: 3))
            try expectEqual(snapshot[Theme.site.position], Position(41.9, 12.5))
            try expectEqual(snapshot[Theme.site.position.longitude], 12.5)
            try expectEqual(
                snapshot.elements(forKey: "site"), ["city": "Rome", "position.latitude": 41.9, "position.longitude": 12.5, "visits": 3])
            try expectEqual(snapshot.elements(forKey: "site.position"), ["latitude": 41.9, "longitude": 12.5])
            try expectEqual(snapshot.value(forKey: "colors.primary"), "pink")
            try expectEqual(empty.site, nil)
            try expectEqual(empty.elements(forKey: "site"), nil)
        }
        ConformanceCase("Rows and snapshots are decoded with composite values as nested types", in: .attributes) { environment in
            struct Flat: Decodable, Equatable {
                struct Colors: Decodable, Equatable {
                    var primary: String?
                    var secondary: String?
                }
                struct DecodedSite: Decodable, Equatable {
                    struct Point: Decodable, Equatable { var latitude: Double, longitude: Double }
                    var city: String?
                    var position: Point?
                }
                var name: String
                var colors: Colors?
                var site: DecodedSite?
            }
            struct Loose: Decodable, Equatable { var colors: [String: String]? }
            struct Wrong: Decodable { struct Needed: Decodable { var third: String }; var colors: Needed }
            let context = try CompositeCases.build(environment).context()
            let request = ObjectFetchRequest<Theme>(sort: [QuerySort("name")]).fetching("name", "colors", "site")
            let expected = [
                Flat(
                    name: "a", colors: .init(primary: "red", secondary: "black"),
                    site: .init(city: "Rome", position: .init(latitude: 41.9, longitude: 12.5))),
                Flat(name: "d"),
            ]
            let rows = try context.fetch(request, as: Flat.self)
            try expectEqual([rows[0], rows[3]], expected)
            try expectEqual(rows[2].site, .init(city: nil, position: nil))
            let snapshots = try context.snapshots(of: ObjectFetchRequest<Theme>(sort: [QuerySort("name")]))
            try expectEqual(try [snapshots[0], snapshots[3]].map { try $0.decode(as: Flat.self) }, expected)
            try expectEqual(
                try context.fetch(request, as: Loose.self).map(\.colors),
                [["primary": "red", "secondary": "black"], ["primary": "red"], ["secondary": "white"], nil])
            let error = try expectThrows(QueryError.self) { try context.fetch(request, as: Wrong.self) }
            try expectEqual(error.reason, .unknownKey, "\(error)")
            try expectEqual(try context.fetchDictionaries(request).map { $0[Theme.colors] }, CompositeNameCases.colors)
            let row = try context.fetchDictionaries(request)[0]
            try expectEqual(row[Theme.site.position], Position(41.9, 12.5))
            try expectEqual(row[\Theme.colors], ColorScheme("red", "black"))
            try expectEqual(row[\Theme.site?.position?.latitude], 41.9)
        }
        ConformanceCase("What a path leads to is decoded as a nested type, too", in: .attributes) { environment in
            struct Child: Decodable, Equatable {
                struct Parent: Decodable, Equatable { var name: String?; var colors: [String: String]? }
                var name: String
                var parent: Parent?
            }
            let context = try CompositeCases.build(environment).context()
            let request = ObjectFetchRequest<Theme>(sort: [QuerySort("name")]).fetching("name", "parent.name", "parent.colors")
            let children = try context.fetch(request, as: Child.self)
            try expectEqual(children[0], Child(name: "a"))
            try expectEqual(
                children[1], Child(name: "b", parent: .init(name: "a", colors: ["primary": "red", "secondary": "black"])))
        }
        ConformanceCase("Conflicts tell the elements of a composite attribute by their paths", in: .attributes) { environment in
            let (mine, context) = try conflict(environment, .error)
            let conflict = try expectConflict(context)[0]
            try expectEqual(conflict.objectSnapshot["site.visits"], 30)
            try expectEqual(conflict.cachedSnapshot?["site.position.latitude"], 41.9)
            try expectEqual(conflict.persistedSnapshot?["site.position.latitude"], 1.0)
            try expectEqual(mine[Theme.site.visits], 30)
        }
        ConformanceCase("A policy by property may name what is within a composite attribute: it decides for all of it", in: .attributes) {
            environment in
            let (mine, context) = try conflict(
                environment, .byProperty(["site.position": .mergeByPropertyStoreTrump], otherwise: .mergeByPropertyObjectTrump))
            try context.save()
            try expectEqual(mine.site, Site("Rome", Position(1, 12.5), visits: 3))
            try expectEqual(mine.colors, ColorScheme("mine", "black"))
        }
        ConformanceCase("A policy of one's own gives a composite attribute by element, and none of it by its name", in: .attributes) {
            environment in
            let policy = MergePolicy("own") { _ in .values(["colors": .null, "colors.secondary": "policy", "site": .null]) }
            let (mine, context) = try conflict(environment, policy)
            try context.save()
            try expectEqual(mine.colors, ColorScheme(nil, "policy"))
            try expectEqual(mine.site, nil)
        }
        ConformanceCase("Batch requests set a composite value as a whole", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let context = stack.context()
            var request = BatchUpdateRequest(entityName: "Theme", Theme.name == "a", set: [:] as [String: QueryExpression])
            request.set(Theme.colors, to: ColorScheme("green"))
            request.set(\Theme.site?.position, to: Position(3, 4))
            try context.execute(request)
            try expectEqual(try stack.context().named("a", Theme.self).colors, ColorScheme("green"))
            try expectEqual(try stack.context().named("a", Theme.self).site, Site("Rome", Position(3, 4), visits: 3))
            request.predicate = Theme.name == "b"
            request.propertiesToUpdate = [:]
            request.set(Theme.site.position, to: nil)
            try context.execute(request)
            try expectEqual(try stack.context().named("b", Theme.self).site, Site("Oslo", visits: 7))
            request.set(Theme.site, to: nil)
            try context.execute(request)
            try expectEqual(try stack.context().named("b", Theme.self).site, nil)
            try context.execute(
                BatchInsertRequest(entityName: "Theme", objects: [["name": .string("e"), "site": .null, "colors.primary": .string("x")]]))
            try expectEqual(try stack.context().named("e", Theme.self).colors, ColorScheme("x"))
            let error = try expectStoreError(.unknownKey) {
                try context.execute(BatchInsertRequest(entityName: "Theme", objects: [["name": .string("f"), "site": .string("Rome")]]))
            }
            try expect(error.message.contains("site.city"), error.message)
        }
    }

    private static let colors = [ColorScheme("red", "black"), ColorScheme("red"), ColorScheme(nil, "white"), nil]
}
