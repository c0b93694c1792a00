import StrataStore

/// The numbers of objects, unique in a file, unlike references, which are unique within an entity hierarchy.
///
/// A number is the reference, as Core Data has it. Objects of a converted store may have one reference in several
/// hierarchies: then the numbers of each hierarchy are its references plus an offset, which the metadata name.
struct ObjectNumbers {
    /// The metadata key of the offsets, by the names of the root entities.
    static let key = "StrataObjectNumberOffsets"

    /// The offsets by the index of the entity; empty without any.
    private let offsets: [Int64]
    /// The offsets by the names of the root entities; empty without any.
    let byName: [String: Int64]

    var greatest: Int64 { offsets.max() ?? 0 }

    /// Creates the numbers of a file that is read, whose offsets are not negative.
    init(_ offsets: [String: Int64], _ model: ManagedObjectModel) {
        byName = offsets
        self.offsets = offsets.isEmpty ? [] : model.entities.map { offsets[$0.rootName] ?? 0 }
    }

    /// Creates the numbers of a file that is written.
    ///
    /// - Parameter rows: The rows by the index of their root entity, in ascending order of reference.
    /// - Throws: `StoreError` with `tooLarge` if a number exceeds the maximum.
    init(_ rows: [EntityIndex: [Row]], _ model: ManagedObjectModel, _ errors: XMLErrors) throws(StoreError) {
        let references = rows.values.flatMap { $0.map(\.reference) }
        guard rows.count > 1, ReferenceTable(references).duplicate != nil else {
            self.init([:], model)
            return
        }
        var offsets: [String: Int64] = [:]
        var end: Int64 = 0
        for (root, rows) in rows.sortedByKey() {
            offsets[model.entities[root].name] = end
            let sum = end.addingReportingOverflow(rows.last?.reference ?? 0)
            guard !sum.overflow, sum.partialValue < ObjectNumbers.limit else { throw errors.tooLarge("too many references were given out") }
            end = sum.partialValue
        }
        self.init(offsets, model)
    }

    /// The maximum number in an id.
    private static let limit: Int64 = 9_000_000_000_000_000_000

    func number(_ reference: Int64, _ entity: EntityIndex) -> Int64 { offsets.isEmpty ? reference : reference + offsets[entity] }

    func number(of row: Row) -> Int64 { number(row.reference, row.entityIndex) }

    /// Returns the reference of an object by its number; not above 0 for an impossible number.
    func reference(_ number: Int64, _ entity: EntityIndex) -> Int64 { offsets.isEmpty ? number : number - offsets[entity] }
}
