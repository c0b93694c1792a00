import Foundation
import Strata
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("Saves over a server and other stores")
struct PreparedSaveTests {
    private let directory = try? TemporaryDirectory()
    private let first = SimulatedServer("first")
    private let second = SimulatedServer("second")

    private var driver: SimulatedDriver { SimulatedDriver(first, second) }

    /// Books in a file, readers on a server.
    private func mixed() throws -> Library {
        try Library(
            StoreDescription(.sqlite, path: try #require(directory).path + "/books.sqlite"), StoreDescription(driver, at: first.location))
    }

    /// Both on servers.
    private func onServers() throws -> Library {
        try Library(StoreDescription(driver, at: first.location), StoreDescription(driver, at: second.location))
    }

    private static let broken = StoreError(.io, .save, "the connection is broken")

    @Test("A save over a file and a server is in both, and nothing stays prepared or pending")
    func both() throws {
        let coordinator = try mixed().open()
        try Library.save("a", coordinator)
        #expect(try Library.names(coordinator) == [["a"], ["a"]])
        #expect(first.preparedSaves.isEmpty)
        #expect(first.steps() == ["prepare", "commitPrepared"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: #require(directory).path).filter { $0.contains("pending") }.isEmpty)
    }

    @Test("Of two servers the one that decides commits once, the other in two phases")
    func twoServers() throws {
        let coordinator = try onServers().open()
        try Library.save("a", coordinator)
        #expect(try Library.names(coordinator) == [["a"], ["a"]])
        #expect(Set([first.steps(), second.steps()]) == [["commit", "committed"], ["prepare", "commitPrepared"]])
        #expect(first.decisions.union(second.decisions).isEmpty)
        #expect(first.preparedSaves.isEmpty)
        #expect(second.preparedSaves.isEmpty)
    }

    @Test("A server that cannot prepare keeps all stores from being saved", arguments: [true, false])
    func prepareFails(isMixed: Bool) throws {
        let coordinator = try isMixed ? mixed().open() : onServers().open()
        for server in [first, second] { server.fail(.prepare, with: Self.broken) }
        #expect(throws: StoreError.self) { try Library.save("a", coordinator) }
        #expect(try Library.names(coordinator) == [[], []])
        #expect(first.preparedSaves + second.preparedSaves == [])
        for server in [first, second] { server.recover() }
        try Library.save("b", coordinator)
        #expect(try Library.names(coordinator) == [["b"], ["b"]])
    }

    @Test("A decided save whose server misses its second phase is finished at once, or by who opens the store next", arguments: [1, 2])
    func commitPreparedFails(times: Int) throws {
        let library = try mixed()
        var coordinator = try library.open()
        let heard = Heard(coordinator)
        for _ in 0..<times { first.fail(.commitPrepared, with: Self.broken) }
        if times == 1 {
            try Library.save("a", coordinator)
        } else {
            let error = #expect(throws: StoreError.self) { try Library.save("a", coordinator) }
            #expect(error?.code == .inDoubt)
            #expect(error?.recovery == .reopen)
            let message = "the save is decided, but has to be finished by opening the store again (…)"
            #expect(masked(error?.message, message) == message)
            #expect(first.preparedSaves.count == 1)
            for store in coordinator.stores { try coordinator.remove(store) }
            coordinator = try library.open()
        }
        // What is decided is told at once, wherever it was not brought to an end.
        #expect(heard.events.map { $0.stores.count } == [2])
        #expect(heard.events.flatMap { $0.stores.map(\.inserted.count) } == [1, 1])
        #expect(try Library.names(coordinator) == [["a"], ["a"]])
        #expect(first.preparedSaves.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: #require(directory).path).filter { $0.contains("pending") }.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: #require(directory).path).filter { $0.contains("decided") }.isEmpty)
    }

    @Test("A server that decides and cannot commit takes the others back")
    func homeFails() throws {
        let library = try onServers()
        let coordinator = try library.open()
        let heard = Heard(coordinator)
        for server in [first, second] { server.fail(.commit, with: Self.broken) }
        #expect(throws: StoreError.self) { try Library.save("a", coordinator) }
        #expect(heard.events.isEmpty)
        #expect(first.preparedSaves + second.preparedSaves == [])
        #expect(try Library.names(coordinator) == [[], []])
    }

    @Test("Where it is unknown whether the deciding server has committed, opening the other store finds it out", arguments: [true, false])
    func homeIsUnclear(hasCommitted: Bool) throws {
        let library = try onServers()
        let coordinator = try library.open()
        let heard = Heard(coordinator)
        let lost = StoreError(.io, .save, "the connection broke while committing", recovery: .reopen)
        for server in [first, second] { server.fail(hasCommitted ? .committed : .commit, with: lost) }
        let error = #expect(throws: StoreError.self) { try Library.save("a", coordinator) }
        #expect(error?.code == .inDoubt)
        #expect(error?.message == "the save may still take effect when its stores are opened again")
        #expect((first.preparedSaves + second.preparedSaves).count == 1)
        #expect(heard.events.isEmpty)
        for server in [first, second] { server.recover() }
        let again = try library.open()
        #expect(try Library.names(again) == (hasCommitted ? [["a"], ["a"]] : [[], []]))
        #expect(first.preparedSaves + second.preparedSaves == [])
    }

    @Test("A store that is neither a file nor prepares is refused in a save over several, and saved by itself")
    func unable() throws {
        let library = try mixed()
        let coordinator = PersistentStoreCoordinator(model: library.model)
        try coordinator.addStore(library.stores[0])
        var (readers, plain) = (library.stores[1], driver)
        plain.prepares = false
        readers.driver = plain
        try coordinator.addStore(readers)
        let error = #expect(throws: StoreError.self) { try Library.save("a", coordinator) }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "a store of type Simulated cannot participate in a save over several stores")
        #expect(try Library.names(coordinator) == [[], []])
    }

    @Test("Passwords are in no description and no reflection")
    func secrets() {
        var text = "\(first.location)"
        dump(first.location, to: &text)
        dump(StoreDescription(driver, at: first.location).location, to: &text)
        #expect(!text.contains("secret"))
        #expect(text.contains("simulated://host/first"))
    }
}
