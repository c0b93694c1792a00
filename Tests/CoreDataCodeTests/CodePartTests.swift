import StrataCoreDataCode
import Testing

/// The code was one file: all accessors were compiled anew where one class had changed, and the rest of a build waited for its end.
@Suite("Code in several files") struct CodePartTests {
    private func code(_ classes: [Int], parts: Int = 4) throws -> CoreDataCode {
        let files = classes.map { number in
            SourceFile(
                path: "C\(number).swift",
                text: """
                    import CoreData
                    public import Shop\(number)
                    public class C\(number): NSManagedObject { @NSManaged var name: String?; @NSManaged var next: C0? }
                    """)
        }
        let model = try Samples.model("<entity name=\"M\" representedClassName=\"M\" codeGenerationType=\"class\"/>")
        return try CoreDataCode(of: SourceModule(name: "app", files: files), models: [model], parts: parts)
    }

    private func numbers(_ text: String, after prefix: String) -> [Int] {
        text.split(separator: "\n").filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count).prefix { $0.isNumber }) }
    }

    @Test("There are as many files as are asked for, and each class is in one of them, with what its file imports") func split() throws {
        let code = try code(Array(0..<40))
        let classes = code.files.map { numbers($0, after: "extension C") }
        #expect(classes.count == 4)
        #expect(classes.joined().sorted() == Array(0..<40))
        #expect(classes.allSatisfy { !$0.isEmpty })
        #expect(code.files.map { numbers($0, after: "internal import Shop").sorted() } == classes.map { $0.sorted() })
        #expect(code.files.filter { $0.contains("public class M: NSManagedObject {") }.count == 1)
        #expect(code.symbols.count == 160)
    }

    /// A name that several files declare for themselves made the compiler compile all of them where one was changed.
    @Test("A file has the names of its own classes alone, and functions that they share, by names that no other file has")
    func shared() throws {
        for (text, number) in zip(try code(Array(0..<40)).files, ["", "2", "3", "4"]) {
            let names = numbers(text, after: "extension C").flatMap { _ in ["name", "next"] }.joined(separator: "\\n")
            #expect(text.contains("private nonisolated let _managedKeys\(number) = ManagedKeys(\"\(names)\")\n"))
            let functions = text.split(separator: "\n").filter { $0.hasPrefix("@inline(__always) private nonisolated func ") }
            #expect(functions.count == 4)
            #expect(functions.allSatisfy { $0.contains("Value\(number)_String(") || $0.contains("Object\(number)_D<") }, "\(functions)")
        }
    }

    @Test("One more class changes one file") func stable() throws {
        let (before, after) = (try code(Array(0..<40)).files, try code(Array(0..<20) + [99] + Array(20..<40)).files)
        #expect(zip(before, after).filter { $0 != $1 }.count == 1)
    }

    @Test("More files than classes are empty") func empty() throws {
        let code = try code([1], parts: 16)
        #expect(code.files.count == 16)
        #expect(code.files.filter { !$0.hasSuffix("\n\n#if !canImport(ObjectiveC)\n#endif\n") }.count == 1)
    }

    @Test("No number of files is one") func none() throws { #expect(try code([1], parts: 0).files.count == 1) }
}
