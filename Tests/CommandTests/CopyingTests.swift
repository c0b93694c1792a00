import Foundation
import Strata
import StrataLMDB
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("The command: copies, conversions and checks") struct CopyingTests {
    @Test("A store converts to each kind, in which diff finds the same objects", arguments: ["lmdb", "binary", "xml", "sqlite"])
    func conversion(kind: String) throws {
        let shop = try Shop()
        let target = shop.directory.file("copy")
        let run = try shop.run("convert", shop.path, "--to", kind, target)
        #expect(run.output == "converted 9 objects to \(kind) at \(target)\n")
        #expect(try shop.run("diff", "--data", shop.path, target).output == "The objects are the same.\n")
        #expect(try shop.run("verify", target).output == "The store is sound.\n")
        #expect(try shop.run("convert", shop.path, "--to", kind, target).status == 73)
    }

    @Test(
        "A store converts to a schema of a PostgreSQL database, and back",
        .enabled(if: PostgreSQLServer.isAvailable, "\(PostgreSQLServer.reason)")) func server() throws
    {
        let (shop, url) = (try Shop(), try PostgreSQLServer.shared.get().url)
        #expect(try shop.run("convert", shop.path, "--to", "postgresql", url, "--target-schema", "shop").status == 0)
        #expect(try shop.run("info", url, "--schema", "shop").lines.suffix(2) == ["Customer        3", "Order           6"])
        #expect(try shop.run("count", url, "--schema", "shop", "Order where customer.number == 3").output == "3\n")
        #expect(try shop.run("verify", url, "--schema", "shop").output == "The store is sound.\n")
        let back = shop.directory.file("back.sqlite")
        #expect(try shop.run("convert", url, "--schema", "shop", "--to", "sqlite", back).status == 0)
        #expect(try shop.run("diff", "--data", shop.path, back).output == "The objects are the same.\n")
        #expect(try shop.run("backup", url, "--schema", "shop", shop.directory.file("copy")).status == 64)
        #expect(try shop.run("compact", url, "--schema", "shop").status == 0)
        #expect(try shop.run("backup", url, "--schema", "shop", url, "--target-schema", "shop_copy").status == 0)
        #expect(try shop.run("backup", url, "--schema", "shop", url, "--target-schema", "shop_copy").status == 73)
        let new = try shop.write("number\n7\n", to: "new.csv")
        #expect(try shop.run("import", url, "--schema", "shop", "Customer", new).status == 0)
        func difference() throws -> CommandRun {
            try shop.run("diff", "--data", url, url, "--from-schema", "shop_copy", "--to-schema", "shop")
        }
        #expect(try difference().output.hasPrefix("+ Customer/p"))
        #expect(try shop.run("restore", url, "--schema", "shop_copy", url, "--target-schema", "shop").status == 0)
        #expect(try difference().output == "The objects are the same.\n")
    }

    @Test("A backup is verified, replaces nothing without --replace, and restores the store") func backup() throws {
        let shop = try Shop()
        let copy = shop.directory.file("backup.sqlite")
        #expect(try shop.run("backup", shop.path, copy).status == 0)
        #expect(try shop.run("backup", shop.path, copy).status == 73)
        _ = try shop.run("import", shop.path, "Customer", shop.write("number\n7\n", to: "new.csv"))
        #expect(try shop.run("count", shop.path, "Customer").output == "4\n")
        #expect(try shop.run("restore", copy, shop.path, "--dry-run").output.hasPrefix("would copy"))
        #expect(try shop.run("count", shop.path, "Customer").output == "4\n")
        #expect(try shop.run("restore", copy, shop.path).status == 0)
        #expect(try shop.run("count", shop.path, "Customer").output == "3\n")
    }

    @Test("compact removes the space of deleted objects, and a dry run prints how much there is", arguments: ["sqlite", "lmdb"])
    func compaction(kind: String) throws {
        let shop = try Shop()
        let path = shop.directory.file("compact.\(kind)")
        let rows = (100..<4_000).map { "\($0),\(String(repeating: "x", count: 100))\n" }.joined()
        _ = try shop.run("import", shop.path, "Customer", "-", input: "number,name\n" + rows)
        #expect(try shop.run("convert", shop.path, "--to", kind, path).status == 0)
        let description = kind == "lmdb" ? StoreDescription(.lmdb, path: path) : StoreDescription(.sqlite, path: path)
        let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: description)
        _ = try BackgroundContext(coordinator, name: "test").performAndWait { context in
            var objects = ObjectFetchRequest<ManagedObject>(entityName: "Customer")
            objects.predicate = try QueryPredicate(format: "number >= 100")
            return try context.execute(BatchDeleteRequest(fetchRequest: objects))
        }
        for store in coordinator.stores { try coordinator.remove(store) }
        let dry = try shop.run("compact", path, "--dry-run").output
        let unused = try #require(dry.firstMatch(of: /: ([0-9]+) of ([0-9]+) bytes/))
        #expect(try #require(Int(unused.1)) > 200_000)
        let run = try shop.run("compact", path)
        let sizes = try #require(run.output.firstMatch(of: /: ([0-9]+) bytes, ([0-9]+) before/))
        #expect(try #require(Int(sizes.1)) < 200_000)
        #expect(try shop.run("verify", path).status == 0)
        #expect(try shop.run("count", path, "Customer").output == "3\n")
        #expect(try shop.run("info", path, "--json").output.contains("\"unusedByteCount\" : 0"))
    }

    @Test("A kind without unused space is left as it is", arguments: ["binary", "xml"]) func nothingToCompact(kind: String) throws {
        let shop = try Shop()
        let path = shop.directory.file("compact.\(kind)")
        _ = try shop.run("convert", shop.path, "--to", kind, path)
        #expect(try shop.run("compact", path).output.hasSuffix(" have no unused space\n"))
    }

    @Test("bench measures all kinds with the objects of a store, which stays") func bench() throws {
        let shop = try Shop(customers: 20)
        let before = try Data(contentsOf: URL(filePath: shop.path))
        let run = try shop.run("bench", "--own", shop.path, "--runs", "2", "--json")
        #expect(run.status == 0, "\(run.errors)")
        let kinds = run.lines.compactMap { $0.firstMatch(of: /"kind":"([a-zA-Z]+)"/)?.1 }
        #expect(kinds == ["sqlite", "lmdb", "binary", "xml", "inMemory"])
        #expect(run.lines.allSatisfy { $0.contains("\"update\":") })
        #expect(try Data(contentsOf: URL(filePath: shop.path)) == before)
        #expect(
            try shop.run("bench", "--own", shop.path, "--runs", "1", "--objects", "3").lines.first
                == "230 objects of \(shop.path); 3 of Order by ID")
    }

    // A store whose beginning was overwritten was of no kind, and --force did not help.
    @Test("restore --force replaces a damaged store of any kind, and keeps its file", arguments: ["sqlite", "lmdb", "binary", "xml"])
    func damagedStore(kind: String) throws {
        let shop = try Shop()
        let (store, copy) = (shop.directory.file("store"), shop.directory.file("copy"))
        #expect(try shop.run("convert", shop.path, "--to", kind, store).status == 0)
        #expect(try shop.run("backup", store, copy).status == 0)
        let whole = try Data(contentsOf: URL(filePath: store))
        for damaged in [whole.prefix(3000), Data(count: whole.count), Data(repeating: 7, count: 4096) + whole.dropFirst(4096)] {
            try damaged.write(to: URL(filePath: store))
            #expect(try shop.run("restore", copy, store).status != 0 || kind == "binary" || kind == "xml")
            #expect(try shop.run("restore", copy, store, "--force").status == 0)
            #expect(try shop.run("verify", store).output == "The store is sound.\n")
            #expect(try shop.run("diff", "--data", shop.path, store).output == "The objects are the same.\n")
        }
        #expect(try Data(contentsOf: URL(filePath: store + ".damaged")).count > 0)
    }

    @Test("A restore over another store is refused") func otherStore() throws {
        let (shop, other) = (try Shop(), try Shop(customers: 1))
        let run = try shop.run("restore", other.path, shop.path)
        #expect(run.status == 73)
        #expect(try shop.run("count", shop.path, "Customer").output == "3\n")
    }

    @Test("diff lists objects and properties that differ, and exits with 1") func difference() throws {
        let shop = try Shop()
        let copy = shop.directory.file("copy.sqlite")
        _ = try shop.run("backup", shop.path, copy)
        _ = try shop.run("import", copy, "Customer", shop.write("number,name\n2,Renamed\n9,New\n", to: "new.csv"), "--upsert")
        let byID = try shop.run("diff", "--data", shop.path, copy)
        #expect(byID.status == 1)
        #expect(byID.lines.first == "~ Customer/p2.name: \"Customer 2\" -> \"Renamed\"")
        #expect(byID.lines.dropFirst().map { $0.prefix(12) } == ["+ Customer/p"])
        let byKey = try shop.run("diff", "--data", shop.path, copy, "--by", "Customer.number")
        #expect(byKey.lines == ["~ Customer(2).name: \"Customer 2\" -> \"Renamed\"", "+ Customer(9)"])
    }

    @Test("A damaged store is reported with an exit code of 1") func damage() throws {
        let shop = try Shop()
        let target = shop.directory.file("shop.binary")
        _ = try shop.run("convert", shop.path, "--to", "binary", target)
        let file = try FileHandle(forUpdating: URL(filePath: target))
        try file.seek(toOffset: try file.seekToEnd() / 2)
        try file.write(contentsOf: Data([0x5A, 0x5A, 0x5A]))
        try file.close()
        let run = try shop.run("verify", target)
        #expect([1, 65].contains(run.status))
        #expect(run.output.contains("corrupt") || run.output.contains("checksum") || run.errors.contains("corrupt"))
    }
}
