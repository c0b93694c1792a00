import Foundation
import Strata
import StrataCrashWorker
import StrataFiles
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataCoordinator

extension PreparedSaveFileTests {
    @Test("of a save that is long over change nothing where they are put back", arguments: [["a.xml", "b.lmdb"], ["a.xml", "b.xml"]])
    func putBack(_ names: [String]) throws {
        /// Saves changes only, which an XML store takes whatever version they were made upon.
        func save(_ count: Int, _ context: ManagedObjectContext) throws {
            for part in [Part.a, .b] {
                let tags = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity))
                let tag = try tags.first ?? context.insert(part.tagEntity)
                try tag.setValue("tag", forKey: "name")
                try tag.setValue(count, forKey: "generation")
            }
            try context.save()
        }
        func generations(_ coordinator: PersistentStoreCoordinator) throws -> [[Int?]] {
            try [Part.a, .b].map { part in
                try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: part.tagEntity))
                    .map { try $0.value(forKey: "generation") as? Int }
            }
        }
        let directory = try Directory()
        try interrupt(directory, names, isDecided: true, saving: save)
        let files = try directory.contents().filter { $0.key.hasSuffix(".pending") }
        #expect(files.count == 2)
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        for description in try descriptions(directory, names) { try coordinator.addStore(description) }
        #expect(try generations(coordinator) == [[2], [2]])
        for count in 3...14 { try save(count, ManagedObjectContext(coordinator)) }
        for store in coordinator.stores { try coordinator.remove(store) }
        for (name, bytes) in files { try bytes.write(to: URL(fileURLWithPath: directory.path + "/" + name)) }
        for description in try descriptions(directory, names) {
            let error = #expect(throws: StoreError.self) { try coordinator.addStore(description) }
            #expect(error?.code == .inDoubt)
        }
        for description in try descriptions(directory, names) { _ = try coordinator.resolveInterruptedSaves(of: description, by: .forget) }
        for description in try descriptions(directory, names) { try coordinator.addStore(description) }
        #expect(try generations(coordinator) == [[14], [14]])
    }

    /// Who was late threw a conflict, as if it were a save.
    @Test("may be completed by another process while a store is opened")
    func finishedByAnother() throws {
        let (directory, names) = (try Directory(), ["a.xml", "b.xml"])
        try interrupt(directory, names, isDecided: true)
        let isFinished = Atomic(false)
        let coordinator = PersistentStoreCoordinator(model: try CrashModel.model.get())
        for var description in try descriptions(directory, names) {
            description.driver = WatchedDriver(description.driver) { step in
                guard step.hasPrefix("begin "), !isFinished.exchange(true, ordering: .relaxed) else { return }
                let found = try amounts(directory, names)
                #expect(found == [2, 2])
            }
            try coordinator.addStore(description)
        }
        let wasFinished = isFinished.load(ordering: .relaxed)
        #expect(wasFinished)
        #expect(try SharedFederation.count(1, ManagedObjectContext(coordinator)) == 2)
    }

    /// One that is longer than any that is read could not be put aside either.
}
