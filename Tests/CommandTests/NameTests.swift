import Foundation
import FoundationXML
import Strata
import StrataSQLite
import StrataTestSupport
import Testing

/// Names that are markup, separators or commands elsewhere.
@Suite("The command: names of entities and properties") struct NameTests {
    private static let names = [
        "<script>alert(1)</script>", #"a"b'c`d"#, "a/b\\c", "%2F%00%s", "/etc/passwd", "a,b;c\td", "a b ", "é日\u{301}",
        "a\u{202E}b\u{2066}c",
        "\u{200B}",
        "x\u{1B}[31m", "]]>&amp;", "a\nb", "{a}[b](c)|d#e", "--json", "where", "=1+1",
    ]

    /// A store with an object of an entity of such a name, with such properties.
    private static func store(_ name: String, in directory: TemporaryDirectory) throws -> String {
        let model = try ManagedObjectModel {
            Entity(name) {
                Attribute(name + "1", .string)
                Relationship(name + "2", to: name, inverse: name + "3", .toMany)
                Relationship(name + "3", to: name, inverse: name + "2")
            }
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = try coordinator.addStore(StoreDescription(.sqlite, path: directory.file("names.sqlite")))
        try BackgroundContext(coordinator, name: "names").performAndWait { context in
            try context.insert(name).setValue(name, forKey: name + "1")
            try context.save()
        }
        try coordinator.remove(store)
        return directory.file("names.sqlite")
    }

    private func isShown(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                    && !(scalar.properties.generalCategory == .format && scalar.value != 0x200D)
        }
    }

    @Test("They are told apart in texts, JSON, CSV and drawings", arguments: names) func output(name: String) throws {
        let directory = try TemporaryDirectory()
        let store = try Self.store(name, in: directory)
        for command in ["info", "schema", "verify"] {
            let run = try CommandRun([command, store])
            #expect(run.status == 0, "\(command) \(run.errors)")
            #expect(isShown(run.output), "\(command)")
            #expect(command == "verify" || run.output.split(separator: "\n").count < 30)
        }
        let info = try JSONSerialization.jsonObject(with: Data(try CommandRun(["info", store, "--json"]).output.utf8)) as? [String: Any]
        #expect((info?["entities"] as? [[String: Any]])?.first?["name"] as? String == name)
        let schema = try CommandRun(["schema", store, "--json"]).output
        #expect(try JSONSerialization.jsonObject(with: Data(schema.utf8)) is [String: Any])
        let drawing = try CommandRun(["schema", store, "--format", "svg"]).output
        let parser = XMLParser(data: Data(drawing.utf8))
        #expect(parser.parse(), "\(drawing)")
        #expect(!drawing.contains("<script"))
        for form in ["mermaid-class", "mermaid-er"] {
            let lines = try CommandRun(["schema", store, "--format", form]).lines
            #expect(!lines.contains { $0.contains("<script") })
            #expect(lines.allSatisfy(isShown), "\(lines)")
            #expect(lines.count < 20)
        }
    }

    @Test("A query names them in quotes behind a #", arguments: names) func queries(name: String) throws {
        let directory = try TemporaryDirectory()
        let store = try Self.store(name, in: directory)
        let query = "#\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        let json = try CommandRun(["query", store, query, "--json"])
        let object = try? JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?[name + "1"] as? String == name, "\(json)")
        let uri = try #require(object?["objectID"] as? String)
        let got = try CommandRun(["get", store, uri, "--json"])
        #expect(
            (try? JSONSerialization.jsonObject(with: Data(got.output.utf8)) as? [String: Any])?[name + "1"] as? String == name, "\(got)")
        let csv = try CommandRun(["query", store, query, "--csv"])
        #expect(csv.status == 0)
        let file = directory.file("names.csv")
        #expect(try CommandRun(["export", store, query, "--output", file]).status == 0)
        let imported = try CommandRun(["import", "--", store, name, file])
        #expect(imported.output == "imported 1 rows\n", "\(imported.errors)")
        #expect(isShown(try CommandRun(["query", store, query]).output))
        #expect(isShown(try CommandRun(["get", store, uri]).output))
    }
}
