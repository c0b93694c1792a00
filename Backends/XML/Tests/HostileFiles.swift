import StrataStore

/// Files that were made to do harm, or that make no sense.
enum HostileFiles {
    /// What is wrong, the file, and the error that it gives.
    static let all: [(String, String, StoreError.Code)] = {
        let person = "<object type=\"PERSON\" id=\"z1\">"
        func relation(_ name: String, _ ids: String) -> String { "<relationship name=\"\(name)\" idrefs=\"\(ids)\"/>" }
        func subset(_ declarations: String, _ text: String = "") -> String {
            "<?xml version=\"1.0\"?><!DOCTYPE database [\(declarations)]><database>\(Document.information)\(person)"
                + "<attribute name=\"name\" type=\"string\">\(text)</attribute></object></database>"
        }
        var laughs = "<!ENTITY l0 \"ha\">"
        for index in 1...30 { laughs += "<!ENTITY l\(index) \"\(String(repeating: "&l\(index - 1);", count: 10))\">" }
        func list(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
        return [
            ("billion laughs", subset(laughs, "&l30;"), .corrupt),
            ("quadratic blow-up", subset("<!ENTITY a \"\(list(50_000) { _ in "a" })\">", list(50_000) { _ in "&a;" }), .corrupt),
            ("external entity", subset("<!ENTITY x SYSTEM \"file:///etc/hostname\">", "&x;"), .corrupt),
            ("parameter entity", subset("<!ENTITY % x SYSTEM \"file:///etc/hostname\"> %x;"), .corrupt),
            ("undeclared parameter entity", subset("%x;", "&y;"), .corrupt),
            ("declared element", subset("<!ELEMENT database ANY>"), .corrupt),
            ("default attributes", subset("<!ATTLIST object type CDATA \"PERSON\">"), .corrupt),
            ("notation", subset("<!NOTATION n SYSTEM \"n\">"), .corrupt),
            (
                "undeclared entity beside a document type",
                "<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"file:///x.dtd\"><database>\(Document.information)\(person)"
                    + "<attribute name=\"name\" type=\"string\">a&nbsp;b</attribute></object></database>", .corrupt
            ),
            (
                "undeclared entity in a tag",
                "<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"file:///x.dtd\"><database>\(Document.information)"
                    + "<object type=\"PERSON&nbsp;\" id=\"z1\"></object></database>", .corrupt
            ),
            ("deep nesting", Document.text(list(100_000) { _ in "<object type=\"PERSON\" id=\"z1\">" }), .corrupt),
            (
                "deep metadata",
                Document.beginning + "<database><databaseInfo><version>134481920</version><UUID>A</UUID><metadata><plist>"
                    + list(100_000) { _ in "<array>" }, .corrupt
            ),
            ("a million attributes", Document.text("<object \(list(1_000_000) { "a\($0)=\"\" " })>"), .corrupt),
            ("a million namespaces", Document.text("<object \(list(200_000) { "xmlns:a\($0)=\"u\" " })>"), .corrupt),
            (
                "a long attribute", Document.text("<object type=\"\(String(repeating: "x", count: 30_000_000))\" id=\"z1\"/>"),
                .incompatibleModel
            ),
            ("a long name", Document.text("<\(String(repeating: "x", count: 5_000_000))/>"), .corrupt),
            ("a namespace", Document.text("<a:object xmlns:a=\"a\" type=\"PERSON\" id=\"z1\"/>"), .corrupt),
            ("a bare instruction and no database", "<?foo?><a/>", .foreign),
            ("another root", "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>", .foreign),
            ("no XML", "hello", .foreign),
            ("HTML", "<!DOCTYPE html><html></html>", .foreign),
            ("SQLite", "SQLite format 3\u{0}", .wrongType),
            ("nothing but space", "  \n", .foreign),
            ("NUL", Document.text("\(person)<attribute name=\"name\" type=\"string\">a\u{0}b</attribute></object>"), .corrupt),
            ("NUL by number", Document.text("\(person)<attribute name=\"name\" type=\"string\">&#0;</attribute></object>"), .corrupt),
            ("]]> in text", Document.text("\(person)<attribute name=\"name\" type=\"string\">]]></attribute></object>"), .corrupt),
            (
                "half a surrogate pair", Document.text("\(person)<attribute name=\"name\" type=\"string\">\\u3dd8</attribute></object>"),
                .corrupt
            ),
            ("text between objects", Document.text("text"), .corrupt),
            ("two roots", Document.text("") + "<database/>", .corrupt),
            (
                "an element within a value", Document.text("\(person)<attribute name=\"name\" type=\"string\">a<b/></attribute></object>"),
                .corrupt
            ),
            ("no information", Document.beginning + "<database></database>", .corrupt),
            (
                "an object before the information",
                Document.beginning + "<database>\(person)</object>\(Document.information)</database>", .corrupt
            ),
            ("no UUID", Document.text("").replacing("<UUID>A</UUID>", with: ""), .corrupt),
            ("a newer version", Document.text("").replacing("134481920", with: "134481921"), .unsupportedVersion),
            ("an unknown entity", Document.text("<object type=\"NOBODY\" id=\"z1\"></object>"), .incompatibleModel),
            (
                "an unknown attribute", Document.text("\(person)<attribute name=\"age\" type=\"int16\">1</attribute></object>"),
                .incompatibleModel
            ),
            (
                "another type", Document.text("\(person)<attribute name=\"name\" type=\"binary\">AAAA</attribute></object>"),
                .incompatibleModel
            ),
            ("an attribute as relationship", Document.text("\(person)\(relation("name", "z1"))</object>"), .incompatibleModel),
            ("an abstract entity", Document.text("<object type=\"PET\" id=\"z1\"></object>"), .corrupt),
            ("a repeated id", Document.text("\(person)</object>\(person)</object>"), .corrupt),
            (
                "a repeated attribute", Document.text("\(person)\(list(2) { _ in "<attribute name=\"name\" type=\"string\"/>" })</object>"),
                .corrupt
            ),
            ("a dangling id", Document.text("\(person)\(relation("boss", "z7"))</object>"), .corrupt),
            ("a dangling id in a list", Document.text("\(person)\(relation("pets", "z7"))</object>"), .corrupt),
            ("a dangling id in a many-to-many", Document.text("\(person)\(relation("friends", "z7"))</object>"), .corrupt),
            ("a destination of another entity", Document.text("\(person)\(relation("pets", "z1"))</object>"), .corrupt),
            ("two destinations", Document.text("\(person)\(relation("boss", "z1 z1"))</object>"), .corrupt),
            ("id 0", Document.text("<object type=\"PERSON\" id=\"z0\"></object>"), .corrupt),
            ("a long id", Document.text("<object type=\"PERSON\" id=\"z99999999999999999999\"></object>"), .corrupt),
            ("another id", Document.text("\(person)</object><object type=\"PERSON\" id=\"1\"></object>"), .corrupt),
            ("an empty id", Document.text("<object type=\"PERSON\" id=\"\"></object>"), .corrupt),
            ("an id with a space", Document.text("<object type=\"PERSON\" id=\"a b\"></object>"), .corrupt),
            (
                "a repeated id of another program", Document.text("\(list(2) { _ in "<object type=\"PERSON\" id=\"a\"></object>" })"),
                .corrupt
            ),
            (
                "a dangling id of another program",
                Document.text("<object type=\"PERSON\" id=\"a\">\(relation("boss", "b"))</object>"), .corrupt
            ),
            ("a huge id in a list", Document.text("\(person)\(relation("friends", "z999999999999999999999"))</object>"), .corrupt),
            (
                "a flag that is none",
                Document.text("<object type=\"DOG\" id=\"z1\"><attribute name=\"barks\" type=\"bool\">2</attribute></object>"), .corrupt
            ),
            (
                "two owners of what belongs to one",
                Document.text(
                    "<object type=\"PERSON\" id=\"z1\">\(relation("notes", "z3"))</object>"
                        + "<object type=\"PERSON\" id=\"z2\">\(relation("notes", "z3"))</object><object type=\"NOTE\" id=\"z3\"></object>"
                ),
                .unsupported
            ),
        ]
    }()
}
