import Foundation
import Strata
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("What a file keeps of a save that servers have not finished")
struct DecisionFileTests {
    private let directory = try? TemporaryDirectory()
    private let servers = [SimulatedServer("readers"), SimulatedServer("loans")]
    private static let entities = ["Book", "Reader", "Loan"]

    /// Books in a file, which decides; readers and loans on servers.
    private func stores() throws -> [StoreDescription] {
        let driver = SimulatedDriver(servers[0], servers[1])
        return [
            StoreDescription(.sqlite, path: try #require(directory).path + "/books.sqlite", configuration: "Book"),
            StoreDescription(driver, at: servers[0].location, configuration: "Reader"),
            StoreDescription(driver, at: servers[1].location, configuration: "Loan"),
        ]
    }

    private func coordinator() throws -> PersistentStoreCoordinator {
        PersistentStoreCoordinator(
            model: try ManagedObjectModel {
                for entity in Self.entities {
                    Entity(entity) { Attribute("name", .string) }
                    EntityConfiguration(entity, entity)
                }
            })
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: #require(directory).path).filter {
            $0.hasSuffix(".pending") || $0.hasSuffix(".decided")
        }
    }

    // Each server took the other for one that still needed the decision, and the file stayed for ever.
    @Test("The last to be opened again removes it, whichever it is", arguments: [[0, 1, 2], [1, 2, 0], [1, 0, 2], [2, 1, 0]])
    func removed(order: [Int]) throws {
        let stores = try stores()
        let first = try coordinator()
        for store in stores { try first.addStore(store) }
        let broken = StoreError(.io, .save, "the connection is broken")
        for server in servers { server.fail(.commitPrepared, with: broken, broken) }
        let context = ManagedObjectContext(first)
        for entity in Self.entities { try context.insert(entity).setValue("a", forKey: "name") }
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .inDoubt)
        for store in first.stores { try first.remove(store) }
        for server in servers { server.recover() }
        #expect(try !files().isEmpty)

        let second = try coordinator()
        for (done, index) in order.enumerated() {
            try second.addStore(stores[index])
            #expect(try files().isEmpty == (done == 2), "after \(done + 1) of \(order)")
        }
        #expect(servers.flatMap(\.preparedSaves).isEmpty)
        let again = ManagedObjectContext(second)
        for entity in Self.entities { #expect(try again.count(for: ObjectFetchRequest<ManagedObject>(entityName: entity)) == 1) }
    }
}
