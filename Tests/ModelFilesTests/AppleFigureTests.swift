import Foundation
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Testing

/// How much of what Apple's programs wrote is read as they read it; each test prints its figure, and lists what it misses.
@Suite("Figures over files of Apple's programs", .enabled(if: Fixtures.areAvailable)) struct AppleFigureTests {
    /// Whether the store was written by Apple's frameworks, so that its hashes are theirs.
    private static let hashed = AppleStore.all.filter { $0.metadata.isForeign && !$0.metadata.isUnversioned }

    private func report(_ figure: String, _ count: Int, _ all: Int, missing: [String]) {
        print("Figure: \(figure): \(count) of \(all)")
        #expect(missing == [])
    }

    @Test("The model in a cache has the version hashes of its store") func caches() throws {
        var (equal, all, missing) = (0, 0, [String]())
        for store in Self.hashed {
            switch store.cached {
            case .success(let model)?:
                for (name, hash) in store.metadata.versionHashes {
                    all += 1
                    if model.entity(named: name)?.versionHash == hash { equal += 1 } else { missing.append("\(store): \(name)") }
                }
            case .failure(let error)?: missing.append("\(store): \(error)")
            case nil: continue
            }
        }
        report("entity hashes of caches", equal, all, missing: missing)
    }

    @Test("A cache that Strata writes is read back with the same version hashes") func writing() throws {
        var (equal, all, missing) = (0, 0, [String]())
        for store in Self.hashed {
            guard case .success(let model)? = store.cached else { continue }
            all += 1
            guard let written = model.modelCache() else { continue }
            let read = try ModelFile(modelCache: written).model()
            if read.entityVersionHashesByName == model.entityVersionHashesByName { equal += 1 } else { missing.append("\(store)") }
        }
        report("caches written and read back", equal, all, missing: missing)
    }

    @Test("A store with a cache opens with its own model") func opening() throws {
        let directory = try TemporaryDirectory()
        var (opened, missing) = (0, [String]())
        for (number, store) in AppleStore.withCache.enumerated() {
            do {
                let path = try store.copied(to: directory, as: "\(number).sqlite")
                _ = try PersistentStoreCoordinator(openingWithOwnModel: StoreDescription(.sqlite, path: path, isReadOnly: true))
                opened += 1
            } catch { missing.append("\(store): \(error)") }
        }
        report("stores opened with their own cache", opened, AppleStore.withCache.count, missing: missing)
    }

    @Test("A store is judged the version of a cached model where all hashes are equal, and no other") func pairs() throws {
        var (right, all, missing) = (0, 0, [String]())
        for store in Self.hashed {
            for other in Self.hashed {
                guard case .success(let model)? = other.cached else { continue }
                all += 1
                let isSame = store.metadata.versionHashes == other.metadata.versionHashes
                if store.metadata.isCompatible(with: model) == isSame { right += 1 } else { missing.append("\(store), \(other)") }
            }
        }
        report("pairs of versions judged", right, all, missing: missing)
    }

    @Test("A configuration is judged a store's version where the store has the whole model's hashes") func configurations() throws {
        var (right, all, missing) = (0, 0, [String]())
        for store in Self.hashed {
            guard case .success(let model)? = store.cached else { continue }
            let directory = try TemporaryDirectory()
            let path = try store.copied(to: directory)
            for configuration in model.configurations {
                all += 1
                do {
                    let description = StoreDescription(.sqlite, path: path, configuration: configuration, isReadOnly: true)
                    let coordinator = PersistentStoreCoordinator(model: model)
                    try coordinator.remove(try coordinator.addStore(description))
                    right += 1
                } catch { missing.append("\(store), \(configuration): \(error)") }
            }
        }
        report("configurations opened", right, all, missing: missing)
    }

    /// The sources of models, also those of versions in bundles.
    private static let sources = FixtureCountTests.paths(".xcdatamodel").compactMap { path -> (path: String, model: ManagedObjectModel)? in
        (try? ModelFile(contentsOf: path).model()).map { (path, $0) }
    }

    @Test("A model's source has the version hashes of the stores that were made with it") func hashesOfSources() throws {
        // A source with the entities of a store is a version of its model: at least one has to be the store's own.
        var (found, entities) = (0, 0)
        var without: [String] = []
        for store in Self.hashed {
            let hashes = store.metadata.versionHashes
            let similar = Self.sources.filter { Set($0.model.entities.map(\.name)) == Set(hashes.keys) }
            if similar.isEmpty { continue }
            if similar.contains(where: { $0.model.entityVersionHashesByName == hashes }) {
                found += 1
                entities += hashes.count
            } else {
                let best = similar.map { source in hashes.filter { source.model.entity(named: $0)?.versionHash == $1 }.count }.max() ?? 0
                without.append("\(store) (\(best) of \(hashes.count) entities)")
            }
        }
        print("Figure: stores whose source has their hashes: \(found), \(entities) entities")
        if !without.isEmpty { print("Stores none of whose sources has their hashes: \(without.joined(separator: "; "))") }
    }

    @Test("The hashes of compiled models are those that Xcode computed") func versionInfo() throws {
        var (equal, all, missing) = (0, 0, [String]())
        for path in FixtureCountTests.paths("VersionInfo.plist") {
            let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: URL(filePath: path)), format: nil)
            let versions = (list as? [String: Any])?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
            let folder = String(path.dropLast("/VersionInfo.plist".count))
            for (version, hashes) in versions {
                let compiled = "\(folder)/\(version).mom"
                guard FileManager.default.fileExists(atPath: compiled) else { continue }
                let model = try ModelFile(contentsOf: compiled).model()
                for (name, hash) in hashes {
                    all += 1
                    if model.entity(named: name)?.versionHash == Array(hash) { equal += 1 } else { missing.append("\(compiled): \(name)") }
                }
            }
        }
        report("entity hashes of compiled models", equal, all, missing: missing)
    }

    /// Returns a model of which a mapping model contains a copy in the editor's format.
    private func embedded(_ name: String, in text: String, _ directory: TemporaryDirectory) throws -> ManagedObjectModel {
        let head = try #require(text.range(of: "<attribute name=\"\(name)\" type=\"binary\">"))
        let tail = try #require(text.range(of: "</attribute>", range: head.upperBound..<text.endIndex))
        let bytes = try #require(Data(base64Encoded: String(text[head.upperBound..<tail.lowerBound]), options: .ignoreUnknownCharacters))
        let folder = directory.file("\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try bytes.write(to: URL(filePath: folder + "/elements"))
        return try ModelFile(contentsOf: folder).model()
    }

    @Test("A mapping model migrates a store of the version that it names, as far as that takes no policy's own code") func mappings() throws
    {
        let directory = try TemporaryDirectory()
        let paths = FixtureCountTests.paths("xcmapping.xml")
        var (run, needsFunction, needsValue, missing) = (0, 0, 0, [String]())
        for (number, path) in paths.enumerated() {
            do {
                let file = try MappingFile(contentsOf: path)
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let source = try embedded("sourcemodeldata", in: text, directory)
                let destination = try embedded("destinationmodeldata", in: text, directory)
                let mapping = try file.mapping(from: source, to: destination)
                let description = StoreDescription(.sqlite, path: directory.file("\(number).sqlite"))
                let coordinator = PersistentStoreCoordinator(model: source)
                let store = try coordinator.addStore(description)
                do { try FilledStore.fill(ManagedObjectContext(coordinator), seed: UInt64(number)) } catch is ValidationError {}
                try coordinator.remove(store)
                let names = file.policyNames.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
                try PersistentStoreCoordinator.migrateStore(
                    description, to: destination, mapping: mapping,
                    policies: Dictionary(names.map { ($0, EntityMigrationPolicy.self) }) { first, _ in first })
                run += 1
            } catch let error as StoreError where error.code == .unsupported && error.message.contains(" does not answer ") {
                needsFunction += 1
            } catch let error as StoreError where error.code == .migration && error.underlying is ValidationError {
                needsValue += 1
            } catch { missing.append("\(path): \(error)") }
        }
        report("mapping models that run", run + needsFunction + needsValue, paths.count, missing: missing)
        print("Of these, \(needsFunction) call functions of their policies, and \(needsValue) leave required values to them.")
    }
}
