/// The offsets of a zone after the last transition of its file, as POSIX writes them: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyRule: Sendable {
    /// The offset of standard time, in seconds ahead of UTC.
    private let standard: Int32
    /// The offset of summer time, with the beginning and the end of it; `nil` where there is none.
    private let summer: (offset: Int32, start: Day, end: Day)?

    /// A day of each year, with a time of day in seconds.
    private enum Day {
        /// The week, from 1, where 5 is the last, and the day of the week, from 0 for Sunday, of a month.
        case inMonth(month: Int64, week: Int64, weekday: Int64, time: Int64)
        /// A day, from 1, that does not count leap days.
        case julian(Int64, time: Int64)
        /// A day, from 0, that counts leap days.
        case dayOfYear(Int64, time: Int64)

        /// Returns the local seconds since 1970.
        func seconds(in year: Int64) -> Int64 {
            let first = CivilDate.days(year: year, month: 1, day: 1)
            switch self {
            case .inMonth(let month, let week, let weekday, let time):
                let start = CivilDate.days(year: year, month: month, day: 1)
                let next =
                    month == 12 ? CivilDate.days(year: year + 1, month: 1, day: 1) : CivilDate.days(year: year, month: month + 1, day: 1)
                var day = start + (weekday - (start + 4)).remainderUp(by: 7) + (week - 1) * 7
                while day >= next { day -= 7 }
                return day * 86_400 + time
            case .julian(let day, let time):
                let isLeap = CivilDate.days(year: year + 1, month: 1, day: 1) - first == 366
                return (first + day - 1 + (isLeap && day >= 60 ? 1 : 0)) * 86_400 + time
            case .dayOfYear(let day, let time): return (first + day) * 86_400 + time
            }
        }
    }

    /// - Returns: `nil` for an empty or malformed text.
    init?(_ text: String) {
        var parser = Parser(rest: text[...])
        guard parser.name(), let standard = parser.time() else { return nil }
        // POSIX counts to the west.
        self.standard = Int32(truncatingIfNeeded: -standard)
        guard !parser.rest.isEmpty else {
            summer = nil
            return
        }
        guard parser.name() else { return nil }
        let offset = parser.rest.first == "," ? standard - 3600 : parser.time() ?? standard - 3600
        guard let start = parser.day(), let end = parser.day(), parser.rest.isEmpty else { return nil }
        summer = (Int32(truncatingIfNeeded: -offset), start, end)
    }

    func offset(at seconds: Int64) -> Int32 {
        guard let summer else { return standard }
        let year = CivilDate((seconds + Int64(standard)).dividedDown(by: 86_400)).year
        let start = summer.start.seconds(in: year) - Int64(standard)
        let end = summer.end.seconds(in: year) - Int64(summer.offset)
        let isSummer = start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end
        return isSummer ? summer.offset : standard
    }

    private struct Parser {
        var rest: Substring

        /// Passes a name of a kind of time: letters, or anything in angle brackets.
        mutating func name() -> Bool {
            if rest.first == "<" {
                guard let end = rest.firstIndex(of: ">") else { return false }
                rest = rest[rest.index(after: end)...]
                return true
            }
            let name = rest.prefix { $0.isLetter }
            rest = rest[name.endIndex...]
            return !name.isEmpty
        }

        mutating func number() -> Int64? {
            let digits = rest.prefix { $0.isNumber }
            guard digits.utf8.count < 5, let number = Int64(digits) else { return nil }
            rest = rest[digits.endIndex...]
            return number
        }

        mutating func pass(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Reads hours, minutes and seconds, as seconds: `-1`, `5:30`.
        mutating func time() -> Int64? {
            let isNegative = pass("-")
            if !isNegative { _ = pass("+") }
            guard var seconds = number().map({ $0 * 3600 }) else { return nil }
            for unit in [60, 1] as [Int64] where pass(":") {
                guard let number = number() else { return nil }
                seconds += number * unit
            }
            return isNegative ? -seconds : seconds
        }

        /// Reads `,M3.5.0/2`, `,J60` or `,59/24`.
        mutating func day() -> Day? {
            guard pass(",") else { return nil }
            if pass("M") {
                guard let month = number(), pass("."), let week = number(), pass("."), let weekday = number(),
                    (1...12).contains(month), (1...5).contains(week), weekday < 7, let time = timeOfDay()
                else { return nil }
                return .inMonth(month: month, week: week, weekday: weekday, time: time)
            }
            let isJulian = pass("J")
            guard let day = number(), day <= 365, let time = timeOfDay() else { return nil }
            return isJulian ? .julian(day, time: time) : .dayOfYear(day, time: time)
        }

        private mutating func timeOfDay() -> Int64? { pass("/") ? time() : 7200 }
    }
}
