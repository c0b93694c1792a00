import Foundation
import Hummingbird
import Strata
import StrataInMemory
import Testing

@testable import StrataInspector

@Suite("Safety") struct SafetyTests {
    static let allPages = [
        "/", "/table?entity=Author", "/table?entity=Book&sort=title", "/facets?entity=Author&key=name", "/object?id=Author/p5",
        "/related?id=Author/p5&name=books", "/query?q=Author&explain=1", "/query?q=Author+select+name", "/model", "/history",
    ]

    @Test("Scripts in values are shown as texts", arguments: allPages) func values(path: String) async throws {
        let html = try await Library(keepsHistory: true).html(path)
        #expect(html.split(separator: "<script").count == 2)
        #expect(!html.contains("</textarea>'"))
    }

    @Test(
        "What a request says is shown as text",
        arguments: [
            "/table?entity=HOSTILE", "/table?entity=Author&where=HOSTILE", "/table?entity=Author&sort=HOSTILE", "/query?q=HOSTILE",
            "/query?q=Author+where+name+%3D%3D+HOSTILE", "/object?id=HOSTILE", "/facets?entity=Author&key=HOSTILE",
            "/history?object=HOSTILE",
            "/related?id=Author/p1&name=HOSTILE", "/transaction?store=HOSTILE&number=1", "/HOSTILE", "/history?before=HOSTILE",
        ]) func requests(path: String) async throws
    {
        let hostile = Library.hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await Library().send(path.replacing("HOSTILE", with: hostile))
        #expect(answer.text.split(separator: "<script").count == 2)
        #expect(!answer.text.contains("</textarea>'"))
    }

