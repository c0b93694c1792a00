import FoundationEssentials
import Strata

/// Files that somebody changes while a store has them open: a save into one is refused, never acknowledged and lost.
enum ChangedFileCases {
    private static func inPlace(_ path: String, _ change: (inout Data) -> Void) throws {
        var content = try Data(contentsOf: URL(filePath: path))
        change(&content)
        // Not atomically: the file stays the same one.
        try content.write(to: URL(filePath: path))
    }

    /// What happens to the file at the first path, with the file of a store at the second at hand, and who is in the store at the path then.
    private static let changes: [(name: String, left: [String], change: @Sendable (_ path: String, _ other: String) throws -> Void)] = [
        ("removed", [], { path, _ in try FileManager.default.removeItem(atPath: path) }),
        ("moved", [], { path, _ in try FileManager.default.moveItem(atPath: path, toPath: path + ".away") }),
        (
            "replaced", ["restored"],
            { path, other in
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.moveItem(atPath: other, toPath: path)
            }
        ),
    ]

    @ConformanceCaseList static var all: [ConformanceCase] {
        // SQLite and LMDB saved into files that no longer had a name, and said that all was well.
        ConformanceCase("A store whose file was replaced under it refuses to save", in: .errors, requires: .file) { environment in
            for (name, left, change) in changes {
                let other = try environment.stack(Models.company, "\(name)-other")
                let restored = other.context()
                _ = Person("restored", restored)
                try restored.save()
                try other.close()
                let stack = try environment.stack(Models.company, name)
                let context = stack.context()
                _ = Person("before", context)
                try context.save()
                try change(unwrap(environment.description(name).path), unwrap(environment.description("\(name)-other").path))
                _ = Person("lost", context)
                try expectEqual(expectStoreError(.conflict) { try context.save() }.recovery, .reopen, name)
                try expectEqual(expectStoreError(.conflict, .closed) { try context.save() }.recovery, .reopen, name)
                try expect(context.hasChanges, "\(name): the changes are gone")
                try stack.close()
                try expectEqual(try environment.stack(Models.company, name).context().names(of: Person.self), left, name)
            }
        }
        // The length was compared, and the number of the file, which an editor that writes in place leaves as they are.
        ConformanceCase("A file that was edited in place, its length kept, is not overwritten", in: .errors, requires: .file) {
            environment in
            let stack = try environment.stack(Models.company)
            guard try stack.store().capabilities.isAtomic else { return }
            let path = try unwrap(environment.description().path)
            let context = stack.context()
            _ = Person("before", context)
            try context.save()
            try inPlace(path) { $0[$0.count / 2] ^= 1 }
            let edited = try Data(contentsOf: URL(filePath: path))
            _ = Person("after", context)
            let error = try expectStoreError(.conflict) { try context.save() }
            try expectEqual(error.recovery, .reopen)
            try expectEqual(try Data(contentsOf: URL(filePath: path)), edited, "the edited file was overwritten")
            try expect(context.hasChanges, "the changes are gone")
        }
    }
}
