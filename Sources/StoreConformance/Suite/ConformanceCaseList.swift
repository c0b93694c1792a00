/// Puts cases, and lists of cases, one after the other.
///
/// A list in a property that is computed is looked at once by the compiler; in one that is stored, by every part of a
/// build.
@resultBuilder
enum ConformanceCaseList {
    static func buildExpression(_ item: ConformanceCase) -> [ConformanceCase] { [item] }

    static func buildExpression(_ list: [ConformanceCase]) -> [ConformanceCase] { list }

    static func buildBlock(_ lists: [ConformanceCase]...) -> [ConformanceCase] { lists.flatMap(\.self) }
}
