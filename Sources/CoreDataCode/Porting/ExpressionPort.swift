import StrataModelCode

/// Writes key paths for Objective-C as texts, and remarks on what has no counterpart without Objective-C.
struct ExpressionPort {
    private var cursor: TokenCursor
    private var conditions = ConditionStack()
    private let properties: KeyPathProperties
    private(set) var edits: [SourceEdit] = []
    private(set) var remarks: [SourceRemark] = []

    init(_ source: TokenizedSource, _ properties: KeyPathProperties) {
        cursor = TokenCursor(source)
        self.properties = properties
    }

    mutating func run() {
        while !cursor.isAtEnd {
            if cursor.kind == .directive {
                conditions.apply(cursor.text)
            } else if !conditions.isForObjectiveC {
                portToken()
            }
            cursor.advance()
        }
    }

    private func word(_ distance: Int) -> String? {
        let token = cursor.peek(distance)
        return token.kind == .word ? cursor.source.text(token) : nil
    }

    private mutating func remark(_ subject: String, _ remedy: String) {
        remarks.append(SourceRemark(place: cursor.source.place(cursor.token.range.lowerBound), subject: subject, remedy: remedy))
    }

    private mutating func portToken() {
        switch cursor.kind {
        case .mark("#"):
            switch word(1) {
            case "keyPath": portKeyPath()
            case "selector": remark("#selector", "call the function itself, or keep a closure that does")
            default: break
            }
        case .word:
            if cursor.isWord("import") { portImport() } else if cursor.isWord("as") { portCast() }
        default: break
        }
    }

    // MARK: - Key paths

    private mutating func portKeyPath() {
        guard cursor.peek(2).kind == .mark("(") else { return }
        let start = cursor.token.range.lowerBound
        var names: [String] = []
        var distance = 3
        while [.word, .quotedWord].contains(cursor.peek(distance).kind) {
            names.append(cursor.source.text(cursor.peek(distance)))
            distance += 1
            guard cursor.peek(distance).kind == .mark(".") else { break }
            distance += 1
        }
        guard cursor.peek(distance).kind == .mark(")"), let path = properties.keyPath(names) else {
            let path = names.joined(separator: ".")
            return remark("#keyPath(\(path))", "write the names of the properties as a text, as in \"\(names.last ?? "name")\"")
        }
        edits.append(SourceEdit(range: start..<cursor.peek(distance).range.upperBound, text: SwiftName.literal(path)))
    }

    // MARK: - Imports

    private static let remedies: [String: String] = [
        "AppKit": "views stay in a target of their own, or between '#if canImport(AppKit)' and '#endif'",
        "CloudKit": "there is no CloudKit: keep a local container, and what shares it between '#if canImport(CloudKit)' and '#endif'",
        "Cocoa": "views stay in a target of their own, or between '#if canImport(Cocoa)' and '#endif'; else 'import Foundation' is enough",
        "Combine": "observe notifications or asynchronous sequences, or put it between '#if canImport(Combine)' and '#endif'",
        "CoreSpotlight": "there is no Spotlight: put the index between '#if canImport(CoreSpotlight)' and '#endif'",
        "SwiftUI": "views stay in a target of their own, or between '#if canImport(SwiftUI)' and '#endif'",
        "UIKit": "views stay in a target of their own, or between '#if canImport(UIKit)' and '#endif'",
    ]

    private mutating func portImport() {
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
        guard let first = word(1), let module = kinds.contains(first) ? word(2) : first, let remedy = ExpressionPort.remedies[module] else {
            return
        }
        remark("import \(module)", remedy)
    }

    // MARK: - Casts

    private static let bridges: [String: String] = [
        "NSArray": "NSArray(array: value)", "NSData": "NSData(data: value)", "NSDate": "NSDate(timeInterval: 0, since: value)",
        "NSDecimalNumber": "NSDecimalNumber(decimal: value)", "NSDictionary": "NSDictionary(dictionary: value)",
        "NSError": "the cast of an error is the same: leave it out where 'any Error' does", "NSNumber": "NSNumber(value: value)",
        "NSOrderedSet": "NSOrderedSet(array: value)", "NSSet": "NSSet(set: value)", "NSString": "NSString(string: value)",
        "NSURL": "value.absoluteURL as a URL, or NSURL(string: value.absoluteString)", "NSUUID": "NSUUID(uuidString: value.uuidString)",
    ]

    private mutating func portCast() {
        let isForced = cursor.peek().kind == .mark("!") || cursor.peek().kind == .mark("?")
        guard let type = word(isForced ? 2 : 1) else { return }
        let next = isForced ? 3 : 2
        if type == "NSFetchRequest", cursor.peek(next).kind == .mark("<"), word(next + 1) == "NSFetchRequestResult" {
            return remark(
                "as NSFetchRequest<NSFetchRequestResult>",
                "leave the cast out: what takes such a request takes one for any class of objects")
        }
        guard !isForced, !isPattern, let remedy = ExpressionPort.bridges[type] else { return }
        let isCall = remedy.contains("(") && !remedy.contains(" as ")
        remark("as \(type)", isCall ? "make the object: \(remedy)" : remedy)
    }

    /// Whether a cast is part of a pattern, which asks for the type of an object.
    private var isPattern: Bool {
        var index = cursor.index
        while index > 0 {
            index -= 1
            let token = cursor.source.tokens[index]
            if token.kind == .word, ["case", "catch"].contains(cursor.source.text(token)) { return true }
            if token.startsLine || token.kind == .mark("=") || token.kind == .mark("{") { return false }
        }
        return false
    }
}
