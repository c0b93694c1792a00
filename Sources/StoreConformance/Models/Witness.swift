import Strata
import StrataTestModels

/// An object that records its life-cycle methods, and calls closures in them.
final class Witness: ManagedObject, PropertyValidating {
    static let name = Key<String>("name")
    static let saves = Key<Int64>("saves")

    private(set) var heard: [String] = []
    var onWillSave: ((Witness) -> Void)?
    var onDidSave: ((Witness) -> Void)?
    var onDeletion: ((Witness) -> Void)?
    var complaint: (any Error)?

    override func awakeFromInsert() {
        heard.append("insert")
        self[Witness.name] = "unnamed"
    }
    override func awakeFromFetch() { heard.append("fetch") }
    override func prepareForDeletion() {
        heard.append("deletion")
        onDeletion?(self)
    }
    override func willSave() {
        heard.append("willSave")
        onWillSave?(self)
    }
    override func didSave() {
        heard.append("didSave")
        onDidSave?(self)
    }
    override func willTurnIntoFault() { heard.append("willTurnIntoFault") }
    override func didTurnIntoFault() { heard.append("didTurnIntoFault") }

    func validate(_ value: Value, forKey key: String) throws {
        if key == "name", value == .string("forbidden") {
            throw ValidationFailure(.custom, self, key: key, message: "forbidden")
        }
    }
    override func validateForInsert() throws { if let complaint { throw complaint } }
    override func validateForUpdate() throws { if let complaint { throw complaint } }
    override func validateForDelete() throws { if let complaint { throw complaint } }

    /// A reason to complain.
    struct Complaint: Error {}
}

extension Models {
    /// Witnesses, and nothing beside them.
    static let witness = ModelResult.declared {
        Entity("Witness", class: Witness.self) {
            Attribute("name", .string)
            Attribute("saves", .integer64, default: 0)
        }
    }
}
