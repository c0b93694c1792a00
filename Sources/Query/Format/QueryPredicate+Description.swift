extension QueryPredicate: CustomStringConvertible {
    /// The predicate in the format language.
    ///
    /// What is nested deeper than ``greatestDepth`` prints as an ellipsis, which does not parse.
    /// It parses to an equal tree, except that AND and OR of no or of one part print as what they mean, a list of constants as a constant
    /// list, a cast of a literal as the constant that it makes, and object IDs need a model to be constants again.
    public var predicateFormat: String {
        var printer = FormatPrinter()
        printer.print(self)
        return printer.text
    }

    public var description: String { predicateFormat }
}

extension QueryComparison: CustomStringConvertible {
    public var description: String {
        var printer = FormatPrinter()
        printer.print(self)
        return printer.text
    }
}

extension QueryExpression: CustomStringConvertible {
    /// The expression in the format language.
    public var description: String {
        var printer = FormatPrinter()
        printer.print(self)
        return printer.text
    }
}
