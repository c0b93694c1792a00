import FoundationEssentials
import Strata
import StrataStore

extension BackupCases {
    /// Targets that cannot have a backup, backups that end early, and what is no whole backup.
    @ConformanceCaseList static var refused: [ConformanceCase] {
        ConformanceCase("A backup is refused where something else is, and changes nothing", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            try add(1, stack.context())
            func refused(_ code: StoreError.Code, _ message: String, _ path: String) throws {
                let error = try expectStoreError(code) { try stack.coordinator.backUp(to: path) }
                try expectEqual(error.message, message)
                try expectEqual(error.operation, .backUp)
            }
            let path = try unwrap(stack.descriptions[0].path)
            try refused(.exists, "there is a file at the path of the backup", path)
            let data = environment.directory + "/data"
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
            try Data([1]).write(to: URL(filePath: data + "/other"))
            try refused(.exists, "the directory has other files and no backup: other", data)
            try expectEqual(try FileManager.default.contentsOfDirectory(atPath: data), ["other"])
            try refused(.missing, "the directory does not exist: \(data)/a", data + "/a/b")
            try refused(.missing, "the path of the backup is empty", "")
            try refused(.missing, "the path of the backup has a NUL character", "a\0b")
            try expectEqual(try numbers(stack), [1])
        }
        ConformanceCase("A backup that is cancelled leaves the one before", in: .backup, requires: .file) { environment in
            struct Stop: Error {}
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            let coordinator = stack.coordinator
            try add(1, stack.context())
            var count = 0
            // Without one before nothing is left.
            try expectStoreError(.cancelled) { try coordinator.backUp(to: target(environment)) { _ in throw Stop() } }
            try expect(!FileManager.default.fileExists(atPath: target(environment)), "something is left")
            let first = try coordinator.backUp(to: target(environment)) { _ in count += 1 }
            try add(2, stack.context())
            for last in 1...count {
                var calls = 0
                let error = try expectStoreError(.cancelled) {
                    try coordinator.backUp(to: target(environment)) { _ in
                        calls += 1
                        if calls == last { throw Stop() }
                    }
                }
                try expectEqual(error.message, "the backup was cancelled; an earlier one stays")
                try expectEqual(try StoreBackup(at: target(environment)), first)
                try first.check()
            }
            let (path, cancellation) = (target(environment), StoreCancellation())
            cancellation.cancel()
            try StoreCancellation.$current.withValue(cancellation) {
                _ = try expectStoreError(.cancelled) { try coordinator.backUp(to: path) }
            }
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return (try? coordinator.backUp(to: path)) == nil
            }
            task.cancel()
            try expect(await task.value, "the backup was not cancelled")
            try expectEqual(try StoreBackup(at: path), first)
        }
        ConformanceCase("Of two backups to one directory at a time one is refused", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            try stack.coordinator.backUp(to: target(environment)) { _ in
                let second = try expectStoreError(.locked) { try stack.coordinator.backUp(to: target(environment)) }
                try expectEqual(second.message, "another backup to the directory is under way")
                let restore = try expectStoreError(.locked) { try stack.coordinator.restore(from: target(environment)) }
                try expectEqual(restore.message, "a backup to the directory is under way")
            }
            try StoreBackup(at: target(environment)).check()
        }
        ConformanceCase("What does not belong together is not restored", in: .backup, requires: .file) { environment in
            let stack = try environment.notes()
            guard try canBeCopied(stack, environment) else { return }
            let coordinator = stack.coordinator
            _ = try stack.deal(4)
            let old = try coordinator.backUp(to: environment.directory + "/old")
            _ = try stack.deal(8)
            let new = try coordinator.backUp(to: target(environment))
            func refused(
                _ code: StoreError.Code, _ message: String, _ descriptions: [StoreDescription]? = nil, _ path: String? = nil
            ) throws {
                let error = try expectStoreError(code) { try coordinator.restore(from: path ?? target(environment), to: descriptions) }
                try expect(error.message.hasPrefix(message), "\(error)")
                try expectEqual(try stack.context().all("Note").count, 12)
            }
            // One of the stores, one too many, and another in its path.
            let last = try unwrap(stack.coordinator.stores.last?.path)
            try refused(
                .noStore, "the backup has a store of \(last), which is not among those to be replaced", Array(stack.descriptions.dropLast())
            )
            try refused(
                .noStore, "the backup has no copy of the store",
                stack.descriptions + [environment.description("other", configuration: "notes")])
            let stranger = try environment.stack(
                stack.container.model, stores: [environment.description("stranger", configuration: "notes")])
            try stranger.close()
            try refused(.exists, "another store is at the path, with the ID ", stack.descriptions.dropLast() + stranger.descriptions)
            try refused(.missing, "there is no finished backup", nil, environment.directory + "/nothing")
            // A file of an earlier backup among those of the last one.
            let (path, manifest) = (new.stores[0].path, target(environment) + "/backup.json")
            let bytes = try Data(contentsOf: URL(filePath: path))
            try Data(contentsOf: URL(filePath: old.stores[0].path)).write(to: URL(filePath: path))
            try refused(.corrupt, "the file is not the one that the backup was made with")
            try FileManager.default.removeItem(atPath: path)
            try refused(.missing, "")
            try bytes.write(to: URL(filePath: path))
            let text = try Data(contentsOf: URL(filePath: manifest))
            for count in [0, 1, text.count / 2, text.count - 3] {
                try text.prefix(count).write(to: URL(filePath: manifest))
                try refused(.corrupt, "the manifest of the backup is damaged")
            }
            let outside = String(decoding: text, as: UTF8.self).replacing("backup-\(new.id)/1/", with: "../1/")
            try Data(outside.utf8).write(to: URL(filePath: manifest))
            try refused(.corrupt, "the manifest of the backup is damaged")
            try Data(String(decoding: text, as: UTF8.self).replacing("\"format\" : 1", with: "\"format\" : 2").utf8).write(
                to: URL(filePath: manifest))
            try refused(.unsupportedVersion, "the backup is of the later format 2")
            try text.write(to: URL(filePath: manifest))
            try coordinator.restore(from: environment.directory + "/old")
            try expectEqual(try stack.context().all("Note").count, 4)
            try coordinator.restore(from: target(environment))
            try expectEqual(try stack.context().all("Note").count, 12)
        }
        ConformanceCase("A damaged store is not backed up", in: .backup, requires: .file) { environment in
            let stack = try items(environment)
            guard try canBeCopied(stack, environment) else { return }
            try add(1, stack.context())
            let first = try stack.coordinator.backUp(to: target(environment))
            let files = try ExternalValueCases.files(environment)
            if files.isEmpty { return }
            try Data([1, 2, 3]).write(to: URL(filePath: files[0]))
            let again = try stack.reopened()
            // The copy of a store to which nothing was written is taken over.
            try add(2, again.context())
            let error = try expectStoreError(.corrupt) { try again.coordinator.backUp(to: target(environment)) }
            // A store that is copied by rewriting its values notices it before the copy is verified.
            let messages = ["the copy is not sound: value Item/p1.blob: ", "checksum mismatch in the file of an external value"]
            try expect(messages.contains { error.message.hasPrefix($0) }, "\(error)")
            try expectEqual(try StoreBackup(at: target(environment)), first)
            try again.coordinator.restore(from: target(environment))
            try expectEqual(try numbers(again), [1])
        }
    }
}