    @Test(
        "Names of entities and properties are shown as texts, and lead to their pages",
        arguments: [
            #"A <b>"'&?#/%2F"#, "<b><script>alert(1)</script>", "/etc/passwd", "a,b;c+d", " a ", "é日\u{301}", "a\u{202E}b\u{2066}c",
            "\u{200B}",
            "]]>--><b>",
            "a\nb", "{a}[b](c)|d", "%00%s", "javascript:alert(1)", "where", "=1+1",
        ]) func names(entity: String) async throws
    {
        let property = entity + " <i>\"'&="
        let relationship = entity + " <u>"
        let model = try ManagedObjectModel {
            Entity(entity) {
                Attribute(property, .string)
                Relationship(relationship, to: entity, inverse: relationship, .toMany)
            }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        try container.newBackgroundContext().performAndWait { context in
            let object = try context.insert(entity)
            try object.setValue("value", forKey: property)
            try context.save()
        }
        let library = try Library(container: container)
        var (seen, waiting): (Set<String>, [String]) = ([], ["/"])
        while let path = waiting.popLast() {
            guard seen.insert(path).inserted else { continue }
            let answer = try await library.send(path)
            #expect(answer.status == .ok, "\(path): \(answer.text)")
            if answer.headers[.contentType]?.hasPrefix("application/json") == true {
                #expect((try? JSONSerialization.jsonObject(with: Data(answer.text.utf8))) != nil, "\(path)")
            }
            guard answer.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
            for tag in ["<b>", "<i>", "<u>", "<script>", "href=\"javascript:"] { #expect(!answer.text.contains(tag), "\(path)") }
            // Each facet adds a condition, without end.
            if !path.contains("where=") { waiting += answer.text.links(to: "/") }
        }
        #expect(seen.contains { $0.hasPrefix("/object?") })
        #expect(seen.contains { $0.hasPrefix("/related?") })
        #expect(seen.contains { $0.hasPrefix("/facets?") })
    }

    @Test(
        "Requests that name another host are refused", arguments: ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "", nil])
    func hosts(host: String?) async throws {
        for path in ["/", "/table.json?entity=Author", "/events", "/style.css", "/nothing"] {
            let answer = try await Library().send(path, host: host)
            #expect(answer.status == .misdirectedRequest)
            #expect(!answer.text.contains("Author"))
        }
    }

    @Test("Requests that name this machine are answered", arguments: ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:8080", "[::1]"])
    func ownHosts(host: String) async throws {
        #expect(try await Library().send("/", host: host).status == .ok)
    }

    @Test("A server that mounts the inspector names its own hosts") func namedHosts() async throws {
        let named = try Library(options: InspectorOptions(hosts: .named(["db.example"])))
        #expect(try await named.send("/", host: "db.example:443").status == .ok)
        #expect(try await named.send("/", host: "localhost").status == .misdirectedRequest)
        let any = try Library(options: InspectorOptions(hosts: .any))
        #expect(try await any.send("/", host: "other.example").status == .ok)
    }

    @Test("What another site loads is refused, but for following a link") func otherSites() async throws {
        let library = try Library()
        let site = try #require(HTTPFields.Element.Name("Sec-Fetch-Site"))
        let mode = try #require(HTTPFields.Element.Name("Sec-Fetch-Mode"))
        for from in ["cross-site", "same-site"] {
            #expect(try await library.send("/", headers: [site: from, mode: "no-cors"]).status == .forbidden)
            #expect(try await library.send("/", headers: [site: from, mode: "navigate"]).status == .ok)
        }
        #expect(try await library.send("/", headers: [site: "same-origin", mode: "cors"]).status == .ok)
    }

    @Test(
        "Every answer forbids other sources, frames and guessing of types", arguments: allPages + ["/style.css", "/nothing", "/model.svg"])
    func headers(path: String) async throws {
        let answer = try await Library().send(path)
        #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'") == true)
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
        #expect(answer.headers[.cacheControl] == "no-store")
        for attribute in ["style=", "onclick=", "onload=", "javascript:", "http:", "https:"] {
            #expect(!answer.text.contains("<a \(attribute)"))
        }
    }

    @Test(
        "A malformed condition or query is an error that marks the position",
        arguments: [
            ("/table?entity=Author&where=number+%3E+", "expected a value, found the end\nnumber &gt; \n         ^"),
            ("/query?q=Author+where+number+%3E+", "expected a value, found the end\nAuthor where number &gt; \n                      ^"),
            ("/query?q=Author+limit+many", "limit takes a number\nAuthor limit many\n             ^"),
            ("/query?q=Autho", "the model has no entity Autho: it has Author, Book"),
            ("/table?entity=Author&where=age+%3E+3", "Author has no property age"),
            ("/table?entity=Author&limit=0", "limit is a number from 1 to 1000"),
            ("/table?entity=Author&limit=1001", "limit is a number from 1 to 1000"),
            ("/table?entity=Author&offset=-1", "offset is a number from 0 to"),
        ]) func malformed(path: String, message: String) async throws
    {
        let answer = try await Library().send(path)
        #expect(answer.status == .badRequest)
        #expect(answer.text.contains(message), "\(answer.text)")
    }

    @Test("A request that waits too long is answered by an error, and too many listeners are") func limits() async throws {
        var options = InspectorOptions()
        (options.greatestWork, options.timeLimit) = (0, .milliseconds(20))
        #expect(try await Library(options: options).send("/").status == .serviceUnavailable)
        options.greatestListeners = 0
        #expect(try await Library(options: options).send("/events").status == .serviceUnavailable)
    }

    @Test("Requests wait for one another") func waiting() async throws {
        var options = InspectorOptions()
        options.greatestWork = 2
        let library = try Library(options: options)
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for _ in 0..<50 { group.addTask { try await library.send("/table?entity=Book").status } }
            for try await status in group { #expect(status == .ok) }
        }
    }

    @Test("Long texts and data are cut in tables, and whole with the object") func cells() async throws {
        let library = try Library()
        let rows = try await library.json("/table.json?entity=Book&limit=1")["rows"] as? [[String: Any]]
        #expect((rows?.first?["cover"] as? [String: Int]) == ["byteCount": 1_000])
        let values = try await library.json("/object.json?id=Book/p1")["values"] as? [String: Any]
        #expect((values?["cover"] as? String)?.count == 1_336)
    }
}
