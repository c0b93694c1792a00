import Strata
import StrataTestModels

/// Changes of composite attributes: what they are to contexts, policies, rules and listeners.
enum CompositeChangeCases {
    /// An object whose first colour was changed here while someone else changed the second, and saved under a merge
    /// policy.
    private static func merged(_ environment: ConformanceEnvironment, _ policy: MergePolicy) throws -> Theme {
        let stack = try CompositeCases.build(environment)
        let (context, other) = (stack.context(), stack.context())
        context.mergePolicy = policy
        let (mine, theirs) = (try context.named("a", Theme.self), try other.named("a", Theme.self))
        mine[Theme.colors.primary] = "mine"
        mine[Theme.site.visits] = 30
        theirs[Theme.colors.secondary] = "theirs"
        theirs.name = "them"
        try other.save()
        try context.save()
        let saved = try stack.context().fetch(ObjectFetchRequest<Theme>(Theme.name == "them"))
        try expectEqual(saved.map(\.colors), [mine.colors])
        try expectEqual(saved.map(\.site), [mine.site])
        return mine
    }

    private static let rules = ModelResult.declared {
        Entity("Parcel") {
            Attribute("name", .string)
            Attribute("address") {
                Attribute("street", .string).required
                Attribute("zip", .string, validation: [.pattern("[0-9]{5}")])
                Attribute("floor") { Attribute("number", .integer16, validation: [.range(0...9)]).required }
            }
            Attribute("size") {
                Attribute("width", .integer16)
                Attribute("height", .integer16)
            }.required
            Attribute("owner") { Attribute("name", .string).required }.required
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // Each element went by its own policy, so that a mixture was saved.
        ConformanceCase("Under a policy by property, what is here of a composite attribute is saved as one value", in: .attributes) {
            environment in
            let mine = try merged(environment, .byProperty(["colors": .mergeByPropertyObjectTrump], otherwise: .mergeByPropertyStoreTrump))
            try expectEqual(mine[Theme.colors.primary], "mine")
            try expect(mine[Theme.colors.secondary] != "theirs", "a mixture was saved")
        }
        ConformanceCase("Under a policy by property, what is in the store of a composite attribute stays as one value", in: .attributes) {
            environment in
            let mine = try merged(environment, .byProperty(["colors": .mergeByPropertyStoreTrump], otherwise: .mergeByPropertyObjectTrump))
            try expectEqual(mine[Theme.colors.secondary], "theirs")
            try expect(mine[Theme.colors.primary] != "mine", "a mixture was saved")
        }
        ConformanceCase("A changed element is a change of the composite attribute", in: .attributes) { environment in
            let context = try CompositeCases.build(environment).context()
            let a = try context.named("a", Theme.self)
            a[Theme.colors.secondary] = "grey"
            try expectEqual(a.changedValues().keys.sorted(), ["colors"])
            try expectEqual(a.changedValues()["colors"] as? [String: String], ["primary": "red", "secondary": "grey"])
            try expectEqual(
                a.committedValues(forKeys: ["colors"])["colors"] as? [String: String], ["primary": "red", "secondary": "black"])
            try expectEqual(a.committedValues(forKeys: ["colors.secondary"]) as? [String: String], ["colors.secondary": "black"])
            let committed = a.committedValues(forKeys: nil)
            try expectEqual(committed.keys.sorted(), ["children", "colors", "name", "site"])
            a.colors = nil
            try expectEqual(a.changedValues().keys.sorted(), ["colors"])
            a.colors = ColorScheme("red", "black")
            try expect(!a.hasPersistentChangedValues, "what was set back counts as changed")
        }
        ConformanceCase("A save tells listeners the composite attribute, once", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let context = stack.context()
            let heard = Heard(stack.coordinator)
            let a = try context.named("a", Theme.self)
            a.colors = ColorScheme("blue", "green")
            a[Theme.site.position.latitude] = 42
            a.name = "z"
            try context.save()
            try expectEqual(Set(try heard.only().updated[0].changedProperties), ["colors", "site", "name"])
            try context.execute(
                BatchUpdateRequest(entityName: "Theme", Theme.name == "b", set: ["colors.primary": "x", "colors.secondary": "y"]))
            try expectEqual(try heard.only().updated.map(\.changedProperties), [["colors"]])
        }
        ConformanceCase("A batch update leaves no composite value without what it needs", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let context = stack.context()
            let whole = try context.named("a", Theme.self).site
            let error = try expectStoreError(.wrongValue) {
                try context.execute(BatchUpdateRequest(entityName: "Theme", set: ["site.position.latitude": .null]))
            }
            try expectEqual(error.key, "site.position.latitude")
            try expectEqual(try stack.context().named("a", Theme.self).site, whole)
            try context.execute(
                BatchUpdateRequest(entityName: "Theme", set: ["site.position.latitude": .null, "site.position.longitude": .null]))
            try expectEqual(try stack.context().named("a", Theme.self).site?.position, nil)
            try context.execute(BatchUpdateRequest(entityName: "Theme", set: ["site": .null]))
            try expectEqual(try stack.context().named("a", Theme.self).site, nil)
        }
        ConformanceCase("Composite values are undone and done again", in: .attributes) { environment in
            let context = try CompositeCases.build(environment).context()
            context.undoManager = UndoManager()
            let a = try context.named("a", Theme.self)
            a.colors = nil
            try context.processPendingChanges()
            a[Theme.site.position.longitude] = 0
            try context.undo()
            try expectEqual(a.site, Site("Rome", Position(41.9, 12.5), visits: 3))
            try expectEqual(a.colors, nil)
            try context.undo()
            try expectEqual(a.colors, ColorScheme("red", "black"))
            try expect(!context.hasChanges, "an object that is as it was saved has changes")
            try context.redo()
            try context.redo()
            try expectEqual(a.colors, nil)
            try expectEqual(a.site?.position, Position(41.9, 0))
        }
        ConformanceCase("Rolling back brings all elements back", in: .attributes) { environment in
            let context = try CompositeCases.build(environment).context()
            let a = try context.named("a", Theme.self)
            a.colors = ColorScheme(nil, "x")
            a.site = nil
            context.rollback()
            try expectEqual(a.colors, ColorScheme("red", "black"))
            try expectEqual(a.site, Site("Rome", Position(41.9, 12.5), visits: 3))
        }
        ConformanceCase("A merge takes a composite value whole, from one side", in: .attributes) { environment in
            let object = try merged(environment, .mergeByPropertyObjectTrump)
            try expectEqual(object.colors, ColorScheme("mine", "black"))
            try expectEqual(object.site?.visits, 30)
        }
        ConformanceCase("Where the store goes before, it does for the whole composite value", in: .attributes) { environment in
            let object = try merged(environment, .mergeByPropertyStoreTrump)
            try expectEqual(object.colors, ColorScheme("red", "theirs"))
            try expectEqual(object.site, Site("Rome", Position(41.9, 12.5), visits: 30))
        }
        ConformanceCase("Changes of two elements are a conflict", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let (context, other) = (stack.context(), stack.context())
            let (mine, theirs) = (try context.named("a", Theme.self), try other.named("a", Theme.self))
            mine[Theme.colors.primary] = "mine"
            theirs[Theme.colors.secondary] = "theirs"
            try other.save()
            try expectConflict(context)
        }
        ConformanceCase("Refreshing keeps a changed composite value whole", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let (context, other) = (stack.context(), stack.context())
            let (mine, theirs) = (try context.named("a", Theme.self), try other.named("a", Theme.self))
            mine[Theme.colors.primary] = "mine"
            theirs[Theme.colors.secondary] = "theirs"
            theirs[Theme.site.visits] = 9
            try other.save()
            context.refresh(mine, mergeChanges: true)
            try expectEqual(mine.colors, ColorScheme("mine", "black"))
            try expectEqual(mine.site?.visits, 9)
            try context.save()
            try expectEqual(try stack.context().named("a", Theme.self).colors, ColorScheme("mine", "black"))
        }
        ConformanceCase("A child's composite value reaches its parent whole", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let parent = stack.context()
            let above = try parent.named("a", Theme.self)
            let child = stack.child(of: parent)
            let below = try child.named("a", Theme.self)
            below[Theme.colors.secondary] = "child"
            below[Theme.site.position.latitude] = 1
            try child.save()
            try expectEqual(above.colors, ColorScheme("red", "child"))
            try expectEqual(above.site?.position, Position(1, 12.5))
            let new = Theme("n", child, ColorScheme("new"), Site(nil, Position(2, 3)))
            try child.save()
            try parent.save()
            let saved = try stack.reopened().context()
            try expectEqual(try saved.named("n", Theme.self).colors, ColorScheme("new"))
            try expectEqual(try saved.named("a", Theme.self).site, Site("Rome", Position(1, 12.5), visits: 3))
            try expectEqual(new.site?.position, Position(2, 3))
        }
        ConformanceCase("Elements satisfy rules of their own", in: .attributes) { environment in
            let context = try CompositeCases.build(environment).context()
            let a = try context.named("a", Theme.self)
            a[Theme.site.city] = ""
            try expectEqual(try expectInvalid(1670, context).map(\.key), ["site.city"])
            a[Theme.site.city] = nil
            try context.save()
        }
        ConformanceCase("A required element has a value where the composite attribute has any", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            let context = stack.context()
            let c = try context.named("c", Theme.self)
            c[Theme.site.position.latitude] = 1
            try expectEqual(try expectInvalid(1570, context).map(\.key), ["site.position.longitude"])
            c[Theme.site.position.longitude] = 2
            try context.save()
            c.site = nil
            try context.save()
            try expectEqual(try stack.context().named("c", Theme.self).site, nil)
        }
        ConformanceCase("A required composite attribute has a value of any element", in: .attributes) { environment in
            let stack = try environment.stack(rules)
            let context = stack.context()
            let parcel = try context.add("Parcel", "p")
            let missing = try expectInvalid(1560, context)
            try expectEqual(missing.compactMap(\.key).sorted(), ["owner.name", "size"])
            try parcel.setValue(["name": "o"], forKey: "owner")
            try parcel.setValue(["height": 3], forKey: "size")
            try context.save()
            try parcel.setValue(["zip": "1234", "floor": ["number": 12]] as [String: Any], forKey: "address")
            try expectEqual(
                try expectInvalid(1560, context).map { "\($0.key ?? "") \($0.cocoaCode)" }.sorted(),
                ["address.floor.number 1610", "address.street 1570", "address.zip 1680"])
            try parcel.setValue(["street": "s", "floor": ["number": 2]] as [String: Any], forKey: "address")
            try context.save()
            try parcel.setValue(nil, forKey: "size")
            try expectEqual(try expectInvalid(1570, context).map(\.key), ["size"])
        }
        ConformanceCase("A store with composite values is sound", in: .attributes) { environment in
            let stack = try CompositeCases.build(environment)
            try expectEqual(try stack.problems(), [])
            try expectEqual(try stack.reopened().problems(), [])
        }
        ConformanceCase("Deleting an object keeps the elements of a preserved composite attribute", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("Theme", class: Theme.self) {
                    Attribute("name", .string)
                    Attribute(Theme.colors).preservedOnDeletion
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            let theme = try context.add("Theme", "a")
            theme[Theme.colors] = ColorScheme("red")
            try context.save()
            let heard = Heard(stack.coordinator)
            context.delete(theme)
            try context.save()
            try expectEqual(try heard.only().tombstones[theme.objectID], ["colors.primary": "red", "colors.secondary": .null])
        }
    }

    @ConformanceCaseList static var conversion: [ConformanceCase] {
        ConformanceCase("Composite values are converted", in: .conversion) { environment in
            let stack = try CompositeCases.build(environment)
            let description = environment.description("converted", of: environment.partner)
            _ = try stack.coordinator.migrateStore(try stack.store(), to: description)
            let themes = try stack.context().fetch(ObjectFetchRequest<Theme>(sort: [QuerySort("name")]))
            try expectEqual(
                themes.map(\.colors), [ColorScheme("red", "black"), ColorScheme("red"), ColorScheme(nil, "white"), nil])
            try expectEqual(themes.map { $0.site?.position }, [Position(41.9, 12.5), Position(59.9, 10.7), nil, nil])
            try expectEqual(try CompositeCases.names(stack.context(), Theme.site.position == nil), "cd")
            try expectEqual(try stack.problems(), [])
        }
    }
}
