import StrataModel
import Synchronization

/// The offsets of a time zone from UTC: a fixed one, or those of the system's time zone database.
///
/// The database's files are read once for each zone and process.
public struct ZoneRules: Sendable {
    /// The seconds since 1970 from which on an offset holds, ascending.
    private let transitions: [Int64]
    /// The offsets: that before the first transition, then one for each.
    private let offsets: [Int32]
    /// The rule after the last transition; `nil` where its offset stays.
    private let rule: YearlyRule?

    /// Returns the rules of a time zone; `nil` where the system has none of that name.
    ///
    /// - Parameter identifier: A name of the IANA database (`Europe/Rome`), `UTC`, or a fixed offset: `+05:30`, `-0330`, `GMT+5`.
    public static func named(_ identifier: String) -> ZoneRules? {
        if let seconds = fixedOffset(identifier) { return ZoneRules(fixed: seconds) }
        if let known = zones.withLock({ $0[identifier] }) { return known }
        guard let found = files(of: identifier).lazy.compactMap({ ZoneFile($0)?.rules }).first else { return nil }
        zones.withLock { $0[identifier] = found }
        return found
    }

    private static let zones = Mutex<[String: ZoneRules]>([:])

    /// Creates the rules of a zone with one offset, in seconds.
    init(fixed seconds: Int32) { self.init(transitions: [], offsets: [seconds], rule: nil) }

    init(transitions: [Int64], offsets: [Int32], rule: YearlyRule?) {
        self.transitions = transitions
        self.offsets = offsets
        self.rule = rule
    }

    /// Returns the number of seconds that local time is ahead of UTC.
    ///
    /// - Parameter seconds: Seconds since 1970, UTC.
    public func offset(at seconds: Int64) -> Int32 {
        if let rule, transitions.last.map({ seconds >= $0 }) ?? true { return rule.offset(at: seconds) }
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return offsets[low]
    }

    /// Returns the offset that an identifier spells, in seconds; `nil` for names.
    public static func fixedOffset(_ identifier: String) -> Int32? {
        var text = identifier[...]
        if ["UTC", "GMT", "Z"].contains(identifier) { return 0 }
        if text.hasPrefix("UTC") || text.hasPrefix("GMT") { text = text.dropFirst(3) }
        guard let sign = text.popFirst(), sign == "+" || sign == "-" else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard digits.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }), let number = Int32(digits) else { return nil }
        let hoursAndMinutes: (Int32, Int32)
        switch (parts.count, digits.utf8.count) {
        case (1, 1...2): hoursAndMinutes = (number, 0)
        case (1, 4): hoursAndMinutes = (number / 100, number % 100)
        case (2, 3...4) where parts[1].utf8.count == 2: hoursAndMinutes = (number / 100, number % 100)
        default: return nil
        }
        guard hoursAndMinutes.0 <= 18, hoursAndMinutes.1 < 60 else { return nil }
        return (hoursAndMinutes.0 * 3600 + hoursAndMinutes.1 * 60) * (sign == "-" ? -1 : 1)
    }

    /// Reads the files of a zone where systems have them.
    private static func files(of identifier: String) -> [[UInt8]] {
        let isName = identifier.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"):
                        true
                    default: false
                    }
                }
        }
        guard isName, identifier.utf8.count < 100 else { return [] }
        let folders = [
            "/usr/share/zoneinfo/", "/var/db/timezone/zoneinfo/", "/usr/lib/zoneinfo/", "/usr/share/lib/zoneinfo/", "/etc/zoneinfo/",
        ]
        return folders.compactMap { (try? Data(contentsOf: URL(filePath: $0 + identifier))).map { Array($0) } }
    }
}

/// A file of the time zone database in the format TZif (RFC 9636).
struct ZoneFile {
    let rules: ZoneRules

    init?(_ bytes: [UInt8]) {
        guard let first = Header(bytes, at: 0) else { return nil }
        // From version 2 on, a second part has times of 64 bits, and a footer follows.
        let isLong = first.version >= UInt8(ascii: "2")
        guard let header = isLong ? Header(bytes, at: first.end(timeSize: 4)) : first else { return nil }
        let timeSize = isLong ? 8 : 4
        let indexes = header.start + header.times * timeSize
        let types = indexes + header.times
        let end = header.end(timeSize: timeSize)
        // Files whose times count leap seconds are for other clocks.
        guard end <= bytes.count, header.types > 0, header.leaps == 0 else { return nil }
        func integer(_ offset: Int, _ size: Int) -> Int64 {
            let word = bytes[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 4 ? Int64(Int32(truncatingIfNeeded: word)) : Int64(bitPattern: word)
        }
        var transitions: [Int64] = []
        var offsets = [Int32(truncatingIfNeeded: integer(types, 4))]
        for index in 0..<header.times {
            let time = integer(header.start + index * timeSize, timeSize)
            let type = Int(bytes[indexes + index])
            guard type < header.types, transitions.last.map({ $0 < time }) ?? true else { return nil }
            transitions.append(time)
            offsets.append(Int32(truncatingIfNeeded: integer(types + type * 6, 4)))
        }
        var rule: YearlyRule?
        if isLong {
            let footer = bytes[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
            rule = YearlyRule(String(decoding: footer, as: UTF8.self))
        }
        rules = ZoneRules(transitions: transitions, offsets: offsets, rule: rule)
    }

    private struct Header {
        let version: UInt8
        let start: Int
        let (isUniversal, isStandard, leaps, times, types, characters): (Int, Int, Int, Int, Int, Int)

        init?(_ bytes: [UInt8], at offset: Int) {
            guard bytes.count - 44 >= offset, bytes[offset..<(offset + 4)].elementsEqual("TZif".utf8) else { return nil }
            version = bytes[offset + 4]
            let counts = (0..<6).map { index in
                bytes[(offset + 20 + index * 4)..<(offset + 24 + index * 4)].reduce(0) { $0 << 8 | Int($1) }
            }
            (isUniversal, isStandard, leaps, times, types, characters) = (counts[0], counts[1], counts[2], counts[3], counts[4], counts[5])
            start = offset + 44
        }

        func end(timeSize: Int) -> Int {
            start + times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + isStandard + isUniversal
        }
    }
}
