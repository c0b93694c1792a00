import StrataModelCode

extension ResolvedType {
    /// Returns the type as Swift code in a module, with the modules of names that `qualifies` selects.
    func code(in module: String, qualifies: (String) -> Bool) -> String {
        func code(_ type: ResolvedType) -> String { type.code(in: module, qualifies: qualifies) }
        switch self {
        case .nominal(let name, let arguments):
            if name.module == "Swift", let argument = arguments.last {
                if name.path == "Array", argument.count == 1 { return "[\(code(argument[0]))]" }
                if name.path == "Dictionary", argument.count == 2 { return "[\(code(argument[0])): \(code(argument[1]))]" }
            }
            let parts = zip(name.steps, arguments).map { step, arguments in
                let list = arguments.isEmpty ? "" : "<\(arguments.map(code).joined(separator: ", "))>"
                return (SwiftName.identifier(step.name) ?? step.name) + list
            }
            return prefix(name, module, qualifies) + parts.joined(separator: ".")
        case .optional(let wrapped): return (wrapped.needsParentheses ? "(\(code(wrapped)))" : code(wrapped)) + "?"
        case .tuple(let elements):
            let parts = elements.map { element in (element.label.map { "\(SwiftName.identifier($0) ?? $0): " } ?? "") + code(element.type) }
            return "(\(parts.joined(separator: ", ")))"
        case .function(let function):
            var text = (function.isSendable ? "@Sendable " : "") + (function.isOnMainActor ? "@MainActor " : "")
            let parameters = function.parameters.map { type -> String in
                if case .function(let inner) = type, inner.isEscaping { return "@escaping " + code(type) }
                return code(type)
            }
            text += "(\(parameters.joined(separator: ", ")))\(function.isThrowing ? " throws" : "") -> \(code(function.result))"
            return text
        case .existential(let protocols, let superclass, let isObject):
            let names = (superclass.map { [code($0)] } ?? []) + protocols.map { prefix($0, module, qualifies) + $0.path }
            if names.isEmpty { return isObject ? "AnyObject" : "Any" }
            return "any " + (names + (isObject ? ["AnyObject"] : [])).joined(separator: " & ")
        case .metatype(let type): return (type.needsParentheses ? "(\(code(type)))" : code(type)) + ".Type"
        case .existentialMetatype(let type):
            let text = code(type)
            return text.hasPrefix("any ") ? "any (\(text.dropFirst(4))).Type" : "any \(text).Type"
        }
    }

    private var needsParentheses: Bool {
        switch self {
        case .function, .existentialMetatype: true
        case .existential(let protocols, let superclass, _): !protocols.isEmpty || superclass != nil
        default: false
        }
    }

    private func prefix(_ name: NominalName, _ module: String, _ qualifies: (String) -> Bool) -> String {
        guard name.module != module, let first = name.steps.first, qualifies(first.name) else { return "" }
        return (name.module == "FoundationEssentials" ? "Foundation" : name.module) + "."
    }
}
