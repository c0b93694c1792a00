import Strata

/// Saves that touch several stores: in all of them, or in none.
enum FederatedSavingCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A save over several stores is in all of them", in: .federation) { environment in
            let stack = try environment.notes()
            let context = try stack.deal(10)
            for note in try context.all("Note") { try note.setValue("changed", forKey: "name") }
            try context.save()
            try expectEqual(try stack.context().all("Note", key("name") == "changed").count, 10)
            for (index, store) in stack.coordinator.stores.enumerated() where store.capabilities.isPersistent {
                try stack.coordinator.remove(store)
                let again = try environment.stack(stack.container.model, stores: [stack.descriptions[index]])
                try expect(try again.context().all("Note", key("name") == "changed").count >= 1, "store \(index) has nothing")
                try again.close()
            }
        }
        ConformanceCase("A conflict in one store keeps the others from being saved", in: .federation) { environment in
            let stack = try environment.library()
            let (context, other) = (stack.context(), stack.context())
            let (author, reader) = (try context.add("Author", "a"), try context.add("Reader", "r"))
            try context.save()
            try other.one("Reader", "r").setValue("taken", forKey: "card")
            try other.save()
            try author.setValue("a2", forKey: "name")
            try context.add("Author", "b")
            try reader.setValue("r2", forKey: "name")
            let conflicts = try expectConflict(context)
            try expectEqual(conflicts.map(\.objectID.entity.name), ["Reader"])
            try expectEqual(try names(stack.context().all("Author")), ["a"])
            try expectEqual(try names(stack.context().all("Reader")), ["r"])
            context.refresh(reader, mergeChanges: true)
            try context.save()
            try expectEqual(try names(stack.context().all("Author")), ["a2", "b"])
            try expectEqual(try names(stack.context().all("Reader")), ["r2"])
        }
        ConformanceCase("A broken constraint in the last store keeps the first from being saved", in: .federation) { environment in
            let stack = try environment.library()
            let context = stack.context()
            try context.add("Reader", "r").setValue("1", forKey: "card")
            try context.save()
            try context.add("Author", "a")
            let second = try context.add("Reader", "s")
            try second.setValue("1", forKey: "card")
            try expectConflict(context, code: 133021)
            try expect(second.objectID.isTemporary, "the object has a permanent ID")
            try expectEqual(try stack.context().all("Author").count, 0)
            try second.setValue("2", forKey: "card")
            try context.save()
            try expectEqual(try stack.context().all("Author").count, 1)
            try expectEqual(try names(stack.context().all("Reader")), ["r", "s"])
        }
        ConformanceCase("What several stores saved together is there after they were opened again", in: .federation, requires: .persistence)
        { environment in
            let stack = try environment.notes()
            let context = try stack.deal(12)
            context.delete(try context.one("Note", "note 5"))
            try context.one("Note", "note 6").setValue(-6, forKey: "n")
            try context.save()
            let again = try stack.reopened()
            let found = try again.context().all("Note", sort: [QuerySort("n")]).map { try $0.value(forKey: "n") as? Int }
            try expectEqual(found, [-6, 0, 1, 2, 3, 4, 7, 8, 9, 10, 11])
            try again.close()
            for description in stack.descriptions.shuffled() {
                let one = try environment.stack(stack.container.model, stores: [description])
                try expect(try one.context().count(for: ObjectFetchRequest<ManagedObject>(entityName: "Note")) > 0, "a store is empty")
                try one.close()
            }
        }
        ConformanceCase("A relationship across stores is refused, 133010, and nothing is saved", in: .federation) { environment in
            let stack = try environment.library()
            let context = stack.context()
            let (author, reader) = (try context.add("Author", "a"), try context.add("Reader", "r"))
            try reader.setValue(author, forKey: "favourite")
            let error = try expectStoreError(.crossStore) { try context.save() }
            try expectEqual(error.cocoaCode, 133010)
            try expectEqual(error.entity, "Reader")
            try expectEqual(error.key, "favourite")
            try expect(context.hasChanges && author.isInserted, "the context is not as it was")
            try expectEqual(try stack.context().all("Author").count, 0)
            try reader.setValue(nil, forKey: "favourite")
            try context.save()
            try expectEqual(try stack.context().all("Author").count, 1)
        }
        ConformanceCase("A link across stores is refused, 133010", in: .federation) { environment in
            let stack = try environment.library()
            let context = stack.context()
            let (book, reader) = (try context.add("Book", "b"), try context.add("Reader", "r"))
            try context.save()
            try reader.setValue([book], forKey: "books")
            try expectEqual(try expectStoreError(.crossStore) { try context.save() }.cocoaCode, 133010)
            context.rollback()
            try expectEqual(try reader.many("books"), [])
            try context.save()
        }
        ConformanceCase("A relationship of one entity across two of its stores is refused", in: .federation) { environment in
            let stack = try environment.notes()
            let context = stack.context()
            let (a, b) = (try context.add("Note", "a"), try context.add("Note", "b"))
            try context.assign(b, to: stack.store(1))
            try a.setValue(b, forKey: "next")
            // A fetch threw the error of the save to come.
            try expectEqual(try names(context.all("Note", sort: [QuerySort("name")])), ["a", "b"])
            try expectEqual(try names(context.all("Note", key("next.name") == "b")), [])
            try expectEqual(try names(context.all("Note", key("next") != nil)), ["a"])
            try expectStoreError(.crossStore) { try context.save() }
            try context.assign(a, to: stack.store(1))
            try context.save()
            try expectEqual(try stack.context().one("Note", "a").one("next")?.text("name"), "b")
        }
        // The parent took the reference for one in the store that new objects of the entity go to.
        ConformanceCase("A child's object that its parent saves to another store leads to others there", in: .federation) { environment in
            let stack = try environment.notes()
            let parent = stack.context()
            let child = stack.child(of: parent)
            let saved = try child.add("Note", "saved")
            try child.assign(saved, to: stack.store(1))
            try child.save()
            try parent.save()
            let new = try child.add("Note", "new")
            try child.assign(new, to: stack.store(1))
            try child.save()
            try new.setValue(saved, forKey: "next")
            try child.save()
            try parent.save()
            let stored = try stack.context().one("Note", "new")
            try expectEqual(stored.objectID.storeID, try stack.store(1).id)
            try expectEqual(try stored.one("next")?.text("name"), "saved")
        }
        ConformanceCase("A save names the stores that it will touch", in: .federation) { environment in
            let stack = try environment.library()
            let context = stack.context()
            let author = try context.add("Author", "a")
            try context.add("Reader", "r")
            try expectEqual(Set(try context.saveChangesRequest().parts.map(\.storeID)), Set(stack.coordinator.stores.map(\.id)))
            try context.save()
            try author.setValue("b", forKey: "name")
            try expectEqual(try context.saveChangesRequest().parts.map(\.storeID), [try stack.store(0).id])
        }
        ConformanceCase("Permanent IDs are had from several stores at once", in: .federation) { environment in
            let stack = try environment.library()
            let context = stack.context()
            let objects = [try context.add("Author", "a"), try context.add("Reader", "r"), try context.add("Author", "b")]
            try context.obtainPermanentIDs(for: objects)
            try expectEqual(objects.map(\.objectID.storeID), [try stack.store(0).id, try stack.store(1).id, try stack.store(0).id])
            try context.save()
            for object in objects { try expectEqual(try stack.context().existingObject(with: object.objectID).objectID, object.objectID) }
        }
        ConformanceCase("Several contexts save over several stores without waiting for each other for ever", in: .federation) {
            environment in
            let stack = try environment.notes()
            let container = stack.container
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        try await container.performBackgroundTask { context in
                            for round in 0..<4 {
                                let stores = container.coordinator.stores
                                for (index, store) in (worker.isMultiple(of: 2) ? stores : stores.reversed()).enumerated() {
                                    let note = try context.add("Note", "\(worker) \(round) \(index)")
                                    try context.assign(note, to: store)
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let context = ManagedObjectContext(container.coordinator)
            try expectEqual(try context.all("Note").count, 16 * container.coordinator.stores.count)
        }
    }
}
