import FoundationEssentials
import Strata

extension ConversionCases {
    /// What a conversion means to those who use the store meanwhile, and where it fails.
    @ConformanceCaseList static var replacing: [ConformanceCase] {
        ConformanceCase("Converting misses no save, and neither saves nor reads notice it", in: .conversion) { environment in
            let stack = try environment.stack(try Models.library.get(), stores: [environment.description(configuration: "notes")])
            let (old, container) = (try stack.store(), stack.container)
            let description = environment.description("converted", of: environment.partner, configuration: "notes")
            let context = stack.context()
            try context.add("Note", "first")
            try context.save()
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<3 {
                    group.addTask {
                        for index in 0..<12 {
                            try await container.performBackgroundTask { context in
                                _ = try context.add("Note", "\(worker) \(index)")
                                try context.save()
                                _ = try context.all("Note").map { try $0.text("name") }
                            }
                        }
                        return 12
                    }
                }
                group.addTask {
                    _ = try await container.performBackgroundTask { try $0.all("Note").count }
                    _ = try container.coordinator.migrateStore(old, to: description)
                    return 1
                }
                return try await group.reduce(0, +)
            }
            try expectEqual(try stack.context().all("Note").count, total)
            try expectEqual(Set(try names(stack.context().all("Note"))).count, total)
            try expectStoreError(.closed) { _ = try old.beginWrite() }
            guard try stack.store().capabilities.isPersistent else { return }
            try stack.close()
            let again = try environment.stack(container.model, stores: [description])
            try expectEqual(try again.context().all("Note").count, total)
        }
        ConformanceCase("A store of a configuration is converted to one of the same", in: .conversion) { environment in
            let stack = try environment.stack(try Models.library.get(), stores: [environment.description(configuration: "books")])
            let context = stack.context()
            let author = try context.add("Author", "a")
            try context.add("Book", "b").setValue(author, forKey: "author")
            try context.add("Note", "n")
            try context.save()
            let description = environment.description("converted", of: environment.partner)
            let new = try stack.coordinator.migrateStore(stack.store(), to: description)
            try expectEqual(try stack.store().id, new.id)
            try expectEqual(try stack.context().one("Book", "b").one("author")?.text("name"), "a")
            try expectEqual(try names(stack.context().all("Note")), ["n"])
        }
        ConformanceCase("A conversion that fails leaves nothing behind", in: .conversion) { environment in
            let stack = try environment.stack(try Models.library.get(), stores: [environment.description(configuration: "books")])
            let context = stack.context()
            try context.add("Author", "a")
            try context.save()
            let before = try FileManager.default.contentsOfDirectory(atPath: environment.directory).sorted()
            let description = environment.description("converted", of: environment.partner, configuration: "people")
            try expectStoreError(.unknownEntity) { try stack.coordinator.migrateStore(stack.store(), to: description) }
            try expectEqual(try FileManager.default.contentsOfDirectory(atPath: environment.directory).sorted(), before)
            try context.add("Author", "b")
            try context.save()
            try expectEqual(try names(stack.context().all("Author")), ["a", "b"])
        }
        ConformanceCase("Objects that were there go on in the new store", in: .conversion) { environment in
            let stack = try environment.stack(try Models.library.get(), stores: [environment.description(configuration: "notes")])
            let (context, other) = (stack.context(), stack.context())
            let note = try context.add("Note", "n")
            let (reserved, doomed) = (try context.add("Note", "reserved"), try context.add("Note", "doomed"))
            try context.save()
            context.delete(doomed)
            let late = try other.add("Note", "late")
            try other.obtainPermanentIDs(for: [late])
            let description = environment.description("converted", of: environment.partner, configuration: "notes")
            _ = try stack.coordinator.migrateStore(stack.store(), to: description)
            try reserved.setValue("changed", forKey: "name")
            try note.setValue(7, forKey: "n")
            try context.save()
            // The next reference is not the one that a new object has already.
            let fresh = stack.context()
            try fresh.add("Note", "fresh")
            try fresh.save()
            try other.save()
            try expectEqual(try names(stack.context().all("Note")), ["changed", "fresh", "late", "n"])
            try expectEqual(try stack.context().one("Note", "n").value(forKey: "n") as? Int, 7)
            try expectEqual(try stack.context().existingObject(with: note.objectID).text("name"), "n")
        }
    }
}
