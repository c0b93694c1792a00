import Foundation
import Hummingbird
import Strata
import Testing

@testable import StrataInspector

@Suite("Pages") struct PageTests {
    @Test("The overview has the numbers of objects", arguments: Kind.allCases) func overview(kind: Kind) async throws {
        let library = try Library(kind)
        let json = try await library.json("/index.json")
        let store = try #require((json["stores"] as? [[String: Any]])?.first)
        let counts = try #require(store["entities"] as? [[String: Any]])
        #expect(counts.map { $0["count"] as? Int } == [5, 15])
        #expect(try await library.html("/").contains(#"<td class="number">15</td>"#))
    }

    @Test("A table is sorted and filtered", arguments: Kind.allCases) func table(kind: Kind) async throws {
        let library = try Library(kind)
        let json = try await library.json("/table.json?entity=Author&where=number+%3C+5&sort=-number")
        #expect((json["rows"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Author 4", "Author 3", "Author 2", "Author 1"])
        #expect(json["next"] is NSNull)
        #expect(try await library.html("/table?entity=Author&sort=number").contains(#"aria-sort="ascending""#))
    }

    @Test("The pages of a table have all rows once", arguments: Kind.allCases) func paging(kind: Kind) async throws {
        let library = try Library(kind, authors: 17)
        var next: String? = "/table.json?entity=Author&limit=5&count=1"
        var numbers: [Int] = []
        while let page = next {
            let json = try await library.json(page)
            numbers += (json["rows"] as? [[String: Any]] ?? []).compactMap { $0["number"] as? Int }
            #expect(json["count"] as? Int == 17)
            next = json["next"] as? String
        }
        #expect(numbers == Array(1...17))
    }

