import StrataSQL

/// The parameters of a list whose length changes from query to query.
enum ParameterList {
    /// The values, and the last one again until their number is a power of two: so that few statements serve all lengths.
    static func sql(_ values: [SQLBinding]) -> SQLText {
        guard let last = values.last else { return "NULL" }
        var size = 1
        while size < values.count { size *= 2 }
        return "\((0..<size).map { SQLText("\(bind: $0 < values.count ? values[$0] : last)") })"
    }
}
