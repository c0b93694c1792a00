import Foundation
import StrataTestSupport
import Testing

/// The commands print the same of the same objects, whatever the kind of their store.
@Suite("The command: its output by kinds of store") struct GoldenTests {
    static let kinds = ["sqlite", "lmdb", "binary", "xml"] + (PostgreSQLServer.isAvailable ? ["postgresql"] : [])

    /// The shop with a history in a store of some kind, with the same IDs.
    private struct Copy {
        let shop: Shop
        /// The store on the command line.
        let store: [String]
        private let id: String

        init(_ kind: String) throws {
            shop = try Shop(keepsHistory: true)
            let info = try shop.run("info", shop.path)
            id = try #require(info.output.firstMatch(of: /ID +([0-9A-F-]+)\n/)).1.description
            if kind == "postgresql" {
                store = [try PostgreSQLServer.shared.get().url, "--schema", "golden_\(id.prefix(8).lowercased())"]
                try run("convert", [shop.path, "--to", kind, store[0], "--target-schema", store[2]])
            } else {
                store = [shop.directory.file("golden.\(kind)")]
                try run("convert", [shop.path, "--to", kind, store[0]])
            }
        }

        @discardableResult
        private func run(_ name: String, _ arguments: [String]) throws -> CommandRun {
            let run = try CommandRun(name.split(separator: " ").map(String.init) + arguments)
            #expect(run.errors == "", "\(name)")
            return run
        }

        /// Runs a command on the store, and returns its lines without what differs between runs and kinds.
        func callAsFunction(_ name: String, _ arguments: String..., status: Int32 = 0) throws -> [String] {
            let run = try run(name, store + arguments)
            #expect(run.status == status, "\(name) \(run.errors)")
            let fixed = [(id, "ID"), (store[0], "STORE"), (shop.directory.path, "FOLDER")]
            return fixed.reduce(run.output) { $0.replacing($1.0, with: $1.1) }
                .replacing(/"?2[0-9]{3}-[0-9-]+T[0-9:.]+Z"?/, with: { $0.output.contains("2001") ? String($0.output) : "DATE" })
                .replacing(/[0-9]+ bytes/, with: "N bytes").split(separator: "\n").map(String.init)
        }
    }

