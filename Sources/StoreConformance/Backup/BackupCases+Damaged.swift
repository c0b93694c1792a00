import FoundationEssentials
import Strata
import StrataStore

extension BackupCases {
    /// Stores too damaged to be recognized, stores that others have open, and backups with damaged large values.
    @ConformanceCaseList static var damaged: [ConformanceCase] {
        // A restore ended after its marks were written, and no store opened until the damaged file was removed by hand.
        ConformanceCase(
            "Stores damaged anywhere are replaced by those of a backup, and their files are kept", in: .backup, requires: .file
        ) { environment in
            guard let stack = try notesChangedSinceBackup(environment) else { return }
            let coordinator = PersistentStoreCoordinator(model: stack.container.model)
            for description in stack.descriptions {
                let path = try unwrap(description.path)
                let length = try Data(contentsOf: URL(filePath: path)).count
                for (name, damage) in damages(length) {
                    let damaged = try damage(Data(contentsOf: URL(filePath: path)))
                    try damaged.write(to: URL(filePath: path))
                    if name == "a text" {
                        let error = try expectStoreError(.foreign) {
                            try coordinator.restore(from: target(environment), to: stack.descriptions)
                        }
                        let message = "what is at the path does not show that it is a store; it is replaced with replacingOtherStores"
                        try expectEqual(error.message, message)
                    }
                    try coordinator.restore(from: target(environment), to: stack.descriptions, replacingOtherStores: true)
                    let again = try environment.stack(stack.container.model, stores: stack.descriptions)
                    try expectEqual(try again.context().all("Note").count, 4, name)
                    for store in again.coordinator.stores {
                        try expectEqual(try again.coordinator.verify(store).map(\.description), [], name)
                    }
                    try again.close()
                    let kept = path + ".damaged"
                    // A file that still shows its store is replaced as a sound one.
                    guard FileManager.default.fileExists(atPath: kept) else { continue }
                    try expectEqual(try Data(contentsOf: URL(filePath: kept)), damaged, name)
                    try FileManager.default.removeItem(atPath: kept)
                }
            }
        }
        // Stores before it were replaced, and the marks stayed: no store opened, and later saves of the other coordinator were lost.
        ConformanceCase("A store that another coordinator has open keeps all stores from being replaced", in: .backup, requires: .file) {
            environment in
            guard let stack = try notesChangedSinceBackup(environment) else { return }
            let coordinator = PersistentStoreCoordinator(model: stack.container.model)
            for description in stack.descriptions {
                for isReadOnly in [false, true] {
                    let other = PersistentStoreCoordinator(model: stack.container.model)
                    var opened = description
                    opened.isReadOnly = isReadOnly
                    let store = try other.addStore(opened)
                    try expectStoreError(.locked) { try coordinator.restore(from: target(environment), to: stack.descriptions) }
                    try other.remove(store)
                    let again = try environment.stack(stack.container.model, stores: stack.descriptions)
                    try expectEqual(try again.context().all("Note").count, 8)
                    try again.close()
                }
            }
            try coordinator.restore(from: target(environment), to: stack.descriptions)
        }
        // The lost value was found when it was read, with the sound store already replaced.
        ConformanceCase("A backup with a lost, cut or changed file of a large value is not restored", in: .backup, requires: .file) {
            environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            try add(1, stack.context())
            let backup = try stack.coordinator.backUp(to: target(environment))
            let folder = URL(filePath: backup.stores[0].path).deletingLastPathComponent().path
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains("_SUPPORT") }.map {
                folder + "/" + $0
            }
            .filter { (try? Data(contentsOf: URL(filePath: $0))) != nil }
            for file in files {
                let content = try Data(contentsOf: URL(filePath: file))
                let damages: [Data?] = [nil, content.dropLast(), content.dropLast() + [~(content.last ?? 0)]]
                for damaged in damages {
                    if let damaged { try damaged.write(to: URL(filePath: file)) } else { try FileManager.default.removeItem(atPath: file) }
                    let error = try expectStoreError(.corrupt) { try stack.coordinator.restore(from: target(environment)) }
                    try expectEqual(error.message, "the files of large values are not those that the backup was made with")
                    try expectEqual(try numbers(stack), [1])
                }
                try content.write(to: URL(filePath: file))
            }
            try stack.coordinator.restore(from: target(environment))
            try expectEqual(try numbers(stack), [1])
        }
    }

    /// Returns closed stores with 8 notes, of which 4 are in the backup; `nil` where the stores cannot be copied.
    private static func notesChangedSinceBackup(_ environment: ConformanceEnvironment) throws -> ConformanceStack? {
        let stack = try environment.notes()
        guard try canBeCopied(stack, environment) else { return nil }
        _ = try stack.deal(4)
        try stack.coordinator.backUp(to: target(environment))
        _ = try stack.deal(4)
        try stack.close()
        return stack
    }

    /// Changes of a file's content by name: cut, and overwritten at its beginning, whole and in the middle.
    private static func damages(_ length: Int) -> [(String, (Data) throws -> Data)] {
        [
            ("cut to 3,000 bytes", { $0.prefix(3000) }),
            ("cut in half", { $0.prefix($0.count / 2) }),
            ("one byte", { $0.prefix(1) }),
            ("first page", { Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }) + $0.dropFirst(4096) }),
            ("zeros", { Data(count: $0.count) }),
            ("a text", { _ in Data("hello, no store\n".utf8) }),
        ]
    }
}
