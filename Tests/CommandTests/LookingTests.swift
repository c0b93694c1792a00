import Foundation
import StrataTestSupport
import Testing

@Suite("The command: looking into a store") struct LookingTests {
    @Test("info counts the objects of each entity") func info() throws {
        let shop = try Shop()
        let run = try shop.run("info", shop.path)
        #expect(run.status == 0)
        #expect(run.lines.contains("kind      SQLite"))
        #expect(run.lines.contains("model     version 1"))
        #expect(run.lines.suffix(2) == ["Customer        3", "Order           6"])
    }

    @Test("A query prints a table, an object of JSON in each line, or CSV") func forms() throws {
        let shop = try Shop()
        let query = "Customer where number > 1 sort number desc"
        #expect(
            try shop.run("query", shop.path, query).lines == [
                "objectID     name        number  since",
                "-----------  ----------  ------  -----------------------",
                "Customer/p3  Customer 3       3  2001-01-04T00:00:00.25Z",
                "Customer/p2  Customer 2       2  2001-01-03T00:00:00.25Z",
            ])
        #expect(try shop.run("query", shop.path, query + " limit 1", "--csv").lines[0] == "objectID,name,number,since")
        #expect(
            try shop.run("query", shop.path, query + " limit 1", "--csv").lines[1].hasSuffix(
                "/Customer/p3,Customer 3,3,2001-01-04T00:00:00.25Z"))
        #expect(
            try shop.run("query", shop.path, "Customer select number, name as who where number == 2", "--json").lines
                == [#"{"number":2,"who":"Customer 2"}"#])
    }

    @Test("A query groups and aggregates") func groups() throws {
        let shop = try Shop()
        let query = "Order select customer.name as who, sum:(total) as sum group customer.name having sum > 10 sort sum desc"
        #expect(try shop.run("query", shop.path, query, "--csv").lines == ["who,sum", "Customer 3,90", "Customer 2,40"])
    }

    @Test("The words of clauses within quotes, and behind a #, are no clauses") func quotedWords() throws {
        let shop = try Shop()
        #expect(try shop.run("count", shop.path, #"Customer where name != " sort limit 1""#).output == "3\n")
        let run = try shop.run("count", shop.path, "Customer where #limit > 1")
        #expect(run.status == 65)
        #expect(run.errors.contains("Customer has no property limit"))
    }

    @Test(
        "A malformed query is an error that marks the position",
        arguments: [
            ("Customer where number > ", "expected a value, found the end\nCustomer where number > \n                        ^"),
            ("Customer limit 3 where number > 1", "where cannot stand behind limit\nCustomer limit 3 where number > 1\n                 ^"),
            ("Customer limit many", "limit takes a number\nCustomer limit many\n               ^"),
            (
                "Customer sort number upwards",
                "sort takes names, each with asc or desc behind it\nCustomer sort number upwards\n              ^"
            ),
            ("Customer where name == \"open", "the quoted text does not end\nCustomer where name == \"open\n                       ^"),
            ("Customer wher number > 1", "expected where or another clause\nCustomer wher number > 1\n         ^"),
            ("Custome", "the model has no entity Custome: it has Customer, Order"),
        ]) func malformed(query: String, message: String) throws
    {
        let shop = try Shop()
        let run = try shop.run("query", shop.path, query)
        #expect(run.status == 65)
        #expect(run.errors == "error: \(message)\n")
        #expect(run.output == "")
    }

    @Test("get prints an object with its destinations, by the end of its URI") func object() throws {
        let shop = try Shop()
        let run = try shop.run("get", shop.path, "Customer/p2")
        #expect(run.lines.contains("orders    Order/p2 Order/p3"))
        #expect(try shop.run("get", shop.path, "Customer/p9").status == 66)
        #expect(try shop.run("get", shop.path, "nonsense").status == 66)
    }

    @Test("Stores of Core Data's are opened with the model in their cache", .enabled(if: Fixtures.areAvailable)) func coreData() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("cars.sqlite")
        try FileManager.default.copyItem(atPath: Fixtures.path("sqlite/CoreDataPlus/SampleModel_V2.sqlite"), toPath: path)
        let run = try CommandRun(["info", path])
        #expect(run.lines.contains("kind      SQLite, written by Core Data"))
        #expect(try CommandRun(["count", path, "Car where maker == \"FIAT\""]).output == "103\n")
    }

    @Test(
        "A store of Core Data's is read without a model by each command", .enabled(if: Fixtures.areAvailable),
        arguments: [
            "CoreDataPlus/SampleModel_V1.sqlite", "CoreDataPlus/SampleModel_V2.sqlite", "CoreDataPlus/SampleModel3_V1.sqlite",
            "objcio/Moody 5.moody",
        ])
    func fixtures(name: String) throws {
        let directory = try TemporaryDirectory()
        let (path, copy) = (directory.file("store.sqlite"), directory.file("copy.lmdb"))
        try FileManager.default.copyItem(atPath: Fixtures.path("sqlite/\(name)"), toPath: path)
        let before = try Data(contentsOf: URL(filePath: path))
        let facts = try JSONSerialization.jsonObject(with: Data(CommandRun(["info", path, "--json"]).output.utf8)) as? [String: Any]
        #expect(facts?["writtenByCoreData"] as? Bool == true)
        let schema = try CommandRun(["schema", path]).output
        for entity in facts?["entities"] as? [[String: Any]] ?? [] {
            guard let name = entity["name"] as? String else { continue }
            #expect(schema.contains("entity \(name)"))
            let count = try #require(Int(CommandRun(["count", path, name]).output.trimmingCharacters(in: .newlines)))
            #expect(count >= entity["count"] as? Int ?? 1)
            #expect(try CommandRun(["query", path, name, "--json"]).lines.count == count)
            let file = directory.file("\(name).csv")
            #expect(try CommandRun(["export", path, name, "-o", file]).output == "wrote \(count) to \(file)\n")
            let table = try CommandRun(["query", path, "\(name) limit 1"]).lines
            if count > 0, let id = table.last?.split(separator: " ").first {
                #expect(try CommandRun(["get", path, String(id)]).lines.contains { $0.hasSuffix(" \(id)") })
            }
        }
        #expect(try CommandRun(["verify", path]).output == "The store is sound.\n")
        #expect(try CommandRun(["check", path]).status == 0)
        #expect(try CommandRun(["resolve", path]).status == 0)
        #expect(try CommandRun(["convert", path, "--to", "lmdb", copy]).status == 0)
        #expect(try CommandRun(["diff", "--data", path, copy]).output == "The objects are the same.\n")
        #expect(try CommandRun(["backup", path, directory.file("backup.sqlite")]).status == 0)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("What is no store has an exit code and a message of its own") func noStore() throws {
        let shop = try Shop()
        let missing = try shop.run("info", shop.directory.file("nothing"))
        #expect(missing.status == 66)
        let text = try shop.run("info", shop.write("a text", to: "text"))
        #expect(text.status == 65)
        #expect(text.errors.hasSuffix("is no store: it is of no kind that Strata reads\n"))
        #expect(try shop.run("inform", shop.path).status == 64)
    }
}
