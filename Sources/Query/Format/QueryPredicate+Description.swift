extension QueryPredicate: CustomStringConvertible {
    /// The predicate in the format language.
    ///
    /// Parts nested deeper than ``greatestDepth`` print as an ellipsis, which does not parse. Otherwise it parses to an
    /// equal tree, except that AND and OR of no or one part print simplified, a list of constants as a constant list, a
    /// cast of a literal as its constant, and object IDs need a model to be constants again.
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
