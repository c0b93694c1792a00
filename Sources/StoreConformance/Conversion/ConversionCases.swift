import FoundationEssentials
import Strata

/// Converting a store to another type: every object, relationship, order, value and piece of metadata arrives.
enum ConversionCases {
    /// Moves a stack's only store to a new one of the partner's type, and returns the stack over it, opened again.
    private static func convert(_ stack: ConformanceStack, _ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let old = try stack.store()
        let description = environment.description("converted", of: environment.partner)
        let new = try stack.coordinator.migrateStore(old, to: description)
        try expect(stack.coordinator.stores.count == 1 && stack.coordinator.stores[0] === new, "the new store does not replace it")
        try expectEqual(new.id, old.id)
        try expect(new !== old && new.type == description.driver.type, "the new store is the old one")
        guard new.capabilities.isPersistent else { return stack }
        try stack.close()
        return try environment.stack(stack.container.model, stores: [description])
    }

    static var all: [ConformanceCase] { copying + replacing + identity }

    @ConformanceCaseList private static var copying: [ConformanceCase] {
        ConformanceCase("Values of every type are converted", in: .conversion) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            for index in 0..<3 {
                let item = Item(context: context)
                item[Item.number] = Int64(index)
                if index == 1 { continue }
                item[Item.i16] = .min
                item[Item.i32] = .max
                item[Item.i64] = (1 << 53) + 1
                item[Item.decimal] = Decimal(string: "12345678901234567890.123456789012345678")
                item[Item.double] = index == 0 ? 0.1 : .infinity
                item[Item.float] = 0.1
                item[Item.text] = "é e\u{301} \0 \r\n ]]> ' \" 😀 \u{FFFE}"
                item[Item.flag] = true
                item[Item.date] = Date(timeIntervalSinceReferenceDate: 0.123456789)
                item[Item.data] = Data(0...255)
                item[Item.uuid] = UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")
                item[Item.url] = URL(string: "https://example.org/?a='b'&c")
                item[Item.blob] = Data(repeating: 0xA5, count: 1 << 20 + 1)
                try item.setValue(["x", "]]>"], forKey: "tags")
            }
            try context.save()
            let before = try snapshot(stack.context(), "Item", by: "number")
            let after = try convert(stack, environment)
            try expectEqual(try snapshot(after.context(), "Item", by: "number"), before)
        }
        ConformanceCase("Relationships and orders of every shape are converted", in: .conversion) { environment in
            let stack = try environment.stack(Models.shapes)
            let context = stack.context()
            var generator = SeededGenerator(seed: 3)
            let nodes = try (0..<12).map { try context.add("Node", "n\($0)") }
            let leaves = try (0..<12).map { try context.add("Leaf", "l\($0)") }
            func some(_ objects: [ManagedObject]) -> [ManagedObject] {
                Array(objects.shuffled(using: &generator).prefix(generator.below(5)))
            }
            for node in nodes {
                for relationship in node.entity.relationships {
                    let objects = relationship.destination == node.entity.index ? nodes : leaves
                    if generator.chance(30) { continue }
                    let value: Any = relationship.isToMany ? some(objects) : objects[generator.below(objects.count)]
                    try node.setValue(value, forKey: relationship.name)
                }
            }
            try context.save()
            let before = try ["Node", "Leaf"].map { try snapshot(stack.context(), $0, by: "name") }
            let after = try convert(stack, environment)
            try expectEqual(try ["Node", "Leaf"].map { try snapshot(after.context(), $0, by: "name") }, before)
        }
        ConformanceCase("Sub-entities and relationships to them are converted", in: .conversion) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            let (animals, keeper) = try context.addKeeper()
            try keeper.setValue(Set(animals[3...4]), forKey: "fears")
            let parade = try context.add("Parade", "p")
            try parade.setValue(Array(animals.reversed()), forKey: "animals")
            try parade.setValue([animals[2], animals[0]], forKey: "stars")
            try context.save()
            let before = try ["Animal", "Keeper", "Parade"].map { try snapshot(stack.context(), $0, by: "name") }
            let after = try convert(stack, environment)
            try expectEqual(try ["Animal", "Keeper", "Parade"].map { try snapshot(after.context(), $0, by: "name") }, before)
        }
        ConformanceCase("What an application keeps in the metadata is converted", in: .conversion) { environment in
            let stack = try environment.stack(Models.company)
            let info: [String: PropertyListValue] = [
                "a": .string("text"), "b": .array([.int(1), .bool(true), .data(Data([0]))]), "c": .dictionary(["d": .double(0.5)]),
            ]
            try stack.coordinator.setUserInfo(info, of: stack.store())
            let after = try convert(stack, environment)
            let found = try after.store().metadata()
            for (key, value) in info { try expectEqual(found.userInfo[key], value, key) }
            try expectEqual(found.type, environment.partner.description(in: environment.directory, name: "x").driver.type)
            try expectEqual(found.versionHashes, stack.container.model.entityVersionHashesByName)
        }
        ConformanceCase("User info that nests as deep as any may is converted", in: .conversion) { environment in
            let stack = try environment.stack(Models.company)
            let deep = (0..<StoreMetadata.greatestNesting).reduce(PropertyListValue.int(7)) { value, level in
                level.isMultiple(of: 2) ? .array([value]) : .dictionary(["k": value])
            }
            try stack.coordinator.setUserInfo(["deep": deep], of: stack.store())
            try expectEqual(try convert(stack, environment).store().metadata().userInfo["deep"], deep)
        }
        ConformanceCase("A converted store goes on: inserts, changes, deletions and constraints", in: .conversion) { environment in
            let stack = try environment.stack(try Models.library.get(), stores: [environment.description()])
            let context = stack.context()
            for index in 0..<5 {
                try context.add("Reader", "r\(index)").setValue("\(index)", forKey: "card")
                try context.add("Note", "n\(index)")
            }
            context.delete(try context.one("Reader", "r4"))
            try context.save()
            context.delete(try context.one("Reader", "r3"))
            try context.save()
            let after = try convert(stack, environment)
            let editor = after.context()
            let new = try editor.add("Reader", "new")
            try new.setValue("3", forKey: "card")
            try editor.one("Note", "n0").setValue("changed", forKey: "name")
            editor.delete(try editor.one("Note", "n1"))
            try editor.save()
            try expectEqual(try names(after.context().all("Reader")), ["new", "r0", "r1", "r2"])
            try expectEqual(try names(after.context().all("Note")), ["changed", "n2", "n3", "n4"])
            let all = try after.context().all("Reader")
            try expectEqual(Set(all.map(\.objectID)).count, 4)
            try editor.add("Reader", "double").setValue("0", forKey: "card")
            try expectConflict(editor, code: 133021)
        }
        ConformanceCase("The old store's files stay as they were", in: .conversion, requires: .persistence) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            for name in ["x", "y"] { _ = Person(name, context) }
            try context.save()
            let metadata = try stack.store().metadata()
            let after = try convert(stack, environment)
            let editor = after.context()
            editor.delete(try editor.named("x", Person.self))
            try editor.save()
            let old = try environment.stack(Models.company)
            try expectEqual(try old.context().names(of: Person.self), ["x", "y"])
            try expectEqual(try old.store().metadata(), metadata)
        }
        ConformanceCase("Converting into a store that holds something is refused, and both stay", in: .conversion, requires: .persistence) {
            environment in
            let description = environment.description("converted", of: environment.partner)
            let model = try Models.company.get()
            let full = try environment.stack(model, stores: [description])
            let other = full.context()
            _ = Person("there", other)
            try other.save()
            try full.close()
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            try expectStoreError(.exists) { try stack.coordinator.migrateStore(stack.store(), to: description) }
            try expectEqual(stack.coordinator.stores.map(\.id), [try stack.store().id])
            try expectEqual(try stack.context().names(of: Person.self), ["p"])
            try expectEqual(try environment.stack(model, stores: [description]).context().names(of: Person.self), ["there"])
        }
    }
}

/// Every value and relationship of all objects of an entity, destinations by their names, in the order of one
/// attribute.
func snapshot(_ context: ManagedObjectContext, _ entity: String, by order: String) throws -> [String] {
    try context.all(entity, sort: [QuerySort(order)]).map { object in
        var parts = ["entity: \(object.entity.name)"]
        for attribute in object.entity.attributes where !attribute.isTransient {
            let value = try object.value(forKey: attribute.name)
            let text: String
            switch value {
            case let value as String: text = value.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
            case let value as Data: text = value.base64EncodedString()
            case let value as Date: text = "\(value.timeIntervalSinceReferenceDate.bitPattern)"
            default: text = value.map { "\($0)" } ?? "nil"
            }
            parts.append("\(attribute.name): \(text)")
        }
        for relationship in object.entity.relationships {
            let text: String
            switch try object.value(forKey: relationship.name) {
            case let one as ManagedObject: text = "\(one.entity.name) \(try inOrder([one]))"
            case let ordered as [ManagedObject]: text = "\(try inOrder(ordered))"
            case let some as Set<ManagedObject>: text = "\(try names(some))"
            default: text = "nil"
            }
            parts.append("\(relationship.name): \(text)")
        }
        return parts.joined(separator: "\n")
    }
}
