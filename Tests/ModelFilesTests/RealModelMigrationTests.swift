import Foundation
import Strata
import StrataModel
import StrataModelFiles
import StrataTestSupport
import Testing

/// Stores of every version of real applications' models, brought to every later version.
@Suite(.enabled(if: Fixtures.areAvailable)) struct RealModelMigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The bundles of several versions.
    private static let bundles = Fixtures.modelBundles.filter {
        (try? ModelFile(contentsOf: Fixtures.path($0)).versions.count > 1) == true
    }

    private func contents(_ description: StoreDescription, _ model: ManagedObjectModel, seed: UInt64? = nil) throws -> StoreContents {
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(description)
        defer { try? coordinator.remove(store) }
        let context = ManagedObjectContext(coordinator)
        if let seed { try FilledStore.fill(context, seed: seed) }
        let contents = try StoreContents(of: ManagedObjectContext(coordinator))
        #expect(try coordinator.verify(store).isEmpty)
        return contents
    }

    @Test(
        "A store goes from one version of a real model to the next and loses nothing that both have", arguments: bundles, TestStore.durable)
    func successive(_ bundle: String, _ store: TestStore) throws {
        let file = try ModelFile(contentsOf: Fixtures.path(bundle))
        let models = try file.versions.map { try file.model(version: $0.name) }
        for (place, model) in models.dropLast().enumerated() {
            for next in Set([place + 1, models.count - 1]) {
                let description = store.description(in: directory.path, name: "from \(place) to \(next)")
                let known = try contents(description, model, seed: UInt64(place))
                let new = models[next]
                do {
                    let found = try contents(description, new)
                    #expect(found.differences(from: known.migrated(from: model, to: new)).prefix(5) == [])
                } catch let error as StoreError {
                    // Only what has to be given a value, and has none to begin with, is refused, by name.
                    let added = new.entity(named: error.entity ?? "")?.attribute(named: error.key ?? "")
                    #expect(error.code == .migration, "\(error)")
                    #expect(added?.isOptional == false, "\(error)")
                    #expect(added?.defaultValue.isNull == true, "\(error)")
                    #expect(try contents(description, model) == known)
                }
            }
        }
    }
}
