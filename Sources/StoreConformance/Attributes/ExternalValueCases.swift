import FoundationEssentials
import Strata

/// Values in files of their own, and objects when such a file is lost or damaged.
///
/// A store that keeps no value in a file of its own passes where the case is about files only.
enum ExternalValueCases {
    static let threshold = 1000

    /// The directory with the files of the values of a store.
    static func directory(_ environment: ConformanceEnvironment, _ name: String = "store") throws -> String {
        let path = try unwrap(environment.description(name).path)
        let url = URL(filePath: path)
        return "\(environment.directory)/.\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    }

    /// The paths of the files.
    static func files(_ environment: ConformanceEnvironment, _ name: String = "store") throws -> [String] {
        let directory = try directory(environment, name)
        guard FileManager.default.fileExists(atPath: directory) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { "\(directory)/\($0)" }
    }

    static func bytes(_ count: Int, _ seed: UInt8) -> Data { bytes(count) { UInt8(truncatingIfNeeded: $0) ^ seed } }

    /// Returns bytes that repeat after 256 of them, so that few are computed.
    static func bytes(_ count: Int, _ byte: (Int) -> UInt8) -> Data {
        let period = Data((0..<256).map(byte))
        var bytes = Data(capacity: count + period.count)
        while bytes.count < count { bytes.append(period) }
        return Data(bytes.prefix(count))
    }

    static func stack(
        _ environment: ConformanceEnvironment, _ name: String = "store", _ model: ModelResult = Models.items
    ) throws -> ConformanceStack {
        try environment.stack(model, name) { $0.options.externalStorageThreshold = threshold }
    }

    static func items(_ context: ManagedObjectContext) throws -> [Item] {
        try context.fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
    }

    static var all: [ConformanceCase] { kept + lost }

    @ConformanceCaseList private static var kept: [ConformanceCase] {
        ConformanceCase("A value of the threshold's length gets a file, a shorter one does not", in: .attributes, requires: .file) {
            environment in
            // One store began a byte later than the others.
            let stack = try stack(environment)
            let context = stack.context()
            let lengths = [threshold - 1, threshold, threshold + 1]
            Item.insert(lengths.map { bytes($0, 7) }, of: Item.blob, into: context)
            try context.save()
            try stack.close()
            let sizes = try files(environment).map { try Data(contentsOf: URL(filePath: $0)).count }.sorted()
            try expect(sizes == [threshold, threshold + 1] || sizes.isEmpty, "files of \(sizes) bytes")
            try expectEqual(try items(stack.reopened().context()).map { $0[Item.blob]?.count }, lengths)
        }
        ConformanceCase("A file where the directory of large values belongs is an error with its path", in: .attributes, requires: .file) {
            environment in
            // One store reported it as missing.
            let stack = try stack(environment)
            let support = URL(filePath: try directory(environment)).deletingLastPathComponent()
            try? FileManager.default.removeItem(at: support)
            try Data([1]).write(to: support)
            let context = stack.context()
            Item.insert([bytes(threshold, 7)], of: Item.blob, into: context)
            do { try context.save() } catch {
                let error = try unwrap(error as? StoreError)
                try expectEqual(error.code, .exists)
                try expect(error.message.contains("_SUPPORT"), "\(error)")
                return
            }
            try expect(try files(environment).isEmpty, "the file was replaced")
        }
        ConformanceCase("A snapshot keeps the values that it saw, whatever is saved meanwhile", in: .attributes) { environment in
            // Their files went with the next save.
            let stack = try stack(environment)
            let (context, other) = (stack.context(), stack.context())
            Item.insert([bytes(5000, 0), bytes(5000, 1)], of: Item.blob, into: other)
            try other.save()
            // The snapshot is this thread's, for whichever context.
            let changed = try items(other)
            try context.withSnapshot {
                try expectEqual(try items(context).map { $0[Item.blob] }, [bytes(5000, 0), bytes(5000, 1)])
                for round in 2..<6 {
                    changed[0][Item.blob] = bytes(5000, UInt8(round))
                    if round == 4 { other.delete(changed[1]) }
                    try other.save()
                    context.reset()
                    try expectEqual(try items(context).map { $0[Item.blob] }, [bytes(5000, 0), bytes(5000, 1)])
                }
            }
            context.reset()
            try expectEqual(try items(context).map { $0[Item.blob] }, [bytes(5000, 5)])
            guard stack.descriptions[0].path != nil, try stack.store().capabilities.isPersistent else { return }
            _ = try stack.reopened()
            try expect(try files(environment).count <= 1, "files that nothing names stay")
        }
        ConformanceCase("A batch writes the file of a value once, though its row meets a constraint", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("Scan") {
                    Attribute("number", .integer64)
                    Attribute("data", .binary).externalStorage
                    Unique("number")
                }
            }
            let stack = try environment.stack(model) { $0.options.externalStorageThreshold = threshold }
            for round in 0..<2 {
                let objects = (0..<3).map { index -> [String: Value] in
                    ["number": .int(Int64(index % 2)), "data": .data(bytes(5000, UInt8(index + 10 * round)))]
                }
                var request = BatchInsertRequest(entityName: "Scan", objects: objects)
                request.mergePolicy = .mergeByPropertyObjectTrump
                _ = try stack.coordinator.execute(request)
            }
            let scans = try stack.context().all("Scan", sort: [QuerySort("number")])
            try expectEqual(try scans.map { try $0.value(forKey: "data") as? Data }, [bytes(5000, 12), bytes(5000, 11)])
            guard stack.descriptions[0].path != nil, try stack.store().capabilities.isPersistent else { return }
            try expect(try files(environment).count <= 2, "files that nothing names stay")
        }
        ConformanceCase("What another coordinator saved in files of their own is not lost by a save here", in: .attributes, requires: .file)
        {
            environment in
            // A store that keeps its file in memory went on naming the files that it knew.
            let here = try stack(environment)
            let own = here.context()
            Item.insert([bytes(5000, 0), bytes(5000, 1)], of: Item.blob, into: own)
            try own.save()
            let there = try stack(environment)
            let other = there.context()
            let mine = try items(own)
            try items(other)[0][Item.blob] = bytes(5000, 9)
            try other.save()
            own.refreshAllObjects()
            try expectEqual(mine.map { $0[Item.blob] }, [bytes(5000, 9), bytes(5000, 1)])
            mine[1][Item.i64] = 5
            try own.save()
            try there.close()
            try expectEqual(try items(here.reopened().context()).map { $0[Item.blob] }, [bytes(5000, 9), bytes(5000, 1)])
        }
        ConformanceCase("Opening a store leaves the values that others still read", in: .attributes, requires: .severalCoordinators) {
            environment in
            // What no row names any more may be named in the state that a snapshot shows.
            let stack = try stack(environment)
            let (context, other) = (stack.context(), stack.context())
            Item.insert([bytes(5000, 0)], of: Item.blob, into: other)
            try other.save()
            let changed = try items(other)
            try context.withSnapshot {
                try expectEqual(try items(context).map { $0[Item.blob] }, [bytes(5000, 0)])
                changed[0][Item.blob] = bytes(5000, 1)
                try other.save()
                let opened = try ConformanceStack(stack.container.model, stack.descriptions)
                try expectEqual(try items(opened.context()).map { $0[Item.blob] }, [bytes(5000, 1)])
                try opened.close()
                context.reset()
                try expectEqual(try items(context).map { $0[Item.blob] }, [bytes(5000, 0)])
            }
        }
        ConformanceCase("The threshold of the new store says which values get files when one is converted", in: .conversion) {
            environment in
            let stack = try stack(environment)
            let lengths = [threshold - 1, threshold, 2 * threshold - 1, 2 * threshold, 2 * threshold + 1]
            let context = stack.context()
            Item.insert(lengths.map { bytes($0, 7) }, of: Item.blob, into: context)
            try context.save()
            var target = environment.description("converted", of: environment.partner)
            target.options.externalStorageThreshold = 2 * threshold
            let new = try stack.coordinator.migrateStore(stack.store(), to: target)
            try expectEqual(try items(stack.context()).map { $0[Item.blob] }, lengths.map { bytes($0, 7) })
            guard new.capabilities.isPersistent, target.path != nil else { return }
            try stack.close()
            let directory = "\(environment.directory)/.converted_SUPPORT/_EXTERNAL_DATA"
            let sizes = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).map {
                (try? Data(contentsOf: URL(filePath: "\(directory)/\($0)")))?.count ?? -1
            }
            try expect(sizes.sorted() == [2 * threshold, 2 * threshold + 1] || sizes.isEmpty, "files of \(sizes) bytes")
            let again = try environment.stack(stack.container.model, stores: [target])
            try expectEqual(try items(again.context()).map { $0[Item.blob] }, lengths.map { bytes($0, 7) })
        }
        ConformanceCase("A store is not converted without a value that is lost", in: .conversion, requires: .file) { environment in
            // No store may take what could not be read for nil.
            guard let (stack, file) = try closedStore(environment) else { return }
            try FileManager.default.removeItem(atPath: file)
            let next = try stack.reopened()
            let target = environment.description("converted", of: environment.partner)
            do { _ = try next.coordinator.migrateStore(next.store(), to: target) } catch let error as StoreError {
                try expectEqual(error.code, .corrupt)
            }
            try expectLost(next.context())
        }
        ConformanceCase("Destroying and replacing stores leaves the values of others of the same stem", in: .federation, requires: .file) {
            environment in
            // They share a directory with it, and all of it went.
            let others = [environment.harness] + environment.partners
            let source = try stack(environment, "source")
            let sourceContext = source.context()
            Item.insert([bytes(5000, 99)], of: Item.blob, into: sourceContext)
            try sourceContext.save()
            try source.close()
            let model = try Models.items.get()
            func descriptions() throws -> [StoreDescription] {
                try others.enumerated().map { index, harness in
                    var description = environment.description(of: harness)
                    let path = try unwrap(description.path)
                    description.path = "\(path)\(index)"
                    description.options.externalStorageThreshold = threshold
                    return description
                }
            }
            let all = try descriptions()
            func make(_ index: Int) throws {
                let stack = try environment.stack(model, stores: [all[index]])
                let context = stack.context()
                Item.insert([bytes(5000, UInt8(index))], of: Item.blob, into: context)
                try context.save()
                try stack.close()
            }
            func expectWhole(but gone: Int) throws {
                for index in all.indices where index != gone {
                    let stack = try environment.stack(model, stores: [all[index]])
                    try expectEqual(try items(stack.context()).map { $0[Item.blob] }, [bytes(5000, UInt8(index))])
                    try stack.close()
                }
            }
            for index in all.indices { try make(index) }
            for index in all.indices {
                let (driver, path) = (all[index].driver, try unwrap(all[index].path))
                try driver.destroy(at: path)
                try expectWhole(but: index)
                try driver.destroy(at: path)
                try driver.destroy(at: path + "absent")
                try expectWhole(but: index)
                try make(index)
                try expectWhole(but: -1)
            }
            let (driver, path) = (all[0].driver, try unwrap(all[0].path))
            try driver.replace(at: path, withStoreAt: try unwrap(environment.description("source").path))
            try expectWhole(but: 0)
            for index in all.indices { try all[index].driver.destroy(at: try unwrap(all[index].path)) }
            try expectEqual(try files(environment), [])
        }
        ConformanceCase("A copy whose values would be the very files of the original is refused", in: .federation, requires: .file) {
            environment in
            guard let (stack, _) = try closedStore(environment) else { return }
            let path = try unwrap(environment.description().path)
            try expectStoreError(.unsupported) { try environment.description().driver.replace(at: path + "2", withStoreAt: path) }
            try expectEqual(try items(stack.reopened().context()).count, 3)
        }
    }
}
