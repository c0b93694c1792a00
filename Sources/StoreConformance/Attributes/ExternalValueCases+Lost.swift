import FoundationEssentials
import Strata
import StrataPlatform

/// Objects of which a value in a file of its own is lost or damaged.
extension ExternalValueCases {
    /// A store with three items with a large value each, closed, and the file of the second's.
    static func closedStore(
        _ environment: ConformanceEnvironment, _ model: ModelResult = Models.items
    ) throws -> (ConformanceStack, file: String)? {
        let stack = try stack(environment, "store", model)
        let context = stack.context()
        Item.insert([0, 1, 2].map { bytes(5000, $0) }, of: Item.blob, into: context)
        for item in try items(context) { item[Item.text] = "item" }
        try context.save()
        try stack.close()
        let files = try files(environment)
        if files.isEmpty { return nil }
        try expectEqual(files.count, 3)
        let file = try unwrap(files.first { try Data(contentsOf: URL(filePath: $0)) == bytes(5000, 1) })
        return (stack, file)
    }

    /// Checks that the value of the second item cannot be read, and everything else can.
    static func expectLost(_ context: ManagedObjectContext) throws {
        let items = try items(context)
        try expectEqual(items.map { $0[Item.text] }, ["item", "item", "item"])
        try expectEqual(items[0][Item.blob], bytes(5000, 0))
        try expectEqual(items[2][Item.blob], bytes(5000, 2))
        let error = try expectStoreError(.corrupt) { try items[1].value(forKey: "blob") }
        try expectEqual(error.key, "blob")
        try expect(error.path?.contains("_EXTERNAL_DATA") == true, "\(error)")
        try expectEqual(items[1][Item.blob], nil)
        try expect((context.lastFaultError as? StoreError)?.code == .corrupt, "the context does not know")
    }

