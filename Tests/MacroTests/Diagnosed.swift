#if Macros
    import SwiftDiagnostics
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxMacroExpansion
    import Testing
    @testable import StrataMacros

    /// What `@Model` says of a source whose first declaration it is attached to.
    struct Diagnosed {
        /// Each message with the text that it points at.
        let messages: [String]
        /// The source after the first fix; `nil` for none.
        let fixed: String?

        init(_ source: String) throws {
            let file = Parser.parse(source: source)
            let context = BasicMacroExpansionContext(
                sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
            let declaration = try #require(file.statements.first?.item.asProtocol((any DeclGroupSyntax).self))
            let marker = try #require(declaration.attributes.first?.as(AttributeSyntax.self))
            _ = try ModelMacro.expansion(of: marker, providingMembersOf: declaration, conformingTo: [], in: context)
            // What is said of a copy of the source has no place: the compiler shows it at "<unknown>:0".
            for diagnostic in context.diagnostics { #expect(diagnostic.node.root.id == file.id, "\(diagnostic.message)") }
            messages = context.diagnostics.map { "\($0.node.trimmedDescription): \($0.message)" }
            fixed = context.diagnostics.lazy.flatMap(\.fixIts).first.map { fix in
                var bytes = Array(source.utf8)
                for case .replace(let old, let new) in fix.changes {
                    bytes.replaceSubrange(old.position.utf8Offset..<old.endPosition.utf8Offset, with: Array(new.description.utf8))
                }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }
#endif
