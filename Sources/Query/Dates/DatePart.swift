public import StrataModel

/// A part of a date in a time zone, as the calendar of ISO 8601 has it: the proleptic Gregorian calendar, with weeks that begin on Monday.
///
/// The numbers are those of `Calendar.component(_:from:)` for that calendar; years before the first count down from 0.
public enum DatePart: String, Sendable, Hashable, CaseIterable {
    /// The year.
    case year
    /// The quarter of the year, from 1 to 4.
    case quarter
    /// The month, from 1 to 12.
    case month
    /// The week of ISO 8601, from 1 to 53: the first has the year's first Thursday.
    case weekOfYear
    /// The year that the week belongs to, which differs from ``year`` for some days beside New Year.
    case yearForWeekOfYear
    /// The day of the month, from 1 to 31.
    case day
    /// The day of the year, from 1 to 366.
    case dayOfYear
    /// The day of the week, from 1 for Sunday to 7 for Saturday.
    case weekday
    /// The hour, from 0 to 23.
    case hour
    /// The minute, from 0 to 59.
    case minute
    /// The whole second, from 0 to 59.
    case second

    /// Returns the part of a date in a time zone; `nil` for a date that is NaN or too distant.
    public func value(of date: Date, in zone: ZoneRules) -> Int64? {
        let interval = date.timeIntervalSinceReferenceDate.rounded(.down)
        // Some thirty million years.
        guard interval.magnitude < 1e15 else { return nil }
        let seconds = Int64(interval) + 978_307_200
        return value(ofLocal: seconds + Int64(zone.offset(at: seconds)))
    }

    private func value(ofLocal seconds: Int64) -> Int64 {
        let days = seconds.dividedDown(by: 86_400)
        let time = seconds - days * 86_400
        switch self {
        case .hour: return time / 3600
        case .minute: return time / 60 % 60
        case .second: return time % 60
        case .weekday: return (days + 4).remainderUp(by: 7) + 1
        case .year: return CivilDate(days).year
        case .quarter: return (CivilDate(days).month + 2) / 3
        case .month: return CivilDate(days).month
        case .day: return CivilDate(days).day
        case .dayOfYear: return days - CivilDate.days(year: CivilDate(days).year, month: 1, day: 1) + 1
        case .weekOfYear:
            let thursday = DatePart.thursday(of: days)
            return (thursday - CivilDate.days(year: CivilDate(thursday).year, month: 1, day: 1)) / 7 + 1
        case .yearForWeekOfYear: return CivilDate(DatePart.thursday(of: days)).year
        }
    }

    /// Returns the day in the middle of a week, which decides about its year.
    private static func thursday(of days: Int64) -> Int64 { days - (days + 3).remainderUp(by: 7) + 3 }
}

/// A day of the proleptic Gregorian calendar.
struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    /// - Parameter days: The number of days since 1970-01-01.
    init(_ days: Int64) {
        // Years begin in March, so that the leap day is the last one.
        let shifted = days + 719_468
        let era = shifted.dividedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Returns the number of days since 1970-01-01.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.dividedDown(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Returns the quotient, rounded down.
    func dividedDown(by divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }
    /// Returns the remainder, which is not negative.
    func remainderUp(by divisor: Int64) -> Int64 { self - dividedDown(by: divisor) * divisor }
}
