import Foundation
import Hummingbird
import Strata
import StrataBinary
import StrataInMemory
import StrataLMDB
import StrataSQLite
import StrataXML
import Testing

@testable import StrataInspector

/// A kind of store, by its name.
enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, lmdb, binary, xml, inMemory

    var testDescription: String { rawValue }

    func description(in folder: String) -> StoreDescription {
        let path = "\(folder)/library.\(rawValue)"
        return switch self {
        case .sqlite: StoreDescription(.sqlite, path: path)
        case .lmdb: StoreDescription(.lmdb, path: path)
        case .binary: StoreDescription(.binary, path: path)
        case .xml: StoreDescription(.xml, path: path)
        case .inMemory: StoreDescription(.inMemory)
        }
    }
}

/// A store of authors and books with an inspector, in a folder that is removed with it.
final class Library: Sendable {
    static let hostile = #"<script>alert("x")</script>'&amp;</textarea>"#

    let folder: String
    let container: PersistentContainer
    let inspector: Inspector

    /// Creates authors 1, 2, … each with as many books as the author's number; the fifth author has a hostile name.
    init(_ kind: Kind = .sqlite, authors: Int = 5, keepsHistory: Bool = false, options: InspectorOptions = InspectorOptions()) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "inspector-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var description = kind.description(in: folder)
        if keepsHistory { description.options.history = .unlimited }
        container = try PersistentContainer(name: "library", model: Library.model(), stores: [description])
        inspector = Inspector(container, options: options)
        try container.newBackgroundContext().performAndWait { context in
            context.transactionAuthor = "library"
            for number in 1...authors {
                let author = try context.insert("Author")
                try author.setValue(number == 5 ? Library.hostile : "Author \(number)", forKey: "name")
                try author.setValue(number, forKey: "number")
                for index in 1...min(number, 30) {
                    let book = try context.insert("Book")
                    try book.setValue("Book \(number).\(index)", forKey: "title")
                    try book.setValue(index.isMultiple(of: 2), forKey: "isLent")
                    try book.setValue(Data(repeating: UInt8(index), count: 1_000), forKey: "cover")
                    try book.setValue(author, forKey: "author")
                }
            }
            try context.save()
        }
    }

    /// Shows a container of a test.
    init(container: PersistentContainer, options: InspectorOptions = InspectorOptions()) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "inspector-\(UUID())").path
        self.container = container
        inspector = Inspector(container, options: options)
    }

    deinit {
        try? container.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(versionIdentifiers: ["1"]) {
            Entity("Author") {
                Attribute("number", .integer32).required
                Attribute("name", .string)
                Attribute("shown", .string).transient
                Relationship("books", to: "Book", inverse: "author", .toMany)
                Unique("number")
            }
            Entity("Book") {
                Attribute("title", .string)
                Attribute("isLent", .boolean, default: false)
                Attribute("cover", .binary)
                Attribute("size") {
                    Attribute("width", .integer32)
                    Attribute("height", .integer32)
                }
                Relationship("author", to: "Author", inverse: "books")
            }
        }
    }

    /// Sends a request to the inspector.
    func send(
        _ path: String, _ method: HTTPRequest.Method = .get, host: String? = "localhost:8080", headers: HTTPFields = [:], body: String = ""
    ) async throws -> Answer {
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        return try await Answer(await inspector.respond(to: request, at: parts.map { Substring($0) }))
    }

    /// The JSON of a page, which is found.
    func json(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String: Any] {
        let answer = try await send(path)
        #expect(answer.status == .ok, "\(answer.text)", sourceLocation: sourceLocation)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any], sourceLocation: sourceLocation)
    }

    /// The HTML of a page, which is found.
    func html(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let answer = try await send(path)
        #expect(answer.status == .ok, "\(answer.text)", sourceLocation: sourceLocation)
        return answer.text
    }
}

/// An answer of the inspector.
struct Answer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let text: String

    init(_ response: Response) async throws {
        let collected = Collected()
        try await response.body.write(Collector(collected: collected))
        (status, headers, text) = (response.status, response.headers, await collected.text)
    }

    private actor Collected {
        var text = ""
        func add(_ part: String) { text += part }
    }

    private struct Collector: ResponseBodyWriter {
        let collected: Collected
        mutating func write(_ buffer: ByteBuffer) async throws { await collected.add(String(buffer: buffer)) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
