#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// Begins a designated initialiser of a model class by creating the object's storage, which accessors need.
    struct ModelInitializerMacro: BodyMacro {
        static func expansion(
            of node: AttributeSyntax, providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
            in context: some MacroExpansionContext
        ) throws -> [CodeBlockItemSyntax] {
            guard let body = declaration.body else { return [] }
            let statements = Array(body.statements)
            guard let call = statements.firstIndex(where: isSuperCall) else { return ["super.init(ObjectOrigin.new)"] + statements }
            let before = statements[..<call]
            guard let initializer = declaration.as(InitializerDeclSyntax.self) else { return statements }
            let assignments = PropertyAssignments(in: initializer)
            return before.filter { !assignments.isFound(in: $0) } + [statements[call]] + before.filter(assignments.isFound)
                + statements[(call + 1)...]
        }

        /// Returns whether an initialiser assigns properties before `super.init`, or lacks that call.
        static func isNeeded(by initializer: InitializerDeclSyntax) -> Bool {
            guard let body = initializer.body, !initializer.modifiers.contains(where: { $0.name.tokenKind == .keyword(.convenience) })
            else {
                return false
            }
            if let call = body.statements.firstIndex(where: isSuperCall) {
                return body.statements[..<call].contains(where: PropertyAssignments(in: initializer).isFound)
            }
            let finder = InitializerCallFinder(viewMode: .sourceAccurate)
            finder.walk(body)
            return !finder.isFound
        }

        private static func isSuperCall(_ statement: CodeBlockItemSyntax) -> Bool {
            var expression = statement.item.as(ExprSyntax.self)
            if let tried = expression?.as(TryExprSyntax.self) { expression = tried.expression }
            return expression?.as(FunctionCallExprSyntax.self)?.calledExpression.as(MemberAccessExprSyntax.self)?.base?.is(
                SuperExprSyntax.self)
                == true
        }
    }

    /// Distinguishes assignments to properties of the object, with or without `self`, from those to local names.
    private struct PropertyAssignments {
        private let locals: Set<String>

        init(in initializer: InitializerDeclSyntax) {
            let finder = LocalNameFinder(viewMode: .sourceAccurate)
            finder.walk(initializer)
            locals = finder.names
        }

        func isFound(in statement: CodeBlockItemSyntax) -> Bool {
            let finder = AssignmentFinder(viewMode: .sourceAccurate)
            finder.walk(statement)
            return finder.targets.contains { target in
                guard let name = PropertyAssignments.root(of: target)?.as(DeclReferenceExprSyntax.self)?.baseName else { return false }
                return name.tokenKind == .keyword(.self) || !locals.contains(name.plainText)
            }
        }

        /// Returns the root of an expression: `self` of `self.address.street`.
        private static func root(of expression: ExprSyntax) -> ExprSyntax? {
            if let member = expression.as(MemberAccessExprSyntax.self) { return member.base.flatMap(root) }
            if let element = expression.as(SubscriptCallExprSyntax.self) { return root(of: element.calledExpression) }
            if let optional = expression.as(OptionalChainingExprSyntax.self) { return root(of: optional.expression) }
            if let unwrapped = expression.as(ForceUnwrapExprSyntax.self) { return root(of: unwrapped.expression) }
            return expression
        }
    }

    /// Finds the names of parameters and local declarations.
    private final class LocalNameFinder: SyntaxVisitor {
        var names: Set<String> = ["_"]

        override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
            names.insert((node.secondName ?? node.firstName).plainText)
            return .visitChildren
        }

        override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
            names.insert(node.identifier.plainText)
            return .visitChildren
        }
    }

    private final class AssignmentFinder: SyntaxVisitor {
        var targets: [ExprSyntax] = []

        override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
            let elements = Array(node.elements)
            if elements.count > 2, AssignmentFinder.isAssignment(elements[1]) { targets.append(elements[0]) }
            return .visitChildren
        }

        override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
            if AssignmentFinder.isAssignment(node.operator) { targets.append(node.leftOperand) }
            return .visitChildren
        }

        private static func isAssignment(_ expression: ExprSyntax) -> Bool {
            if expression.is(AssignmentExprSyntax.self) { return true }
            guard let text = expression.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
            return text.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!==", "~="].contains(text)
        }
    }

    /// Finds calls of `super.init` and `self.init`.
    private final class InitializerCallFinder: SyntaxVisitor {
        var isFound = false

        override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
            let isInitializer = node.declName.baseName.tokenKind == .keyword(.`init`)
            let base = node.base
            if isInitializer, base?.is(SuperExprSyntax.self) == true || base?.trimmedDescription == "self" { isFound = true }
            return .visitChildren
        }
    }
#endif
