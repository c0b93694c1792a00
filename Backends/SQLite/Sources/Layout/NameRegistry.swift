/// The names taken in a database or a table; SQLite compares names without regard to the case of ASCII letters.
struct NameRegistry {
    private var taken: Set<String>

    init(reserved: [String] = []) { taken = Set(reserved.map { $0.uppercased() }) }

    /// Takes the names that `make` returns for a suffix: the first of "", "1", "2" … with which all are free.
    mutating func take(_ make: (String) -> [String]) -> [String] {
        var count = 0
        while true {
            let names = make(count == 0 ? "" : String(count))
            let folded = names.map { $0.uppercased() }
            if Set(folded).count == folded.count, taken.isDisjoint(with: folded) {
                taken.formUnion(folded)
                return names
            }
            count += 1
        }
    }

    /// Takes a name, with a suffix where it is taken.
    mutating func take(_ name: String) -> String { take { [name + $0] }[0] }
}
