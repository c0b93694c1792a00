import StrataEvaluation
import StrataModel

extension Operand {
    /// Returns the value of a key path: properties, one after the other, and collection operators such as `@count`.
    func value(forKeyPath path: String) -> Operand { value(forKeys: path.split(separator: ".")[...]) }

    private func value(forKeys keys: ArraySlice<Substring>) -> Operand {
        guard let key = keys.first else { return self }
        if isNull { return key.hasPrefix("@") ? Operand.none(of: String(key)) : .null }
        let rest = keys.dropFirst()
        if key.hasPrefix("@"), let elements {
            let name = String(key.dropFirst())
            guard Operand.collect(name, []) != nil else {
                programmerError("[valueForKeyPath:]: this class does not implement the \(name) operation.")
            }
            // The keys after an operator with several results apply to these, unless one is an operator itself.
            let end = name.contains("nion") ? rest.firstIndex { $0.hasPrefix("@") } ?? rest.endIndex : rest.endIndex
            let result = Operand.collect(name, elements.map { $0.value(forKeys: rest[..<end]) }) ?? .null
            return result.value(forKeys: rest[end...])
        }
        return value(forKey: key.hasPrefix("@") ? String(key.dropFirst()) : String(key)).value(forKeys: rest)
    }

    /// Returns the value of one key, of each element if there are several.
    private func value(forKey key: String) -> Operand {
        if key == "self" || key == "SELF" { return self }
        switch self {
        case .value(.null): return .null
        case .value(.list), .list: return elementValues(forKey: key)
        case .value(let value): return value.value(forKey: key).map { .value($0) } ?? undefined(key, any ?? NSNull())
        case .object(let any):
            if let property = Operand.property(key, of: any) { return property }
            if let keyed = any as? any KeyedValues { return Operand(keyed.member(key)) }
            guard let child = Operand.reflected(key, in: Mirror(reflecting: any)) else { return undefined(key, any) }
            return Operand(child)
        }
    }

    private func elementValues(forKey key: String) -> Operand {
        let elements = elements ?? []
        // The number of texts or numbers, which have no such property themselves.
        if key == "count", !elements.contains(where: { if case .object = $0 { true } else { $0.elements != nil } }) {
            return .value(.int(Int64(elements.count)))
        }
        return Operand(list: elements.map { $0.value(forKey: key) })
    }

    /// Returns a stored property by its name.
    private static func reflected(_ key: String, in mirror: Mirror) -> Any?? {
        var mirror: Mirror? = mirror
        while let current = mirror {
            // Wrapped and `lazy` properties are stored under other names.
            for child in current.children where [key, "_" + key, "$__lazy_storage_$_" + key].contains(child.label) {
                return .some(child.value)
            }
            mirror = current.superclassMirror
        }
        return nil
    }

    private func undefined(_ key: String, _ any: Any) -> Operand {
        programmerError("[<\(type(of: any))> valueForUndefinedKey:]: this class is not key value coding-compliant for the key \(key).")
    }
}

extension Value {
    /// Returns the value of a key of Foundation's classes; `nil` for unknown keys.
    fileprivate func value(forKey key: String) -> Value? {
        switch (self, key) {
        case (_, "description"), (_, "stringValue"): text.map { .string($0) } ?? .string(description)
        case (.string(let text), _): Value.value(forKey: key, ofText: text)
        case (.url(let url), _): Value.value(forKey: key, of: url)
        case (.date(let date), "timeIntervalSince1970"): .double(date.timeIntervalSince1970)
        case (.date(let date), "timeIntervalSinceReferenceDate"): .double(date.timeIntervalSinceReferenceDate)
        case (.data(let data), "length"), (.data(let data), "count"): .int(Int64(data.count))
        case (.uuid(let uuid), "UUIDString"), (.uuid(let uuid), "uuidString"): .string(uuid.uuidString)
        case (.int, _), (.double, _), (.decimal, _), (.bool, _): Value.isNumberKey(key) ? self : nil
        default: nil
        }
    }

    private static func value(forKey key: String, ofText text: String) -> Value? {
        switch key {
        case "length": .int(Int64((text as NSString).length))
        case "count": .int(Int64(text.count))
        case "isEmpty": .bool(text.isEmpty)
        case "lowercaseString", "localizedLowercaseString": .string(text.lowercased())
        case "uppercaseString", "localizedUppercaseString": .string(text.uppercased())
        case "capitalizedString", "localizedCapitalizedString": .string(text.capitalized)
        case "intValue", "integerValue", "longLongValue": .int((text as NSString).longLongValue)
        case "doubleValue", "floatValue": .double((text as NSString).doubleValue)
        case "boolValue": .bool((text as NSString).boolValue)
        case "lastPathComponent": .string((text as NSString).lastPathComponent)
        case "pathExtension": .string((text as NSString).pathExtension)
        default: nil
        }
    }

    private static func value(forKey key: String, of url: URL) -> Value? {
        switch key {
        case "absoluteString": .string(url.absoluteString)
        case "path": .string(url.path)
        case "scheme": url.scheme.map { .string($0) } ?? .null
        case "host": url.host.map { .string($0) } ?? .null
        case "port": url.port.map { .int(Int64($0)) } ?? .null
        case "query": url.query.map { .string($0) } ?? .null
        case "fragment": url.fragment.map { .string($0) } ?? .null
        case "lastPathComponent": .string(url.lastPathComponent)
        case "pathExtension": .string(url.pathExtension)
        case "isFileURL": .bool(url.isFileURL)
        default: nil
        }
    }

    private static func isNumberKey(_ key: String) -> Bool {
        ["intValue", "integerValue", "longLongValue", "doubleValue", "floatValue", "boolValue", "decimalValue"].contains(key)
    }
}
