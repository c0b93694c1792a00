import FoundationEssentials
import Strata
import StrataTestModels

/// Opening a store with a version of the model that has other attributes.
enum AttributeMigrationCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Attributes come, go and get their defaults", in: .migration, requires: .persistence) { environment in
            let store = try Migrated(environment) {
                Entity("Person") { Attributes(["name": .string, "age": .integer16, "weight": .double, "nick": .string]) }
            }
            let a = try store.context.add("Person", "a")
            try a.setValue(7, forKey: "age")
            try a.setValue(70.5, forKey: "weight")
            try a.setValue("x", forKey: "nick")
            try store.context.add("Person", "b")
            let after = try store.opened {
                Entity("Person") {
                    Attribute("name", .string).required
                    Attribute("age", .integer16, default: 18).required
                    Attribute("nick", .string, default: "none")
                    Attribute("email", .string)
                    Attribute("level", .integer32, default: 3)
                    Attribute("rank", .integer64, default: 9).required
                    Attribute("note", .string, default: "t").transient
                }
            }
            // What was optional and is stays as it is; a default is for what is new, and for what may no longer be
            // missing.
            try expectEqual(
                try after.contents(), ["Person a: age=7 level=3 nick=x rank=9", "Person b: age=18 level=3 rank=9"])
            let editor = after.context()
            try editor.add("Person", "c")
            try editor.one("Person", "a").setValue("e", forKey: "email")
            try editor.save()
            let again = try after.reopened()
            try expectEqual(
                try again.contents(),
                [
                    "Person a: age=7 email=e level=3 nick=x rank=9", "Person b: age=18 level=3 rank=9",
                    "Person c: age=18 level=3 nick=none rank=9",
                ])
        }
        ConformanceCase("What was dropped does not come back with an attribute of its name", in: .migration, requires: .persistence) {
            environment in
            let store = try Migrated(environment) {
                Entity("Person") { Attributes(["name": .string, "secret": .string]) }
            }
            try store.context.add("Person", "a").setValue("s", forKey: "secret")
            let without = try store.opened { Entity("Person") { Attribute("name", .string) } }
            let again = try without.reopened(model: store.before.container.model)
            try expectEqual(try again.contents(), ["Person a"])
        }
        ConformanceCase("Attributes are renamed, in chains and in circles", in: .migration, requires: .persistence) { environment in
            func model(_ attributes: Attribute...) throws -> ManagedObjectModel {
                try ManagedObjectModel(entities: [Entity("Thing") { [Attribute("name", .string)] + attributes }])
            }
            let first = try model(Attribute("color", .string), Attribute("x", .integer64), Attribute("y", .integer64))
            let second = try model(
                Attribute("paintColor", .string).renamed(from: "color"), Attribute("x", .integer64).renamed(from: "y"),
                Attribute("y", .integer64).renamed(from: "x"))
            // Both ways to name what a third version's attribute was: by the last name, or by the first.
            let third = try model(
                Attribute("primaryColor", .string).renamed(from: "color"), Attribute("color", .integer64, default: 5),
                Attribute("across", .integer64).renamed(from: "x"))
            for versions in [[second], [second, third], [third]] {
                let stack = try environment.stack(first, "store \(versions.count) \(versions[0] === third)")
                let context = stack.context()
                let thing = try context.add("Thing", "t")
                try thing.setValue("red", forKey: "color")
                try thing.setValue(1, forKey: "x")
                try thing.setValue(2, forKey: "y")
                try context.save()
                var last = stack
                for version in versions { last = try last.reopened(model: version) }
                // What the second version calls x is what was y.
                let expected =
                    versions.last === third
                    ? "Thing t: across=\(versions.count) color=5 primaryColor=red" : "Thing t: paintColor=red x=2 y=1"
                try expectEqual(try last.contents(), [expected])
            }
        }
        ConformanceCase("Attributes get other types where that loses nothing", in: .migration, requires: .persistence) { environment in
            let store = try Migrated(environment) {
                Entity("Thing") {
                    Attributes([
                        "name": .string, "small": .integer16, "middle": .integer32, "big": .integer64, "flag": .boolean,
                        "float": .float, "id": .uuid, "link": .uri, "half": .integer16,
                    ])
                }
            }
            let id = UUID()
            let thing = try store.context.add("Thing", "a")
            try thing.setValue(Int(Int16.min), forKey: "small")
            try thing.setValue(Int(Int32.max), forKey: "middle")
            try thing.setValue(Int.max, forKey: "big")
            try thing.setValue(true, forKey: "flag")
            try thing.setValue(Float(0.1), forKey: "float")
            try thing.setValue(id, forKey: "id")
            try thing.setValue(URL(string: "https://example.org/a%20b?c"), forKey: "link")
            try thing.setValue(4, forKey: "half")
            try store.context.add("Thing", "b")
            let after = try store.opened {
                Entity("Thing") {
                    Attributes([
                        "name": .string, "small": .integer64, "middle": .double, "big": .decimal, "flag": .integer16,
                        "float": .double, "id": .string, "link": .string, "half": .decimal,
                    ])
                }
            }
            try expectEqual(
                try after.contents(),
                [
                    "Thing a: big=\(Int.max) flag=1 float=\(Double(Float(0.1))) half=4 id=\(id.uuidString) "
                        + "link=https://example.org/a%20b?c middle=2147483647.0 small=-32768", "Thing b",
                ])
            try expectEqual(try after.context().all("Thing", key("middle") == 2147483647.0).count, 1)
            try expectEqual(try after.context().all("Thing", key("id") == .string(id.uuidString)).count, 1)
        }
        ConformanceCase("A type that values could be lost by is refused, and nothing changes", in: .migration, requires: .persistence) {
            environment in
            let store = try Migrated(environment) {
                Entity("Thing") { Attributes(["name": .string, "number": .integer64]) }
            }
            try store.context.add("Thing", "a").setValue(1 << 40, forKey: "number")
            for type in [AttributeType.integer32, .double, .string, .boolean, .date] {
                let error = try expectStoreError(.missingMapping) {
                    try store.opened {
                        Entity("Thing") {
                            Attribute("name", .string)
                            Attribute("number", type)
                        }
                    }
                }
                try expectEqual(error.cocoaCode, 134140)
                let cause = try unwrap(error.underlying as? MappingError)
                try expectEqual([cause.entity, cause.property, "\(cause.reason)"], ["Thing", "number", "typeChange"])
                try expectEqual(cause.cocoaCode, 134190)
            }
            try expectEqual(try store.opened(store.before.container.model).contents(), ["Thing a: number=\(1 << 40)"])
        }
        ConformanceCase("Two attributes swap their names, with a hash modifier", in: .migration, requires: .persistence) { environment in
            func model(_ first: Attribute, _ second: Attribute) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Thing") {
                        Attribute("name", .string)
                        first
                        second
                    }
                }
            }
            let stack = try environment.stack(try model(Attribute("a", .string), Attribute("b", .string)))
            let context = stack.context()
            try context.add("Thing", "t", ["a": "was a", "b": "was b"])
            try context.save()
            let swapped = try model(
                Attribute("a", .string).renamed(from: "b").with { $0.versionHashModifier = "swapped" },
                Attribute("b", .string).renamed(from: "a"))
            var after = try stack.reopened(model: swapped)
            for _ in 0..<2 {
                try expectEqual(try after.contents(), ["Thing t: a=was b b=was a"])
                after = try after.reopened(model: swapped)
            }
        }
        // External storage was not in the version hash: the store opened as it was, and values read as the names of
        // their files.
        ConformanceCase("External storage is turned off and on, and nothing else", in: .migration, requires: .persistence) { environment in
            func model(isExternal: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Thing") {
                        Attribute("name", .string)
                        Attribute("data", .binary).with { $0.allowsExternalStorage = isExternal }
                        Attribute("text", .string).with { $0.allowsExternalStorage = isExternal }
                    }
                }
            }
            let sizes = [0, 1, 700, 5000, 70_000]
            for isExternal in [true, false] {
                let stack = try environment.stack(try model(isExternal: isExternal), "store \(isExternal)") {
                    $0.options.externalStorageThreshold = 1000
                }
                let context = stack.context()
                for size in sizes {
                    let thing = try context.add("Thing", "\(size)")
                    try thing.setValue(ExternalValueCases.bytes(size, 3), forKey: "data")
                    try thing.setValue(String(repeating: "x", count: size), forKey: "text")
                }
                try context.add("Thing", "none")
                try context.save()
                try stack.close()
                let other = try model(isExternal: !isExternal)
                try expectEqual(
                    try MappingModel.inferred(from: stack.container.model, to: other).plan.steps.map(\.property), ["data", "text"])
                var after = try stack.reopened(model: other)
                for again in [other, try model(isExternal: isExternal)] {
                    for thing in try after.context().all("Thing") {
                        let size = Int(try thing.value(forKey: "name") as? String ?? "")
                        try expectEqual(try thing.value(forKey: "data") as? Data, size.map { ExternalValueCases.bytes($0, 3) })
                        try expectEqual(try thing.value(forKey: "text") as? String, size.map { String(repeating: "x", count: $0) })
                    }
                    try expectEqual(try after.problems(), [])
                    after = try after.reopened(model: again)
                }
                try expectEqual(try after.context().all("Thing").count, sizes.count + 1)
            }
        }
        ConformanceCase("Large values come along", in: .migration, requires: .persistence) { environment in
            func model(_ name: String, isExternal: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Thing") {
                        Attribute("name", .string)
                        Attribute(name, .binary).renamed(from: "data").with { $0.allowsExternalStorage = isExternal }
                        Attribute("more", .binary).externalStorage
                        if name == "bytes" { Attribute("count", .integer64, default: 1) }
                    }
                }
            }
            for isExternal in [true, false] {
                let name = "store \(isExternal)"
                let stack = try environment.stack(try model("data", isExternal: true), name) { $0.options.externalStorageThreshold = 1000 }
                let context = stack.context()
                for index in 0..<4 {
                    let thing = try context.add("Thing", "\(index)")
                    try thing.setValue(ExternalValueCases.bytes(index * 700, UInt8(index)), forKey: "data")
                    try thing.setValue(ExternalValueCases.bytes(5000, UInt8(index)), forKey: "more")
                }
                try context.save()
                let after = try stack.reopened(model: try model("bytes", isExternal: isExternal))
                let things = try after.context().all("Thing", sort: [QuerySort("name")])
                for (index, thing) in things.enumerated() {
                    try expectEqual(try thing.value(forKey: "bytes") as? Data, ExternalValueCases.bytes(index * 700, UInt8(index)))
                    try expectEqual(try thing.value(forKey: "more") as? Data, ExternalValueCases.bytes(5000, UInt8(index)))
                }
                try expectEqual(things.count, 4)
                guard environment.harness.isFileBased else { continue }
                // No file is left of the values as they were.
                let again = try after.reopened()
                let files = try ExternalValueCases.files(environment, name)
                try expect(files.isEmpty || files.count == (isExternal ? 6 : 4), "\(files.count) files")
                try expectEqual(try again.context().all("Thing").count, 4)
            }
        }
    }
}
