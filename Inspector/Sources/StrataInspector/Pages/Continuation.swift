import Hummingbird
import Strata
import StrataStoreTool

/// The position behind a page of a sorted table: the last row's value, and the number of rows with that value so far.
///
/// The next page begins there (keyset pagination): an index finds its first row without those of the pages before.
struct Continuation: Sendable {
    /// The greatest length of a value in an address, in bytes.
    private static let greatestLength = 200

    private let sort: TableSort
    private let value: Value
    private let count: Int

    /// Reads the position from a request; `nil` where it has none.
    ///
    /// - Throws: `PageError` where the value is none of the sorted attribute.
    init?(_ reader: PageReader) throws {
        guard let sort = reader.sort, let text = reader.values["after"] else { return nil }
        guard let value = try reader.entity().attribute(named: sort.key)?.type.value(text), value.hasOrder else {
            throw PageError(.badRequest, "after is no value of \(sort.key)")
        }
        (self.sort, self.value) = (sort, value)
        count = try reader.values.number("skip", default: 0, in: 0...1_000_000_000_000)
    }

    /// Creates the position behind some rows by their values; `nil` where the last one has no value that an address can have.
    ///
    /// - Parameter previous: The position at which the rows began.
    init?(behind values: [Value], sort: TableSort, previous: Continuation?) {
        guard let last = values.last, last.hasOrder, last.cell.utf8.count <= Continuation.greatestLength else { return nil }
        let equal = values.reversed().prefix { $0 == last }.count
        (self.sort, value) = (sort, last)
        count = equal + (equal == values.count && previous?.value == last ? previous?.count ?? 0 : 0)
    }

    /// Adds the position to a request: rows without a value come first, in descending order last.
    ///
    /// - Throws: As the format language.
    func apply(to request: inout ObjectFetchRequest<ManagedObject>, of entity: EntityDescription) throws {
        var rest = try QueryPredicate(format: sort.isAscending ? "%K >= %@" : "%K <= %@", sort.key, value)
        if !sort.isAscending, entity.attribute(named: sort.key)?.isOptional != false {
            rest = rest || (try QueryPredicate(format: "%K == nil", sort.key))
        }
        request.predicate = request.predicate.map { $0 && rest } ?? rest
        request.offset = count
    }

    /// The values of the next page's address.
    func add(to values: FormValues) -> FormValues {
        values.replacing("after", with: value.cell).replacing("skip", with: String(count))
    }
}

/// The property that a table is sorted by.
struct TableSort: Sendable {
    let key: String
    let isAscending: Bool
}

extension PageReader {
    /// The property to sort by, with a minus in front for the opposite order.
    var sort: TableSort? {
        values.text("sort").map { text in
            text.hasPrefix("-") ? TableSort(key: String(text.dropFirst()), isAscending: false) : TableSort(key: text, isAscending: true)
        }
    }
}

extension Value {
    /// Whether conditions compare values of this type by the order in which they are sorted.
    fileprivate var hasOrder: Bool {
        switch self {
        case .int, .decimal, .string, .date: true
        case .double(let number): !number.isNaN
        default: false
        }
    }
}
