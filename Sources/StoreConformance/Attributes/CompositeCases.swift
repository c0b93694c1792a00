import FoundationEssentials
import Strata

/// Composite attributes: values that are several, kept, asked for and changed as one.
enum CompositeCases {
    /// Four themes: `a` red and black in Rome, `b` red in Oslo, `c` without colours in no city, `d` with nothing.
    static func build(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.themes)
        let context = stack.context()
        let a = Theme("a", context, ColorScheme("red", "black"), Site("Rome", Position(41.9, 12.5), visits: 3))
        let b = Theme("b", context, ColorScheme("red"), Site("Oslo", Position(59.9, 10.7), visits: 7))
        let c = Theme("c", context, ColorScheme(nil, "white"), Site(nil, visits: 1))
        let d = Theme("d", context)
        b.parent = a
        c.parent = a
        d.parent = b
        try context.save()
        return stack
    }

    static func names(_ context: ManagedObjectContext, _ predicate: QueryPredicate?, _ sort: QuerySort...) throws -> String {
        let sort = sort + [QuerySort("name")]
        return try context.fetch(ObjectFetchRequest<Theme>(predicate, sort: sort)).compactMap(\.name).joined()
    }

    static func names(_ context: ManagedObjectContext, _ condition: ObjectPredicate<Theme>) throws -> String {
        try names(context, condition.predicate)
    }

    static var all: [ConformanceCase] { values + queries }

    @ConformanceCaseList private static var values: [ConformanceCase] {
        ConformanceCase("A composite value comes back with its elements, those of nested ones too", in: .attributes) { environment in
            let stack = try build(environment)
            let themes = try stack.reopened().context().fetch(ObjectFetchRequest<Theme>(sort: [QuerySort("name")]))
            try expectEqual(
                themes.map(\.colors), [ColorScheme("red", "black"), ColorScheme("red"), ColorScheme(nil, "white"), nil])
            try expectEqual(themes.map { $0.site?.position }, [Position(41.9, 12.5), Position(59.9, 10.7), nil, nil])
            try expectEqual(themes.map { $0.site?.visits }, [3, 7, 1, nil])
            try expectEqual(themes[3].site, nil)
        }
        ConformanceCase("By name a composite value is a dictionary of the elements that have a value", in: .attributes) { environment in
            let context = try build(environment).context()
            let a = try context.named("a", Theme.self)
            try expectEqual(try a.value(forKey: "colors") as? [String: String], ["primary": "red", "secondary": "black"])
            let site = try unwrap(try a.value(forKey: "site") as? [String: Any])
            try expectEqual(Set(site.keys), ["city", "position", "visits"])
            try expectEqual(site["position"] as? [String: Double], ["latitude": 41.9, "longitude": 12.5])
            try expectEqual(site["visits"] as? Int, 3)
            try expectEqual(try a.value(forKey: "site.position") as? [String: Double], ["latitude": 41.9, "longitude": 12.5])
            try expectEqual(try a.value(forKey: "site.position.longitude") as? Double, 12.5)
            try expect(try context.named("d", Theme.self).value(forKey: "colors") == nil, "there are elements without a value")
        }
        ConformanceCase("A dictionary sets all elements, and those that it lacks to nil", in: .attributes) { environment in
            let stack = try build(environment)
            let context = stack.context()
            let a = try context.named("a", Theme.self)
            try a.setValue(["secondary": "blue"], forKey: "colors")
            try a.setValue(["city": "Bari", "position": ["latitude": 41, "longitude": 16.5]] as [String: Any], forKey: "site")
            try expectEqual(a.colors, ColorScheme(nil, "blue"))
            try expectEqual(a.site, Site("Bari", Position(41, 16.5)))
            let b = try context.named("b", Theme.self)
            try b.setValue(nil, forKey: "colors")
            try b.setValue(Site("Turku"), forKey: "site")
            try context.save()
            let again = try stack.reopened().context()
            try expectEqual(try again.named("a", Theme.self).site, Site("Bari", Position(41, 16.5)))
            try expectEqual(try again.named("b", Theme.self).colors, nil)
            try expectEqual(try again.named("b", Theme.self).site, Site("Turku"))
        }
        ConformanceCase("One element is set by its path, and leaves the others", in: .attributes) { environment in
            let stack = try build(environment)
            let context = stack.context()
            let a = try context.named("a", Theme.self)
            a[Theme.colors.primary] = "green"
            try a.setValue(13.5, forKey: "site.position.longitude")
            a.site?.visits = 4
            try expectEqual(a[Theme.site.position.longitude], 13.5)
            try context.save()
            let again = try stack.reopened().context().named("a", Theme.self)
            try expectEqual(again.colors, ColorScheme("green", "black"))
            try expectEqual(again.site, Site("Rome", Position(41.9, 13.5), visits: 4))
        }
        ConformanceCase("What is no element, or of another type, is refused, and nothing is set", in: .attributes) { environment in
            let context = try build(environment).context()
            let a = try context.named("a", Theme.self)
            let unknown = try expectStoreError(.unknownKey) { try a.setValue(["primary": "x", "third": "y"], forKey: "colors") }
            try expectEqual(unknown.key, "colors.third")
            let wrong = try expectStoreError(.wrongValue) { try a.setValue(["city": "x", "visits": "many"], forKey: "site") }
            try expectEqual(wrong.key, "site.visits")
            try expectStoreError(.wrongValue) { try a.setValue("red", forKey: "colors") }
            try expectStoreError(.wrongValue) { try a.setValue(["position": 3], forKey: "site") }
            try expectStoreError(.unknownKey) { try a.value(forKey: "colors.third") }
            try expectStoreError(.unknownKey) { try a.setValue(ColorScheme("x"), forKey: "site") }
            try expect(!context.hasChanges, "something was set")
        }
        ConformanceCase("A transient composite value lives in the object only", in: .attributes) { environment in
            let stack = try build(environment)
            let context = stack.context()
            let a = try context.named("a", Theme.self)
            try a.setValue(["text": "x"], forKey: "note")
            try expectEqual(try a.value(forKey: "note") as? [String: String], ["text": "x"])
            try context.save()
            try expect(try stack.context().named("a", Theme.self).value(forKey: "note") == nil, "a transient value was stored")
            try expectEqual(
                try expectThrows(QueryError.self) { try names(context, key("note.text") == "x") }.reason, .transient)
        }
        ConformanceCase("Elements begin with their defaults", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("Theme", class: Theme.self) {
                    Attribute("name", .string)
                    Attribute(Theme.colors, default: ColorScheme("black"))
                    Attribute("size") {
                        Attribute("width", .integer16, default: 80)
                        Attribute("height", .integer16)
                    }
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            let theme = try context.add("Theme", "a")
            try expectEqual(theme[Theme.colors], ColorScheme("black"))
            try context.save()
            let again = try stack.reopened().context().one("Theme", "a")
            try expectEqual(try again.value(forKey: "size") as? [String: Int], ["width": 80])
            try expectEqual(again[Theme.colors], ColorScheme("black"))
        }
    }

    @ConformanceCaseList private static var queries: [ConformanceCase] {
        ConformanceCase("Queries lead to elements by path", in: .attributes) { environment in
            let context = try build(environment).context()
            try expectEqual(try names(context, Theme.colors.primary == "red"), "ab")
            try expectEqual(try names(context, try QueryPredicate(format: "colors.primary == %@ AND site.visits > 3", "red")), "b")
            try expectEqual(try names(context, Theme.site.position.latitude > 50), "b")
            try expectEqual(try names(context, try QueryPredicate(format: "colors.secondary BEGINSWITH 'w'")), "c")
            try expectEqual(try names(context, try QueryPredicate(format: "site.visits IN {1, 3}")), "ac")
            try expectEqual(try names(context, try QueryPredicate(format: "parent.colors.primary == 'red'")), "bcd")
            try expectEqual(try names(context, try QueryPredicate(format: "parent.site.position.longitude < 12")), "d")
            try expectEqual(try names(context, try QueryPredicate(format: "ANY children.colors.secondary == 'white'")), "a")
            try expectEqual(try names(context, try QueryPredicate(format: "children.site.visits.@sum == 8")), "a")
            try expectEqual(
                try names(context, try QueryPredicate(format: "SUBQUERY(children, $c, $c.site.city == 'Oslo').@count == 1")), "a")
            try expectEqual(try names(context, try QueryPredicate(format: "site.position.latitude + site.visits > 60")), "b")
            try expectEqual(try names(context, try QueryPredicate(format: "colors.primary == colors.secondary")), "d")
        }
        ConformanceCase("A composite value is nil where none of its elements has a value", in: .attributes) { environment in
            let context = try build(environment).context()
            try expectEqual(try names(context, try QueryPredicate(format: "colors == nil")), "d")
            try expectEqual(try names(context, try QueryPredicate(format: "colors != nil")), "abc")
            try expectEqual(try names(context, try QueryPredicate(format: "nil == site.position")), "cd")
            try expectEqual(try names(context, try QueryPredicate(format: "NOT (site.position != nil)")), "cd")
            try expectEqual(try names(context, try QueryPredicate(format: "parent.site.position == nil")), "a")
            try expectEqual(try names(context, try QueryPredicate(format: "ANY children.colors == nil")), "b")
            try expectEqual(try names(context, try QueryPredicate(format: "ANY children.site.position == nil")), "ab")
            try expectEqual(
                try names(context, try QueryPredicate(format: "SUBQUERY(children, $c, $c.colors == nil).@count > 0")), "b")
            try expectEqual(try names(context, Theme.colors == nil), "d")
            try expectEqual(try names(context, Theme.colors != nil), "abc")
            try expectEqual(try names(context, \Theme.colors == nil), "d")
        }
        ConformanceCase("A composite value equals another with the same elements", in: .attributes) { environment in
            let context = try build(environment).context()
            try expectEqual(try names(context, Theme.colors == ColorScheme("red")), "b")
            try expectEqual(try names(context, Theme.colors == ColorScheme("red", "black")), "a")
            try expectEqual(try names(context, Theme.colors != ColorScheme("red")), "acd")
            try expectEqual(try names(context, Theme.site.position == Position(59.9, 10.7)), "b")
            try expectEqual(try names(context, \Theme.colors == ColorScheme(nil, "white")), "c")
        }
        ConformanceCase("Key paths lead to elements", in: .attributes) { environment in
            let context = try build(environment).context()
            try expectEqual(try names(context, \Theme.colors?.primary == "red"), "ab")
            try expectEqual(try names(context, \Theme.site?.position?.latitude > 50), "b")
            try expectEqual(try names(context, \Theme.parent?.colors?.secondary == "black"), "bc")
            try expectEqual(try names(context, \Theme.site?.visits == 1 && \Theme.site?.isOpen == nil), "c")
            let sorted = try context.fetch(ObjectFetchRequest<Theme>(sort: [(\Theme.site?.visits).descending]))
            try expectEqual(sorted.compactMap(\.name).joined(), "bacd")
        }
        ConformanceCase("Changes that are not saved yet count in queries over elements", in: .attributes) { environment in
            let context = try build(environment).context()
            let (b, d) = (try context.named("b", Theme.self), try context.named("d", Theme.self))
            d.colors = ColorScheme("red")
            b.colors?.primary = "pink"
            Theme("e", context, ColorScheme("red"))
            try expectEqual(try names(context, Theme.colors.primary == "red"), "ade")
            try expectEqual(try names(context, Theme.colors == nil), "")
            b.colors = nil
            try expectEqual(try names(context, Theme.colors == nil), "b")
        }
        ConformanceCase("As a whole a composite attribute is neither compared nor sorted by", in: .attributes) { environment in
            let context = try build(environment).context()
            for format in [
                "colors == 'red'", "colors > nil", "colors.third == nil", "colors BEGINSWITH 'r'", "colors.@count == 1", "colors IN {nil}",
            ] {
                let predicate = try QueryPredicate(format: format)
                try expectThrows(QueryError.self) { try names(context, predicate) }
            }
            let error = try expectThrows(QueryError.self) { try names(context, nil, QuerySort("site")) }
            try expect(error.message.contains("site.city, site.position"), error.message)
        }
        ConformanceCase("Objects are sorted, grouped and counted by elements", in: .attributes) { environment in
            let context = try build(environment).context()
            try expectEqual(try names(context, nil, QuerySort("site.visits", ascending: false)), "bacd")
            try expectEqual(try names(context, Theme.site != nil, QuerySort("site.position.latitude"), QuerySort("name")), "cab")
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<Theme>(sort: [QuerySort("colors.primary")]).grouped(
                    by: ["colors.primary"], computing: [.count(), .sum("site.visits")]))
            try expectEqual(groups.map(\.values), [[.null, 2, 1], ["red", 2, 10]])
        }
        ConformanceCase("Dictionaries have elements under their paths", in: .attributes) { environment in
            let context = try build(environment).context()
            let request = ObjectFetchRequest<Theme>(sort: [QuerySort("name")]).fetching("name", "colors.primary", "site.position.latitude")
            try expectEqual(
                try context.fetchDictionaries(request).map(\.values),
                [["a", "red", 41.9], ["b", "red", 59.9], ["c", .null, .null], ["d", .null, .null]])
            let all = try context.fetchDictionaries(ObjectFetchRequest<Theme>(Theme.name == "a"))
            try expectEqual(all[0]["colors.secondary"], "black")
            try expectEqual(all[0]["site.position.longitude"], 12.5)
            let whole = try context.fetchDictionaries(ObjectFetchRequest<Theme>(Theme.name == "a").fetching("name", "colors"))
            try expectEqual(whole[0].names, ["name", "colors.primary", "colors.secondary"])
        }
        ConformanceCase("A constraint over elements holds", in: .attributes) { environment in
            let context = try build(environment).context()
            Theme("e", context, nil, Site("Roma", Position(41.9, 12.5)))
            let conflicts = try expectConflict(context, code: 133021)
            guard case .constraint(let names, _) = conflicts[0].reason else { throw ConformanceFailure("\(conflicts)") }
            try expectEqual(names, ["site.position.latitude", "site.position.longitude"])
        }
        ConformanceCase("Batch requests set and insert elements", in: .attributes) { environment in
            let stack = try build(environment)
            let context = stack.context()
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Theme", Theme.colors.primary == "red",
                    set: ["colors.primary": QueryExpression.constant("blue"), "site.visits": key("site.visits") + 1]))
            try expectEqual(
                try names(stack.context(), try QueryPredicate(format: "colors.primary == 'blue' AND site.visits IN {4, 8}")), "ab")
            try context.execute(BatchUpdateRequest(entityName: "Theme", Theme.name == "a", set: ["colors": Value.null]))
            try expectEqual(try names(stack.context(), Theme.colors == nil), "ad")
            try expectStoreError(.unknownKey) {
                try context.execute(BatchUpdateRequest(entityName: "Theme", set: ["colors": Value.string("x")]))
            }
            try context.execute(
                BatchInsertRequest(entityName: "Theme", objects: [["name": "e", "colors.primary": "green", "site.city": "Pisa"]]))
            var left = 1
            try context.execute(
                BatchInsertRequest(
                    entityName: "Theme",
                    rowHandler: { (row: inout BatchRow) in
                        left -= 1
                        row[Theme.name] = "f"
                        row[Theme.site] = Site("Ulm", Position(48.4, 10))
                        return left < 0
                    }))
            try expectStoreError(.wrongValue) {
                try context.execute(BatchInsertRequest(entityName: "Theme", objects: [["name": "g", "site.position.longitude": 1.5]]))
            }
            try expectEqual(try stack.context().named("f", Theme.self).site, Site("Ulm", Position(48.4, 10)))
            let again = try stack.reopened().context().named("e", Theme.self)
            try expectEqual(again.colors, ColorScheme("green"))
            try expectEqual(again[Theme.site.city], "Pisa")
        }
    }
}
