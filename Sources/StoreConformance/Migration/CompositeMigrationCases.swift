import Strata
import StrataTestModels

/// Opening a store with a version of the model that has other composite attributes.
enum CompositeMigrationCases {
    private static func first(_ environment: ConformanceEnvironment) throws -> Migrated {
        let store = try Migrated(environment) {
            Entity("Theme") {
                Attribute("name", .string)
                Attribute("colors") {
                    Attribute("primary", .string)
                    Attribute("secondary", .string)
                    Attribute("depth", .integer16)
                }
            }
        }
        try store.context.add("Theme", "a").setValue(
            ["primary": "red", "secondary": "black", "depth": 8] as [String: Any], forKey: "colors")
        try store.context.add("Theme", "b")
        return store
    }

    private static func demanding(_ demand: String, _ key: String) -> ConformanceCase {
        ConformanceCase(
            "What a composite attribute newly demands is there, or the store stays as it is: \(demand)", in: .migration,
            requires: .persistence
        ) { environment in
            // Objects without it came through, and none of them could be saved again.
            let store = try Migrated(environment) {
                Entity("Theme") {
                    Attribute("name", .string)
                    Attribute("colors") {
                        Attribute("primary", .string)
                        if demand != "added" { Attribute("accent", .string) }
                    }
                }
            }
            try store.context.add("Theme", "a").setValue(["primary": "red"] as [String: Any], forKey: "colors")
            try store.context.add("Theme", "b")
            func opened(default value: Value?) throws -> ConformanceStack {
                try store.opened {
                    Entity("Theme") {
                        Attribute("name", .string)
                        if demand == "composite" {
                            Attribute("colors") {
                                Attribute("primary", .string)
                                Attribute("accent", .string, default: value)
                            }.required
                        } else {
                            Attribute("colors") {
                                Attribute("primary", .string)
                                Attribute("accent", .string, default: value).required
                            }
                        }
                    }
                }
            }
            let error = try expectStoreError(.migration) { try opened(default: nil) }
            try expectEqual(error.key, key, demand)
            let after = try opened(default: "blue")
            let expected =
                demand == "composite"
                ? ["Theme a: colors.primary=red", "Theme b: colors.accent=blue"]
                : ["Theme a: colors.accent=blue colors.primary=red", "Theme b"]
            try expectEqual(try after.contents(), expected, demand)
            let editor = after.context()
            for theme in try editor.all("Theme") { try theme.setValue("z", forKey: "name") }
            try editor.save()
            try expectEqual(try after.reopened().problems(), [])
        }
    }

    static var all: [ConformanceCase] {
        ["composite", "element", "added"].map { demanding($0, $0 == "composite" ? "colors" : "colors.accent") } + [
            ConformanceCase("Elements come, go, are renamed and get wider types", in: .migration, requires: .persistence) { environment in
                let after = try first(environment).opened {
                    Entity("Theme") {
                        Attribute("name", .string)
                        Attribute("colors") {
                            Attribute("main", .string).renamed(from: "primary")
                            Attribute("depth", .integer64)
                            Attribute("accent", .string)
                        }
                    }
                }
                try expectEqual(try after.contents(), ["Theme a: colors.depth=8 colors.main=red", "Theme b"])
                let editor = after.context()
                try editor.one("Theme", "b").setValue(["accent": "x", "depth": 1 << 40] as [String: Any], forKey: "colors")
                try editor.save()
                let again = try after.reopened()
                try expectEqual(
                    try again.contents(),
                    ["Theme a: colors.depth=8 colors.main=red", "Theme b: colors.accent=x colors.depth=1099511627776"])
                try expectEqual(try again.problems(), [])
            },
            ConformanceCase(
                "A composite attribute is renamed with its elements, and moves into another", in: .migration, requires: .persistence
            ) {
                environment in
                let renamed = try first(environment).opened {
                    Entity("Theme") {
                        Attribute("name", .string)
                        Attribute("palette") {
                            Attribute("first", .string).renamed(from: "primary")
                            Attribute("secondary", .string)
                            Attribute("depth", .integer16)
                        }.renamed(from: "colors")
                    }
                }
                try expectEqual(
                    try renamed.contents(), ["Theme a: palette.depth=8 palette.first=red palette.secondary=black", "Theme b"])
                let nested = try renamed.reopened(
                    model: try ManagedObjectModel {
                        Entity("Theme") {
                            Attribute("name", .string)
                            Attribute("look") {
                                Attribute("colors") {
                                    Attribute("first", .string).renamed(from: "palette.first")
                                    Attribute("second", .string).renamed(from: "palette.secondary")
                                }
                                Attribute("depth", .integer16).renamed(from: "palette.depth")
                            }
                        }
                    })
                try expectEqual(
                    try nested.contents(), ["Theme a: look.colors.first=red look.colors.second=black look.depth=8", "Theme b"])
            },
            ConformanceCase(
                "Attributes become elements and attributes again where renaming identifiers say so", in: .migration, requires: .persistence
            ) {
                environment in
                let store = try Migrated(environment) {
                    Entity("Theme") { Attributes(["name": .string, "primary": .string, "other": .string, "lost": .string]) }
                }
                let a = try store.context.add("Theme", "a")
                try a.setValue("red", forKey: "primary")
                try a.setValue("black", forKey: "other")
                try a.setValue("x", forKey: "lost")
                let composite = try store.opened {
                    Entity("Theme") {
                        Attribute("name", .string)
                        Attribute("colors") {
                            Attribute("primary", .string).renamed(from: "primary")
                            Attribute("secondary", .string).renamed(from: "other")
                            Attribute("lost", .string)
                        }
                    }
                }
                try expectEqual(try composite.contents(), ["Theme a: colors.primary=red colors.secondary=black"])
                let plain = try composite.reopened(
                    model: try ManagedObjectModel {
                        Entity("Theme") {
                            Attribute("name", .string)
                            Attribute("primary", .string).renamed(from: "colors.primary")
                            Attribute("colors", .string).renamed(from: "colors.secondary")
                        }
                    })
                try expectEqual(try plain.contents(), ["Theme a: colors=black primary=red"])
            },
            ConformanceCase(
                "An element that is added with a default is one of values that were there", in: .migration, requires: .persistence
            ) {
                environment in
                let after = try first(environment).opened {
                    Entity("Theme") {
                        Attribute("name", .string)
                        Attribute("colors") {
                            Attribute("primary", .string)
                            Attribute("accent", .string, default: "blue")
                        }
                        Attribute("size") { Attribute("width", .integer16, default: 3) }
                    }
                }
                try expectEqual(
                    try after.contents(),
                    ["Theme a: colors.accent=blue colors.primary=red size.width=3", "Theme b: size.width=3"])
            },
            ConformanceCase("The kept model of a store has its composite attributes", in: .migration, requires: .persistence) {
                environment in
                let store = try first(environment)
                try store.context.save()
                try store.before.close()
                let description = store.before.descriptions[0]
                let kept = try unwrap(
                    try PersistentStoreCoordinator.model(ofStoreAt: description.location, description.driver), "the store keeps no model")
                try expectEqual(kept.entityVersionHashesByName, store.before.container.model.entityVersionHashesByName)
                try expectEqual(
                    kept.entity(named: "Theme")?.compositeAttribute(named: "colors")?.elements.map(\.name),
                    ["primary", "secondary", "depth"])
            },
        ]
    }
}
