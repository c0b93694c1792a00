import Foundation
import Hummingbird
import Testing

@testable import StrataInspector

@Suite("Random requests") struct RandomTests {
    /// The parts of requests: names and conditions of the model, malformed ones, and special characters.
    private static let words = [
        "entity", "Author", "Book", "where", "sort", "-number", "number", "name", "limit", "offset", "count", "after", "skip", "key", "id",
        "Author/p1",
        "Book/p3",
        "books", "q", "explain", "object", "before", "store", "number > ", "name beginswith \"A\"", "Author where number > 3 sort name",
        "\"", "(", ")",
        "{1,2}", "%", "%zz", "%00", "\u{202E}", "é", "😀", "<script>", "'", "&", "=", "+", "0", "-1", "99999999999999999999", "1e400",
        "x-coredata://", "ANY", "SELF", "select", "group", "having", "limit 3", "count:(self)", "SUBQUERY(", "FETCH(",
        "CAST(\"x\", \"NSDate\")",
    ]

    /// A generator that repeats its numbers.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    @Test("No request ends the process, or is answered by an error of the server", arguments: [Kind.sqlite, .inMemory])
    func requests(kind: Kind) async throws {
        let library = try Library(kind, keepsHistory: kind == .sqlite, options: InspectorOptions(writeToken: "token"))
        var generator = Seeded(state: 59)
        for number in 0..<(ProcessInfo.processInfo.environment["STRATA_SOAK"] == nil ? 1_500 : 50_000) {
            let (method, path, body) = RandomTests.request(&generator)
            let answer = try await library.send(path, method, body: body)
            #expect(answer.status.code < 500, "request \(number): \(method) \(path) \(body)\n\(answer.text)")
            #expect(answer.text.split(separator: "<script").count <= 2)
        }
    }

    private static func request(_ generator: inout Seeded) -> (HTTPRequest.Method, String, String) {
        let page = PageName.allCases.randomElement(using: &generator)?.rawValue ?? ""
        let form = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            let value = (0...Int.random(in: 0...3, using: &generator)).map { _ in word(&generator) }.joined(separator: " ")
            return "\(encoded(word(&generator), &generator))=\(encoded(value, &generator))"
        }.joined(separator: "&")
        let isPost = Int.random(in: 0..<10, using: &generator) == 0
        let path = "/\(page)\(Bool.random(using: &generator) ? ".json" : "")"
        return isPost ? (.post, path, form + "&token=token") : (.get, path + (form.isEmpty ? "" : "?" + form), "")
    }

    private static func word(_ generator: inout Seeded) -> String { words.randomElement(using: &generator) ?? "" }

    private static func encoded(_ text: String, _ generator: inout Seeded) -> String {
        Int.random(in: 0..<8, using: &generator) == 0
            ? text.replacing(" ", with: "+") : text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
