#if Macros
    import SwiftSyntaxMacros
    #if canImport(StrataTestCompilerPlugin)
        import StrataTestCompilerPlugin
    #else
        import SwiftCompilerPlugin
    #endif

    @main
    struct Plugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [
            ModelMacro.self, CompositeMacro.self, PersistedPropertyMacro.self, ModelInitializerMacro.self, PropertyMarkerMacro.self,
            EntityClauseMacro.self,
        ]
    }
#else
    /// Empty: the package was built without its macros.
    @main
    enum Plugin {
        static func main() {}
    }
#endif
