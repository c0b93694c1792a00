import FoundationEssentials
import Strata

/// Files that another process changes while a store has them open: a save into one is refused, never acknowledged and
/// lost.
enum ChangedFileCases {
    private static func rewrite(_ path: String, _ change: (inout Data) -> Void) throws {
        var content = try Data(contentsOf: URL(filePath: path))
        change(&content)
        // Not atomically: the file stays the same one.
        try content.write(to: URL(filePath: path))
    }

    /// What happens to the file at the first path, with the file of a store at the second at hand, and who is in the
    /// store at the path then.
    private static let changes:
        [(name: String, code: StoreError.Code, left: [String], change: @Sendable (_ path: String, _ other: String) throws -> Void)] = [
            ("removed", .missing, [], { path, _ in try FileManager.default.removeItem(atPath: path) }),
            ("moved", .missing, [], { path, _ in try FileManager.default.moveItem(atPath: path, toPath: path + ".away") }),
            (
                "replaced", .replaced, ["restored"],
                { path, other in
                    try FileManager.default.removeItem(atPath: path)
                    try FileManager.default.moveItem(atPath: other, toPath: path)
                }
            ),
        ]

    /// What comes to the path of a store that is open; the file itself is kept aside.
    private static let occupants: [(name: String, code: StoreError.Code, make: @Sendable (_ path: String) throws -> Void)] = [
        ("nothing", .missing, { _ in }),
        ("directory", .replaced, { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) }),
        ("loop", .replaced, { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $0) }),
        ("empty", .replaced, { try Data().write(to: URL(filePath: $0)) }),
        ("text", .replaced, { try Data("not a store".utf8).write(to: URL(filePath: $0)) }),
        ("database", .replaced, { try (Data("SQLite format 3\0".utf8) + Data(count: 4096)).write(to: URL(filePath: $0)) }),
    ]

    /// A store with one person, open.
    private static func opened(_ environment: ConformanceEnvironment, _ name: String) throws -> ConformanceStack {
        let stack = try environment.stack(Models.company, name)
        let context = stack.context()
        _ = Person("before", context)
        try context.save()
        return stack
    }

    /// Checks that verifying an open store throws the error of a save, and that the recovery is to open the store
    /// again.
    private static func expectRefusals(_ code: StoreError.Code, _ stack: ConformanceStack, _ name: String) throws {
        let store = try stack.store()
        let verified = try expectStoreError(code) { _ = try stack.coordinator.verify(store) }
        try expectEqual(verified.recovery, .reopen, name)
        let context = stack.context()
        _ = Person("lost", context)
        let saved = try expectStoreError(code) { try context.save() }
        try expectEqual(saved.recovery, .reopen, name)
        try expectEqual(stack.coordinator.health.map(\.isWritable), [false], name)
    }

    static var all: [ConformanceCase] { refused + occupied }

    @ConformanceCaseList private static var occupied: [ConformanceCase] {
        // Verifying a store of one file threw errors of the file system. Its saves threw what is wrong with the other
        // file, as permanent; those of other stores threw I/O errors for a loop of links, and called a directory that
        // was moved permanent, or not, depending on the store.
        ConformanceCase("Verifying and saving throw one error for what is at the path of an open store", in: .errors, requires: .file) {
            environment in
            for (name, code, make) in occupants {
                let path = try unwrap(environment.description(name).path)
                let stack = try opened(environment, name)
                try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
                try make(path)
                try expectRefusals(code, stack, name)
                if name != "nothing" { try FileManager.default.removeItem(atPath: path) }
                try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
                try stack.close()
                try expectEqual(try environment.stack(Models.company, name).context().names(of: Person.self), ["before"], name)
            }
        }
        // Stores of one file were loaded from the copy, and saved upon it.
        ConformanceCase("Verifying and saving throw where an older copy is at the path of an open store", in: .errors, requires: .file) {
            environment in
            let path = try unwrap(environment.description().path)
            let closed = try opened(environment, "store")
            try closed.close()
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            let stack = try closed.reopened()
            let context = stack.context()
            _ = Person("after", context)
            try context.save()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
            try expectRefusals(.replaced, stack, "older copy")
        }
        ConformanceCase("A store whose directory was moved is missing", in: .errors, requires: .file) { environment in
            let stack = try opened(environment, "store")
            let directory = environment.directory
            try FileManager.default.moveItem(atPath: directory, toPath: directory + ".away")
            defer { try? FileManager.default.removeItem(atPath: directory + ".away") }
            try expectRefusals(.missing, stack, "directory")
            try FileManager.default.moveItem(atPath: directory + ".away", toPath: directory)
            try stack.close()
            try expectEqual(try environment.stack(Models.company).context().names(of: Person.self), ["before"])
        }
        ConformanceCase("A file that was truncated under an open store is corrupt", in: .errors, requires: .file) { environment in
            let stack = try opened(environment, "store")
            try rewrite(unwrap(environment.description().path)) { $0 = $0.prefix($0.count / 2) }
            let context = stack.context()
            _ = Person("lost", context)
            let error = try expectStoreError(.corrupt) { try context.save() }
            try expectEqual(error.recovery, .reopen)
            try stack.close()
        }
        // The error of the file system was thrown.
        ConformanceCase("A conversion to a path that cannot be followed throws an error of stores", in: .errors, requires: .file) {
            environment in
            let stack = try opened(environment, "store")
            let loop = environment.directory + "/loop"
            try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
            let target = environment.harness.description(in: loop, name: "converted")
            try expectStoreError(.io) { _ = try stack.coordinator.migrateStore(stack.store(), to: target) }
            try expectEqual(try stack.context().names(of: Person.self), ["before"])
        }
    }

    @ConformanceCaseList private static var refused: [ConformanceCase] {
        // SQLite and LMDB saved into files that no longer had a name, and said that all was well. Then all stores
        // called it a conflict with what others had saved, which there was none of, and SQLite's reads said that the
        // store was closed.
        ConformanceCase("A store whose file was replaced under it refuses to save", in: .errors, requires: .file) { environment in
            for (name, code, left, change) in changes {
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
                for _ in 0..<2 {
                    let error = try expectStoreError(code) { try context.save() }
                    try expectEqual(error.recovery, .reopen, name)
                    try expectEqual(error.cocoaCode, code == .missing ? 260 : 256, name)
                }
                try expect(context.hasChanges, "\(name): the changes are gone")
                // What was read is not another file's: an error that says why, or what the store held.
                do {
                    try expectEqual(try stack.context().names(of: Person.self), ["before"], name)
                } catch let error as StoreError { try expectEqual(error.code, code, name) }
                try stack.close()
                try expectEqual(try environment.stack(Models.company, name).context().names(of: Person.self), left, name)
            }
        }
        // The length was compared, and the number of the file, which an editor that writes in place leaves as they are.
        ConformanceCase("A file that was edited in place, its length kept, is not overwritten unread", in: .errors, requires: .file) {
            environment in
            let stack = try environment.stack(Models.company)
            guard try stack.store().capabilities.isAtomic else { return }
            let path = try unwrap(environment.description().path)
            let context = stack.context()
            _ = Person("before", context)
            try context.save()
            try rewrite(path) { content in
                guard let range = content.firstRange(of: Data("before".utf8)) else { return }
                content.replaceSubrange(range, with: Data("edited".utf8))
            }
            let edited = try Data(contentsOf: URL(filePath: path))
            _ = Person("after", context)
            do { try context.save() } catch let error as StoreError {
                // A format with checksums takes it for damage.
                try expectEqual(error.code, .corrupt)
                try expectEqual(try Data(contentsOf: URL(filePath: path)), edited, "the edited file was overwritten")
                try expect(context.hasChanges, "the changes are gone")
                return
            }
            try expectEqual(try stack.reopened().context().names(of: Person.self), ["after", "edited"])
        }
    }
}
