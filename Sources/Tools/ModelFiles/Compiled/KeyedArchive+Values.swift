import FoundationEssentials
import StrataModel

extension KeyedArchive.Object {
    /// Returns the value under a key; `nil` for none, or a class that no attribute has.
    func constant(_ key: String) -> Value? { value(key).flatMap(constant(of:)) }

    /// Returns the attribute value of a value of the archive.
    func constant(of value: KeyedArchive.Value) -> Value? {
        if let text = string(of: value) { return .string(text) }
        switch archive.resolve(value) {
        case .bool(let flag)?: return .bool(flag)
        case .int(let number)?: return .int(number)
        case .double(let number)?: return number.isNaN ? nil : .double(number)
        case .date(let date)?: return .date(date)
        case .data(let data)?: return .data(data)
        default: return object(of: value)?.foundationValue
        }
    }

    /// The value of one of Foundation's classes.
    private var foundationValue: Value? {
        switch className {
        case "NSDate":
            switch value("NS.time") {
            case .double(let time)?: return time.isFinite ? .date(Date(timeIntervalSinceReferenceDate: time)) : nil
            case .int(let time)?: return .date(Date(timeIntervalSinceReferenceDate: Double(time)))
            default: return nil
            }
        case "NSUUID":
            guard case .data(let bytes)? = value("NS.uuidbytes"), bytes.count == 16 else { return nil }
            return .uuid(UUID(uuid: unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: uuid_t.self) }))
        case "NSURL": return string("NS.relative").flatMap { URL(string: $0) }.map { .url($0) }
        case "NSData", "NSMutableData":
            guard case .data(let bytes)? = value("NS.data") else { return nil }
            return .data(bytes)
        case "NSDecimalNumber": return decimal
        default: return nil
        }
    }

    private var decimal: Value? {
        guard case .data(let bytes)? = value("NS.mantissa"), bytes.count <= 16, let exponent = int("NS.exponent"),
            (-128...127).contains(exponent)
        else { return nil }
        // Words of 16 bits, the least significant first; the key stores their byte order, 1 for little-endian.
        let isLittle = int("NS.mantissa.bo") != 2
        let words = stride(from: 0, to: bytes.count - 1, by: 2).map { offset in
            let (one, two) = (Int(bytes[bytes.startIndex + offset]), Int(bytes[bytes.startIndex + offset + 1]))
            return isLittle ? one | two << 8 : one << 8 | two
        }
        var number = Decimal(0)
        for word in words.prefix(max(0, int("NS.length") ?? 8)).reversed() { number = number * 65536 + Decimal(word) }
        if number.isNaN { return nil }
        return Decimal(string: "\(flag("NS.negative") ? "-" : "")\(number)e\(exponent)").map { .decimal($0) }
    }
}
