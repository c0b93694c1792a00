@_spi(PluginMessage) private import SwiftCompilerPluginMessageHandling
public import SwiftSyntaxMacros

/// The protocol of swift-syntax's `SwiftCompilerPlugin`, the one module that macros need and a toolchain does not have.
public protocol CompilerPlugin {
    init()
    var providingMacros: [any Macro.Type] { get }
}

extension CompilerPlugin {
    /// Answers the compiler's requests, read from the standard input, until that ends.
    public static func main() throws {
        let provider = Provider(macros: Self().providingMacros)
        try CompilerPluginMessageListener(connection: StandardIOMessageConnection(), provider: provider).main()
    }
}

private struct Provider: PluginProvider {
    let macros: [any Macro.Type]

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        let name = "\(moduleName).\(typeName)"
        guard let macro = macros.first(where: { String(reflecting: $0) == name }) else { throw UnknownMacro(name: name) }
        return macro
    }
}

private struct UnknownMacro: Error {
    let name: String
}