    @Test("info, schema, count, get", arguments: kinds) func looking(kind: String) throws {
        let run = try Copy(kind)
        let info = try run("info")
        #expect(info.filter { $0.hasPrefix("ID") || $0.hasPrefix("model") } == ["ID        ID", "model     version 1"])
        #expect(
            info.suffix(5) == [
                "history   to transaction 2", "entity    objects", "--------  -------", "Customer        3", "Order           6",
            ])
        let json = try JSONSerialization.jsonObject(with: Data(run("info", "--json").joined().utf8)) as? [String: Any]
        #expect(json?["storeID"] as? String == "ID")
        #expect(json?["lastTransaction"] as? Int == 2)
        #expect((json?["entities"] as? [[String: Any]])?.map { $0["count"] as? Int } == [3, 6])
        #expect((json?["modelHashes"] as? [String: String])?.keys.sorted() == ["Customer", "Order"])
        let outline = try run("schema")
        #expect(
            outline == [
                "entity Customer", "    unique (number)", "    attribute name: string, optional",
                "    attribute number: integer32, required", "    attribute since: date, optional",
                "    relationship orders: to-many Order, optional, inverse customer, delete rule nullify", "entity Order",
                "    attribute isPaid: boolean, optional, default false", "    attribute total: decimal, optional",
                "    relationship customer: to-one Customer, optional, inverse orders, delete rule nullify", "version identifier 1",
            ])
        let schema = try JSONSerialization.jsonObject(with: Data(run("schema", "--json").joined().utf8)) as? [String: Any]
        #expect((schema?["entities"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Customer", "Order"])
        #expect(try run("count", "Order where total > 10") == ["5"])
        #expect(try run("count", "Order where total > 10", "--json") == [#"{"count":5}"#])
        #expect(
            try run("get", "Customer/p2") == [
                "property  value", "--------  -----------------------", "objectID  Customer/p2", "name      Customer 2", "number    2",
                "orders    Order/p2 Order/p3", "since     2001-01-03T00:00:00.25Z",
            ])
        #expect(
            try run("get", "Order/p2", "--json") == [
                "{", #"  "customer" : "x-coredata://ID/Customer/p2","#, #"  "isPaid" : false,"#,
                #"  "objectID" : "x-coredata://ID/Order/p2","#, #"  "total" : 20"#, "}",
            ])
    }

    @Test("query and export", arguments: kinds) func queries(kind: String) throws {
        let run = try Copy(kind)
        let query = "Order where customer.number == 2 sort total"
        #expect(
            try run("query", query) == [
                "objectID  customer     isPaid  total", "--------  -----------  ------  -----", "Order/p2  Customer/p2  false      20",
                "Order/p3  Customer/p2  false      20",
            ])
        #expect(
            try run("query", query + " limit 1", "--csv") == [
                "objectID,customer,isPaid,total", "x-coredata://ID/Order/p2,x-coredata://ID/Customer/p2,false,20",
            ])
        let groups = "Order select customer.name as who, sum:(total) as sum, count:(total) as n group customer.name sort sum desc"
        #expect(
            try run("query", groups, "--json") == [
                #"{"n":3,"sum":90,"who":"Customer 3"}"#, #"{"n":2,"sum":40,"who":"Customer 2"}"#, #"{"n":1,"sum":10,"who":"Customer 1"}"#,
            ])
        #expect(
            try run("query", "Order select sum:(total) as sum, average:(total) as mean", "--csv") == [
                "sum,mean", "140,23.333333333333333333333333333333333333",
            ])
        #expect(try run("query", query, "--explain").first?.hasPrefix("Fetch of Order") == true)
        let file = run.shop.directory.file("out.csv")
        #expect(try run("export", "Customer select number, name sort number", "-o", file) == ["wrote 3 to FOLDER/out.csv"])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "number,name\n1,Customer 1\n2,Customer 2\n3,Customer 3\n")
        #expect(
            try run("export", "Customer where number == 1", "-o", file, "--format", "jsonl", "--replace", "--json")
                == [#"{"output":"FOLDER/out.csv","written":1}"#])
        #expect(
            try String(contentsOfFile: file, encoding: .utf8) == #"{"name":"Customer 1","number":1,"since":"2001-01-02T00:00:00.25Z"}"#
                + "\n")
    }

    @Test("import, diff", arguments: kinds) func importing(kind: String) throws {
        let run = try Copy(kind)
        let rows = try run.shop.write("number,name\n2,Renamed\n9,New\nmany,X\n", to: "rows.csv")
        let refused = run.shop.directory.file("refused.jsonl")
        #expect(
            try run("import", "Customer", rows, "--upsert", "--rejected", refused, "--json", status: 1)
                == [#"{"imported":2,"refused":1,"rejected":"FOLDER/refused.jsonl"}"#])
        #expect(
            try String(contentsOfFile: refused, encoding: .utf8)
                == #"{"line":4,"reason":"number is integer32, and does not take \"many\"","row":{"name":"X","number":"many"}}"# + "\n")
        let schema = run.store.count > 1 ? ["--from-schema", run.store[2]] : []
        let text = try CommandRun(["diff", "--data", run.store[0], run.shop.path] + schema)
        #expect(text.status == 1)
        #expect(text.lines.count == 2)
        #expect(text.lines[0] == #"~ Customer/p2.name: "Renamed" -> "Customer 2""#)
        #expect(text.lines[1].hasPrefix("- Customer/p"))
        let json = try CommandRun(["diff", "--data", run.store[0], run.shop.path, "--by", "Customer.number", "--json"] + schema)
        #expect(
            json.lines == [
                #"{"kind":"changed","new":"Customer 2","object":"Customer(2)","old":"Renamed","property":"name"}"#,
                #"{"kind":"removed","new":null,"object":"Customer(9)","old":null,"property":null}"#,
            ])
    }

    @Test("verify, check, migrate, resolve, compact", arguments: kinds) func checks(kind: String) throws {
        let run = try Copy(kind)
        #expect(try run("verify") == ["The store is sound."])
        #expect(try run("verify", "--json") == [])
        #expect(try run("verify", "--dry-run").first?.hasPrefix("would verify ") == true)
        #expect(try run("verify", "--dry-run").first?.contains(": 2 entities") == true)
        #expect(try run("check", "--model", run.shop.path) == ["The store is of this version of the model."])
        #expect(try run("check", "--model", run.shop.path, "--json") == [#"{"changes":[],"isCompatible":true}"#])
        #expect(try run("migrate", "--to", run.shop.path) == ["The store is of this version."])
        #expect(try run("migrate", "--to", run.shop.path, "--json") == [])
        #expect(try run("resolve") == ["The store opens; nothing is to be resolved."])
        #expect(try run("resolve", "--forget", "--json") == [#"{"resolution":"forget","resolved":[]}"#])
        #expect(try run("compact", "--dry-run", "--json").first?.contains(#""dryRun":true"#) == true)
        #expect(try run("compact", "--json").first?.contains(#""dryRun":false"#) == true)
        #expect(try run("count", "Order") == ["6"])
    }

    @Test("backup and restore", arguments: kinds) func copies(kind: String) throws {
        let run = try Copy(kind)
        let copy = run.store.count > 1 ? [run.store[0], "--target-schema", run.store[2] + "_copy"] : [run.store[0] + ".copy"]
        func backup(_ options: String...) throws -> CommandRun { try CommandRun(["backup"] + run.store + copy + options) }
        #expect(try backup("--dry-run").output.hasPrefix("would copy "))
        #expect(try backup("--json").output.contains(#""dryRun":false,"replaces":false,"source":"#))
        #expect(try backup().status == 73)
        let source = copy.count > 1 ? [copy[0], "--schema", copy[2], run.store[0], "--target-schema", run.store[2]] : copy + run.store
        #expect(try run("import", "Customer", run.shop.write("number\n9\n", to: "rows.csv")) == ["imported 1 rows"])
        #expect(try CommandRun(["restore"] + source + ["--dry-run", "--json"]).output.contains(#""dryRun":true,"replaces":true"#))
        #expect(try run("count", "Customer") == ["4"])
        let restored = try CommandRun(["restore"] + source)
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try run("count", "Customer") == ["3"])
    }

    @Test("history and shell", arguments: kinds) func history(kind: String) throws {
        let run = try Copy(kind)
        let table = try run("history list")
        #expect(table.count == 4)
        #expect(table[0].split(separator: " ") == ["number", "date", "kind", "author", "inserted", "updated", "deleted"])
        #expect(table[3].split(separator: " ") == ["2", "DATE", "save", "shop", "6", "3", "0"])
        let list = try run("history list", "--json")
        #expect(list.count == 2)
        #expect(list[0].contains(#""author":"shop""#))
        #expect(try run("history list", "--where", "author == 'nobody'", "--json") == [])
        #expect(try run("history consumers") == [])
        #expect(try run("history purge", "--before", "2", "--dry-run", "--json") == [#"{"before":1}"#])
        #expect(try run("history purge", "--before", "2", "--json") == [#"{"deleted":1}"#])
        let shell = try CommandRun(
            ["shell"] + run.store, input: "count Customer\nhistory list --json --limit 9\nquery Order select count:(total) as n\n")
        #expect(shell.status == 0, "\(shell.errors)")
        #expect(shell.lines.first == "3")
        #expect(shell.lines.count == 5)
    }
}
