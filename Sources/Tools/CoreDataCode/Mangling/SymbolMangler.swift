import StrataModelCode

/// Mangles the symbols of members of types as the compiler does.
///
/// The rules are those of Swift's document on mangling: letters substitute repeated parts and words of identifiers.
struct SymbolMangler {
    /// A part of the symbol that later parts may refer to.
    private enum Substitution: Hashable {
        case identifier(String)
        case nominal(NominalName)
        case type(ResolvedType)
    }

    /// A substitution at the end of the symbol; an equal one after it is counted, another one merged.
    private struct Reference {
        var start: Int
        var length: Int
        var count: Int
        var isStandard: Bool
        var letters: String
    }

    private var symbol: [UInt8] = Array("$s".utf8)
    private var substitutions: [Substitution: Int] = [:]
    private var words: [Range<Int>] = []
    private var last: Reference?

    /// Begins the symbols of a type's members, which a module declares.
    init(in context: NominalName, extendedIn module: String?) { append(context, extendedIn: module) }

    func accessors(of property: String, discriminator: String?, type: ResolvedType) -> (getter: String, setter: String) {
        var mangler = self
        mangler.append(member: property, discriminator)
        // A function has a list of labels, a type has none.
        if case .function(let function) = type, !function.parameters.isEmpty { mangler.append("y") }
        mangler.append(type)
        let stem = String(decoding: mangler.symbol, as: UTF8.self)
        return (stem + "vg", stem + "vs")
    }

    func function(
        _ name: String, discriminator: String?, labels: [String?], parameters: [ResolvedType], result: ResolvedType?
    ) -> String {
        var mangler = self
        mangler.append(member: name, discriminator)
        if labels.contains(where: { $0 != nil }) {
            for label in labels { if let label { mangler.append(identifier: label) } else { mangler.append("_") } }
        } else if !labels.isEmpty {
            mangler.append("y")
        }
        mangler.append(signature: parameters, result ?? .tuple([]), isLabelled: labels.contains { $0 != nil })
        mangler.append("F")
        return String(decoding: mangler.symbol, as: UTF8.self)
    }

    // MARK: - Contexts

    private mutating func append(_ text: String) { symbol += text.utf8 }

    private mutating func append(_ context: NominalName, extendedIn module: String?) {
        append(context)
        guard let module, module != context.module else { return }
        append(module: module)
        append("E")
    }

    private mutating func append(member name: String, _ discriminator: String?) {
        append(identifier: name)
        guard let discriminator else { return }
        append(identifier: discriminator)
        append("LL")
    }

    private mutating func append(module: String) { if module == "Swift" { append("s") } else { append(identifier: module) } }

    /// Appends a type without its generic arguments.
    private mutating func append(_ name: NominalName) {
        if appendStandard(name) || refer(to: .nominal(name)) { return }
        appendPath(name)
        append(name.kind.rawValue)
        remember(.nominal(name))
    }

    private mutating func appendPath(_ name: NominalName) {
        if let parent = name.parent { append(parent, extendedIn: name.steps.last?.extensionModule) } else { append(module: name.module) }
        append(identifier: name.steps.last?.name ?? "")
    }

    /// Appends a protocol of an existential: as its type, but without the letter of its kind and without substitution.
    private mutating func append(protocol name: NominalName) { if !appendStandard(name) { appendPath(name) } }

    private mutating func appendStandard(_ name: NominalName) -> Bool {
        guard let letters = StandardNames.letters(of: name) else { return false }
        append(reference: letters, isStandard: true)
        return true
    }

    // MARK: - Types

    private mutating func append(_ type: ResolvedType) {
        switch type {
        case .nominal(let name, let arguments):
            guard arguments.contains(where: { !$0.isEmpty }) else { return append(name) }
            if refer(to: .type(type)) { return }
            append(name)
            append("y")
            for (index, list) in arguments.enumerated() {
                if index > 0 { append("_") }
                for argument in list { append(argument) }
            }
            append("G")
            remember(.type(type))
        case .optional(let wrapped):
            if refer(to: .type(type)) { return }
            append(wrapped)
            append("Sg")
            remember(.type(type))
        case .tuple(let elements):
            if elements.isEmpty { append("y") } else { append(list: elements) }
            append("t")
        case .function(let function):
            append(signature: function.parameters, function.result)
            if function.isSendable { append("Yb") }
            if function.isThrowing { append("K") }
            if function.isOnMainActor {
                append(reference: "cM", isStandard: true)
                append("Yc")
            }
            append(function.isEscaping ? "c" : "XE")
        case .existential(let protocols, let superclass, let isObject):
            if protocols.isEmpty { append("y") }
            for (index, name) in protocols.enumerated() {
                append(protocol: name)
                if index == 0 { append("_") }
            }
            if let superclass { append(superclass) }
            append(superclass != nil ? "Xc" : isObject ? "Xl" : "p")
        case .metatype(let instance):
            append(instance)
            append("m")
        case .existentialMetatype(let instance):
            append(instance)
            append("Xp")
        }
    }

    private mutating func append(list elements: [ResolvedType.Element]) {
        for (index, element) in elements.enumerated() {
            append(element.type)
            if let label = element.label { append(identifier: label) }
            if index == 0 { append("_") }
        }
    }

