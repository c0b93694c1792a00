/// How hard a recipe is to make.
///
/// Stores keep the raw values: they are not changed, and none is used again.
enum Difficulty: Int16, CaseIterable {
    case easy = 0
    case medium = 1
    case hard = 2

    /// The name that feeds give it.
    init?(name: String) {
        guard let found = Self.allCases.first(where: { String(describing: $0) == name }) else { return nil }
        self = found
    }
}
