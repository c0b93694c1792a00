import StrataModel
import StrataText

/// Coded as text of the format language. A tree deeper than ``QueryPredicate/greatestDepth`` is an `EncodingError`.
extension QueryPredicate: Codable {
    /// Parses the text that was encoded.
    ///
    /// Object IDs need a model under `queryModel` in the decoder's `userInfo`.
    ///
    /// - Throws: `DecodingError` where the text is no predicate.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeFormat { (format, model) throws(QueryFormatError) in
            try QueryPredicate(format: format, argumentArray: [], model: model)
        }
    }

    /// Writes the text of the predicate.
    ///
    /// - Throws: `EncodingError` for a tree deeper than ``greatestDepth``.
    public func encode(to encoder: any Encoder) throws {
        var printer = FormatPrinter()
        printer.print(self)
        try encoder.encode(self, printer)
    }
}

/// Coded as text of the format language. A tree deeper than ``QueryPredicate/greatestDepth`` is an `EncodingError`.
extension QueryExpression: Codable {
    /// Parses the text that was encoded.
    ///
    /// Object IDs need a model under `queryModel` in the decoder's `userInfo`.
    ///
    /// - Throws: `DecodingError` where the text is no expression.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeFormat { (format, model) throws(QueryFormatError) in
            try QueryExpression(format: format, argumentArray: [], model: model)
        }
    }

    /// Writes the text of the expression.
    ///
    /// - Throws: `EncodingError` for a tree deeper than ``QueryPredicate/greatestDepth``.
    public func encode(to encoder: any Encoder) throws {
        var printer = FormatPrinter()
        printer.print(self)
        try encoder.encode(self, printer)
    }
}

extension Encoder {
    fileprivate func encode(_ tree: some Sendable, _ printer: FormatPrinter) throws {
        if printer.isTruncated {
            let reason = "it is nested more than \(QueryPredicate.greatestDepth) levels deep, and would not be decoded"
            throw EncodingError.invalidValue(tree, .init(codingPath: codingPath, debugDescription: reason))
        }
        var container = singleValueContainer()
        try container.encode(printer.text)
    }
}

extension Decoder {
    fileprivate func decodeFormat<Tree>(
        _ parse: (String, ManagedObjectModel?) throws(QueryFormatError) -> Tree
    ) throws -> Tree {
        let container = try singleValueContainer()
        let model = CodingUserInfoKey.queryModel.flatMap { userInfo[$0] as? ManagedObjectModel }
        do {
            return try parse(try container.decode(String.self), model)
        } catch let error as QueryFormatError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: error.description, underlyingError: error))
        }
    }
}

/// Coded by its key path, its direction and the letters of its options.
extension QuerySort: Codable {
    private enum CodingKeys: String, CodingKey { case keyPath, ascending, options }

    /// Reads a sort key, ascending by default.
    ///
    /// - Throws: `DecodingError` where there is no key path, or an unknown option.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var options: QueryComparison.Options = []
        let parts = try container.decodeIfPresent(String.self, forKey: .options)?.split(separator: "@", maxSplits: 1) ?? []
        for letter in (parts.first ?? "").utf8 {
            guard let option = QueryComparison.Options(letter: letter) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .options, in: container, debugDescription: "expected the letters c, d, n, l and s")
            }
            options.insert(option)
        }
        if parts.count > 1 {
            guard let localized = options.inLocale(String(parts[1])) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .options, in: container, debugDescription: "the order of the locale \(parts[1]) needs the trait ICU")
            }
            options = localized
        }
        self.init(
            try container.decode(String.self, forKey: .keyPath),
            ascending: try container.decodeIfPresent(Bool.self, forKey: .ascending) ?? true, options)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keyPath, forKey: .keyPath)
        try container.encode(ascending, forKey: .ascending)
        if !options.letters.isEmpty { try container.encode(options.letters, forKey: .options) }
    }
}