    @Test("The pages of a sorted table have all rows once, in order", arguments: Kind.allCases, ["name", "-name", "number", "-number"])
    func sortedPaging(kind: Kind, sort: String) async throws {
        let library = try Library(kind, authors: 23)
        // Equal values, no values, and characters beyond ASCII.
        let names: [Int: String?] = [
            1: nil, 2: "B", 3: "b", 4: "\u{E4}", 5: "a", 6: "a", 7: "a", 8: "a", 9: "a", 10: "a", 11: "a", 12: nil, 13: "", 14: "Z",
        ]
        try library.container.newBackgroundContext().performAndWait { context in
            for author in try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Author")) {
                guard let number = try author.value(forKey: "number") as? Int32, let name = names[Int(number)] else { continue }
                try author.setValue(name, forKey: "name")
            }
            try context.save()
        }
        func numbers(_ json: [String: Any]) -> [Int] { (json["rows"] as? [[String: Any]] ?? []).compactMap { $0["number"] as? Int } }
        let all = numbers(try await library.json("/table.json?entity=Author&limit=100&sort=\(sort)"))
        #expect(all.count == 23)
        for limit in [1, 3, 4] {
            var next: String? = "/table.json?entity=Author&limit=\(limit)&count=1&sort=\(sort)"
            var found: [Int] = []
            while let page = next, found.count < 30 {
                let json = try await library.json(page)
                #expect(json["count"] as? Int == 23)
                #expect(json["offset"] as? Int == found.count)
                found += numbers(json)
                next = json["next"] as? String
            }
            #expect(found == all, "\(limit)")
        }
    }

    @Test(
        "A page behind a value of an index reads no row but its own and those of that value", arguments: [Kind.sqlite, .lmdb],
        ["number", "-number"])
    func deepPage(kind: Kind, sort: String) throws {
        let library = try Library(kind, authors: 300)
        let values = FormValues("entity=Author&sort=\(sort)&offset=200&after=\(sort == "number" ? 200 : 101)&skip=1&limit=20")
        let reader = PageReader(container: library.container, options: InspectorOptions(), links: Links(base: ""), values: values)
        let explanation = try library.container.newBackgroundContext().performAndWait { try $0.explain(try TablePage.request(reader)) }
        // The value's own row, and the one at the end of the range.
        #expect(explanation.rowsRead <= 23, "\(explanation)")
    }

    @Test("A position that is no value of the sorted attribute is refused", arguments: ["after=x", "after=1&skip=-1", "after=1&skip=x"])
    func malformedPosition(position: String) async throws {
        #expect(try await Library().send("/table?entity=Author&sort=number&\(position)").status == .badRequest)
    }

    @Test("The first page reads no row but its own and one more", arguments: [Kind.sqlite, .lmdb]) func firstPage(kind: Kind) throws {
        let library = try Library(kind, authors: 300)
        let reader = PageReader(
            container: library.container, options: InspectorOptions(), links: Links(base: ""), values: FormValues("entity=Book"))
        let explanation = try library.container.newBackgroundContext().performAndWait { try $0.explain(try TablePage.request(reader)) }
        #expect(explanation.rowsRead <= 51, "\(explanation)")
    }

    @Test("Facets count values, and lead to the objects that have them", arguments: Kind.allCases) func facets(kind: Kind) async throws {
        let library = try Library(kind)
        let json = try await library.json("/facets.json?entity=Book&key=isLent")
        let values = try #require(json["values"] as? [[String: Any]])
        #expect(values.map { $0["count"] as? Int } == [9, 6])
        let html = try await library.html("/facets?entity=Book&key=author&where=isLent+%3D%3D+NO")
        for link in html.links(to: "/table") where link.contains("author") {
            let rows = try await library.json(link.replacing("/table?", with: "/table.json?"))["rows"] as? [[String: Any]]
            #expect(rows?.isEmpty == false)
        }
    }

    @Test("An object has its values, and links to its destinations and back", arguments: Kind.allCases) func object(kind: Kind) async throws
    {
        let library = try Library(kind)
        let rows = try await library.json("/table.json?entity=Author&where=number+%3D%3D+4")["rows"] as? [[String: Any]]
        let uri = try #require(rows?.first?["objectID"] as? String)
        let json = try await library.json("/object.json?id=\(uri)")
        let values = try #require(json["values"] as? [String: Any])
        #expect(values["name"] as? String == "Author 4")
        let books = try #require(values["books"] as? [String])
        #expect(books.count == 4)
        let html = try await library.html("/object?id=\(uri)")
        #expect(html.links(to: "/object?").count == 4)
        for link in html.links(to: "/object?") { #expect(try await library.html(link).contains(">Author/p")) }
        let related = try await library.json("/related.json?id=\(uri)&name=books&limit=3")
        #expect((related["rows"] as? [Any])?.count == 3)
        let rest = try await library.json(try #require(related["next"] as? String))
        #expect((rest["rows"] as? [Any])?.count == 1)
    }

    @Test(
        "Every link of a table and of an object is found",
        arguments: ["/table?entity=Author", "/table?entity=Book", "/object?id=Author/p1"])
    func links(page: String) async throws {
        let library = try Library()
        let links = try await library.html(page).links(to: "/")
        #expect(links.count > 10)
        for link in links { #expect(try await library.send(link).status == .ok, "\(link)") }
    }

    @Test("A query has its results, the time and an explanation", arguments: Kind.allCases) func query(kind: Kind) async throws {
        let library = try Library(kind)
        let json = try await library.json("/query.json?q=Author+where+number+%3E+3+sort+number&explain=1")
        #expect((json["rows"] as? [[Any]])?.count == 2)
        #expect((json["explanation"] as? String)?.hasPrefix("Fetch of Author") == true)
        #expect(json["milliseconds"] is Double)
        let groups = try await library.json("/query.json?q=Book+select+isLent,+count:(self)+as+n+group+isLent+sort+n")
        #expect(groups["rows"] as? [[Int]] == [[1, 6], [0, 9]])
        #expect(try await library.json("/query.json?q=Book&limit=3")["hasMore"] as? Bool == true)
    }

    @Test("The model is a drawing and a list", arguments: [Kind.sqlite]) func model(kind: Kind) async throws {
        let library = try Library(kind)
        #expect(try await library.html("/model.svg").hasPrefix("<svg"))
        #expect(try await library.html("/model").contains("set of Book"))
        #expect(try await library.json("/model.json")["versionIdentifiers"] as? [String] == ["1"])
    }

    @Test("The history lists transactions, each with its changes") func history() async throws {
        let library = try Library(keepsHistory: true)
        try library.container.newBackgroundContext().performAndWait { context in
            context.transactionAuthor = "again"
            try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Author")).first?.setValue("B", forKey: "name")
            try context.save()
        }
        let json = try await library.json("/history.json?limit=1")
        #expect((json["transactions"] as? [[String: Any]])?.first?["author"] as? String == "again")
        let next = try #require(json["next"] as? String)
        #expect(try await (library.json(next)["transactions"] as? [[String: Any]])?.first?["author"] as? String == "library")
        for link in try await library.html("/history").links(to: "/transaction") {
            #expect(try await library.html(link).contains("<caption>") == false)
        }
        let author = try #require(try await (library.json("/table.json?entity=Author")["rows"] as? [[String: Any]])?.first?["objectID"])
        #expect(try await (library.json("/history.json?object=\(author)")["transactions"] as? [Any])?.count == 2)
    }

    @Test("A path with .json and a client that accepts JSON get JSON, errors too") func json() async throws {
        let library = try Library()
        let answer = try await library.send("/table?entity=Author", headers: [.accept: "application/json"])
        #expect(answer.headers[.contentType] == "application/json")
        let error = try await library.send("/table.json?entity=Nothing")
        #expect(error.status == .notFound)
        #expect(error.text.contains(#""error" : "the model has no entity Nothing""#))
        #expect(try await library.send("/table?entity=Nothing").headers[.contentType] == "text/html; charset=utf-8")
    }

    @Test("Addresses are below the path at which the inspector is mounted") func mounted() async throws {
        let library = try Library(options: InspectorOptions(path: "/admin/store"))
        for link in try await library.html("/").links(to: "/") { #expect(link.hasPrefix("/admin/store/")) }
    }
}

extension String {
    /// The links of the page to addresses that begin so, with their escapes resolved.
    func links(to start: String) -> [String] {
        split(separator: "href=\"").dropFirst().map { $0.prefix { $0 != "\"" }.replacing("&amp;", with: "&") }
            .filter { $0.hasPrefix(start) }.map { String($0) }
    }
}
