import FoundationEssentials
import Strata
import StrataTestModels

/// Text of any length in uniqueness constraints and indexes, where databases limit the keys of their trees.
enum LongTextCases {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Page") {
                Attributes(["url": .string, "site": .string, "path": .string, "number": .integer64, "body": .string])
                Unique("url")
                Unique("site", "path", "number")
                FetchIndex("byBody", on: "body")
                FetchIndex("byNumber", on: "number", "body")
            }
            Entity("Special", parent: "Page") { Unique("body") }
        }
    }

    /// Text that no compression makes short; no two numbers have the same.
    private static func text(_ count: Int, _ number: Int) -> String {
        var state = UInt64(truncatingIfNeeded: number &* 0x9E37_79B9 &+ 1)
        var text = "\(number) "
        while text.utf8.count < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text.unicodeScalars.append(Unicode.Scalar(UInt8(33 + (state >> 33) % 94)))
        }
        return text
    }

    private static func page(
        _ url: String, _ context: ManagedObjectContext, entity: String = "Page", path: String? = nil, body: String? = nil
    ) throws -> ManagedObject {
        let page = try context.insert(entity)
        for (key, value) in [("url", url), ("site", path), ("path", path), ("body", body)] { try page.setValue(value, forKey: key) }
        try page.setValue(1, forKey: "number")
        return page
    }

    private static func count(_ predicate: QueryPredicate, _ context: ManagedObjectContext) throws -> Int {
        try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Page", predicate))
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Unique and indexed text may have any length", in: .attributes) { environment in
            let stack = try environment.stack(model())
            let context = stack.context()
            _ = try page("short", context, path: "p", body: "short")
            try context.save()
            for (number, size) in [2_000, 2_500, 2_800, 9_000, 100_000].enumerated() {
                let (url, path, body) = (text(size, number), text(size, number + 10), text(size, number + 20))
                _ = try page(url, context, path: path, body: body)
                try context.save()
                for (name, value) in [("url", url), ("path", path), ("body", body)] {
                    try expectEqual(try count(key(name) == value, stack.context()), 1)
                    try expectEqual(try count(key(name) == String(value.dropLast()), stack.context()), 0)
                }
                try expectEqual(try count(key("body").beginsWith(String(body.prefix(50))), stack.context()), 1)
                for (other, sitePath) in [(url, "\(size)"), ("\(size)", path)] {
                    let second = stack.context()
                    _ = try page(other, second, path: sitePath)
                    try expectThrows(SaveConflictError.self) { try second.save() }
                }
                // What differs at the end only is another value.
                _ = try page(url + "x", context, path: path + "x", body: body)
                try context.save()
            }
            let sorted = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Page", sort: [QuerySort("body")]))
            let bodies = try sorted.compactMap { try $0.value(forKey: "body") as? String }
            try expectEqual(bodies, bodies.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
            try expectEqual(try count(.constant(true), stack.reopened().context()), 11)
        }
        ConformanceCase("Long text is exchanged, changed and inserted in batches as short text is", in: .attributes) { environment in
            let stack = try environment.stack(model())
            let context = stack.context()
            let texts = (0..<4).map { text(5_000, $0) }
            let (a, b) = (try page(texts[0], context), try page(texts[1], context))
            let special = try page("s", context, entity: "Special", body: texts[2])
            try context.save()
            try a.setValue(texts[1], forKey: "url")
            try b.setValue(texts[0], forKey: "url")
            try context.save()
            try expectEqual(try count(key("url") == texts[0], stack.context()), 1)
            // A constraint of a sub-entity over an inherited attribute.
            try a.setValue(texts[2], forKey: "body")
            try context.save()
            let second = stack.context()
            _ = try page("t", second, entity: "Special", body: texts[2])
            try expectThrows(SaveConflictError.self) { try second.save() }
            try context.execute(BatchInsertRequest(entityName: "Page", objects: [["url": texts[2], "body": texts[3]]]))
            let refused = BatchInsertRequest(entityName: "Page", objects: [["url": texts[2]], ["url": texts[3]]])
            try expectThrows(BatchInsertError.self) { try context.execute(refused) }
            try expectEqual(try count(key("url").isIn(texts), stack.context()), 4)
            try context.execute(BatchUpdateRequest(entityName: "Page", key("url") == "s", set: ["body": .string(texts[0] + texts[1])]))
            try expectEqual(try count(key("body") == texts[0] + texts[1], stack.context()), 1)
            try context.execute(BatchUpdateRequest(entityName: "Page", key("url") == "s", set: ["body": .null]))
            context.refreshAllObjects()
            try expect(try special.value(forKey: "body") == nil, "the body")
        }
        // A unique value of more than 2,704 bytes was refused with tooLarge by PostgreSQL.
        ConformanceCase("Unique binary values may have any length", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("File") {
                    Attributes(["content": .binary, "chunk": .binary, "number": .integer64])
                    Unique("content")
                    Unique("chunk", "number")
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            func insert(_ content: String, _ chunk: String, _ number: Int) throws {
                let file = try context.insert("File")
                try file.setValue(Data(content.utf8), forKey: "content")
                try file.setValue(Data(chunk.utf8), forKey: "chunk")
                try file.setValue(number, forKey: "number")
            }
            for (number, size) in [10, 2_000, 2_800, 100_000].enumerated() {
                try insert(text(size, number), text(size, number + 10), 1)
                try insert(text(size, number + 20), text(size, number + 10), 2)
                try context.save()
            }
            for (content, chunk) in [(text(2_800, 2), "a"), (text(100_000, 3), "b"), ("c", text(100_000, 13)), ("d", text(10, 10))] {
                try insert(content, chunk, 1)
                try expectThrows(SaveConflictError.self) { try context.save() }
                context.rollback()
            }
            try expectEqual(try stack.context().count(for: ObjectFetchRequest<ManagedObject>(entityName: "File")), 8)
        }
    }
}