    @ConformanceCaseList static var lost: [ConformanceCase] {
        ConformanceCase("A value whose file is lost leaves its object readable, changeable and deletable", in: .attributes, requires: .file)
        {
            environment in
            // Its object, and each fetch that returned it, failed.
            guard let (stack, file) = try closedStore(environment) else { return }
            let saved = try Data(contentsOf: URL(filePath: file))
            try FileManager.default.removeItem(atPath: file)
            var next = try stack.reopened()
            var context = next.context()
            try expectLost(context)
            try items(context)[1][Item.i64] = 77
            try context.save()
            try expectLost(next.context())

            // Nothing was written over the value: it is back with its file.
            next = try next.reopened()
            try expectLost(next.context())
            try next.close()
            try saved.write(to: URL(filePath: file))
            next = try next.reopened()
            try expectEqual(try items(next.context())[1][Item.blob], saved)
            try expectEqual(try items(next.context())[1][Item.i64], 77)
            try next.close()

            try FileManager.default.removeItem(atPath: file)
            next = try next.reopened()
            context = next.context()
            context.delete(try items(context)[1])
            try context.save()
            try expectEqual(try items(next.reopened().context()).map { $0[Item.blob] }, [bytes(5000, 0), bytes(5000, 2)])
        }
        ConformanceCase("A store without the folder of its large values is used as before, but for those", in: .attributes, requires: .file)
        {
            environment in
            // Stores are sent about without it.
            guard let (stack, file) = try closedStore(environment) else { return }
            let folder = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
            try FileManager.default.removeItem(at: folder)
            var next = try stack.reopened()
            var context = next.context()
            for item in try items(context) {
                try expectStoreError(.corrupt) { try item.value(forKey: "blob") }
                item[Item.i64] = 5
            }
            try context.save()
            try context.execute(BatchUpdateRequest(entityName: "Item", set: ["text": .constant(.string("batch"))]))
            try expectEqual(try next.context().count(for: ObjectFetchRequest<Item>(Item.i64 == 5 && Item.text == "batch")), 3)
            Item.insert([bytes(5000, 9)], of: Item.blob, into: context)
            try context.save()
            next = try next.reopened()
            try expectEqual(try items(next.context()).map { $0[Item.blob] == bytes(5000, 9) }.filter { $0 }.count, 1)
            context = next.context()
            context.delete(try unwrap(items(context).first { $0[Item.text] == "batch" }))
            try context.save()
            try context.execute(BatchDeleteRequest(entityName: "Item", try QueryPredicate(format: "text == 'batch'")))
            try expectEqual(try items(next.reopened().context()).map { $0[Item.blob] }, [bytes(5000, 9)])
        }
        // An accessor that transforms what it reads took the value for one that may be read later: no save of the
        // context went through any more, whatever it was about, until all changes were rolled back.
        ConformanceCase("A lost value that was read in vain keeps nothing else from being saved", in: .attributes, requires: .file) {
            environment in
            let labels = Key<[String]>("labels")
            let model = try ManagedObjectModel {
                Entity("Thing") {
                    Attribute("name", .string)
                    Attribute("labels", .transformable, transformer: .codable([String].self)).externalStorage
                }
            }
            let stack = try environment.stack(model) { $0.options.externalStorageThreshold = threshold }
            let kept = Array(repeating: "label", count: 1000)
            var context = stack.context()
            for name in ["a", "b"] { try context.add("Thing", name).setValue(kept + [name], forKey: "labels") }
            try context.save()
            try stack.close()
            guard let file = try files(environment).first else { return }
            let saved = try Data(contentsOf: URL(filePath: file))
            try FileManager.default.removeItem(atPath: file)
            var next = try stack.reopened()
            context = next.context()
            var things = try context.all("Thing", sort: [QuerySort("name")])
            let lost = try unwrap(things.first { $0[transformable: labels] == nil })
            try expect((context.lastFaultError as? StoreError)?.code == .corrupt, "the context does not know")
            for thing in things { try thing.setValue("\(thing.text("name") ?? "")!", forKey: "name") }
            try context.add("Thing", "c").setValue(["new"], forKey: "labels")
            try context.save()
            // The file comes back, and with it what no save wrote over.
            try next.close()
            try saved.write(to: URL(filePath: file))
            next = try next.reopened()
            context = next.context()
            things = try context.all("Thing", sort: [QuerySort("name")])
            try expectEqual(try things.map { try $0.text("name") }, ["a!", "b!", "c"])
            try expectEqual(things.map { $0[transformable: labels] }, [kept + ["a"], kept + ["b"], ["new"]])
            try expect(lost.managedObjectContext != nil, "the object is gone")
        }
        ConformanceCase("A lost value stays lost when its store is migrated, and the rest comes along", in: .migration, requires: .file) {
            environment in
            // One lost file stopped the migration.
            func model(_ isChanged: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Thing") {
                        Attribute("name", .string)
                        Attribute("code", isChanged ? .string : .uuid)
                        Attribute(isChanged ? "picture" : "scan", .binary).externalStorage.renamed(from: "scan")
                    }
                }
            }
            let stack = try environment.stack(try model(false)) { $0.options.externalStorageThreshold = threshold }
            let context = stack.context()
            for index in 0..<3 {
                let thing = try context.add("Thing", "t\(index)")
                try thing.setValue(bytes(5000, UInt8(index)), forKey: "scan")
                try thing.setValue(UUID(uuidString: "00000000-0000-4000-8000-00000000000\(index)"), forKey: "code")
            }
            try context.save()
            try stack.close()
            guard let file = try files(environment).first(where: { try Data(contentsOf: URL(filePath: $0)) == bytes(5000, 1) }) else {
                return
            }
            let saved = try Data(contentsOf: URL(filePath: file))
            try FileManager.default.removeItem(atPath: file)
            var next = try stack.reopened(model: try model(true))
            func check() throws {
                let things = try next.context().all("Thing", sort: [QuerySort("name")])
                try expectEqual(try things.map { try $0.text("name") }, ["t0", "t1", "t2"])
                try expectEqual(try things.map { try $0.text("code")?.last }, ["0", "1", "2"])
                for index in [0, 2] {
                    try expectEqual(try things[index].value(forKey: "picture") as? Data, bytes(5000, UInt8(index)))
                }
                try expectStoreError(.corrupt) { try things[1].value(forKey: "picture") }
            }
            try check()
            next = try next.reopened()
            try check()
            try next.close()
            // Its file is still the one that is named.
            try saved.write(to: URL(filePath: file))
            next = try next.reopened()
            try expectEqual(
                try next.context().all("Thing", sort: [QuerySort("name")]).map { try $0.value(forKey: "picture") as? Data },
                (0..<3).map { bytes(5000, UInt8($0)) })
        }
        ConformanceCase("An object goes with its indexed value whose file is lost", in: .attributes, requires: .file) { environment in
            // The entry of an index was looked up by the value that could not be read.
            guard let (stack, file) = try closedStore(environment, Models.indexedItems) else { return }
            try FileManager.default.removeItem(atPath: file)
            let next = try stack.reopened()
            let context = next.context()
            context.delete(try items(context)[1])
            try context.save()
            let reopened = try next.reopened()
            try expectEqual(try items(reopened.context()).map { $0[Item.blob] }, [bytes(5000, 0), bytes(5000, 2)])
            try expectEqual(try reopened.coordinator.verify(reopened.store()), [])
        }
        ConformanceCase("Assigning a value, or nil, to one that was lost heals its object", in: .attributes, requires: .file) {
            environment in
            for (value, model) in [
                (bytes(6000, 9), Models.items), (bytes(3, 9), Models.items), (bytes(7000, 9), Models.indexedItems), (nil, Models.items),
            ] {
                let inner = try ConformanceEnvironment(
                    harness: environment.harness, partners: [], directory: "\(environment.directory)/\(value?.count ?? 0)")
                guard let (stack, file) = try closedStore(inner, model) else { return }
                try FileManager.default.removeItem(atPath: file)
                let next = try stack.reopened()
                let context = next.context()
                try items(context)[1][Item.blob] = value
                try context.save()
                let healed = next.context()
                try expectEqual(try items(healed).map { $0[Item.blob] }, [bytes(5000, 0), value, bytes(5000, 2)])
                try expect(healed.lastFaultError == nil, "\(String(describing: healed.lastFaultError))")
                try expectEqual(try items(next.reopened().context()).map { $0[Item.blob] }, [bytes(5000, 0), value, bytes(5000, 2)])
                try expectEqual(try files(inner).count, value?.count ?? 0 < threshold ? 2 : 3)
            }
        }
        ConformanceCase("A value whose file is damaged is never another value", in: .attributes, requires: .file) { environment in
            guard let (stack, file) = try closedStore(environment) else { return }
            let url = URL(filePath: file)
            let sound = try Data(contentsOf: url)
            var flipped = sound
            flipped[4321] ^= 4
            let other = try Data(contentsOf: URL(filePath: try unwrap(try files(environment).first { $0 != file })))
            var last = stack
            for damaged in [flipped, sound.dropLast(), sound + [0], Data(), other, Data(count: 5000)] {
                try Data(damaged).write(to: url)
                last = try last.reopened()
                try expectLost(last.context())
                try last.close()
            }
            try sound.write(to: url)
            try expectEqual(try items(last.reopened().context())[1][Item.blob], sound)
        }
        ConformanceCase("A directory in a value's file name is a damaged value", in: .attributes, requires: .file) { environment in
            // A fetch waited for ever for a process to write into a pipe.
            guard let (stack, file) = try closedStore(environment) else { return }
            let makers: [(String) -> Int32] = [
                { unsafe mkfifo($0, 0o600) }, { unsafe mkdir($0, 0o700) }, { unsafe symlink("/dev/zero", $0) }, { unsafe symlink($0, $0) },
            ]
            var last = stack
            for make in makers {
                try? FileManager.default.removeItem(atPath: file)
                try expectEqual(make(file), 0)
                last = try last.reopened()
                try expectLost(last.context())
                try last.close()
            }
            try FileManager.default.removeItem(atPath: file)
            try expectEqual(unsafe mkdir(file, 0o700), 0)
            // What is not the store's stays, all else goes.
            try environment.description().driver.destroy(at: unwrap(environment.description().path))
            try expectEqual(try files(environment), [file])
        }
        ConformanceCase(
            "A condition, an order or a result that needs a lost value is an error, others are not", in: .attributes, requires: .file
        ) {
            environment in
            guard let (stack, file) = try closedStore(environment) else { return }
            try FileManager.default.removeItem(atPath: file)
            let context = try stack.reopened().context()
            try expectStoreError(.corrupt) { try context.fetch(ObjectFetchRequest<Item>(Item.blob == bytes(5000, 2))) }
            try expectStoreError(.corrupt) { try context.fetch(ObjectFetchRequest<Item>(sort: [Item.blob.ascending])) }
            try expectStoreError(.corrupt) { try context.fetchDictionaries(ObjectFetchRequest<Item>().fetching("blob")) }
            try expectEqual(try context.count(for: ObjectFetchRequest<Item>(Item.text == "item")), 3)
            try expectEqual(try context.fetchDictionaries(ObjectFetchRequest<Item>().fetching("text")).count, 3)
        }
        ConformanceCase("Verifying names the value that is lost", in: .verifying, requires: .file) { environment in
            guard let (stack, file) = try closedStore(environment) else { return }
            try FileManager.default.removeItem(atPath: file)
            let next = try stack.reopened()
            let problems = try next.coordinator.verify(next.store())
            try expectEqual(problems.map(\.kind), [.value])
            try expectEqual(problems.map(\.key), ["blob"])
            try expectEqual(problems.map(\.entity), ["Item"])
        }
    }
}
