import StrataModel
import StrataText

/// A tree that is coded as text of the format language; one deeper than ``QueryPredicate/greatestDepth`` is an
/// `EncodingError`.
protocol FormatCodable: Codable, Sendable {
    init(format: String, argumentArray arguments: [(any QueryArgument)?], model: ManagedObjectModel?) throws(QueryFormatError)
    func print(to printer: inout FormatPrinter)
}

extension FormatCodable {
    /// Parses the text that was encoded.
    ///
    /// Object IDs need a model under `queryModel` in the decoder's `userInfo`.
    ///
    /// - Throws: `DecodingError` where the text is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let model = CodingUserInfoKey.queryModel.flatMap { decoder.userInfo[$0] as? ManagedObjectModel }
        do {
            try self.init(format: try container.decode(String.self), argumentArray: [], model: model)
        } catch let error as QueryFormatError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error))
        }
    }

    /// Writes the text of the tree.
    ///
    /// - Throws: `EncodingError` for a tree deeper than ``QueryPredicate/greatestDepth``.
    public func encode(to encoder: any Encoder) throws {
        var printer = FormatPrinter()
        print(to: &printer)
        if printer.isTruncated {
            let reason = "it is nested more than \(QueryPredicate.greatestDepth) levels deep, and would not be decoded"
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
        }
        var container = encoder.singleValueContainer()
        try container.encode(printer.text)
    }
}

extension QueryPredicate: FormatCodable {
    func print(to printer: inout FormatPrinter) { printer.print(self) }
}

extension QueryExpression: FormatCodable {
    func print(to printer: inout FormatPrinter) { printer.print(self) }
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
        func corrupted(_ what: String) -> DecodingError {
            .dataCorruptedError(forKey: .options, in: container, debugDescription: what)
        }
        for letter in (parts.first ?? "").utf8 {
            guard let option = QueryComparison.Options(letter: letter) else { throw corrupted("expected the letters c, d, n, l and s") }
            options.insert(option)
        }
        if let locale = parts.dropFirst().first {
            guard let localized = options.inLocale(String(locale)) else {
                throw corrupted("the order of the locale \(locale) needs the trait ICU")
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
