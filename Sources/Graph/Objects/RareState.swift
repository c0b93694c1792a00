import StrataModel

/// An assignment to an object without a context that was refused, as the value could not be encoded.
struct RefusedAssignment {
    /// The name of the attribute, which may be a composite one.
    let key: String
    let error: any Error
    /// The attributes that are still to be assigned: of a composite one its elements.
    var properties: [Int]
}

/// The state of an object that few objects have.
final class RareState {
    var unfit: [Int] = []
    var held: [Int: [ManagedObject]] = [:]
    var survivor: ManagedObject?
    var fetched: [String: [ObjectID]] = [:]
    var lastError: (any Error)?
    var refused: [RefusedAssignment] = []

    /// Records that a property was set to a value that fits.
    func didSet(_ property: Int) {
        unfit.removeAll { $0 == property }
        if refused.isEmpty { return }
        for index in refused.indices { refused[index].properties.removeAll { $0 == property } }
        refused.removeAll(where: \.properties.isEmpty)
    }

    private func takeHeld() -> [ManagedObject] {
        defer { held = [:] }
        return held.values.flatMap(\.self)
    }

    deinit { LeavingList.releaseAll(takeHeld()) }
}
