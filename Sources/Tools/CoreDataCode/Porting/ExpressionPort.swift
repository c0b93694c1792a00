/// Changes expressions that need Objective-C, and adds remarks on those without counterpart.
struct ExpressionPort {
    /// What a file uses of Apple's systems beyond single expressions.
    struct AppleUses {
        /// Whether the file calls an Objective-C function that can be declared in it.
        var needsPool = false
        /// Whether the file looks classes up by name.
        var needsClasses = false
        /// The modules of Apple's systems of which the file uses a name; there is a remark on the first one.
        var modules: Set<String> = []
        /// The types of CoreData that the file names, and those of them that are ambiguous where they are types.
        var coreDataNames: Set<String> = []
        var ambiguousTypes: Set<String> = []
    }

    var cursor: TokenCursor
    private var conditions = ConditionStack()
    let properties: KeyPathProperties
    private let imports: Set<String>
    let declared: Set<String>
    /// The functions that protocols of the module require optionally.
    let optionalRequirements: Set<String>
    /// The selectors of constants that only observers name, by the names of the constants.
    private(set) var selectorConstants: [String: Range<Int>] = [:]
    /// Whether the file observes with closures where it has a selector on Apple's systems.
    var observesWithClosures = false
    var edits: [SourceEdit] = []
    private(set) var remarks: [SourceRemark] = []
    private(set) var uses = AppleUses()
    private var noted: Set<String> = []

    /// - Parameters:
    ///   - declarations: The declarations of the file, whose names are not Apple's.
    ///   - types: The types of the module, likewise.
    ///   - optional: The functions that protocols of the module require optionally.
    init(
        _ source: TokenizedSource, _ declarations: SourceDeclarations, _ types: Set<String>, optional: Set<String>,
        _ properties: KeyPathProperties
    ) {
        cursor = TokenCursor(source: source)
        optionalRequirements = optional
        self.properties = properties
        imports = Set(declarations.imports.map(\.module))
        declared = types.union(declarations.types.map(\.name))
        selectorConstants = source.selectorConstants
    }

    mutating func run() {
        var interpolations = cursor.source.interpolations[...]
        while !cursor.isAtEnd {
            if cursor.kind == .directive {
                conditions.apply(cursor.text)
            } else if !conditions.isForObjectiveC {
                portToken()
                if cursor.kind == .literal {
                    let end = cursor.token.range.upperBound
                    let inside = interpolations.prefix { $0.upperBound <= end }.filter { cursor.token.range.contains($0.lowerBound) }
                    interpolations = interpolations.drop { $0.upperBound <= end }
                    let outer = cursor
                    for range in inside {
                        cursor = TokenCursor(source: TokenizedSource(outer.source, range))
                        run()
                    }
                    cursor = outer
                }
            }
            cursor.advance()
        }
    }

    func word(_ distance: Int) -> String? {
        let token = cursor.peek(distance)
        return token.kind == .word ? cursor.source.text(token) : nil
    }

    /// Returns names with dots between them, and the index after them.
    func names(in range: Range<Int>) -> (names: [String], end: Int) {
        let tokens = cursor.source.tokens
        var names: [String] = []
        var index = range.lowerBound
        while index < range.upperBound, tokens[index].isName {
            names.append(cursor.source.text(tokens[index]))
            index += 1
            if index < range.upperBound, tokens[index].kind == .mark("<") {
                var reader = TokenCursor(source: cursor.source, index: index)
                reader.skipAngles()
                index = reader.index
            }
            guard index < range.upperBound, tokens[index].kind == .mark(".") else { break }
            index += 1
        }
        return (names, index)
    }

    /// The token before the cursor's; `nil` at the beginning.
    var previous: SourceToken? { cursor.index > 0 ? cursor.source.tokens[cursor.index - 1] : nil }

    mutating func remark(_ subject: String, _ remedy: String) {
        remarks.append(SourceRemark(location: cursor.location, subject: subject, remedy: remedy))
    }

    private mutating func portToken() {
        switch cursor.kind {
        case .mark("#"):
            switch word(1) {
            case "keyPath": portKeyPath()
            case "selector": portSelector()
            default: break
            }
        case .mark("@"):
            if word(1) == "objc", cursor.peek(2).kind == .mark("(") {
                // An Objective-C name is not used by the file.
                cursor.advance()
                cursor.advance()
                while !cursor.isAtEnd, cursor.peek().kind != .mark(")") { cursor.advance() }
            } else if word(1) == "convention", word(3) == "block" {
                remark("@convention(block)", "there are no blocks of Objective-C: use a function's type without it")
            }
        case .mark("?"): portOptionalCall()
        case .word: portWord()
        default: break
        }
    }