    private mutating func append(signature parameters: [ResolvedType], _ result: ResolvedType, isLabelled: Bool = false) {
        if result == .tuple([]) { append("y") } else { append(result) }
        if parameters.isEmpty { return append("y") }
        if parameters.count == 1, !isLabelled {
            guard case .tuple = parameters[0] else { return append(parameters[0]) }
        }
        append(list: parameters.map { ResolvedType.Element(label: nil, type: $0) })
        append("t")
    }

    // MARK: - References

    private mutating func remember(_ substitution: Substitution) { substitutions[substitution] = substitutions.count }

    private mutating func refer(to substitution: Substitution) -> Bool {
        guard let index = substitutions[substitution] else { return false }
        if index >= 26 {
            append("A" + (index == 26 ? "" : String(index - 27)) + "_")
        } else {
            append(reference: String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index))), isStandard: false)
        }
        return true
    }

    /// Appends a substitution: `S` and the letters of a standard type, or `A` and the letter of an earlier part;
    /// adjacent ones share the first letter.
    private mutating func append(reference letters: String, isStandard: Bool) {
        if var reference = last, reference.start + reference.length == symbol.count, reference.isStandard == isStandard {
            if reference.letters == letters, reference.count < 2048 {
                reference.count += 1
                symbol.removeSubrange(reference.start...)
                append(String(reference.count) + letters)
                reference.length = symbol.count - reference.start
                last = reference
                return
            }
            if !isStandard {
                symbol.removeLast()
                append(reference.letters.lowercased())
                last = Reference(start: symbol.count, length: 1, count: 1, isStandard: false, letters: letters)
                append(letters)
                return
            }
        }
        append(isStandard ? "S" : "A")
        last = Reference(start: symbol.count, length: letters.utf8.count, count: 1, isStandard: isStandard, letters: letters)
        append(letters)
    }

    // MARK: - Identifiers

    private mutating func append(identifier: String) {
        if refer(to: .identifier(identifier)) { return }
        remember(.identifier(identifier))
        let text = Array(identifier.utf8)
        guard text.allSatisfy(SymbolMangler.isPlain) else {
            // Identifiers that need backticks have them in the symbol, and no spaces.
            let raw = "`\(String(identifier.map { $0 == " " ? "\u{A0}" : $0 }))`"
            let encoded = Punycode.encode(SwiftName.isPlain(identifier) ? identifier : raw)
            append("00\(encoded.utf8.count)")
            if let first = encoded.utf8.first, first == UInt8(ascii: "_") || SymbolMangler.isDigit(first) { append("_") }
            return append(encoded)
        }
        let (references, newWords) = divide(text)
        if !references.isEmpty { append("0") }
        // The offsets in the symbol of the written letters of the identifier.
        var starts: [Int: Int] = [:]
        var offset = 0
        for (index, reference) in references.enumerated() {
            appendPart(text[offset..<reference.start], &starts)
            offset = reference.start + words[reference.word].count
            let isLast = index == references.count - 1
            symbol.append(UInt8(ascii: isLast ? "A" : "a") + UInt8(reference.word))
            if isLast, offset == text.count { append("0") }
        }
        appendPart(text[offset...], &starts)
        for (word, range) in newWords {
            guard let start = starts[range.lowerBound] else { continue }
            words[word] = start..<start + range.count
        }
    }

    private mutating func appendPart(_ part: ArraySlice<UInt8>, _ starts: inout [Int: Int]) {
        guard !part.isEmpty else { return }
        append(String(part.count))
        for index in part.indices {
            starts[index] = symbol.count
            symbol.append(part[index])
        }
    }

    /// Finds the words of an identifier that the symbol contains already, and adds new ones.
    private mutating func divide(_ text: [UInt8]) -> (references: [(start: Int, word: Int)], new: [Int: Range<Int>]) {
        let known = words.count
        var references: [(start: Int, word: Int)] = []
        var new: [Int: Range<Int>] = [:]
        var wordStart: Int?
        for index in 0...text.count {
            if let start = wordStart, isWordEnd(text, index) {
                let word = text[start..<index]
                let match =
                    words[..<known].firstIndex { symbol[$0].elementsEqual(word) }
                    ?? (known..<words.count).first { text[new[$0] ?? 0..<0].elementsEqual(word) }
                if let match {
                    references.append((start, match))
                } else if word.count >= 2, words.count < 26 {
                    new[words.count] = start..<index
                    words.append(start..<index)
                }
                wordStart = nil
            }
            if wordStart == nil, index < text.count, !SymbolMangler.isDigit(text[index]), text[index] != UInt8(ascii: "_") {
                wordStart = index
            }
        }
        return (references, new)
    }

    private func isWordEnd(_ text: [UInt8], _ index: Int) -> Bool {
        guard index < text.count, text[index] != UInt8(ascii: "_") else { return true }
        return SymbolMangler.isUpper(text[index]) && !SymbolMangler.isUpper(text[index - 1])
    }

    private static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Returns whether symbols contain a byte unescaped.
    private static func isPlain(_ byte: UInt8) -> Bool {
        isDigit(byte) || isUpper(byte) || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$")
    }
}
