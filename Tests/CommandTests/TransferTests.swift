import Foundation
import StrataTestSupport
import Testing

@Suite("The command: export and import") struct TransferTests {
    @Test("What was exported is imported again, with destinations by an attribute", arguments: ["csv", "jsonl"])
    func roundTrip(form: String) throws {
        let (shop, other) = (try Shop(), try Shop(customers: 1))
        let customers = shop.directory.file("customers.\(form)")
        let orders = shop.directory.file("orders.\(form)")
        #expect(try shop.run("export", shop.path, "Customer where number > 1", "-o", customers).output == "wrote 2 to \(customers)\n")
        #expect(
            try shop.run("export", shop.path, "Order select total, isPaid, customer.number where customer.number > 1", "-o", orders)
                .status == 0)
        #expect(try shop.run("import", other.path, "Customer", customers).output == "imported 2 rows\n")
        #expect(try shop.run("import", other.path, "Order", orders).output == "imported 5 rows\n")
        let run = try shop.run("diff", "--data", shop.path, other.path)
        #expect(run.output == "The objects are the same.\n")
    }

    @Test("Cells with quotes, commas and ends of lines are read as they were written; no value is not an empty text") func cells() throws {
        let shop = try Shop()
        let text = "\u{FEFF}number,name\r\n11,\"a \"\"b\"\", c\nd\"\r\n12,\r\n13,\"\"\r\n"
        #expect(try shop.run("import", shop.path, "Customer", "-", input: text).output == "imported 3 rows\n")
        #expect(
            try shop.run("query", shop.path, "Customer select number, name where number > 10 sort number", "--json").lines
                == [#"{"name":"a \"b\", c\nd","number":11}"#, #"{"name":null,"number":12}"#, #"{"name":"","number":13}"#])
    }

    @Test("Refused rows are written to a file with their reasons, and the others imported") func refused() throws {
        let shop = try Shop()
        let file = try shop.write("no,Name,comment\n21,A,x\nmany,B,x\n,C,x\n1,D,x\n22,E,x\n", to: "new.csv")
        let refused = shop.directory.file("refused.jsonl")
        let run = try shop.run(
            "import", shop.path, "Customer", file, "--map", "no=number", "--map", "Name=name", "--map", "comment=", "--rejected", refused)
        #expect(run.status == 1)
        #expect(run.output == "imported 2 rows, refused 3, see \(refused)\n")
        let reasons = try String(contentsOfFile: refused, encoding: .utf8).split(separator: "\n")
        #expect(reasons.count == 3)
        #expect(reasons[0].contains(#""line":3,"reason":"number is integer32, and does not take \"many\"""#))
        #expect(reasons[1].contains(#""line":4,"reason":"number: a value is required"#))
        #expect(reasons[2].contains(#""line":5,"reason":"number is that of "#))
    }

    @Test("Without a file for refused rows the first one ends the import, and nothing of its transaction is stored") func endsAtFirst()
        throws
    {
        let shop = try Shop()
        let run = try shop.run("import", shop.path, "Customer", shop.write("number\n31\nmany\n32\n", to: "new.csv"))
        #expect(run.status == 65)
        #expect(run.errors.contains("new.csv:3: number is integer32, and does not take \"many\""))
        #expect(run.errors.contains("0 rows were imported"))
        #expect(try shop.run("count", shop.path, "Customer").output == "3\n")
    }

    @Test("Rows of known unique values change their objects, or are passed over") func existing() throws {
        let shop = try Shop()
        let file = try shop.write("number,name\n1,Changed\n41,New\n", to: "new.csv")
        #expect(try shop.run("import", shop.path, "Customer", file, "--skip-existing").output == "imported 1 rows\n")
        #expect(try shop.run("count", shop.path, "Customer where name == \"Changed\"").output == "0\n")
        #expect(try shop.run("import", shop.path, "Customer", file, "--upsert").status == 0)
        #expect(try shop.run("count", shop.path, "Customer where name == \"Changed\"").output == "1\n")
    }

    @Test("A column that the entity lacks is refused before anything is imported") func unknownColumn() throws {
        let shop = try Shop()
        let run = try shop.run("import", shop.path, "Customer", "-", input: "number,colour\n51,red\n")
        #expect(run.status == 65)
        #expect(run.errors.contains("Customer has no property colour to import into: it has name, number, orders, since"))
    }

    @Test(
        "A malformed file is an error with the line",
        arguments: [
            ("csv", "number,name\n61\n", "2: there are 1 cells, and 2 columns"),
            ("csv", "number,number\n", "1: the first line has to name each column, once"),
            ("csv", "number,name\n61,\"open\n", "2: a quoted cell does not end"),
            ("jsonl", "{\"number\": 61\n", "1: the line is no object of JSON"),
        ]) func malformed(form: String, text: String, message: String) throws
    {
        let shop = try Shop()
        let run = try shop.run("import", shop.path, "Customer", "-", "--format", form, input: text)
        #expect(run.status == 65)
        #expect(run.errors.contains(message))
    }

    @Test(
        "Malformed rows are refused rows: the others are imported, and the file of refused rows has them",
        arguments: [
            ("csv", "number,name\n61\n62,Ada\n63,a,b\n", [#"["61"]"#, #"["63","a","b"]"#]),
            (
                "jsonl", "{\"number\": 61\n{\"number\": 62}\n{\"number\": 63, \"colour\": \"red\"}\n",
                [#""{\"number\": 61""#, #"{"colour":"red","number":63}"#]
            ),
        ]) func malformedRows(form: String, text: String, rows: [String]) throws
    {
        let shop = try Shop()
        let refused = shop.directory.file("refused.jsonl")
        let run = try shop.run("import", shop.path, "Customer", "-", "--format", form, "--rejected", refused, input: text)
        #expect(run.status == 1)
        #expect(run.output == "imported 1 rows, refused 2, see \(refused)\n")
        let lines = try String(contentsOfFile: refused, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == rows.count)
        for (line, row) in zip(lines, rows) { #expect(line.hasSuffix(",\"row\":\(row)}")) }
        #expect(try shop.run("count", shop.path, "Customer where number == 62").output == "1\n")
    }

    @Test("The file of refused rows stays where the import fails later") func refusedRowsStay() throws {
        let shop = try Shop()
        let refused = shop.directory.file("refused.jsonl")
        let rows = (100..<5_099).map { "\($0),a\n" }.joined()
        let run = try shop.run(
            "import", shop.path, "Customer", "-", "--rejected", refused, input: "number,name\nnone,a\n" + rows + "9999,\"open\n")
        #expect(run.status == 65)
        #expect(run.errors.contains("4999 rows were imported before this, 1 refused, see \(refused)"))
        #expect(try String(contentsOfFile: refused, encoding: .utf8).hasPrefix(#"{"line":2,"#))
    }

    @Test("An export that fails leaves no file") func nothingHalfWritten() throws {
        let shop = try Shop()
        let target = shop.directory.file("out.csv")
        #expect(try shop.run("export", shop.path, "Customer where numbr > 1", "-o", target).status == 65)
        #expect(try FileManager.default.contentsOfDirectory(atPath: shop.directory.path).filter { $0.hasPrefix("out") } == [])
        _ = try shop.write("mine", to: "out.csv")
        #expect(try shop.run("export", shop.path, "Customer", "-o", target).status == 73)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
    }
}
