import Foundation
import Testing

@Suite("The guide about writing a store")
struct GuideTests {
    @Test("Every piece of code in the guide is compiled here, or in the test of its second store")
    func quotes() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let root = tests.deletingLastPathComponent()
        let guide = try String(
            contentsOf: root.appendingPathComponent("Sources/Strata/Documentation.docc/Guides/WritingAStore.md"), encoding: .utf8)
        let sources = try ["JSONStore", "ShelfStore"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(at: tests.appendingPathComponent(folder), includingPropertiesForKeys: nil).map {
                try String(contentsOf: $0, encoding: .utf8)
            }
        }
        let quotes = guide.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(quotes.count > 5)
        for quote in quotes { #expect(sources.contains { $0.contains(quote) }, "\(quote)") }
    }
}
