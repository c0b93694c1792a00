public import StrataModel

extension QueryPredicate {
    /// The greatest height of a tree that is parsed or resolved; a chain of AND, OR, or operators of one precedence is
    /// one level.
    ///
    /// Formats may be nested twice as deep, as each level may be in parentheses.
    ///
    /// Chosen so that parsing, comparing, printing, resolving and evaluating stay within a stack of 512 KB, in debug
    /// builds of 1 MB.
    public static let greatestDepth = 128

    /// The predicate that a text of the format language spells.
    ///
    /// ```swift
    /// try QueryPredicate(format: "age >= %d AND name BEGINSWITH[cd] %@", 18, "A")
    /// ```
    /// - Parameters:
    ///   - format: The text; the guide “The predicate format language” describes it.
    ///   - arguments: The values of the placeholders, in order. Those without a placeholder are passed over.
    ///   - model: The model whose object IDs `CAST("x-coredata://…", "NSManagedObjectID")` spells as constants; without
    ///     one the cast stays a function, which a fetch computes.
    /// - Throws: ``QueryFormatError``, also where an argument is missing or not of the placeholder's kind.
    /// - Complexity: O(n) in the length of the text.
    public init(format: String, _ arguments: (any QueryArgument)?..., model: ManagedObjectModel? = nil) throws(QueryFormatError) {
        try self.init(format: format, argumentArray: arguments, model: model)
    }

    /// Creates the predicate that a text of the format language spells, with its arguments in an array.
    ///
    /// - Throws: ``QueryFormatError``.
    public init(
        format: String, argumentArray arguments: [(any QueryArgument)?], model: ManagedObjectModel? = nil
    ) throws(QueryFormatError) {
        var parser = FormatParser(format, arguments, model)
        do { self = try parser.wholeCondition() } catch { throw QueryFormatError(error, in: format) }
    }
}

extension QueryExpression {
    /// Creates the expression that a text of the format language spells: `@sum.sold`, `price * (1 + taxRate)`.
    ///
    /// - Throws: ``QueryFormatError``.
    public init(format: String, _ arguments: (any QueryArgument)?..., model: ManagedObjectModel? = nil) throws(QueryFormatError) {
        try self.init(format: format, argumentArray: arguments, model: model)
    }

    /// Creates the expression that a text of the format language spells, with its arguments in an array.
    ///
    /// - Throws: ``QueryFormatError``.
    public init(
        format: String, argumentArray arguments: [(any QueryArgument)?], model: ManagedObjectModel? = nil
    ) throws(QueryFormatError) {
        var parser = FormatParser(format, arguments, model)
        do { self = try parser.wholeValue() } catch { throw QueryFormatError(error, in: format) }
    }
}

extension QueryFormatError {
    init(_ failure: FormatFailure, in format: String) {
        self.init(format: format, utf8Offset: failure.offset, expected: failure.expected, found: failure.found)
    }
}
