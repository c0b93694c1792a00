import StrataModel
import StrataQuery

/// The arguments of a format: values are inserted into the text's tree, collections, objects and expressions by an
/// unwritable variable, so that they keep their identity.
struct FormatArguments {
    private let arguments: [Any]

    init(_ arguments: [Any]) { self.arguments = arguments }

    func predicate(_ format: String) -> NSPredicate {
        do {
            let tree = try QueryPredicate(format: FetchFormat.parsable(format), argumentArray: placeholders)
            return PredicateMaker(arguments: arguments).predicate(tree)
        } catch { refuse(format, error) }
    }

    func expression(_ format: String) -> NSExpression {
        do {
            let tree = try QueryExpression(format: FetchFormat.parsable(format), argumentArray: placeholders)
            return PredicateMaker(arguments: arguments).expression(tree)
        } catch { refuse(format, error) }
    }

    private func refuse(_ format: String, _ error: any Error) -> Never {
        programmerError("Unable to parse the format string \"\(format)\": \(error)")
    }

    private var placeholders: [(any QueryArgument)?] {
        var builder = TreeBuilder()
        return arguments.map { argument in
            // Also for values, so that the indexes are those of the arguments.
            let variable = builder.placeholder(for: argument)
            switch Operand(argument) {
            case .value(.list), .list, .object: return ExpressionArgument(queryExpression: variable)
            // It prints as itself.
            case .value(.null) where argument is NSNull: return ExpressionArgument(queryExpression: variable)
            case .value(let value): return ExpressionArgument(queryExpression: .constant(value))
            }
        }
    }
}

/// An expression as the value of a placeholder or a variable.
struct ExpressionArgument: QueryArgument {
    let queryExpression: QueryExpression
}