    private mutating func portWord() {
        let name = cursor.text
        switch name {
        case "as": return portCast()
        case "autoreleasepool" where previous?.kind != .mark(".") && [.mark("{"), .mark("(")].contains(cursor.peek().kind):
            uses.needsPool = uses.needsPool || previous.map(cursor.source.text) != "func"
            return
        case "CFAbsoluteTimeGetCurrent" where cursor.peek().kind == .mark("(") && cursor.peek(2).kind == .mark(")"):
            edits.append(
                SourceEdit(
                    range: cursor.token.range.lowerBound..<cursor.peek(2).range.upperBound, text: "Date.timeIntervalSinceReferenceDate"))
            return
        case "classForCoder" where isMember && cursor.peek().kind == .mark("(") && cursor.peek(2).kind == .mark(")"):
            // Of a class, it is the class itself.
            edits.append(SourceEdit(range: cursor.token.range.lowerBound..<cursor.peek(2).range.upperBound, text: "self"))
            return
        case "Foundation" where cursor.peek().kind == .mark(".") && word(2).map(CoreDataNames.isFoundations) == true:
            return portQualifiedName()
        case "CFAbsoluteTime" where isType, "CFTimeInterval" where isType:
            edits.append(SourceEdit(range: cursor.token.range, text: "TimeInterval"))
            return
        case "NSEC_PER_SEC" where isConstant, "NSEC_PER_MSEC" where isConstant, "USEC_PER_SEC" where isConstant:
            edits.append(SourceEdit(range: cursor.token.range, text: name == "NSEC_PER_SEC" ? "1_000_000_000" : "1_000_000"))
            return
        case "willChangeValue" where isCall(withLabel: "for"), "didChangeValue" where isCall(withLabel: "for"):
            return remark(name, "write the property's key as a text: '\(name)(forKey:)'")
        case "NSClassFromString" where cursor.peek().kind == .mark("("):
            uses.needsClasses = uses.needsClasses || previous.map(cursor.source.text) != "func" && !isMember
            return
        case "removeObserver" where observesWithClosures && isMember && word(2) == "self":
            return remark(name, "also remove what 'addObserver(forName:object:queue:using:)' returns, where there is no Objective-C")
        case "containerURL" where !isCall(withLabel: "forSecurityApplicationGroupIdentifier"): return
        case "addObserver" where portObserver(): return
        case "observe", "addObserver":
            if let remedy = observingRemedy(name) { remark(name, remedy) }
            return
        case "notifications" where isMember && isCall(withLabel: "named"), "publisher" where isMember && isCall(withLabel: "for"):
            return remark(name, "observe with a closure: 'addObserver(forName:object:queue:using:)'")
        default: noteType(name)
        }
        if let remedy = UnavailableNames.remedy(name), !declared.contains(name) {
            if noted.insert(name).inserted { remark(name, remedy) }
            return
        }
        guard previous?.kind != .mark("."), cursor.peek().kind != .mark(":"), !declared.contains(name),
            let module = AppleModules.module(ofName: name), imports(module), let remedy = AppleModules.remedy(module),
            previous?.kind != .word || previous.map(cursor.source.text) != "import"
        else { return }
        if uses.modules.insert(module).inserted { remark(name, remedy) }
    }

    /// Removes Foundation's name before a type that is the module CoreData's without Objective-C.
    private mutating func portQualifiedName() {
        guard !isMember, let type = word(2), !declared.contains(type) else { return }
        edits.append(SourceEdit(range: cursor.token.range.lowerBound..<cursor.peek(2).range.lowerBound, text: ""))
        cursor.advance()
        cursor.advance()
        uses.coreDataNames.insert(type)
        if CoreDataNames.ambiguous.contains(type) { uses.ambiguousTypes.insert(type) }
    }

    /// Records a type that the module CoreData has without Objective-C.
    private mutating func noteType(_ name: String) {
        guard CoreDataNames.contains(name), isType, !["case", "func", "let", "var"].contains(previous.map(cursor.source.text)) else {
            return
        }
        uses.coreDataNames.insert(name)
        guard CoreDataNames.ambiguous.contains(name) else { return }
        // Overload resolution finds the right one for calls, and for members; a nested type is of either.
        let next = cursor.peek()
        let isCall = next.kind == .mark("(") && !next.startsLine
        let hasMember = next.kind == .mark(".") && word(2)?.first?.isLowercase == true && word(2) != "self"
        if !isCall, !hasMember { uses.ambiguousTypes.insert(name) }
    }

    /// Whether the name is neither declared by the target nor a member.
    private var isType: Bool { previous?.kind != .mark(".") && !declared.contains(cursor.text) }

    /// Whether the name is a constant of a framework, and no declaration of one's own.
    private var isConstant: Bool { !isMember && !["let", "var"].contains(previous.map(cursor.source.text)) }

    private var isMember: Bool { previous?.kind == .mark(".") }

    /// Returns whether a function is called with an argument of this label.
    private func isCall(withLabel label: String) -> Bool {
        cursor.peek().kind == .mark("(") && word(2) == label && cursor.peek(3).kind == .mark(":")
    }

    private func imports(_ module: String) -> Bool {
        switch module {
        case "os": !imports.isDisjoint(with: ["os", "OSLog"])
        case "AppKit": !imports.isDisjoint(with: ["AppKit", "Cocoa"])
        case "UIKit", "Combine": !imports.isDisjoint(with: [module, "SwiftUI"])
        default: imports.contains(module)
        }
    }

    private func observingRemedy(_ name: String) -> String? {
        guard previous?.kind == .mark("."), cursor.peek().kind == .mark("(") else { return nil }
        if name == "observe" { return cursor.peek(2).kind == .mark("\\") ? UnavailableNames.remedy("observeValue") : nil }
        var reader = cursor
        reader.advance()
        let start = reader.index
        reader.skipBalanced()
        let isByKey = cursor.source.tokens[start..<reader.index].contains { $0.kind == .word && cursor.source.text($0) == "forKeyPath" }
        return isByKey ? UnavailableNames.remedy("observeValue") : nil
    }
}
