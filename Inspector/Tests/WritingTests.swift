import Foundation
import Hummingbird
import Strata
import Testing

@testable import StrataInspector

@Suite("Writing") struct WritingTests {
    let library: Library
    let token = "a2f1"

    init() throws { library = try Library(options: InspectorOptions(writeToken: "a2f1")) }

    private func name(of id: String) async throws -> String? {
        (try await library.json("/object.json?id=\(id)")["values"] as? [String: Any])?["name"] as? String
    }

    private func post(_ form: String, headers: HTTPFields = [:]) async throws -> Answer {
        try await library.send("/object", .post, headers: headers, body: form)
    }

    @Test("A form with the token changes an attribute, a relationship, and deletes") func forms() async throws {
        let answer = try await post("id=Author/p1&action=set&key=name&value=A+%26+B&token=\(token)")
        #expect(answer.status == .seeOther)
        #expect(try await name(of: "Author/p1") == "A & B")
        let object = try #require(answer.headers[.location])
        #expect(try await library.html(object).contains("A &amp; B"))
        #expect(try await post("id=Author/p1&action=set&key=name&null=1&token=\(token)").status == .seeOther)
        #expect(try await name(of: "Author/p1") == nil)
        let author = try await library.json("/object.json?id=Author/p2")["objectID"] as? String ?? ""
        #expect(try await post("id=Book/p1&action=set&key=author&value=\(author)&token=\(token)").status == .seeOther)
        #expect(try await (library.json("/related.json?id=Author/p2&name=books")["rows"] as? [Any])?.count == 3)
        #expect(try await post("id=Author/p1&action=delete&token=\(token)").status == .seeOther)
        #expect(try await library.send("/object?id=Author/p1").status == .notFound)
    }

    @Test("A form without a value, or with an empty version, is refused", arguments: ["", "&value=Z&version="])
    func incompleteForms(rest: String) async throws {
        #expect(try await post("id=Author/p1&action=set&key=name\(rest)&token=\(token)").status == .badRequest)
        #expect(try await name(of: "Author/p1") == "Author 1")
    }

    @Test("A header has the token, too, and JSON is answered to who accepts it") func header() async throws {
        let answer = try await post(
            "id=Author/p1&action=set&key=name&value=Z", headers: [.authorization: "Bearer \(token)", .accept: "application/json"])
        #expect(answer.status == .ok)
        #expect(try await name(of: "Author/p1") == "Z")
    }

    @Test("A request without the token is refused, and changes nothing") func tokens() async throws {
        let form = "id=Author/p1&action=set&key=name&value=Z"
        #expect(try await post(form).status == .unauthorized)
        for wrong in ["b2f1", "a2f", "a2f10", "A2F1"] { #expect(try await post("\(form)&token=\(wrong)").status == .forbidden) }
        #expect(try await post(form, headers: [.authorization: "Bearer x"]).status == .forbidden)
        #expect(try await post(form, headers: [.authorization: token]).status == .unauthorized)
        #expect(try await library.send("/object?\(form)&token=\(token)", .post).status == .unauthorized)
        #expect(
            try await library.send("/object", .post, host: "evil.example", body: "\(form)&token=\(token)").status == .misdirectedRequest)
        let site = try #require(HTTPFields.Element.Name("Sec-Fetch-Site"))
        let mode = try #require(HTTPFields.Element.Name("Sec-Fetch-Mode"))
        #expect(try await post("\(form)&token=\(token)", headers: [site: "cross-site", mode: "navigate"]).status == .forbidden)
        #expect(try await name(of: "Author/p1") == "Author 1")
    }

    @Test("An inspector without a token refuses every change") func readOnly() async throws {
        let library = try Library()
        for token in ["", "&token=", "&token=x"] {
            #expect(try await library.send("/object", .post, body: "id=Author/p1&action=delete\(token)").status == .forbidden)
        }
        #expect(try await library.html("/object?id=Author/p1").contains("<form") == false)
        let empty = try Library(options: InspectorOptions(writeToken: ""))
        #expect(try await empty.send("/object", .post, body: "id=Author/p1&action=delete&token=").status != .seeOther)
    }

    @Test("A change of what another save has changed since is refused") func versions() async throws {
        let version = try await library.json("/object.json?id=Author/p1")["version"] as? Int ?? -1
        let form = "id=Author/p1&action=set&key=name&token=\(token)&version=\(version)"
        #expect(try await post("\(form)&value=first").status == .seeOther)
        #expect(try await post("\(form)&value=second").status == .conflict)
        #expect(try await name(of: "Author/p1") == "first")
    }

    @Test(
        "What a property cannot hold is refused",
        arguments: [
            ("id=Author/p1&action=set&key=number&value=many", HTTPResponse.Status.unprocessableContent),
            ("id=Author/p1&action=set&key=number&null=1", .unprocessableContent),
            ("id=Author/p1&action=set&key=number&value=2", .conflict),
            ("id=Author/p1&action=set&key=nothing&value=2", .unprocessableContent),
            ("id=Author/p1&action=set&key=books&value=2", .unprocessableContent),
            ("id=Book/p1&action=set&key=author&value=x", .unprocessableContent), ("id=Author/p1&action=set&value=x", .badRequest),
            ("id=Author/p1&action=x", .badRequest), ("action=delete", .badRequest), ("id=Author/p99&action=delete", .notFound),
        ]) func invalid(form: String, status: HTTPResponse.Status) async throws
    {
        #expect(try await post("\(form)&token=\(token)").status == status)
        #expect(try await name(of: "Author/p1") == "Author 1")
    }

    @Test("Only objects are written, and no body that is too long is read") func others() async throws {
        #expect(try await library.send("/table?entity=Author", .post, body: "token=\(token)").status == .methodNotAllowed)
        let long = String(repeating: "x", count: (1 << 20) + 1)
        #expect(try await post("id=Author/p1&action=set&key=name&token=\(token)&value=\(long)").status == .contentTooLarge)
    }
}
