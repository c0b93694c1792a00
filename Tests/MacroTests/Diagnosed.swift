#if Macros
    import Foundation
    import StrataTestSupport
    import Testing

    /// What a macro says of a source whose first declaration it is attached to.
    ///
    /// It is asked as the compiler asks it: a test that links a macro has SwiftPM build all that tests need a second time, for the host.
    struct Diagnosed {
        /// Each message with the text that it points at.
        let messages: [String]
        /// The source after the first fix; `nil` for none.
        let fixed: String?

        /// - Parameter source: A declaration, after the macro alone.
        init(_ source: String) throws {
            let diagnostics = try MacroProcess.diagnostics(of: source)
            let bytes = Array(source.utf8)
            // The compiler shows what is said of a copy of the source at "<unknown>:0".
            for diagnostic in diagnostics { #expect(diagnostic.position.fileName == MacroProcess.fileName, "\(diagnostic.message)") }
            messages = try diagnostics.map { diagnostic in
                let range = try #require(diagnostic.highlights.first)
                return String(decoding: bytes[range.startOffset..<range.endOffset], as: UTF8.self) + ": " + diagnostic.message
            }
            fixed = diagnostics.lazy.flatMap(\.fixIts).first.map { fix in
                var bytes = bytes
                for change in fix.changes.sorted(by: { $0.range.startOffset > $1.range.startOffset }) {
                    bytes.replaceSubrange(change.range.startOffset..<change.range.endOffset, with: Array(change.newText.utf8))
                }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    /// The process in which the compiler runs the macros, and the part of what they tell each other that tests need.
    private enum MacroProcess {
        struct Diagnostic: Decodable {
            struct Position: Decodable {
                let fileName: String
            }
            struct Range: Decodable {
                let startOffset: Int
                let endOffset: Int
            }
            struct Fix: Decodable {
                struct Change: Decodable {
                    let range: Range
                    let newText: String
                }
                let changes: [Change]
            }
            let message: String
            let position: Position
            let highlights: [Range]
            let fixIts: [Fix]
        }

        private struct Answer: Decodable {
            struct Result: Decodable {
                let diagnostics: [Diagnostic]
            }
            let expandMacroResult: Result
        }

        private struct Question: Encodable {
            struct Macro: Encodable {
                let moduleName = "StrataMacros"
                let typeName: String
                let name: String
            }
            struct Location: Encodable {
                let fileID = MacroProcess.fileName
                let fileName = MacroProcess.fileName
                let offset = 0
                let line = 1
                let column = 1
            }
            struct Syntax: Encodable {
                let kind: String
                let source: String
                let location = Location()
            }
            struct Expansion: Encodable {
                let macro: Macro
                let macroRole: String
                let discriminator = "m"
                let attributeSyntax: Syntax
                let declSyntax: Syntax
                let extendedTypeSyntax: Syntax
            }
            let expandAttachedMacro: Expansion
        }

        static let fileName = "Test.swift"

        static func diagnostics(of source: String) throws -> [Diagnostic] {
            let marker = String(source.prefix { $0 != " " })
            let name = String(marker.dropFirst())
            let question = Question(
                expandAttachedMacro: .init(
                    macro: .init(typeName: name + "Macro", name: name), macroRole: name == "Model" ? "member" : "extension",
                    attributeSyntax: .init(kind: "attribute", source: marker), declSyntax: .init(kind: "declaration", source: source),
                    extendedTypeSyntax: .init(kind: "type", source: "Extended")))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try ChildProcess.executable("StrataMacros-tool"))
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            func ask(_ question: some Encodable) throws -> Data {
                // A message is the count of its bytes in eight bytes, least first, and JSON.
                let message = try JSONEncoder().encode(question)
                let count = withUnsafeBytes(of: UInt64(message.count).littleEndian) { Data($0) }
                try input.fileHandleForWriting.write(contentsOf: count + message)
                let length = try #require(try output.fileHandleForReading.read(upToCount: 8)).reversed().reduce(0) { $0 << 8 | Int($1) }
                return try #require(try output.fileHandleForReading.read(upToCount: length))
            }
            // Of an older compiler they believe that it takes other answers.
            _ = try ask(["getCapability": ["capability": ["protocolVersion": 7]]])
            let answer = try JSONDecoder().decode(Answer.self, from: try ask(question))
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            return answer.expandMacroResult.diagnostics
        }
    }
#endif
